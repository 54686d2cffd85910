"""What is shown adds up or says "≈": every line is read back by an independent reader and held to the next."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clearhead as ch
from clearhead.core.expression import Cell, Difference, Function, Number, Power, Product, children, evaluate
from clearhead.sources.worked.run import with_asides
from clearhead.trace.notation import text
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.notation.reading import Shown, read

DIGITS = [2, 3, 4, "full"]

REPRESENTS = 1e-14
"""A decimal such as 0.3 says 0.30000000000000004 "exactly": a float64 holds it to 1e-16, and a few sums add ulps."""


def leaves(node):
    """The leaves of a tree from left to right."""
    if not children(node):
        return [node]
    return [leaf for part in children(node) for leaf in leaves(part)]


def leaf_values(why):
    """The numbers of the recipe, from left to right."""
    return [
        why.quantity.value_of(leaf) if isinstance(leaf, Cell) else leaf.value
        for leaf in leaves(why.expression)
    ]


def says(shown, value):
    """Whether the written digits say the number."""
    if not math.isfinite(value):
        return shown == float(value)
    return abs(float(shown) - value) <= REPRESENTS * abs(value)


def same_parts(reader, before, after):
    """Whether two lines are equal part by part (0 / √2 and 0 / 1.41 are both 0, but not in their parts)."""
    if isinstance(before, tuple) and isinstance(after, tuple) and before[0] == after[0]:
        return all(same_parts(reader, old, new) for old, new in zip(before[1:], after[1:], strict=True))
    return reader.same(reader.value(before), reader.value(after))


def misreadings(reader, why, digits):
    """Everything wrong with the lines of one cell."""
    lines = [(line.relation, text.expression(line.tree)) for line in why.lines(digits)]
    trees = [reader.read(line) for _, line in lines]
    values = [reader.value(tree) for tree in trees]
    where = f"{why.label} at {digits}: {lines}"
    written = [reader.number(shown) for shown in reader.numbers(trees[0])]
    given_values = leaf_values(why)
    if len(written) != len(given_values):
        yield f"{where}: {len(written)} numbers are written, the recipe has {len(given_values)}"
        return
    exact = all(says(shown, value) for shown, value in zip(written, given_values, strict=True))
    if lines[0][0] != ("=" if exact else "≈"):
        yield f"{where}: the first line's numbers are {'' if exact else 'not '}exact"
    for at in range(1, len(lines)):
        if lines[at][0] == "=" and not reader.same(values[at - 1], values[at]):
            yield f"{where}: line {at} is not equal to the one before"
        if lines[at][0] == "≈" and same_parts(reader, trees[at - 1], trees[at]):
            yield f"{where}: line {at} is exactly the one before"
    if len(lines) > 1 and lines[-1][1] != format_number(why.value, digits):
        yield f"{where}: does not end on {format_number(why.value, digits)}"


def misread_cells(reader, trace, every=1):
    """All misreadings of a trace; `every` takes only each so-many-th cell, over all quantities."""
    count, found = 0, []
    for quantity in trace.values():
        for index in np.ndindex(quantity.shape):
            count += 1
            if count % every == 0:
                digits = DIGITS[(count // every) % 4]
                found += misreadings(reader, quantity.explain(*index), digits)
    return found


def test_every_line_of_a_shipped_example_adds_up_or_says_so(variation, traced, reader):
    """Each 13th cell at one of the four precisions in turn: over all variations some ten thousand cells."""
    name, changes = variation
    assert misread_cells(reader, traced(name, **changes), every=13) == []


def test_every_line_of_an_operation_by_itself_adds_up_or_says_so(operation_case, reader):
    """Every cell, at one of the four precisions in turn."""
    assert misread_cells(reader, operation_case.trace) == []


@pytest.mark.parametrize(
    ("function", "at", "lines"),
    [
        ("ln", 1, ["= ln(1)", "= 0"]),
        ("tanh", 0, ["= tanh(0)", "= 0"]),
        ("erf", 0, ["= erf(0)", "= 0"]),
        ("ln", 2, ["= ln(2)", "≈ 0.69"]),
        ("tanh", 20, ["= tanh(20)", "≈ 1.00"]),
        ("erf", 9, ["= erf(9)", "≈ 1.00"]),
    ],
)
def test_a_function_is_equal_only_where_it_is_exact(function, at, lines):
    recipe = Function(function, (Number(at),))
    value = evaluate(recipe, lambda cell: math.nan)
    found = read(recipe, lambda cell: math.nan, value, 2)
    assert [f"{line.relation} {text.expression(line.tree)}" for line in found] == lines


def test_constants_of_a_formula_are_written_in_full_if_they_are_short():
    recipe = Difference(Number(1), Product((Number(0.999, "β₂"), Number(math.pi, "π"))))
    found = read(recipe, lambda cell: math.nan, 1 - 0.999 * math.pi, 2)
    assert text.expression(found[0].tree) == "1 − 0.999·3.14"


@pytest.mark.parametrize(
    ("digits", "shown"), [(2, "0.998"), (3, "0.998"), (4, "0.9980"), ("full", "0.998001")]
)
def test_a_constant_near_one_is_not_written_as_one(digits, shown):
    """1 − β₂² is what Adam divides by: written as 1 − 1.00 it would be 0."""
    recipe = Difference(Number(1), Power(Number(0.999, "β₂"), Number(2, "t")))
    found = read(recipe, lambda cell: math.nan, 1 - 0.999**2, digits)
    assert text.expression(found[1].tree) == f"1 − {shown}"


def small_example(numbers, digits, **changes):
    """Two words of two numbers, all from a list of eight numbers with few decimals."""
    a, b, c, d, e, f, g, h = (round(number, digits) for number in numbers)
    fields = {
        "tokens": ["a", "b", "a"], "E": {"a": [a, b], "b": [c, d]}, "positions": "none",
        "W_Q": [[e, f], [g, h]], "W_K": [[h, e], [f, g]], "W_V": [[1, a], [-1, h]],
    }  # fmt: skip
    return ch.Example(**(fields | changes))


@given(
    st.lists(st.floats(-3, 3), min_size=8, max_size=8),
    st.integers(0, 5),
    st.sampled_from(["none", "sinusoidal", "rotary", "alibi"]),
    st.sampled_from(["none", "causal"]),
)
def test_every_line_of_random_numbers_adds_up_or_says_so(reader, numbers, decimals, positions, mask):
    trace = with_asides(ch.run(small_example(numbers, decimals, positions=positions, mask=mask)))
    assert misread_cells(reader, trace, every=17) == []


@pytest.mark.parametrize("size", [1e-16, 1.2345e-16, 1e-9, 1.2345e-9, 1e9, 1.2345e9])
def test_very_small_and_very_large_numbers_add_up_or_say_so(reader, size):
    trace = with_asides(ch.run(small_example([1, 2, 3, -1, 2, -3, 1, 2], 0, W_V=[[size, 0], [0, 3 * size]])))
    assert misread_cells(reader, trace) == []


def one_number(value, **changes):
    """A sentence of one word whose only number is `value`."""
    fields = {
        "tokens": ["a"],
        "E": {"a": [value]},
        "W_Q": [[1]],
        "W_K": [[1]],
        "W_V": [[1]],
        "positions": "none",
    }
    return ch.run(ch.Example(**(fields | changes)))


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (0.5, 2, "E[0,0] = 0.50"),
        (0.125, 2, "E[0,0] ≈ 0.13"),
        (0.125, 3, "E[0,0] = 0.125"),
        (3, 2, "E[0,0] = 3"),
        (0.1 + 0.2, "full", "E[0,0] = 0.30000000000000004"),
        (1.2345e-16, 2, "E[0,0] ≈ 1.2e−16"),
    ],
)
def test_a_given_number_is_equal_only_to_itself(value, digits, expected):
    assert one_number(value)["E"].explain(0, 0).text(digits) == expected


WRITERS = [
    *((f"a cell's {name}", lambda digits, name=name: getattr(one_number(3)["E"].explain(0, 0), name)(digits))
      for name in ("lines", "text", "latex", "markdown")),
    *((f"a quantity's {name}", lambda digits, name=name: getattr(one_number(3)["E"], name)(digits))
      for name in ("latex", "markdown", "tsv")),
]  # fmt: skip


@pytest.mark.parametrize("write", [write for _, write in WRITERS], ids=[name for name, _ in WRITERS])
@pytest.mark.parametrize("digits", [99, 5, 0, -1, 2.5, True, "x", None])
def test_decimals_that_there_are_not_are_one_sentence(write, digits):
    with pytest.raises(ValueError, match=re.escape(f"digits: expected one of 2, 3, 4, full, got {digits!r}")):
        write(digits)


def body(why, digits=2):
    """The lines below the formula."""
    return [line.strip() for line in why.text(digits).splitlines()[1:]]


def test_a_sum_that_adds_up_in_the_digits_shown():
    # 0.5·2 + 0.25·4 = 1 + 1 = 2
    trace = one_number(1, E={"a": [0.5, 0.25]}, W_Q=[[2], [4]], W_K=[[1], [1]], W_V=[[1], [1]])
    assert body(trace["XW_Q"].explain(0, 0)) == [
        "XW_Q[0,0] = 0.50·2.00 + 0.25·4.00",
        "= 1.00 + 1.00",
        "= 2.00",
    ]


def test_a_sum_that_does_not_add_up_in_the_digits_shown():
    # 0.125 + 0.125 = 0.25 is shown as 0.13 + 0.13 ≈ 0.25, and the first line's 0.125 as 0.13.
    trace = one_number(1, E={"a": [0.125, 0.125]}, W_Q=[[1], [1]], W_K=[[1], [1]], W_V=[[1], [1]])
    assert body(trace["XW_Q"].explain(0, 0)) == [
        "XW_Q[0,0] ≈ 0.13·1.00 + 0.13·1.00",
        "= 0.13 + 0.13",
        "≈ 0.25",
    ]
    assert body(trace["XW_Q"].explain(0, 0), 3)[-1] == "= 0.250"


def test_a_whole_number_power_and_a_root_that_comes_out_even_are_equal():
    """10000^(2/4) is exactly 100, so the sinusoid's angle is exactly shown."""
    trace = one_number(
        1, E={"a": [0] * 4}, W_Q=[[1]] * 4, W_K=[[1]] * 4, W_V=[[1]] * 4, positions="sinusoidal"
    )
    lines = body(trace["positions"].explain(0, 2))
    assert all(line.split()[0] == "=" for line in lines[1:]), lines


def test_a_masked_weight_is_worked_out_as_e_to_minus_infinity():
    trace = one_number(1, tokens=["a", "a"], W_Q=[[0]], mask="causal")
    # Scores are 0: e^−∞ / (e^0 + e^−∞) = 0 / (1 + 0) = 0
    lines = body(trace["weights"].explain(0, 0, 1))
    assert lines[0] == "weights[0,0,1] = e^−∞ / (e^0 + e^−∞)"
    assert all(line.startswith("=") for line in lines[1:-1]), lines
    assert lines[-2].endswith(" 0")
    assert "masked" in lines[-1]


NUMBERS = st.floats(-99, 99).map(lambda value: round(value, 3))


def trees(parts):
    """Every way operations may nest, far beyond what recipes do."""
    from clearhead.core import expression as ex

    pair = st.tuples(parts, parts)
    return st.one_of(
        pair.map(ex.Sum),
        pair.map(ex.Product),
        pair.map(lambda two: ex.Difference(*two)),
        pair.map(lambda two: ex.Quotient(*two)),
        pair.map(lambda two: ex.Power(*two)),
        parts.map(ex.Root),
        parts.map(ex.Exp),
        parts.map(lambda one: ex.Function("sin", (one,))),
        pair.map(lambda two: ex.Function("max", two)),
    )


def shape(node):
    """A tree of the writer's in the reader's form."""
    name = type(node).__name__
    if isinstance(node, Number):
        return f"{node.text}" if not node.text.startswith("−") else ("negative", node.text[1:])
    parts = [shape(part) for part in children(node)]
    match name:
        case "Sum" | "Product":
            operator = "+" if name == "Sum" else "·"
            tree = parts[0]
            for part in parts[1:]:
                tree = (operator, tree, part)
            return tree
        case "Exp":
            return ("^", "e", parts[0])
        case "Function":
            return (node.name, *parts)
    return ({"Difference": "−", "Quotient": "/", "Power": "^", "Root": "√"}[name], *parts)


def without_order(tree):
    """a + (b + c) and (a + b) + c are one sum to a reader; a leading minus may belong to the first factor or to all."""
    if isinstance(tree, str):
        return tree
    parts = [without_order(part) for part in tree[1:]]
    if tree[0] in ("·", "/") and isinstance(parts[0], tuple) and parts[0][0] == "negative":
        return ("negative", without_order((tree[0], parts[0][1], *parts[1:])))
    return (tree[0], *parts)


SHOWN = NUMBERS.map(lambda value: Shown(value, text=format_number(value, 3)))


@given(st.recursive(SHOWN, trees, max_leaves=9))
def test_brackets_read_back_as_the_same_tree(reader, tree):
    def flat(tree):
        if isinstance(tree, tuple) and tree[0] in "+·":
            right = tree[2]
            if isinstance(right, tuple) and right[0] == tree[0]:
                return flat((tree[0], (tree[0], tree[1], right[1]), right[2]))
        return (tree[0], *map(flat, tree[1:])) if isinstance(tree, tuple) else tree

    line = text.expression(tree)
    assert flat(without_order(reader.read(line))) == flat(without_order(shape(tree))), line


def test_the_reader_itself():
    """Hand values: the tests above are only as good as the reader."""

    def reader_value(line, reader):
        return reader.value(reader.read(line))

    from importlib import util
    from pathlib import Path

    spec = util.spec_from_file_location("own", Path(__file__).with_name("arithmetic_reader.py"))
    own = util.module_from_spec(spec)
    spec.loader.exec_module(own)
    assert reader_value("2 + 3·4 − 6 / 2", own) == 11
    assert reader_value("(−2)^2 + √9", own) == 7
    assert reader_value("−2^2", own) == -4
    assert reader_value("e^−∞ + max(1, 2) + 1.5e3", own) == 1502
    assert float(reader_value("sin(2) + cos(2.5)", own)) == pytest.approx(
        math.sin(2) + math.cos(2.5), abs=1e-15
    )
    assert float(reader_value("ln(2) + tanh(0.5)", own)) == pytest.approx(
        math.log(2) + math.tanh(0.5), abs=1e-15
    )
    for x in (0.3, 2.5, 7):
        assert float(reader_value(f"erf({x}) + 1 − 1", own)) == pytest.approx(math.erf(x), abs=1e-15)
    assert float(reader_value("1 − erf(3)", own)) == pytest.approx(math.erfc(3), rel=1e-14)
    assert own.same(own.value(own.read("10000^0.5")), own.number("100"))
    assert not own.same(own.value(own.read("2·0.33")), own.number("0.67"))
