"""The Model part through the door: the study model, and small models of transformers with random weights."""

import json
import threading
from typing import Any

import numpy as np
import pytest

from clearhead.session import Session
from clearhead.session.models import Models
from clearhead.session.offers import called
from clearhead.sources.worked.study.capture import capture_study

STUDY = {"model": "study"}
TEXT = "the man was late, the man said"

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")


def ask(session, kind, state=None, **rest):
    view = session.ask({"ask": kind} | ({} if state is None else {"state": state}) | rest)
    json.dumps(view.data, allow_nan=False)
    assert all(buffer.dtype in (np.float64, np.float32, np.uint8) for buffer in view.buffers)
    return view


@pytest.fixture(scope="module")
def session():
    return Session()


@pytest.fixture(scope="module")
def loaded(small_models):
    from clearhead.sources.models.loading import Loaded

    def load(model, kind, name="small", **marks):
        return Loaded(model, small_models.tokenizer(**marks), None, name, kind, ("a note",))

    return load


@pytest.fixture(scope="module")
def small(small_models, loaded):
    """A session with a small GPT-2."""
    return Session(models=Models([loaded(small_models.gpt2(), "causal")], TEXT))


@pytest.fixture(scope="module")
def pair(small_models, loaded):
    """A session with a small BART."""
    model = small_models.goes_on(small_models.bart())
    return Session(models=Models([loaded(model, "encoder-decoder", ends=True)], TEXT))


# --- the study model, with nothing else ---


def test_the_study_model_is_always_there(session):
    data = ask(session, "models").data
    assert data["longest"] == 512
    (model,) = data["models"]
    assert (model["name"], model["needs"], model["decoder"], model["generates"]) == ("study", "", False, True)


def test_the_overview_has_every_head(session):
    view = ask(session, "model", STUDY)
    data: Any = view.data
    (tower,) = data["towers"]
    capture = capture_study(data["text"])
    assert [token["text"] for token in tower["queries"]] == [token.text for token in capture.tokens]
    assert [layer["heads"] for layer in tower["layers"]] == [4, 4]
    for layer in tower["layers"]:
        picture = view.buffers[layer["thumbnails"]]
        seen = np.tril(np.ones(picture.shape[1:], dtype=bool))  # the model's mask; 0 is for what it hides
        weights = capture.weights(layer["number"])
        assert np.array_equal(picture, np.where(seen, 1 + np.rint(weights * 253), 0))
        assert layer["agreement"]["agrees"]
    assert [(row["layer"], row["head"]) for row in data["statistics"]] == [
        (n, h) for n in (0, 1) for h in range(4)
    ]
    assert data["next"][0]["text"] == capture.next_words[0][0]["text"]
    assert (data["before"], data["prompt"], data["sequences"], data["main"]) == ([], None, 1, "")
    assert data["about"].startswith("the study model, float64 on cpu (clearhead ")


def test_one_head_is_the_capture_s(session):
    view = ask(session, "head", STUDY | {"layer": 1, "head": 2})
    data: Any = view.data
    capture = capture_study(ask(session, "model", STUDY).data["text"])
    assert data["label"] == "L1H2"
    assert np.array_equal(view.buffers[data["weights"]], capture.weights(1)[2])
    assert np.array_equal(view.buffers[data["hidden"]], np.triu(np.ones((10, 10)), 1))
    assert view.buffers[data["contribution"]].shape == (10, 10)
    assert "|" not in data["contribution_note"]
    assert (data["sink_share"], data["blind"]) == (None, [])
    overview: Any = ask(session, "model", STUDY).data
    assert data["statistics"] == overview["statistics"][6]


def test_the_first_head_is_meant_where_none_is_named(session):
    data: Any = ask(session, "head", STUDY).data
    assert (data["tower"], data["layer"], data["head"]) == ("", 0, 0)


def test_a_head_is_walked_and_its_cells_explained(session):
    state = STUDY | {"layer": 1, "head": 2}
    view = ask(session, "headwalk", state, query=5)
    data: Any = view.data
    trace = capture_study(ask(session, "model", STUDY).data["text"]).head(1, 2)
    assert (data["label"], data["query"], len(data["queries"])) == ("L1H2", 5, 10)
    assert [quantity["name"] for quantity in data["quantities"]] == list(trace)
    for name in ("hidden", "scores", "weights", "output"):
        index = [4] * len(trace[name].axes)
        cell: Any = ask(session, "explain", state, quantity=name, index=index, digits="full").data
        assert float(cell["full"].replace("−", "-")) == pytest.approx(
            trace[name].values[tuple(index)], abs=1e-15
        )
    sums: Any = ask(session, "explain", state, quantity="XW_Q", index=[4, 1], digits=2).data
    assert (sums["more"]["first"], sums["more"]["count"], len(sums["terms"])) == (16, 16, 32)


def test_the_last_query_is_walked_where_none_is_named(session):
    assert ask(session, "headwalk", STUDY).data["query"] == 9


def test_a_switch_changes_what_comes_next_and_says_what_came_before(session):
    state = STUDY | {"changes": [{"kind": "off", "layer": 0, "head": 1}]}
    data: Any = ask(session, "model", state).data
    assert data["before"] == ask(session, "model", STUDY).data["next"]
    assert data["next"] != data["before"]
    walk: Any = ask(session, "headwalk", state | {"layer": 1}).data
    assert any("difference" in quantity for quantity in walk["quantities"])
    facts = ask(session, "head", state).data["facts"]
    assert "changed: L0H1 off" in facts


def test_the_answer_s_beginning_is_known(session):
    data: Any = ask(session, "model", STUDY | {"text": "the man saw", "generate": 3}).data
    assert (data["prompt"], len(data["towers"][0]["queries"])) == (4, 6)


def test_what_it_wrote_begins_behind_the_text_in_both_directions(session):
    head: Any = ask(session, "head", STUDY | {"text": "the man saw", "generate": 3}).data
    assert (head["query_written"], head["key_written"]) == (4, 4)
    given: Any = ask(session, "head", STUDY).data
    assert (given["query_written"], given["key_written"]) == (None, None)


def test_attention_is_followed_through_the_layers(session):
    view = ask(session, "rollout", STUDY, position=6)
    data: Any = view.data
    shares = view.buffers[data["shares"]]
    assert shares.shape == (2, 10)
    assert np.allclose(shares.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert (data["layers"], data["position"]) == (["L0", "L1"], 6)
    assert "no explanation" in data["caveat"]


# --- models of transformers ---


def test_a_loaded_model_stands_beside_the_study_model(small):
    names = [model["name"] for model in ask(small, "models").data["models"]]
    assert names == ["study", "small"]
    data: Any = ask(small, "model", {"model": "small"}).data
    assert (data["text"], data["notes"][0]) == (TEXT, "A note.")
    assert [layer["agreement"]["agrees"] for layer in data["towers"][0]["layers"]] == [True, True]
    assert len(data["next"]) == 10


def test_its_heads_are_walked(small):
    state = {"model": "small", "text": "he said", "layer": 1, "head": 2}
    head: Any = ask(small, "head", state).data
    assert head["contribution"] is not None
    walk: Any = ask(small, "headwalk", state).data
    assert walk["quantities"][0]["name"] == "hidden"
    assert walk["quantities"][0]["folds"][1]["of"] == 24


def test_it_goes_on_and_is_changed(small_models, loaded):
    session = Session(models=Models([loaded(small_models.goes_on(small_models.gpt2()), "causal")]))
    state = {"model": "small", "text": "he said", "generate": 3, "changes": [{"kind": "mask", "layer": 0}]}
    data: Any = ask(session, "model", state).data
    assert data["prompt"] == len(data["towers"][0]["queries"]) - 2
    assert data["before"]


def test_a_model_of_two_texts_writes_in_one_of_them(pair):
    """Of what its encoder reads the model wrote nothing: in cross-attention what was written asks, and is not asked."""
    begins = {}
    for tower in ("encoder", "decoder", "cross"):
        data: Any = ask(pair, "head", {"model": "small", "tower": tower, "layer": 1}).data
        begins[tower] = (data["query_written"], data["key_written"])
    assert begins == {"encoder": (None, None), "decoder": (1, 1), "cross": (1, None)}


def test_a_model_of_two_texts_answers_where_the_second_is_missing(pair):
    data: Any = ask(pair, "model", {"model": "small"}).data
    assert {tower["name"] for tower in data["towers"]} >= {"encoder", "decoder"}
    assert data["prompt"] == 1
    given: Any = ask(pair, "model", {"model": "small", "decoder": "he was"}).data
    assert (given["decoder"], given["prompt"]) == ("he was", None)
    cross = next(tower for tower in given["towers"] if tower["rows"] != tower["columns"])
    state = {"model": "small", "decoder": "he was", "tower": cross["name"], "layer": 1}
    walk: Any = ask(pair, "headwalk", state).data
    assert len(walk["keys"]) > len(walk["queries"])
    cell: Any = ask(pair, "explain", state, quantity="weights", index=[0, 3], digits=2).data
    assert cell["place"].endswith(f"{walk['keys'][3].strip()}”")
    rollout: Any = ask(pair, "rollout", state, position=0).data
    assert rollout["shares"] is None
    assert "same positions" in rollout["caveat"]
    assert rollout["caveat"].startswith("Queries and keys of ")
    assert rollout["caveat"].endswith(".")


def test_one_run_serves_all_who_ask_for_it(small_models, loaded):
    """Four tabs ask at once: the model runs once."""
    model = small_models.gpt2()
    runs = []
    model.register_forward_pre_hook(lambda *_: runs.append(1))
    session = Session(models=Models([loaded(model, "causal")]))
    answers = []
    state = {"model": "small", "text": "he said he was late"}
    tabs = [threading.Thread(target=lambda: answers.append(ask(session, "head", state))) for _ in range(4)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert len(answers) == 4
    assert len(runs) == 1


def test_a_model_that_failed_is_as_it_was(small):
    wrong: Any = ask(small, "model", {"model": "small", "changes": [{"kind": "off", "layer": 7}]}).data
    assert wrong["where"] == "changes"
    assert ask(small, "model", {"model": "small"}).data["kind"] == "model"


def test_pictures_and_missing_tokenizers_are_said(small_models):
    from clearhead.sources.models.loading import Loaded

    model = small_models.gpt2()
    offered = [Loaded(model, None, None, "plain", "causal"), Loaded(model, object(), None, "eyes", "vision")]
    session = Session(models=Models(offered))
    needs = {one["name"]: one["needs"] for one in ask(session, "models").data["models"]}
    assert needs["study"] == ""
    for name, words in (("plain", "without a tokenizer"), ("eyes", "takes pictures")):
        assert words in needs[name]
        assert ask(session, "model", {"model": name}).data["message"] == f"model: {name}: {needs[name]}"


def test_a_link_says_nothing_of_a_person_s_folders(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    assert called(str(folder)) == "mine"
    assert called("org/name") == "org/name"
    (tmp_path / "study").mkdir()
    assert called(str(tmp_path / "study")) == "./study"  # not the study model


# --- mistakes ---


@pytest.mark.parametrize(
    ("state", "where", "words"),
    [
        ({"model": "/etc/passwd"}, "model", "no model is named '/etc/passwd' here; expected one of study"),
        ({}, "model", "expected text, got None"),
        (5, "state", "expected an object, got 5"),
        (STUDY | {"text": "hello"}, "text", "does not know the word 'hello'"),
        (STUDY | {"text": ""}, "text", "expected text"),
        (STUDY | {"generate": 513}, "generate", "expected a whole number from 0 to 512"),
        (STUDY | {"layer": 2}, "layer", "2 is none of this model's; expected one of 0, 1"),
        (STUDY | {"layer": -1}, "layer", "expected a whole number"),
        (STUDY | {"head": 4}, "head", "expected a whole number from 0 to 3, got 4"),
        (STUDY | {"batch": 1}, "batch", "expected a whole number from 0 to 0, got 1"),
        (STUDY | {"tower": "encoder"}, "tower", "'encoder' is none of this model's"),
        (STUDY | {"changes": 3}, "changes", "expected a list of changes, got 3"),
        (STUDY | {"changes": ["off"]}, "changes", "expected a list of changes"),
        (STUDY | {"changes": [{"kind": "on"}]}, "changes", "'on' is no kind of change"),
        (STUDY | {"changes": [{"kind": "off"}] * 65}, "changes", "there are 65; expected at most 64"),
        (STUDY | {"changes": [{"kind": "off", "layer": 5}]}, "changes", "there is no layer 5"),
        (STUDY | {"example": "two-heads"}, "state", "'example' is not known; expected only model, text"),
    ],
)
@pytest.mark.parametrize("kind", ["head", "headwalk"])
def test_a_mistake_is_one_sentence_about_a_field(session, kind, state, where, words):
    data: Any = ask(session, kind, state).data
    assert (data["kind"], data["where"]) == ("error", where)
    assert words in data["message"]
    assert "\n" not in data["message"]


@pytest.mark.parametrize(
    ("kind", "rest", "where"),
    [
        ("headwalk", {"query": 10}, "query"),
        ("rollout", {"position": 10}, "position"),
        ("rollout", {}, "position"),
        ("explain", {"quantity": "nothing", "index": [0], "digits": 2}, "quantity"),
        ("explain", {"quantity": "scores", "index": [0], "digits": 2}, "index"),
        ("explain", {"quantity": "scores", "index": "0", "digits": 2}, "index"),
        ("explain", {"quantity": "scores", "index": [0, 0], "digits": 5}, "digits"),
    ],
)
def test_a_place_that_is_not_there_is_one_sentence(session, kind, rest, where):
    data: Any = ask(session, kind, STUDY, **rest).data
    assert (data["kind"], data["where"]) == ("error", where)


def test_a_text_that_is_too_long_for_the_model_is_refused(small):
    data: Any = ask(small, "model", {"model": "small", "text": "the man" * 41}).data
    assert (data["kind"], data["where"]) == ("error", "text")
    assert "61" in data["message"]
