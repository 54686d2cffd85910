"""Training through the one door: a state that names its training, the words drifting, and a head coming into being."""

import numpy as np
import pytest

import clearhead as ch
from clearhead.session import Session
from clearhead.session.states import MOST_STEPS

TEA = {"example": "tea-is-hot", "training": {"optimizer": "sgd", "learning_rate": 0.5, "steps": 31}}
LIVE = {"layers": 2, "positions": "rotary", "mask": "causal", "scale": True, "seed": 3}


@pytest.fixture(scope="module")
def session():
    return Session()


def values(view, name):
    (place,) = [quantity["values"] for quantity in view.data["quantities"] if quantity["name"] == name]
    return view.buffers[place]


def test_the_walkthrough_follows_the_step(session):
    run = ch.train("tea-is-hot", steps=31, optimiser="sgd", learning_rate=0.5)
    for step in (0, 7, 31):
        view = session.ask({"ask": "walkthrough", "state": TEA | {"step": step}})
        assert values(view, "E").tolist() == [list(row) for row in run.at(step).E.values()]
        assert float(values(view, "loss")) == pytest.approx([*run.losses, run.final_loss][step], rel=1e-12)
        assert values(view, "E_next").tolist() == (values(view, "E") - 0.5 * values(view, "dE")).tolist()
        if step < 31:
            following = np.array(list(run.at(step + 1).E.values()))
            np.testing.assert_allclose(values(view, "E_next"), following, rtol=0, atol=1e-15)


def test_the_update_remembers_what_the_optimiser_does(session):
    state = TEA | {"training": {"optimizer": "adamw", "learning_rate": 0.02, "steps": 13}, "step": 5}
    view = session.ask({"ask": "walkthrough", "state": state})
    memory = ch.train("tea-is-hot", steps=13, learning_rate=0.02).snapshots[5].memory
    assert values(view, "E_m").tolist() == memory["E_m"].tolist()
    assert np.abs(memory["E_m"]).max() > 0


def test_a_cell_of_a_trained_model_unfolds(session):
    message = {
        "ask": "explain",
        "state": TEA | {"step": 7},
        "quantity": "E_next",
        "index": [0, 1],
        "digits": 3,
    }
    assert session.ask(message).data["kind"] == "explanation"


def test_the_whole_training(session):
    view = session.ask({"ask": "training", "state": TEA})
    data = view.data
    losses, points, cosines = (view.buffers[data[name]] for name in ("losses", "points", "cosines"))
    run = ch.train("tea-is-hot", steps=31, optimiser="sgd", learning_rate=0.5)
    assert losses.tolist() == [*run.losses, run.final_loss]
    assert data["recorded"] == list(range(32))
    assert data["words"] == list(run.start.E)
    assert data["sentences"] == ["tea is hot and coffee is hot"]
    assert data["stopped"] is None
    words = len(data["words"])
    assert points.shape == (32, words, 2)
    assert cosines.shape == (32, words, words)
    tea, coffee = (np.array(run.at(31).E[word]) for word in ("tea", "coffee"))
    expected = tea @ coffee / np.linalg.norm(tea) / np.linalg.norm(coffee)
    assert cosines[31, 0, data["words"].index("coffee")] == pytest.approx(expected, abs=1e-12)
    assert sum(data["explained"]) == pytest.approx(1)  # d_model is 2: nothing lies beside the plane


def test_a_training_that_diverges_is_shown_as_far_as_it_came(session):
    state = TEA | {"training": {"optimizer": "sgd", "learning_rate": 1e6, "steps": 31}}
    data = session.ask({"ask": "training", "state": state}).data
    assert data["stopped"].startswith("Training stopped: step 2: the loss has grown")
    assert session.ask({"ask": "walkthrough", "state": state | {"step": 31}}).data["kind"] == "walkthrough"


MISTAKES = {
    "no plan": ({"training": None}, "training", "expected an object with optimizer, learning_rate, steps"),
    "half a plan": ({"training": {"optimizer": "sgd"}}, "training", "expected an object with"),
    "an optimiser": (
        {"optimizer": "adam"},
        "optimizer",
        "'adam' is not known; expected one of sgd, momentum, adamw",
    ),
    "a rate of nothing": ({"learning_rate": 0}, "learning_rate", "expected a finite number above 0, got 0"),
    "a rate below nothing": (
        {"learning_rate": -1},
        "learning_rate",
        "expected a finite number above 0, got -1",
    ),
    "no rate": ({"learning_rate": None}, "learning_rate", "expected a finite number above 0"),
    "a rate as text": ({"learning_rate": "fast"}, "learning_rate", "expected a finite number above 0"),
    "a rate as a list": ({"learning_rate": [1]}, "learning_rate", "expected a finite number above 0"),
    "no steps": ({"steps": 0}, "steps", f"expected a whole number from 1 to {MOST_STEPS}, got 0"),
    "too many steps": ({"steps": MOST_STEPS + 1}, "steps", f"expected a whole number from 1 to {MOST_STEPS}"),
    "steps as truth": ({"steps": True}, "steps", "expected a whole number"),
    "a step before": ({"step": -1}, "step", f"expected a whole number from 0 to {MOST_STEPS}, got -1"),
    "one word alone": ({"tokens": ["tea"]}, "corpus", "it has no sentence of two words or more"),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_a_training(session, mistake):
    change, where, sentence = mistake
    plan = {name: change[name] for name in ("optimizer", "learning_rate", "steps") if name in change}
    others = {name: value for name, value in change.items() if name not in plan}
    state = TEA | {"training": TEA["training"] | plan, "step": 3} | others
    for ask in ("walkthrough", "training") if "step" not in change else ("walkthrough",):
        data = session.ask({"ask": ask, "state": state}).data
        assert (data["kind"], data["where"]) == ("error", where)
        assert sentence in data["message"]


def test_a_head_in_training(session):
    first = session.ask({"ask": "live", "setting": LIVE, "step": 0})
    maps = first.buffers[first.data["maps"]]
    assert maps.shape == (4, 24, 24)
    seen = np.tril(np.ones((24, 24), dtype=bool))
    assert (maps[:, ~seen] == -1).all(), "what is masked is no weight of 0"
    assert (maps[:, seen] >= 0).all()
    later = session.ask({"ask": "live", "setting": LIVE, "step": 10})
    assert later.data["step"] == 10
    assert later.buffers[later.data["losses"]].shape == (10,)
    assert later.data["measured"] == [0, 5, 10]
    again = session.ask({"ask": "live", "setting": LIVE, "step": 5})  # back in time: what was, not what is
    assert again.data["step"] == 5
    assert again.buffers[again.data["losses"]].tolist() == later.buffers[later.data["losses"]][:5].tolist()
    np.testing.assert_allclose(later.buffers[0].sum(axis=-1, where=seen), 1, atol=1e-12)


def test_the_same_head_from_a_fresh_session(session):
    message = {"ask": "live", "setting": LIVE, "step": 10}
    ours, theirs = session.ask(message), Session().ask(message)
    assert ours.data == theirs.data
    assert all(a.tobytes() == b.tobytes() for a, b in zip(ours.buffers, theirs.buffers, strict=True))


def test_the_targets_stand_after_the_same_token(session):
    data = session.ask({"ask": "live", "setting": LIVE, "step": 0}).data
    counted = [(place, looks) for place, looks in enumerate(data["targets"]) if looks >= 0]
    assert len(counted) >= 3
    for place, looks in counted:
        assert data["tokens"][looks - 1] == data["tokens"][place]
        assert data["tokens"][looks] == data["tokens"][place + 1]


@pytest.mark.parametrize(
    ("change", "where"),
    [({"layers": 3}, "layers"), ({"positions": "alibi"}, "positions"), ({"mask": 1}, "mask"), ({"scale": 1}, "scale"),
     ({"seed": -1}, "seed"), ({"more": 1}, "setting")],
)  # fmt: skip
def test_a_mistake_in_a_setting(session, change, where):
    data = session.ask({"ask": "live", "setting": LIVE | change, "step": 0}).data
    assert (data["kind"], data["where"]) == ("error", where)
