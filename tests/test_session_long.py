"""Long texts through the door: read in a thread of their own, asked about until they are done, then zoomed into."""

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clearhead as ch
from clearhead.session import Session, long
from clearhead.session.long import GivenUp, LongReading
from clearhead.session.longreadings import Told
from clearhead.session.models import Models
from clearhead.session.turn import Turn
from clearhead.session.view import Unfinished
from clearhead.sources.worked import ExampleError

PATIENCE = 120
"""Seconds after which a reading that is not done has failed; no test is about how long anything takes."""

LONG = "the man was late, he said he was late; " * 47
STATE = {"model": "small", "text": LONG}
NEAR = 1e-6
"""The maps travel in float32."""

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")


def ask(session, kind, state, **rest):
    view = session.ask({"ask": kind, "state": state} | rest)
    json.dumps(view.data, allow_nan=False)
    return view


def done(session, state=STATE):
    """The answer to `model` when the reading is done, and the sentences that came before."""
    told = []
    for _ in range(PATIENCE * 4):
        view = ask(session, "model", state)
        if view.data["kind"] != "working":
            return view, told
        told.append(view)
    raise AssertionError("it is never done")


@pytest.fixture(scope="module")
def loaded(small_models):
    from clearhead.sources.models.loading import Loaded

    def load(positions=1031):
        model = small_models.gpt2(n_positions=positions)
        return Loaded(model, small_models.tokenizer(), None, "small", "causal")

    return load


@pytest.fixture(scope="module")
def models(loaded):
    made = Models([loaded()])
    yield made
    assert made.close()


@pytest.fixture(scope="module")
def session(models):
    return Session(models=models)


@pytest.fixture(scope="module")
def model(session):
    return done(session)[0]


@pytest.fixture(scope="module")
def capture(loaded):
    return ch.capture(loaded(), None, LONG)


def test_a_long_text_is_read_while_the_page_asks(session, model, capture):
    data: Any = model.data
    assert (data["kind"], data["long"], data["fixed"], data["text"]) == ("model", True, False, LONG)
    (tower,) = data["towers"]
    assert len(tower["queries"]) == len(capture.tokens) > 512
    assert set(tower["queries"][3]) == {"text", "start", "end"}  # a long text has many
    assert [layer["heads"] for layer in tower["layers"]] == [3, 3]
    assert all(layer["agreement"]["agrees"] for layer in tower["layers"])
    assert model.buffers[tower["layers"][1]["thumbnails"]].shape == (3, 24, 24)
    assert len(data["statistics"]) == 6
    assert data["next"]


def test_until_it_is_done_every_message_is_answered_with_how_far_it_is(loaded):
    """The model waits in its first layer until it was asked about."""
    one, asked = loaded(), threading.Event()
    one.model.transformer.h[1].register_forward_pre_hook(lambda *_: asked.wait(PATIENCE) and None)
    session = Session(models=Models([one]))
    for kind in ("model", "zoom", "head"):
        view = ask(session, kind, STATE)
        data: Any = view.data
        assert (data["kind"], data["name"]) == ("working", "small")
        assert data["what"].endswith(".")
        assert data["seconds"] >= 0
    asked.set()
    assert done(session)[0].data["kind"] == "model"


def test_a_head_is_zoomed_into(session, model, capture):
    state = STATE | {"layer": 1, "head": 2}
    weights = capture.weights(1)[2]
    view = ask(session, "zoom", state)
    data: Any = view.data
    assert view.buffers[data["largest"]].shape == (256, 256)
    assert data["tops"]["largest"] == pytest.approx(weights.max(), abs=NEAR)
    assert data["statistics"] == model.data["statistics"][5]
    tile = ask(session, "tile", state, rows=[500, 516], columns=[490, 522], step=1, pool="mean")
    part = weights[500:516, 490:522]
    hidden = np.arange(490, 522)[None, :] > np.arange(500, 516)[:, None]
    np.testing.assert_allclose(tile.buffers[0], np.where(hidden, -1, part), rtol=0, atol=NEAR)
    look: Any = ask(session, "look", state, query=511, key=505).data
    assert look["weight"] == pytest.approx(weights[511, 505], rel=1e-12)
    links: Any = ask(session, "links", state, count=3, apart=0, first=True).data
    assert links["links"][0]["weight"] == pytest.approx(weights.max(), rel=1e-6)


@pytest.mark.parametrize("quantity", ["scores", "weights", "mixed"])
def test_its_cells_are_explained_by_their_true_places(session, model, capture, quantity):
    state = STATE | {"layer": 1, "head": 2}
    cell: Any = ask(session, "explain", state, quantity=quantity, index=[517, 5], digits="full").data
    expected = capture.head(1, 2, query=517)[quantity].values[0, 5]
    assert (cell["index"], cell["label"]) == ([517, 5], f"{quantity}[517,5]")
    assert float(cell["full"].replace("−", "-")) == pytest.approx(expected, rel=1e-12)


def test_a_key_is_explained_beside_the_query_that_is_looked_at(session, model):
    state = STATE | {"layer": 1, "head": 2}
    cell: Any = ask(session, "explain", state, quantity="K", index=[3, 5], digits=2, query=517).data
    assert [feed["cells"] for feed in cell["feeds"]] == [[[None, 3]]]  # of every query that is there
    wrong: Any = ask(session, "explain", state, quantity="K", index=[3, 5], digits=2, query=5000).data
    assert wrong["where"] == "query"


def test_one_query_of_a_head_is_walked(session, model, capture):
    view = ask(session, "headwalk", STATE | {"layer": 1, "head": 2}, query=517)
    data: Any = view.data
    assert (data["label"], data["query"], len(data["queries"])) == ("L1H2", 517, len(capture.tokens))
    (weights,) = (one for one in data["quantities"] if one["name"] == "weights")
    rows, keys = (fold["places"] for fold in weights["folds"])
    assert rows == [517]
    expected = capture.row(1, 2, 517)[keys]
    np.testing.assert_allclose(view.buffers[weights["values"]], expected[None], rtol=1e-12, atol=0)


@pytest.mark.parametrize(("kind", "rest"), [("head", {}), ("rollout", {"position": 0})])
def test_what_is_drawn_with_every_position_is_refused(session, model, kind, rest):
    data: Any = ask(session, kind, STATE, **rest).data
    assert (data["kind"], data["where"]) == ("error", "text")
    assert "up to 512 tokens" in data["message"]


def test_the_model_runs_once_and_nothing_is_left_on_the_disk(loaded, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    one, runs = loaded(), []
    one.model.register_forward_pre_hook(lambda *_: runs.append(1))
    models = Models([one])
    session = Session(models=models)
    done(session)
    ask(session, "zoom", STATE)
    assert runs == [1]
    assert [path.name for path in tmp_path.glob("*/*/capture.safetensors")] == ["capture.safetensors"]
    assert models.close()
    assert list(tmp_path.iterdir()) == []


def test_a_reading_that_makes_room_takes_its_folder_with_it(loaded, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("clearhead.session.longreadings.LONG_KEPT", 1)
    models = Models([loaded()])
    session = Session(models=models)
    folders = []
    for text in (LONG, LONG + "he was late"):
        assert done(session, STATE | {"text": text})[0].data["kind"] == "model"
        folders.append([path.parent for path in tmp_path.glob("*/*/capture.safetensors")])
    assert [len(there) for there in folders] == [1, 1]
    assert folders[0] != folders[1]
    assert models.close()


def test_a_reading_that_is_given_up_leaves_nothing_and_can_be_begun_anew(loaded, monkeypatch, tmp_path):
    """It is told so in its second layer, when the first is on the disk."""
    from clearhead.session.modelstate import Reading

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    one, there, told = loaded(), threading.Event(), threading.Event()

    def waits(*_):
        there.set()
        told.wait(PATIENCE)

    hook = one.model.transformer.h[1].register_forward_hook(waits)
    models = Models([one])
    reading = models.begin(Reading("small", LONG))
    assert there.wait(PATIENCE)
    assert list(tmp_path.glob("*/*")) != []
    with pytest.raises(Unfinished) as so_far:
        reading.result()
    data: Any = so_far.value.view.data
    assert [(one["label"], one["heads"]) for one in data["layers"]] == [("L0", 3)]
    assert so_far.value.view.buffers[data["layers"][0]["thumbnails"]].shape == (3, 24, 24)
    assert (data["done"], data["total"]) == (3, 6)
    reading.give_up()
    told.set()
    assert reading.join(PATIENCE)
    assert reading.gone
    assert list(tmp_path.glob("*/*")) == []
    hook.remove()
    assert done(Session(models=models))[0].data["kind"] == "model"
    assert models.close()


def test_a_folder_to_keep_it_in_stays_and_serves_again(loaded, tmp_path):
    from clearhead.session.modelstate import Reading

    store = str(tmp_path / "store")
    first = Models([loaded()])
    reading = first.begin(Reading("small", LONG), store)
    assert reading.join(PATIENCE)
    assert (reading.heads, reading.problem) == (6, "")
    assert first.close()
    kept = {path.name: path.read_bytes() for path in Path(store).iterdir()}
    assert "capture.safetensors" in kept
    session = Session(models=Models(saved={store: ch.load_capture(store)}))
    view, _ = done(session, {"model": "store"})
    data: Any = view.data
    assert (data["long"], data["fixed"], data["text"]) == (True, True, LONG)
    assert {path.name: path.read_bytes() for path in Path(store).iterdir()} == kept


def test_what_goes_wrong_is_one_sentence_and_it_is_begun_anew(loaded):
    one, runs = loaded(61), []
    session = Session(models=Models([one]))
    for _ in range(2):
        data: Any = done(session)[0].data
        assert (data["kind"], data["where"]) == ("error", "text")
        assert "61" in data["message"]
        runs.append(data)
    assert runs[0] == runs[1]


def test_a_failure_of_ours_is_logged_and_said(caplog):
    def fails(one):
        raise ZeroDivisionError("ours")

    reading = LongReading("small", fails)
    reading.start()
    with pytest.raises(ExampleError, match="failed inside Clearhead"):
        soon(reading)
    assert "ours" in caplog.text


def soon(reading):
    assert reading.join(PATIENCE)
    return reading.result()


# --- whose turn it is ---


class Held(LongReading):
    """A reading that waits until it is let go, or told to give up."""

    def __init__(self, turn: Turn) -> None:
        self.begun, self.free = threading.Event(), threading.Event()

        def read(one: LongReading) -> Any:
            with turn.of_long(one):
                self.begun.set()
                while not self.free.wait(0.01):
                    one.tell("Held.")
            return "a capture"

        super().__init__("held", read)
        self.start()


def test_another_text_waits_its_turn_and_says_so():
    turn = Turn()
    first = Held(turn)
    assert first.begun.wait(PATIENCE)
    with pytest.raises(Unfinished) as so_far, turn.of_short("small"):
        raise AssertionError("it was not its turn")
    assert so_far.value.view.data["what"] == long.OTHERS_TURN
    second = Held(turn)
    with pytest.raises(Unfinished):
        second.result()
    assert not second.begun.is_set()
    first.free.set()
    assert soon(first) == "a capture"
    second.free.set()
    assert soon(second) == "a capture"
    with turn.of_short("small"):
        pass


def test_a_reading_that_nobody_asks_about_makes_room_for_another(monkeypatch):
    turn = Turn()
    first = Held(turn)
    assert first.begun.wait(PATIENCE)
    monkeypatch.setattr(type(first), "forgotten", property(lambda self: self is first))
    second = Held(turn)
    assert first.join(PATIENCE)
    assert first.gone
    assert second.begun.wait(PATIENCE)
    second.free.set()
    assert soon(second) == "a capture"


def test_one_that_waits_and_that_nobody_asks_about_is_dropped(monkeypatch):
    turn = Turn()
    first = Held(turn)
    assert first.begun.wait(PATIENCE)
    monkeypatch.setattr(Held, "forgotten", property(lambda self: self is not first))
    second = Held(turn)
    assert second.join(PATIENCE)
    assert second.gone
    assert not first.gone
    first.give_up()
    assert first.join(PATIENCE)
    with pytest.raises(GivenUp):
        first.tell("It was told to give up.")


def test_what_is_counted_is_said():
    """A model that goes on by itself counts its words first; the heads are counted from when their layer is named."""
    one = LongReading("small", lambda one: pytest.fail("it is not read"))
    told = Told(one)
    assert one.so_far.counted == ""
    told(2, 5)
    assert one.so_far.counted == "2 of 5 new tokens"
    told.say("Layer 1 of 2, 1 of 3 heads")
    told(1, 6)
    assert one.so_far.counted == "1 of 6 heads"
