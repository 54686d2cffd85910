"""A recipe taken apart: its shape, and the whole numbers and the numbers that stand in it, in reading order.

Recipes of one quantity mostly differ in these numbers alone. A sum whose terms count on is one `each`: the shape of a
term, how many there are, and which of its whole numbers go up by one from term to term.

A shape is nested tuples, which are JSON as they stand; each takes its numbers from the two lists in turn:

    ("cell", slot, axes)            axes whole numbers: the index
    ("number", symbol)              a number
    ("sum", over, shapes)           those of the terms
    ("each", over, shape, steps)    a whole number: how many terms; then those of the first term; `steps` says of each
                                    of its whole numbers by how much it grows from term to term, 0 or 1
    ("each_and", over, shape, steps, last)  the same, and after them one more term that is made otherwise
    ("product", shapes), ("difference", left, right), ("quotient", top, bottom), ("power", base, exponent),
    ("root", of), ("exp", of), ("function", name, shapes)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clearhead.core import expression as ex

Shape = tuple[Any, ...]


@dataclass(frozen=True)
class Flat:
    """A recipe taken apart; see above."""

    shape: Shape
    ints: tuple[int, ...] = ()
    floats: tuple[float, ...] = ()


def flat(node: ex.Expression) -> Flat:
    """Take a recipe apart.

    Of a sum whose terms are made when they are looked at, the first two and the last two are looked at: all are made
    in the same way (see `expression.Terms`), the last perhaps in one of its own.

    Raises:
        TypeError: the tree is no recipe: it has symbols of a general formula.
    """
    match node:
        case ex.Cell(slot, index):
            return Flat(("cell", slot, len(index)), index)
        case ex.Number(value, symbol):
            return Flat(("number", symbol), (), (float(value),))
        case ex.Sum(terms, over):
            return _sum(terms, over)
        case ex.Product(parts):
            return _joined(parts, lambda shapes: ("product", shapes))
        case ex.Function(name, parts):
            return _joined(parts, lambda shapes: ("function", name, shapes))
        case ex.Difference() | ex.Quotient() | ex.Power() | ex.Root() | ex.Exp():
            name = type(node).__name__.lower()
            return _joined(ex.children(node), lambda shapes: (name, *shapes))
    raise TypeError(f"{type(node).__name__} has no place in a recipe")


def _joined(parts: Sequence[ex.Expression], shape: Any) -> Flat:
    return _of([flat(part) for part in parts], shape)


def _of(parts: Sequence[Flat], shape: Any) -> Flat:
    return Flat(
        shape(tuple(part.shape for part in parts)),
        tuple(number for part in parts for number in part.ints),
        tuple(number for part in parts for number in part.floats),
    )


def _sum(terms: Sequence[ex.Expression], over: str | None) -> Flat:
    count = len(terms)
    looked = {place: flat(terms[place]) for place in _looked(terms)}
    for counted in (count, count - 1):
        steps = _steps({place: part for place, part in looked.items() if place < counted})
        if steps is None:
            continue
        first, last = looked[0], [looked[place] for place in range(counted, count)]
        kind = (
            ("each_and", over, first.shape, steps, last[0].shape)
            if last
            else ("each", over, first.shape, steps)
        )
        ints = [number for part in last for number in part.ints]
        floats = [number for part in last for number in part.floats]
        return Flat(kind, (counted, *first.ints, *ints), (*first.floats, *floats))
    if isinstance(terms, ex.Terms):
        raise TypeError("the terms of a long sum do not count on")
    return _of(list(looked.values()), lambda shapes: ("sum", over, shapes))


def _looked(terms: Sequence[ex.Expression]) -> Iterable[int]:
    """Which terms are looked at: all, or of a long sum, whose terms are made alike, the ends of it."""
    count = len(terms)
    return (0, 1, count - 2, count - 1) if isinstance(terms, ex.Terms) else range(count)


def _steps(parts: Mapping[int, Flat]) -> tuple[int, ...] | None:
    """By how much each whole number grows from term to term, or None where the terms, by place, do not count on."""
    if len(parts) < 2:
        return None
    first, second = parts[0], parts[1]
    steps = tuple(after - before for before, after in zip(first.ints, second.ints, strict=False))
    if len(first.ints) != len(second.ints) or not set(steps) <= {0, 1}:
        return None
    for place, part in parts.items():
        there = tuple(number + place * step for number, step in zip(first.ints, steps, strict=True))
        if (part.shape, part.floats, part.ints) != (first.shape, first.floats, there):
            return None
    return steps


def whole(given: Flat) -> ex.Expression:
    """Put a recipe together again."""
    return _put_together(given.shape, iter(given.ints), iter(given.floats))


def _put_together(shape: Shape, ints: Iterator[int], floats: Iterator[float]) -> ex.Expression:
    def part(one: Shape) -> ex.Expression:
        return _put_together(one, ints, floats)

    match shape:
        case ("cell", slot, axes):
            return ex.Cell(slot, tuple(next(ints) for _ in range(axes)))
        case ("number", symbol):
            return ex.Number(next(floats), symbol)
        case ("sum", over, shapes):
            return ex.Sum(tuple(map(part, shapes)), over)
        case ("each", over, term, steps):
            return ex.Sum(_counted(term, steps, ints, floats), over)
        case ("each_and", over, term, steps, last):
            return ex.Sum((*_counted(term, steps, ints, floats), part(last)), over)
        case ("product", shapes):
            return ex.Product(tuple(map(part, shapes)))
        case ("function", name, shapes):
            return ex.Function(name, tuple(map(part, shapes)))
        case (name, *shapes):
            kinds = {"difference": ex.Difference, "quotient": ex.Quotient, "power": ex.Power, "root": ex.Root}
            kind: Any = kinds.get(name, ex.Exp)
            return kind(*map(part, shapes))
    raise TypeError(f"{shape!r} is no shape")


def _counted(
    term: Shape, steps: Sequence[int], ints: Iterator[int], floats: Iterator[float]
) -> tuple[ex.Expression, ...]:
    count = next(ints)
    first = [next(ints) for _ in steps]
    numbers = [next(floats) for _ in range(_floats_in(term))]
    terms = (
        _put_together(
            term,
            iter([number + place * step for number, step in zip(first, steps, strict=True)]),
            iter(numbers),
        )
        for place in range(count)
    )
    return tuple(terms)


def _floats_in(shape: Shape) -> int:
    """How many numbers a shape takes."""
    match shape:
        case ("number", _):
            return 1
        case ("cell", *_):
            return 0
        case ("each", _, term, _):
            return _floats_in(term)
        case ("each_and", _, term, _, last):
            return _floats_in(term) + _floats_in(last)
    return sum(_floats_in(part) for part in _parts(shape))


def _parts(shape: Shape) -> Sequence[Shape]:
    match shape:
        case ("sum" | "function", _, shapes) | ("product", shapes):
            return shapes
    return shape[1:]
