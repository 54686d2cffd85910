"""The one door: every kind of message, every mistake, and nothing ever raised at a person."""

import json
import subprocess
import sys

import numpy as np
import pytest

import clearhead as ch
from clearhead.session import Session
from clearhead.sources.worked.run import with_asides
from clearhead.trace.wire import parse_trace

DOG = "the-dog-chased-the-cat"
STOPS = [
    "embeddings", "projections", "scores", "scale", "mask", "softmax", "mix", "output", "residual", "feed-forward",
    "next-layer", "next-word", "loss", "update",
]  # fmt: skip


def whole(example):
    """The trace of an example with everything that the walkthrough of its first layer shows."""
    return with_asides(ch.run(example).backward().update(ch.Optimiser("sgd", 0.1)))


def ask(kind, state=None, **rest):
    """Ask a fresh session; the answer's data must be JSON."""
    message = {"ask": kind} | ({} if state is None else {"state": state}) | rest
    view = Session().ask(message)
    json.dumps(view.data, allow_nan=False)
    return view


def walk(before=None, **state):
    return ask("walkthrough", {"example": DOG} | state, **({} if before is None else {"before": before}))


def values(view, name):
    """A quantity's numbers, through the buffer its description names."""
    (quantity,) = [quantity for quantity in view.data["quantities"] if quantity["name"] == name]
    array = view.buffers[quantity["values"]]
    assert array.dtype == np.float64
    assert list(array.shape) == quantity["shape"]
    return array


# --- every kind of message ---


def test_examples():
    view = ask("examples")
    assert view.data["kind"] == "examples"
    assert [example["name"] for example in view.data["examples"]] == [*ch.examples(), "study"]
    for example in view.data["examples"]:
        assert example["tokens"] == list(ch.load(example["name"]).tokens)
        assert example["title"]
        assert example["look_for"]


def test_a_person_s_own_example_comes_first():
    own = ch.Example(tokens=["a"], E={"a": [1]}, W_Q=[[1]], W_K=[[1]], W_V=[[1]], title="Mine")
    session = Session({"mine": own})
    assert session.ask({"ask": "examples"}).data["examples"][0]["name"] == "mine"
    view = session.ask({"ask": "walkthrough", "state": {"example": "mine"}})
    assert view.data["example"]["title"] == "Mine"


@pytest.mark.parametrize("name", ch.examples())
def test_walkthrough(name):
    view = ask("walkthrough", {"example": name})
    data, trace = view.data, whole(ch.load(name))
    assert (data["kind"], data["example"]["name"]) == ("walkthrough", name)
    assert (data["tokens"], data["vocabulary"]) == (list(trace.tokens), list(trace.vocabulary))
    fed = any("ffn_in" in name for name in trace)
    assert [stop["id"] for stop in data["stops"]] == [stop for stop in STOPS if fed or stop != "feed-forward"]
    assert [quantity["name"] for quantity in data["quantities"]] == [
        name for name in trace if not name.startswith("layer1.")
    ]
    for quantity in data["quantities"]:
        assert values(view, quantity["name"]).tobytes() == trace[quantity["name"]].values.tobytes()
        assert quantity["axes"] == list(trace[quantity["name"]].axes)
        assert quantity["says"]
        assert quantity["editable"] == (trace[quantity["name"]].operation is None)
        assert "difference" not in quantity
        assert "reshaped" not in quantity


def test_every_quantity_of_the_layer_is_shown_at_a_stop():
    for changes in ({}, {"positions": "rotary"}, {"positions": "alibi"}):
        data = walk(**changes).data
        shown = {name for stop in data["stops"] for name in stop["quantities"]}
        shown |= {
            name for stop in data["stops"] for aside in stop.get("asides", []) for name in aside["quantities"]
        }
        there = {quantity["name"] for quantity in data["quantities"]}
        assert shown <= there
        # Steps in between that the asides are made of may stay unseen.
        between = {
            f"{step}_{way}" for step in ("scores", "biased", "masked") for way in ("scaled", "unscaled")
        }
        assert there - shown <= between | {"W_O_heads", "VW_O", "identity"}
        assert all(stop["text"] and stop["formulas"] for stop in data["stops"])


def test_forbidden_marks_the_masked_cells_of_scores_and_weights():
    view = walk(mask="causal")
    above = np.triu(np.ones((1, 5, 5), dtype=np.uint8), k=1)
    marked = {q["name"]: view.buffers[q["forbidden"]] for q in view.data["quantities"] if "forbidden" in q}
    assert {"masked", "weights"} <= set(marked)
    for array in marked.values():
        assert array.dtype == np.uint8
        assert array.tolist() == above.tolist()
    assert not any("forbidden" in quantity for quantity in walk(mask="none").data["quantities"])


def test_settings_say_what_can_be_chosen():
    settings = walk(mask="causal").data["settings"]
    assert settings["mask"] == "causal"
    assert (settings["d_model"], settings["d_head"]) == (4, 4)
    # W_Q has 4 columns, W_V 2: both divide by 1 and 2. There is no P, so nothing learned; 4 is even, so rotary.
    assert settings["head_choices"] == [1, 2]
    assert settings["position_choices"] == ["none", "sinusoidal", "rotary", "alibi"]
    # "three words" has d_head 2: with 2 heads d_head is 1, which has no pairs to turn.
    narrow = ask("walkthrough", {"example": "three-words", "heads": 2}).data["settings"]
    assert "rotary" not in narrow["position_choices"]
    assert (
        "learned" in ask("walkthrough", {"example": "only-looking-back"}).data["settings"]["position_choices"]
    )


def test_explain():
    view = ask("explain", {"example": DOG}, quantity="scores", index=[0, 3, 1], digits=2)
    data = view.data
    why = ch.run(ch.load(DOG))["scores"].explain(0, 3, 1)
    assert (data["kind"], data["label"]) == ("explanation", "scores[0,3,1]")
    assert data["place"] == "head 0, query 3 “the”, key 1 “dog”"
    assert float(data["full"].replace("−", "-")) == why.value
    assert (data["text"], data["latex"]) == (why.text(2), why.latex(2))
    assert [term["label"] for term in data["terms"]] == [f"feature {k}" for k in range(4)]
    assert data["sources"] == [
        {"quantity": name, "index": [0, at, k]} for k in range(4) for name, at in (("Q", 3), ("K", 1))
    ]
    assert {"quantity": "scaled", "cells": [[0, 3, 1]]} in data["feeds"]
    assert data["spoken"].startswith("scores, head 0, query 3 “the”, key 1 “dog”: ")


@pytest.mark.parametrize("digits", [2, 3, 4, "full"])
def test_suggest_script_and_trace_take_a_changed_state(digits):
    state = {"example": DOG, "mask": "causal", "tokens": ["the", "cat"]}
    trace = ch.run(ch.load(DOG), mask="causal", tokens=["the", "cat"])
    explained = ask("explain", state, quantity="weights", index=[0, 0, 1], digits=digits).data
    assert (explained["value"], explained["full"]) == ("0", "0")
    file = ask("trace", state)
    assert (file.data["kind"], file.data["media_type"]) == ("trace", "application/octet-stream")
    back = parse_trace(file.buffers[0].tobytes(), "buffer")
    assert back["output"].values.tobytes() == trace["output"].values.tobytes()
    assert "'the cat'" in ask("script", state, flavour="numpy").data["text"].splitlines()[0]


def test_a_suggestion_is_the_same_for_everyone_and_in_the_example_s_style():
    first, second = (ask("suggest", {"example": DOG}, word="fox").data for _ in range(2))
    assert first == second
    assert (first["kind"], first["word"]) == ("suggestion", "fox")
    assert "suggestion" in first["how"]
    rows = {
        word: ask("suggest", {"example": DOG}, word=word).data["row"] for word in ("fox", "owl", "bee", "ox")
    }
    assert len({tuple(row) for row in rows.values()}) > 1
    for row in rows.values():
        assert len(row) == 4
        # E's largest number is 1: steps of a half from −1 to 1.
        assert set(row) <= {-1, -0.5, 0, 0.5, 1}
    # A new process has other string hashes; the row must not depend on them.
    code = (
        "from clearhead.session import Session;"
        f"print(Session().ask({{'ask': 'suggest', 'state': {{'example': {DOG!r}}}, 'word': 'fox'}}).data['row'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == first["row"]


# --- changes ---


def test_a_sentence_with_a_new_word_and_its_row():
    view = walk(tokens=["the", "fox"], rows={"fox": [1, 2, 3, 4]})
    # d_model 4: doubled, then position 1: [sin 1, cos 1, sin 0.01, cos 0.01]
    expected = [2 + np.sin(1), 4 + np.cos(1), 6 + np.sin(0.01), 8 + np.cos(0.01)]
    np.testing.assert_allclose(values(view, "X")[1], expected, rtol=1e-15)
    assert "fox" in view.data["vocabulary"]


def test_edits_come_after_rows_and_in_order():
    edits = [
        {"matrix": "E", "row": "fox", "column": 1, "value": 7}, {"matrix": "E", "row": "fox", "column": 1, "value": 8},
        {"matrix": "W_Q", "row": 2, "column": 3, "value": -9.5},
    ]  # fmt: skip
    view = walk(tokens=["fox"], rows={"fox": [1, 2, 3, 4]}, edits=edits)
    row = view.data["vocabulary"].index("fox")
    assert values(view, "E")[row].tolist() == [1, 8, 3, 4]
    original = ch.load(DOG).W_Q.copy()
    original[2, 3] = -9.5
    assert values(view, "W_Q").tolist() == original.tolist()
    # Nothing is kept: the next message sees the example as it was.
    assert values(walk(), "W_Q").tolist() == ch.load(DOG).W_Q.tolist()


@pytest.mark.parametrize(
    "changes",
    [{"mask": "causal"}, {"mask": "causal", "mask_fill": "0"}, {"scale": False}, {"heads": 2}, {"positions": "alibi"},
     {"scale_embeddings": False}, {"positions": "rotary", "heads": 2}],
    ids=str,
)  # fmt: skip
def test_switches(changes):
    view = walk(**changes)
    assert values(view, "weights").tobytes() == ch.run(ch.load(DOG), **changes)["weights"].values.tobytes()
    assert {name: view.data["settings"][name] for name in changes} == changes


def test_before_shows_the_difference():
    view = walk(before={"example": DOG}, scale=False)
    changed = {q["name"]: q.get("difference") for q in view.data["quantities"]}
    now, before = ch.run(ch.load(DOG), scale=False), ch.run(ch.load(DOG))
    assert all(changed[name] is None for name in ("E", "X", "Q", "K", "V", "scores"))
    for name in ("scaled", "masked", "weights", "mixed", "output"):
        difference = view.buffers[changed[name]]
        assert difference.tolist() == (now[name].values - before[name].values).tolist()
    # Without scaling a score of s is s instead of s/2.
    assert view.buffers[changed["scaled"]].tolist() == (before["scores"].values / 2).tolist()
    assert not any("reshaped" in quantity for quantity in view.data["quantities"])


def test_before_with_a_mask_differs_by_infinity_where_it_was_put_and_by_zero_where_it_stayed():
    view = walk(before={"example": DOG}, mask="causal")
    (masked,) = [q for q in view.data["quantities"] if q["name"] == "masked"]
    difference = view.buffers[masked["difference"]][0]
    above = np.triu(np.ones((5, 5), dtype=bool), k=1)
    assert np.isneginf(difference[above]).all()
    assert (difference[~above] == 0).all()
    off = walk(before={"example": DOG, "mask": "causal"})
    (masked,) = [q for q in off.data["quantities"] if q["name"] == "masked"]
    assert np.isposinf(off.buffers[masked["difference"]][0][above]).all()
    both = walk(before={"example": DOG, "mask": "causal", "scale": False}, mask="causal")
    (masked,) = [q for q in both.data["quantities"] if q["name"] == "masked"]
    assert (both.buffers[masked["difference"]][0][above] == 0).all()


def test_before_with_another_shape_is_reshaped():
    view = walk(before={"example": DOG}, tokens=["the", "dog"], positions="alibi")
    reshaped = {q["name"] for q in view.data["quantities"] if q.get("reshaped")}
    assert {"X", "scores", "weights", "output", "bias", "biased"} <= reshaped
    assert not reshaped & {"E", "W_Q", "W_O", "W_O_heads"}


def test_before_that_is_the_same_shows_nothing():
    view = walk(before={"example": DOG})
    assert not any({"difference", "reshaped"} & set(quantity) for quantity in view.data["quantities"])


def test_a_before_that_cannot_be_run_is_said_and_the_picture_stays():
    """1e308 times root(4) is beyond float64; an example that is not there has no numbers at all."""
    huge = {"example": DOG, "edits": [{"matrix": "E", "row": "dog", "column": 2, "value": 1e308}]}
    for before, why in ((huge, "too large for float64"), ({"example": "gone"}, "no example is named 'gone'")):
        view = walk(before=before, mask="causal")
        assert view.data["kind"] == "walkthrough"
        assert values(view, "weights").tobytes() == ch.run(DOG, mask="causal")["weights"].values.tobytes()
        assert not any("difference" in quantity for quantity in view.data["quantities"])
        (notice,) = view.data["notices"]
        assert notice.startswith("What was before cannot be shown beside it: ")
        assert why in notice
