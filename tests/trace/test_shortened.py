"""Sums of many terms made short; by hand, in whole numbers."""

import numpy as np
import pytest

from clearhead.core.head import Head, attend
from clearhead.lenses.explain import explain
from clearhead.trace.shortened import by_size, shortened
from clearhead.trace.trace import Recorder, Trace

QUERY = [1.0, 2.0, 3.0, -4.0, 5.0]


@pytest.fixture
def trace():
    """One query with whole numbers, three keys, no scale."""
    step = Recorder()
    Q = step.given("Q", ("query", "feature"), np.array([QUERY]))
    K = step.given("K", ("key", "feature"), np.ones((3, 5)))
    V = step.given("V", ("key", "feature"), np.ones((3, 2)))
    attend(step, Q, K, V, Head(scale=1.0))
    return Trace(step.quantities, ["it"], (), {"keys": ["a", "b", "c"]})


def test_the_largest_come_first_and_equal_ones_keep_their_order():
    assert by_size([1.0, -3.0, 2.0, 3.0, -1.0]) == [1, 3, 2, 0, 4]


def test_a_long_sum_is_cut_and_still_adds_up(trace):
    why = shortened(trace["scores"].explain(0, 1), 2)
    assert str(why).splitlines()[1:] == [
        "scores[0,1] = 5.00·1.00 + (−4.00)·1.00 + 6",  # 1 + 2 + 3 is left
        "            = 5.00 + (−4.00) + 6",
        "            = 7.00",
        "(only the largest terms are written; the last number is what the others come to: 3 more)",
    ]
    assert why.evaluate() == why.value == 7.0


def test_a_short_sum_is_left_alone(trace):
    plain = trace["scores"].explain(0, 1)
    assert str(shortened(plain, 5)) == str(plain)


def test_a_sum_inside_is_cut_too(trace):
    """Each of the three scores is 7: the denominator is e^7 and twice as much again."""
    why = shortened(trace["weights"].explain(0, 2), 1)
    assert "e^7.00 / (e^7.00 + 2193.27)" in str(why)
    assert "2 more" in why.note
    assert why.evaluate() == pytest.approx(1 / 3, abs=1e-15)


@pytest.mark.parametrize(
    ("query", "most", "says"),
    [(QUERY, 3, "2 more"), ([1, 2, 0, -4, 0], 2, "3 more (2 are 0)"), ([1, 2, 3, 0, 5], 3, "2 more (1 is 0)"),
     ([1, 2, 0, 0, 0], 2, "3 more (all are 0)")],
)  # fmt: skip
def test_terms_of_0_are_counted(query, most, says):
    """As those of the keys that a mask hides: of a long text that may be most of them."""
    step = Recorder()
    Q = step.given("Q", ("query", "feature"), np.array([query], dtype=float))
    K = step.given("K", ("key", "feature"), np.ones((3, 5)))
    attend(step, Q, K, step.given("V", ("key", "feature"), np.ones((3, 2))), Head(scale=1.0))
    trace = Trace(step.quantities, ["it"], (), {"keys": ["a", "b", "c"]})
    assert shortened(trace["scores"].explain(0, 1), most).note.endswith(f"what the others come to: {says}")
    assert explain(trace, "scores", (0, 1), 2, most)["more"]["zeros"] == query.count(0)


def test_a_view_has_every_term_by_size_and_says_how_many_are_left(trace):
    view = explain(trace, "scores", (0, 1), 2, 2)
    assert [term["value"] for term in view["terms"]] == ["5.00", "−4.00", "3.00", "2.00", "1.00"]
    assert [term["label"] for term in view["terms"]][:2] == ["feature 4", "feature 3"]
    assert view["more"] == {"first": 2, "count": 3, "zeros": 0, "text": "6.00"}
    assert len(view["sources"]) == 10
    whole = explain(trace, "scores", (0, 1), 2)
    assert "more" not in whole
    assert [term["value"] for term in whole["terms"]] == ["1.00", "2.00", "3.00", "−4.00", "5.00"]


def test_keys_have_their_own_words(trace):
    assert explain(trace, "weights", (0, 2), 2)["place"] == "query 0 “it”, key 2 “c”"
    assert explain(trace, "mixed", (0, 1), 2)["terms"][1]["label"] == "key 1 “b”"
    assert trace.words("feature") == ()
