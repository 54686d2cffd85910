"""One head at any length through the door: its pooled map, tiles, cells and links, against its weights."""

import json
from typing import Any

import numpy as np
import pytest

from clearhead.session import Session
from clearhead.session.models import Models
from clearhead.sources.worked.study.capture import capture_study

STUDY = {"model": "study"}
NEAR = 1e-6
"""The maps travel in float32, whose rounding is 6e-8 of a number up to 1; sums of a row add up some of it."""


def ask(session, kind, state, **rest):
    view = session.ask({"ask": kind, "state": state} | rest)
    json.dumps(view.data, allow_nan=False)
    return view


@pytest.fixture(scope="module")
def session():
    return Session()


@pytest.fixture(scope="module")
def capture(session):
    return capture_study(ask(session, "model", STUDY).data["text"])


@pytest.fixture(scope="module")
def drawn(hand_captures):
    """A capture of random numbers: 13 queries, 13 keys, 2 sequences; layer 3 has a bias, a soft cap and a sink."""
    return hand_captures.random_capture(queries=13, keys=13)


@pytest.fixture(scope="module")
def saved(drawn):
    """A session with that capture."""
    return Session(models=Models(saved={"cap": drawn}))


SINK = {"model": "cap", "layer": 3, "head": 2, "batch": 1}


def test_a_short_head_as_a_whole_is_its_weights(session, capture):
    view = ask(session, "zoom", STUDY | {"layer": 1, "head": 2})
    data: Any = view.data
    weights, seen = capture.weights(1)[2], capture.layers[1].attention.visible.table(0, 2)
    for name in ("mean", "largest"):
        assert view.buffers[data[name]].dtype == np.float32
        np.testing.assert_allclose(view.buffers[data[name]], np.where(seen, weights, -1), rtol=0, atol=NEAR)
        assert data["tops"][name] == pytest.approx(weights.max(), abs=NEAR)
    assert (data["label"], data["queries"], data["keys"], data["rows"]) == ("L1H2", 10, 10, "tokens")
    assert data["agreement"]["agrees"]
    head: Any = ask(session, "head", STUDY | {"layer": 1, "head": 2}).data
    assert (data["statistics"], data["facts"]) == (head["statistics"], head["facts"])


def test_the_histogram_says_how_far_it_looks(session, capture):
    data: Any = ask(session, "zoom", STUDY | {"layer": 1, "head": 2}).data
    weights, expected = capture.weights(1)[2], np.zeros(len(data["histogram"]))
    assert data["edges"] == sorted(data["edges"])
    assert len(data["edges"]) == len(expected) + 1
    for (query, key), weight in np.ndenumerate(weights):
        expected[np.searchsorted(data["edges"], query - key, side="right") - 1] += weight / len(weights)
    np.testing.assert_allclose(data["histogram"], expected, rtol=0, atol=NEAR)


@pytest.mark.parametrize("pool", ["mean", "largest"])
@pytest.mark.parametrize(
    ("rows", "columns", "step"), [([3, 9], [0, 7], 1), ([0, 13], [2, 13], 4), ([5, 6], [5, 6], 2)]
)
def test_a_tile_is_the_weights_from_near(saved, drawn, pool, rows, columns, step):
    view = ask(saved, "tile", SINK, rows=rows, columns=columns, step=step, pool=pool)
    data: Any = view.data
    assert {key: data[key] for key in ("rows", "columns", "step", "pool")} == {
        "rows": rows, "columns": columns, "step": step, "pool": pool,
    }  # fmt: skip
    values = view.buffers[data["values"]]
    weights = drawn.weights(3, batch=1)[2][slice(*rows), slice(*columns)]
    seen = drawn.layers[3].attention.visible.table(1, 2)[slice(*rows), slice(*columns)]
    assert values.dtype == np.float32
    assert values.shape == tuple(-(-size // step) for size in weights.shape)
    for row, column in np.ndindex(values.shape):
        part = slice(row * step, row * step + step), slice(column * step, column * step + step)
        expected = weights[part].max() if pool == "largest" else weights[part].mean()
        assert values[row, column] == pytest.approx(expected if seen[part].any() else -1, abs=NEAR)


def test_one_cell_with_what_made_it(saved, drawn):
    row = drawn.weights(3, batch=1)[2][7]
    data: Any = ask(saved, "look", SINK, query=7, key=4).data
    assert data["weight"] == pytest.approx(row[4], rel=1e-12)
    assert np.exp(data["score"] - data["lse"]) == pytest.approx(row[4], rel=1e-12)
    assert data["score"] == pytest.approx(drawn.head(3, 2, batch=1)["masked"].values[7, 4], rel=1e-12)
    order = np.argsort(-row, kind="stable")[:8]
    assert [one["key"] for one in data["top"]] == [int(key) for key in order if row[key] > 0]
    assert [one["weight"] for one in data["top"]] == [row[one["key"]] for one in data["top"]]
    shares = np.append(row[row > 0], 1 - row.sum())
    assert data["entropy"] == pytest.approx(-(shares * np.log2(shares)).sum(), rel=1e-12)
    assert data["hidden"] == ""


def test_a_cell_that_the_mask_hides_says_why(session, saved):
    data: Any = ask(session, "look", STUDY, query=3, key=7).data
    assert (data["weight"], data["score"], data["hidden"]) == (0, None, "Key 7 comes after query 3.")
    other: Any = ask(saved, "look", SINK | {"batch": 0}, query=7, key=2).data
    assert (other["weight"], other["hidden"]) == (0, "The model's mask hides key 2 from query 7.")


def test_a_query_that_sees_nothing_has_no_numbers(hand_captures):
    seen = np.tril(np.ones((5, 5)))
    seen[0] = 0
    weights = np.where(seen, 1 / np.maximum(1, seen.sum(axis=1, keepdims=True)), 0)
    capture = hand_captures.with_weights([weights], hand_captures.tokens(range(5)), visible=seen)
    session = Session(models=Models(saved={"cap": capture}))
    data: Any = ask(session, "look", {"model": "cap"}, query=0, key=0).data
    assert (data["weight"], data["lse"], data["top"]) == (0, None, [])
    assert data["hidden"]


def test_the_strongest_links(session, capture):
    state, weights = STUDY | {"layer": 1, "head": 2}, capture.weights(1)[2]
    order = [divmod(int(place), 10) for place in np.argsort(-weights, axis=None, kind="stable")]
    data: Any = ask(session, "links", state, count=5, apart=0, first=True).data
    assert [(one["query"], one["key"]) for one in data["links"]] == order[:5]
    assert all(one["weight"] == pytest.approx(weights[one["query"], one["key"]]) for one in data["links"])
    assert data["note"] == ""
    far: Any = ask(session, "links", state, count=100, apart=6, first=False).data
    wanted = [(query, key) for query, key in order if query - key >= 6 and key > 0]
    assert [(one["query"], one["key"]) for one in far["links"]] == wanted
    assert far["note"] == f"The head has no more than {len(wanted)} links of this kind."


@pytest.mark.parametrize(
    ("kind", "rest", "where", "words"),
    [
        ("tile", {"rows": [0, 14]}, "rows", "expected two places a < b from 0 to 13, got [0, 14]"),
        ("tile", {"rows": [5, 5]}, "rows", "expected two places"),
        ("tile", {"columns": [0, True]}, "columns", "expected two places"),
        ("tile", {"columns": None}, "columns", "expected two places"),
        ("tile", {"step": 3}, "step", "expected a power of two, got 3"),
        ("tile", {"step": 0}, "step", "expected a whole number from 1"),
        ("tile", {"pool": "sum"}, "pool", "'sum' is not known; expected one of mean, largest"),
        ("look", {"query": 13, "key": 0}, "query", "expected a whole number from 0 to 12, got 13"),
        ("look", {"query": 0, "key": -1}, "key", "expected a whole number from 0 to 12"),
        ("links", {"count": 101, "apart": 0, "first": True}, "count", "from 1 to 100, got 101"),
        ("links", {"count": 1, "apart": 0, "first": 1}, "first", "expected true or false, got 1"),
        ("zoom", {"state": SINK | {"head": 5}}, "head", "expected a whole number from 0 to 4"),
    ],
)
def test_a_mistake_is_one_sentence_about_a_field(saved, kind, rest, where, words):
    good = {"rows": [0, 5], "columns": [0, 5], "step": 1, "pool": "mean"} if kind == "tile" else {}
    data: Any = saved.ask({"ask": kind, "state": SINK} | good | rest).data
    assert (data["kind"], data["where"]) == ("error", where)
    assert words in data["message"]


# --- saved captures ---


def test_a_saved_capture_is_offered_beside_the_study_model(saved, drawn):
    data: Any = saved.ask({"ask": "models"}).data
    study, cap = data["models"]
    assert (study["fixed"], cap["fixed"], cap["generates"], cap["text"]) == (False, True, False, "one")
    model: Any = ask(saved, "model", {"model": "cap", "batch": 1}).data
    assert (model["fixed"], model["long"], model["sequences"]) == (True, False, 2)
    assert [layer["heads"] for layer in model["towers"][0]["layers"]] == [5, 5, 5, 5, 0]
    head: Any = ask(saved, "head", SINK).data
    assert head["sink_share"] is not None


@pytest.mark.parametrize(
    ("state", "where", "words"),
    [
        ({"text": "other"}, "text", "is a saved capture, which can be given no other text"),
        ({"generate": 3}, "generate", "is a saved capture, which runs no more"),
        ({"changes": [{"kind": "off"}]}, "changes", "is a saved capture, which runs no more"),
    ],
)
def test_nothing_else_can_be_given_to_it(saved, state, where, words):
    data: Any = ask(saved, "model", {"model": "cap"} | state).data
    assert (data["kind"], data["where"]) == ("error", where)
    assert words in data["message"]
