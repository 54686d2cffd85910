"""The project's main test: every number of every example, in every variation, is what its recipe says.

The recipes are evaluated in the full product of all switches of attention. The slower checks (`feeds` as the inverse of
the recipes) run over a pairwise cover: every value of every switch stands with every value of every other in at least
one variation. What comes after attention, and the way back, is in `test_every_gradient`.
"""

import math
from dataclasses import fields, replace

import numpy as np
import pytest

import clearhead as ch
from clearhead.core.expression import Cell, Quotient, Sum
from clearhead.core.ops import Contract, ScaleByRoot, SplitHeads
from clearhead.sources.worked.run import with_asides
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

EPS = 2.0**-52
EXACT = {"lookup", "copy", "mask", "split_heads", "merge_heads", "identity"}
"""Operations that only move numbers: their recipes must give them bit for bit."""


@pytest.mark.parametrize("name", [name for name in ch.examples() if not ch.load(name).layers])
def test_every_recipe_gives_its_cell_in_every_variation(name, every_variation):
    """Every example of one layer, the full product of its switches, every cell up to the output, asides included.

    A recipe is made of an operation and the values that it was given: with the same ones it is not evaluated again.
    """
    example, checked, seen = ch.load(name).vary(predict=False), 0, set()
    for variation in every_variation(example):
        for quantity in with_asides(ch.run(example, **variation)).values():
            values = [(one.shape, one.values.tobytes()) for one in (quantity, *quantity.inputs)]
            made = (quantity.name, repr(quantity.operation), *values)
            if made in seen:
                continue
            seen.add(made)
            for index in np.ndindex(quantity.shape):
                why = quantity.explain(*index)
                value, again = why.value, why.evaluate()
                assert value == again or abs(value - again) <= why.tolerance, (variation, why.label)
                checked += 1
    assert checked > 10_000


def test_every_recipe_gives_its_cell_and_feeds_is_its_inverse(variation, traced, faults):
    name, changes = variation
    assert faults(traced(name, **changes)) == []


@pytest.mark.parametrize("name", ch.examples())
def test_the_variations_cover_every_pair_of_settings(name, pairwise_variations, every_variation):
    example = ch.load(name)
    chosen, possible = pairwise_variations(example), every_variation(example)

    def together(variations):
        return {(a, v[a], b, v[b]) for v in variations for a in v for b in v if a < b}

    assert together(chosen) == together(possible)
    assert {v["positions"] for v in chosen} >= {"none", "sinusoidal", "rotary", "alibi"}
    assert len({v["heads"] for v in chosen}) >= 2


@pytest.mark.parametrize("name", ch.examples())
def test_numbers_that_are_only_moved_are_moved_exactly(name, traced):
    trace = traced(name)
    seen = 0
    for quantity in trace.values():
        if quantity.operation is None or quantity.operation.name in EXACT:
            for index in np.ndindex(quantity.shape):
                assert quantity.explain(*index).evaluate() == quantity.values[index]
                seen += 1
    assert seen > 50


@pytest.mark.parametrize("name", ch.examples())
def test_the_tolerance_is_a_few_units_in_the_last_place(name, traced):
    """Held against sizes worked out here with NumPy: sums of absolute terms, and for softmax 1 + the largest score.

    Factor 2·√n for n numbers is the stated rule; twice that leaves room for counting both cells of a product.
    """
    trace, first = traced(name), ch.load(name).scopes[0]
    of = {bare: trace[first + bare].values for bare in ("Q", "K", "V", "masked", "weights")}
    of |= {bare: trace[f"{first}{bare}_rotated"].values for bare in "QK" if f"{first}{bare}_rotated" in trace}
    largest = np.abs(np.where(np.isinf(of["masked"]), 0, of["masked"])).max(axis=-1, keepdims=True)
    sizes = {
        f"{first}scores": np.abs(of["Q"]) @ np.abs(of["K"]).swapaxes(1, 2),
        f"{first}mixed": of["weights"] @ np.abs(of["V"]),
        f"{first}weights": of["weights"] * (1 + 2 * largest) ** 2,
    }
    for quantity, size in sizes.items():
        terms = trace[quantity].inputs[0].shape[-1]
        for index in np.ndindex(trace[quantity].shape):
            allowed = trace[quantity].explain(*index).tolerance
            assert 0 < allowed <= 4 * math.sqrt(2 * terms) * EPS * size[index] + 1e-300, (quantity, index)
            assert allowed < 1e-12


def with_operation(trace: Trace, name: str, **swapped) -> Trace:
    """The trace with one quantity replaced; what follows still points to the old one, which does not matter here."""
    return Trace([replace(q, **swapped) if q.name == name else q for q in trace.values()], trace.tokens)


def turned_into(kind, operation):
    """The operation as a wrong one of its kind, with the same parameters."""
    return kind(**{part.name: getattr(operation, part.name) for part in fields(operation)})


class DropsATerm(Contract):
    def recipe(self, index, *inputs):
        return Sum(super().recipe(index, *inputs).terms[:-1])


class DividesByTheWidth(ScaleByRoot):
    def recipe(self, index, *inputs):
        right = super().recipe(index, *inputs)
        return Quotient(right.top, right.bottom.of)


class FeedsElsewhere(SplitHeads):
    def feeds(self, slot, index, *inputs):
        return [pattern[::-1] for pattern in super().feeds(slot, index, *inputs)]


class TakesFromOutside(SplitHeads):
    def recipe(self, index, *inputs):
        return Cell(0, (super().recipe(index, *inputs).index[0] + 1000, 0))


def test_a_wrong_recipe_is_found(traced, faults):
    trace = traced("two-heads")
    scores, scaled = trace["scores"].operation, trace["scaled"].operation
    dropped = turned_into(DropsATerm, scores)
    assert any("scores[" in fault for fault in faults(with_operation(trace, "scores", operation=dropped)))
    divided = turned_into(DividesByTheWidth, scaled)
    assert any("scaled[" in fault for fault in faults(with_operation(trace, "scaled", operation=divided)))


def test_wrong_feeds_and_a_source_outside_are_found(traced, faults):
    trace = traced("two-heads")
    split = trace["Q"].operation
    elsewhere = turned_into(FeedsElsewhere, split)
    assert any("feeds Q" in fault for fault in faults(with_operation(trace, "Q", operation=elsewhere)))
    outside = turned_into(TakesFromOutside, split)
    broken = with_operation(trace, "Q", operation=outside)
    with pytest.raises(IndexError):
        faults(broken)


@pytest.mark.parametrize("name", ["scores", "scaled", "weights", "mixed", "output", "contribution_share"])
def test_a_stored_number_that_is_off_by_one_in_a_million_million_is_found(name, traced, faults):
    trace = traced("the-dog-chased-the-cat")
    values = trace[name].values.copy()
    place = np.unravel_index(np.abs(np.where(np.isfinite(values), values, 0)).argmax(), values.shape)
    values[place] *= 1 + 1e-12
    found = faults(with_operation(trace, name, values=values))
    assert len(found) == 1
    assert found[0].startswith(f"{name}[{','.join(map(str, place))}]")


def test_a_given_number_is_its_own_recipe():
    quantity = Quantity("given", ("position",), np.array([0.1]))
    assert quantity.explain(0).evaluate() == 0.1
