"""Long sums: their terms are made when they are looked at, and are those of a short sum."""

import numpy as np
import pytest

from clearhead.core import expression as ex
from clearhead.core.ops import Contract, Softmax, SoftmaxWithSink

MANY = ex.MOST_AT_ONCE + 7
numbers = np.random.default_rng(3)
ROW = numbers.normal(size=(2, MANY)) * 9
CASES = {
    "one axis": (
        Contract(("query", "feature"), ("query", "key"), ("key", "feature")),
        (ROW, numbers.normal(size=(MANY, 3))),
    ),
    "the axis in front": (
        Contract(("query", "feature"), ("key", "query"), ("feature", "key")),
        (ROW.T.copy(), numbers.normal(size=(3, MANY))),
    ),
    "two axes": (
        Contract(("query", "model"), ("head", "query", "feature"), ("feature", "head", "model")),
        (numbers.normal(size=(23, 2, 13)), numbers.normal(size=(13, 23, 3))),
    ),
    "softmax": (Softmax(("query", "key")), (ROW,)),
    "softmax of small scores": (Softmax(("query", "key")), (ROW / 9,)),
    "with a sink": (SoftmaxWithSink(("query", "key")), (ROW, np.array(2.5))),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_long_sum_is_what_a_short_one_is(name, monkeypatch):
    operation, inputs = CASES[name]
    recipe = operation.recipe((1, 2), *inputs)
    long = recipe if isinstance(recipe, ex.Sum) else recipe.bottom
    assert isinstance(long.terms, ex.Terms)
    monkeypatch.setattr(ex, "MOST_AT_ONCE", 10**6)
    plain = operation.recipe((1, 2), *inputs)
    short = plain if isinstance(plain, ex.Sum) else plain.bottom
    assert tuple(long.terms) == short.terms
    assert len(long.terms) == len(short.terms) >= MANY
    assert (long.terms[-1], long.terms[3:5]) == (short.terms[-1], short.terms[3:5])

    def lookup(cell):
        return float(inputs[cell.slot][cell.index])

    each = [ex.evaluate(term, lookup) for term in short.terms]
    np.testing.assert_allclose(long.terms.values(), each, rtol=4 * 2.0**-52)
    assert ex.evaluate(recipe, lookup) == ex.evaluate(plain, lookup)


def test_a_place_outside_is_none():
    long = CASES["softmax"][0].recipe((1, 2), ROW).bottom.terms
    with pytest.raises(IndexError):
        long[MANY]
