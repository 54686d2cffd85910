"""Recipes as patterns: what is put together again is, cell by cell, what the operations say."""

import json
from dataclasses import replace

import numpy as np
import pytest

import clearhead as ch
from clearhead.core.expression import Cell, Difference, Exp, Number, Product, Sum, Symbol, Terms, children
from clearhead.core.head import Head, attend
from clearhead.lenses.patterns import Flat, Patterns, flat, told, variants
from clearhead.lenses.patterns.flat import whole
from clearhead.trace.notation.reading import with_parts
from clearhead.trace.trace import Recorder, Trace

VARIATIONS = [
    ("the-dog-chased-the-cat", {"mask": "causal"}), ("two-heads", {"positions": "rotary"}),
    ("only-looking-back", {"positions": "alibi", "mask_fill": "0"}), ("he-finds-the-man", {}),
]  # fmt: skip


def fed(given: Flat) -> list[tuple[int | None, ...]]:
    numbers = iter(given.ints)
    return [tuple(next(numbers) if axis == "place" else None for axis in cell) for cell in given.shape]


def spelt(node):
    """A recipe with all terms of its long sums made."""
    if isinstance(node, Sum):
        return replace(node, terms=tuple(map(spelt, node.terms)))
    parts = children(node)
    return with_parts(node, [spelt(part) for part in parts]) if parts else node


def same_as_told(trace: ch.Trace, quantity: ch.Quantity, patterns: Patterns) -> None:
    recipes, notes = patterns.recipes(quantity), patterns.notes(quantity)
    feeds = [(c, slot, patterns.feeds(quantity, c, slot)) for c, slot in trace.consumers(quantity.name)]
    for place in np.ndindex(*quantity.shape):
        if recipes is None:
            assert quantity.operation is None
        else:
            assert whole(recipes.at(place)) == spelt(quantity.recipe(place)), (quantity, place)
        assert (notes and told(notes.at(place))) == quantity.note(place), (quantity, place)
        for consumer, slot, found in feeds:
            assert fed(found.at(place)) == consumer.fed_by(slot, place), (quantity, consumer, place)


def all_as_told(trace: ch.Trace, patterns: Patterns | None = None) -> None:
    for quantity in trace.values():
        same_as_told(trace, quantity, patterns or Patterns())


def test_every_operation(operation_case):
    all_as_told(operation_case.trace)


@pytest.mark.parametrize(("name", "changes"), VARIATIONS, ids=str)
def test_every_cell_of_an_example_and_of_its_way_back(traced, name, changes):
    trace = traced(name, **changes)
    trace = trace.backward().update("adamw") if "loss" in trace else trace
    all_as_told(trace)


numbers = np.random.default_rng(5)
BLIND = np.tril(np.ones((7, 7)))
BLIND[[0, 4]] = 0
PATCHY = (numbers.random((7, 7)) > 0.4).astype(float)
HEADS = {
    "causal": {"mask": "causal"},
    "window": {"mask": "window(3)&causal"},
    "band": {"mask": "band(2)"},
    "documents": {"mask": "documents(0,4)&causal"},
    "prefix": {"mask": "causal|prefix(3)"},
    "later": {"mask": "causal+2"},
    "none": {},
    "scaled": {"scale": 0.37, "mask": "causal"},
    "not scaled": {"scale": 1.0},
    "soft cap": {"soft_cap": 1.5, "mask": "causal"},
    "set by hand": {"weights_set": ((3, 1, 0.5), (4, 4, 0.0)), "mask": "causal"},
    "switched off": {"off": True},
    "the mistake": {"mask": "causal", "fill": "0"},
}


def head_of(times: float, queries: int = 7, keys: int = 7, width: int = 5, given=(), seed=3, **how) -> Trace:
    """A head on random numbers, its scores about `times` as large as usual; `given`: bias, sink and allowed."""
    numbers = np.random.default_rng(seed)  # its own, so that no test depends on those before it
    step = Recorder(finite=False)
    Q, K, V = (
        step.given(name, (axis, "feature"), numbers.standard_normal((length, wide)) * more)
        for name, axis, length, wide, more in (
            ("Q", "query", queries, width, times),
            ("K", "key", keys, width, 1),
            ("V", "key", keys, 3, 1),
        )
    )
    axes = {"bias": ("query", "key"), "sink": (), "allowed": ("query", "key")}
    others = {name: step.given(name, axes[name], np.asarray(array)) for name, array in dict(given).items()}
    attend(step, Q, K, V, Head(**how), **others)
    return Trace(step.quantities, [f"w{at}" for at in range(queries)], (), {})


@pytest.mark.parametrize("times", [1, 15, 60], ids=["small scores", "some above 20", "most above 20"])
@pytest.mark.parametrize("name", HEADS)
def test_every_cell_of_a_head(name, times):
    all_as_told(head_of(times, **HEADS[name]))


@pytest.mark.parametrize("times", [1, 15])
@pytest.mark.parametrize(
    "given",
    [
        {"bias": numbers.standard_normal((7, 7))},
        {"bias": -0.5 * np.abs(np.subtract.outer(np.arange(7), np.arange(7)))},
        {"bias": np.where(numbers.random((7, 7)) > 0.2, 0.25, -np.inf)},
        {"sink": 0.75},
        {"allowed": BLIND},
        {"allowed": PATCHY},
        {"allowed": BLIND, "sink": -1.5, "bias": numbers.standard_normal((7, 7))},
        {"allowed": np.zeros((7, 7)), "sink": 21.0},
    ],
    ids=lambda given: "+".join(given),
)
def test_every_cell_of_a_head_that_is_given_more(given, times):
    all_as_told(head_of(times, given=given, mask="causal"))


@pytest.mark.parametrize(
    ("queries", "keys"), [(1, 1), (1, 7), (7, 1), (2, 2), (2, 3), (3, 2), (5, 47), (47, 5)]
)
def test_every_cell_of_a_head_of_any_size(queries, keys):
    """Long sums, whose terms are made when they are looked at, with a sink at the end of them."""
    for times in (1, 15):
        all_as_told(head_of(times, queries, keys, 37, given={"sink": 0.5}))
        all_as_told(head_of(times, queries, keys, 2))


@pytest.mark.parametrize("place", range(4))
def test_every_cell_of_a_captured_head(hand_captures, place):
    """Grouped heads, a soft cap, a bias, a sink, a mask without a name; all by one memory of patterns."""
    capture, patterns = hand_captures.random_capture(), Patterns()
    for head in range(3):
        for batch in range(2):
            all_as_told(capture.head(place, head, batch=batch), patterns)


def test_of_many_rows_only_what_decides_is_looked_at(monkeypatch):
    """Patterns of a head of many tokens are found without looking at every cell."""
    trace = head_of(1, 101, 101, 7, mask="causal")
    looked = []
    plain = ch.Quantity.recipe
    monkeypatch.setattr(ch.Quantity, "recipe", lambda self, index: looked.append(index) or plain(self, index))
    patterns = Patterns()
    for quantity in trace.values():
        patterns.recipes(quantity)
    assert len(looked) < 5 * 101


def test_heads_of_the_same_structure_have_the_same_patterns():
    """So that what is kept of them is kept once."""
    patterns = Patterns()
    first, second = (head_of(1, 7, 7, 5, seed=seed, mask="window(3)&causal") for seed in (3, 5))
    for name in first:
        one, other = (patterns.recipes(trace[name]) for trace in (first, second))
        assert one is None or one.variants == other.variants
        one, other = (patterns.notes(trace[name]) for trace in (first, second))
        assert one is None or one.variants == other.variants


def test_what_the_place_tells_is_not_kept(traced):
    """Of scores, (2, 5, 5) sums of d_head products, nothing is kept but the rules."""
    trace = traced("two-heads")
    recipes, d_head = Patterns().recipes(trace["scores"]), trace["Q"].shape[-1]
    [variant] = recipes.variants
    assert variant.shape == (
        "each", "feature", ("product", (("cell", 0, 3), ("cell", 1, 3))), (0, 0, 1, 0, 0, 1),
    )  # fmt: skip
    assert variant.ints == (
        ("is", d_head), ("at", 0, 0), ("at", 1, 0), ("is", 0), ("at", 0, 0), ("at", 2, 0), ("is", 0),
    )  # fmt: skip
    assert variant.floats == ()
    assert json.loads(json.dumps(variant.shape))[0] == "each"


def test_a_number_that_is_the_same_in_a_row_is_kept_once_a_row():
    """The cell of the largest score, which a softmax subtracts from its row."""
    trace = head_of(60, 7, 7, 5)
    assert trace["masked"].values.max(axis=1).min() > 20, "no row may be small enough to go without it"
    [variant] = Patterns().recipes(trace["weights"]).variants
    columns = [rule[1].tolist() for rule in variant.ints if rule[0] == "row"]
    largest = trace["masked"].values.argmax(axis=1).tolist()
    assert columns == [largest, largest]
    assert not [rule for rule in variant.ints if rule[0] == "of"]


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
    assert made == [0, 1, 1_000_001, 1_000_002]


def test_a_term_of_its_own_may_end_a_sum():
    """As a sink does."""
    terms = Sum((*(Exp(Cell(0, (7, place))) for place in range(5)), Exp(Cell(1, ()))), over="key")
    assert flat(terms) == Flat(
        ("each_and", "key", ("exp", ("cell", 0, 2)), (0, 1), ("exp", ("cell", 1, 0))), (5, 7, 0)
    )
    assert whole(flat(terms)) == terms


def test_a_long_sum_whose_terms_do_not_count_on_is_refused():
    odd = Terms(1_000_003, lambda place: Exp(Cell(0, (7, place * place))), lambda: np.zeros(1_000_003))
    with pytest.raises(TypeError, match="the terms of a long sum do not count on"):
        flat(Sum(odd, over="key"))


@pytest.mark.parametrize(
    "note",
    ["key 12 lies 3 from 0", "0.25 of 4, 1e3 and x7; 007 is no number, 5.", "12", "−3 “7”", "a 3.5 b"],
)
def test_any_sentence_comes_out_again(note):
    from clearhead.lenses.patterns.recipes import _said

    assert told(_said(note)) == note


def test_numbers_that_are_none_are_kept():
    found = variants((2,), [flat(Number(float("nan"))), flat(Number(float("nan")))])
    assert np.isnan(found.at((1,)).floats[0])


def test_a_general_formula_is_no_recipe():
    with pytest.raises(TypeError, match="Symbol has no place in a recipe"):
        flat(Symbol("Q"))
