"""The walkthrough of one head of a captured model: which stops it has, and which part of a long axis it shows."""

import json
from dataclasses import replace

import numpy as np
import pytest

from clearhead.core.head import Head, attend
from clearhead.lenses.compare import difference
from clearhead.lenses.walkthrough import captured_stops, captured_walk
from clearhead.lenses.walkthrough.captured import CapturedHead, _says
from clearhead.sources.worked.study.capture import capture_study
from clearhead.trace.capture.change import Change
from clearhead.trace.trace import Recorder, Trace

SENTENCE = "the man saw the woman and he works."
ALWAYS = ["projections", "scores", "scale", "mask", "softmax", "mix"]


def random_trace(queries=31, keys=31, width=29, provenance=None, **head):
    numbers, step = np.random.default_rng(queries + width), Recorder()
    Q, K, V = (
        step.given(name, (axis, "feature"), numbers.standard_normal((length, width)))
        for name, axis, length in (("Q", "query", queries), ("K", "key", keys), ("V", "key", keys))
    )
    attend(step, Q, K, V, Head(**head))
    return Trace(step.quantities, [f"w{at}" for at in range(queries)], (), provenance or {})


def walked(trace, query=0, changed=None):
    views, stops, buffers = captured_walk(trace, query, changed)
    json.dumps([views, stops], allow_nan=False)
    return {view["name"]: view for view in views}, stops, buffers


def test_a_head_whose_input_is_known_goes_from_there_to_the_output():
    trace = capture_study(SENTENCE).head(0, 1)
    views, stops, _ = walked(trace)
    assert [stop["id"] for stop in stops] == [*ALWAYS, "output"]
    assert stops[0]["quantities"][:3] == ["hidden", "W_Q", "XW_Q"]
    assert stops[-1]["quantities"] == ["mixed", "W_O", "output"]
    assert len(stops[0]["formulas"]) == 6  # XW_Q and Q, and so on for K and V
    assert views["output"]["says"] == "what this head adds to the layer's output"


def test_a_head_whose_input_is_not_known_begins_at_its_queries():
    views, stops, _ = walked(random_trace(7, 7, 3, mask="causal"))
    assert [stop["id"] for stop in stops] == ALWAYS
    assert stops[0]["quantities"] == ["Q", "K", "V"]
    assert "How they came about is not worked out" in " ".join(stops[0]["text"])
    assert views["masked"]["forbidden"] is not None


@pytest.mark.parametrize("place", range(4))
def test_every_quantity_has_a_stop_and_words(hand_captures, place):
    """Heads with a soft cap, a bias, a sink, a mask without a name, and weights that were set."""
    capture = hand_captures.random_capture()
    layer = capture.layers[place]
    changed = replace(layer.attention, off=(1,), weights_set=((1, 2, 0, 0.5),))
    capture = replace(capture, layers=(replace(layer, attention=changed),))
    for batch, head in ((0, 1), (1, 0)):
        views, stops, _ = walked(capture.head(place, head, batch=batch))
        shown = {name for stop in stops for name in stop["quantities"]}
        assert set(views) <= shown
        assert all(view["says"] for view in views.values())
        assert all(stop["text"] for stop in stops)


def test_every_paragraph_asks_for_what_there_is(hand_captures):
    """Every value that a paragraph asks for is one that a head can have."""
    head = CapturedHead(hand_captures.random_capture().head(3, 1))
    values = {"scale": {"root", "factor", "none"}, "mask": {"none", "named", "cells"}}
    for stop in captured_stops():
        for paragraph in stop.text:
            for name, asked in paragraph.when.items():
                assert set(asked) <= values.get(name, {True, False})
                assert head.switches[name] in values.get(name, {True, False})


@pytest.mark.parametrize(
    ("head", "switch", "value"),
    [
        ({"scale": None}, "scale", "root"),
        ({"scale": 0.3}, "scale", "factor"),
        ({"scale": 1.0}, "scale", "none"),
        ({"mask": "none"}, "mask", "none"),
        ({"mask": "causal"}, "mask", "named"),
        ({"soft_cap": 3.0}, "soft_cap", True),
        ({"off": True}, "off", True),
        ({"weights_set": ((1, 0, 0.5),)}, "changed", True),
    ],
)
def test_what_a_head_does_decides_what_is_said(head, switch, value):
    assert CapturedHead(random_trace(5, 5, 3, **head)).switches[switch] == value


def test_the_words_of_parts_name_the_part():
    assert _says()["W_K"] == "the columns of the projection that make this head's keys"
    assert _says()["XW_V_biased"] == "with the projection's bias added"
    assert _says()["W_O"] == "the rows of the output matrix that belong to this head"


def test_what_is_short_is_whole():
    views, _, buffers = walked(random_trace(23, 23, 11))
    assert not any("folds" in view for view in views.values())
    assert buffers[views["weights"]["values"]].shape == (23, 23)


@pytest.mark.parametrize("query", [0, 13, 30])
def test_long_axes_are_folded_around_a_query_and_say_so(query):
    trace = random_trace(mask="causal")
    views, _, _ = walked(trace, query)
    rows, columns = views["weights"]["folds"]
    assert rows["of"] == columns["of"] == 31
    assert len(rows["places"]) == len(columns["places"]) == 24
    assert query in rows["places"]
    assert rows["places"] == list(range(rows["places"][0], rows["places"][0] + 24))
    strongest = np.argsort(-trace["weights"].values[query], kind="stable")[:12]
    assert set(strongest.tolist()) <= set(columns["places"])
    assert query in columns["places"]
    assert rows["says"] == f"24 of 31 queries: those around {query}; 7 more are not shown"
    assert columns["says"] == (
        f"24 of 31 keys: the 12 that query {query} looks at most, and those around it; 7 more are not shown"
    )


def test_what_is_sent_are_the_places_that_are_named():
    trace = random_trace(mask="causal")
    views, _, buffers = walked(trace, 13)
    for name, view in views.items():
        places = [
            range(size) if fold is None else fold["places"]
            for fold, size in zip(view["folds"], trace[name].shape, strict=True)
        ]
        assert view["shape"] == [len(part) for part in places]
        assert np.array_equal(buffers[view["values"]], trace[name].values[np.ix_(*places)])
    hidden = buffers[views["masked"]["forbidden"]]
    assert np.array_equal(hidden.astype(bool), np.isneginf(buffers[views["masked"]["values"]]))


def test_the_features_shown_matter_most():
    """Feature 17 of the query and its keys is far larger than any other, and so is feature 19 of the values."""
    step = Recorder()
    small, large = np.full((5, 29), 0.01), np.full((5, 29), 0.01)
    small[:, 17], large[:, 19] = 3.0, 5.0
    Q, K = step.given("Q", ("query", "feature"), small), step.given("K", ("key", "feature"), small)
    attend(step, Q, K, step.given("V", ("key", "feature"), large), Head())
    views, _, _ = walked(Trace(step.quantities, "abcde"), 2)
    for name, place in (("Q", 17), ("K", 17), ("V", 19), ("mixed", 19)):
        fold = views[name]["folds"][1]
        assert fold["places"][:4] == [0, 1, 2, 3]
        assert place in fold["places"]
        assert len(fold["places"]) == 12
        assert fold["says"].endswith("; 17 more are not shown")
    assert views["Q"]["folds"][1]["places"] == views["K"]["folds"][1]["places"]
    assert "with the largest products for query 2" in views["Q"]["folds"][1]["says"]


def test_keys_of_another_text_are_its_strongest():
    trace = random_trace(3, 37, 5, provenance={"keys": [f"k{at}" for at in range(37)]})
    views, stops, _ = walked(trace, 1)
    fold = views["K"]["folds"][0]
    strongest = np.argsort(-trace["weights"].values[1], kind="stable")[:24]
    assert fold["places"] == sorted(strongest.tolist())
    assert fold["says"] == "24 of 37 keys: the 24 that query 1 looks at most; 13 more are not shown"
    assert "cross-attention" in " ".join(stops[0]["text"])


def test_a_matrix_is_folded_as_the_rows_that_it_meets():
    trace = capture_study(SENTENCE).head(1, 2)
    views, _, _ = walked(trace, 7)
    assert views["W_Q"]["folds"][0]["places"] == views["hidden"]["folds"][1]["places"]
    assert views["W_O"]["folds"][1]["places"] == views["output"]["folds"][1]["places"]
    assert views["hidden"]["folds"][1]["says"].startswith(
        "12 of 32 numbers: the first 4, and the 8 that are largest"
    )


def test_what_a_change_did_is_beside_it():
    trace = capture_study(SENTENCE, changes=[Change("scale", layer=0)]).head(0, 1)
    before = capture_study(SENTENCE).head(0, 1)
    views, _, buffers = walked(trace, 3, lambda quantity: difference(quantity, before[quantity.name]))
    expected = trace["scores"].values - before["scaled"].values  # it is not scaled any more
    assert np.array_equal(buffers[views["scaled"]["difference"]], expected)
    assert "difference" not in views["scores"]
