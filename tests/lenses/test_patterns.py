"""Recipes as patterns: what is put together again is, cell by cell, what the operations say."""

import json

import numpy as np
import pytest

import clearhead as ch
from clearhead.core.expression import Cell, Difference, Exp, Number, Product, Sum, Symbol, Terms
from clearhead.lenses.patterns import Flat, feed_patterns, flat, notes_of, recipe_patterns, variants
from clearhead.lenses.patterns.flat import whole

VARIATIONS = [
    ("the-dog-chased-the-cat", {"mask": "causal"}), ("two-heads", {"positions": "rotary"}),
    ("only-looking-back", {"positions": "alibi", "mask_fill": "0"}), ("he-finds-the-man", {}),
]  # fmt: skip


def fed(given: Flat) -> list[tuple[int | None, ...]]:
    numbers = iter(given.ints)
    return [tuple(next(numbers) if axis == "place" else None for axis in cell) for cell in given.shape]


def same_as_told(trace: ch.Trace, quantity: ch.Quantity) -> None:
    recipes = recipe_patterns(quantity)
    notes, noted = notes_of(quantity)
    feeds = [(c, slot, feed_patterns(quantity, c, slot)) for c, slot in trace.consumers(quantity.name)]
    for place in np.ndindex(*quantity.shape):
        if recipes is None:
            assert quantity.operation is None
        else:
            assert whole(recipes.at(place)) == quantity.recipe(place)
        number = 0 if noted is None else int(noted[place])
        assert (notes[number - 1] if number else None) == quantity.note(place)
        for consumer, slot, patterns in feeds:
            assert fed(patterns.at(place)) == consumer.fed_by(slot, place)


def test_every_operation(operation_case):
    for quantity in operation_case.trace.values():
        same_as_told(operation_case.trace, quantity)


@pytest.mark.parametrize(("name", "changes"), VARIATIONS, ids=str)
def test_every_cell_of_an_example_and_of_its_way_back(traced, name, changes):
    trace = traced(name, **changes)
    trace = trace.backward().update("adamw") if "loss" in trace else trace
    for quantity in trace.values():
        same_as_told(trace, quantity)


def test_what_the_place_tells_is_not_kept(traced):
    """Of scores, (2, 5, 5) sums of d_head products, nothing is kept but the rules."""
    trace = traced("two-heads")
    recipes, d_head = recipe_patterns(trace["scores"]), trace["Q"].shape[-1]
    [variant] = recipes.variants
    assert variant.shape == (
        "each", "feature", ("product", (("cell", 0, 3), ("cell", 1, 3))), (0, 0, 1, 0, 0, 1),
    )  # fmt: skip
    assert variant.ints == (
        ("is", d_head), ("at", 0, 0), ("at", 1, 0), ("is", 0), ("at", 0, 0), ("at", 2, 0), ("is", 0),
    )  # fmt: skip
    assert variant.floats == ()
    assert json.loads(json.dumps(variant.shape))[0] == "each"


def test_a_number_that_the_place_does_not_tell_is_a_column():
    recipe = lambda number, row: Difference(Cell(0, (row, 3)), Number(number))  # noqa: E731
    found = variants((3,), [flat(recipe(*one)) for one in ((0.5, 2), (7.0, 0), (-2.0, 1))])
    [variant] = found.variants
    assert variant.ints[1] == ("is", 3)
    assert variant.ints[0][0] == variant.floats[0][0] == "of"
    assert variant.ints[0][1].tolist() == [2, 0, 1]
    assert variant.floats[0][1].tolist() == [0.5, 7.0, -2.0]


def test_terms_that_do_not_count_on_are_kept_one_by_one():
    terms = Sum((Product((Cell(0, (0,)), Number(2))), Product((Cell(0, (3,)), Number(2)))), over="key")
    assert flat(terms).shape[0] == "sum"
    assert whole(flat(terms)) == terms
    assert flat(Sum((), over=None)) == Flat(("sum", None, ()))
    one = Sum((Exp(Cell(1, (2, 5))),), over="key")
    assert whole(flat(one)) == one


def test_a_long_sum_is_not_made_to_be_kept():
    made = []

    def term(place: int) -> Exp:
        made.append(place)
        return Exp(Cell(0, (7, place)))

    taken = flat(Sum(Terms(1_000_003, term, lambda: np.zeros(1_000_003)), over="key"))
    assert taken == Flat(("each", "key", ("exp", ("cell", 0, 2)), (0, 1)), (1_000_003, 7, 0))
    assert made == [0, 1, 1_000_002]


def test_numbers_that_are_none_are_kept():
    found = variants((2,), [flat(Number(float("nan"))), flat(Number(float("nan")))])
    assert np.isnan(found.at((1,)).floats[0])


def test_a_general_formula_is_no_recipe():
    with pytest.raises(TypeError, match="Symbol has no place in a recipe"):
        flat(Symbol("Q"))
