"""Sums of many terms, made short: the largest terms first, and what all the others add up to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from clearhead.core import expression as ex
from clearhead.trace.explanation import Explanation
from clearhead.trace.notation.reading import Lookup, with_parts

MOST_TERMS = 16
"""Terms of a sum that can be read; of more, so many of the largest are written."""


def by_size(values: Sequence[float] | np.ndarray) -> list[int]:
    """The places of the values, the largest in size first; equal ones keep their order."""
    places: list[int] = np.argsort(-np.abs(np.asarray(values)), kind="stable").tolist()
    return places


def values_of(terms: Sequence[ex.Expression], lookup: Lookup) -> np.ndarray:
    """(terms,) what each term of a sum comes to."""
    if isinstance(terms, ex.Terms):
        return terms.values()
    return np.array([ex.evaluate(term, lookup) for term in terms])


def longest(node: ex.Expression) -> int:
    """How many terms the longest sum in the tree has; inside of a very long one is not looked."""
    if isinstance(node, ex.Sum) and isinstance(node.terms, ex.Terms):
        return len(node.terms)
    own = len(node.terms) if isinstance(node, ex.Sum) else 0
    return max([own, *map(longest, ex.children(node))])


class Shortened(Explanation):
    """An explanation whose long sums are cut; its note says so."""

    @property
    def note(self) -> str | None:
        """What there is to say without it, and what the last term of a sum stands for."""
        counts = ", ".join(dict.fromkeys(str(rest.symbol) for rest in _rests(self.expression)))
        if not counts:
            return super().note
        says = f"only the largest terms are written; the last number is what the others come to: {counts}"
        return "; ".join(part for part in (super().note, says) if part)


def shortened(why: Explanation, most: int = MOST_TERMS) -> Explanation:
    """The same explanation with every sum of more than `most` terms cut to its largest ones and the rest as one number.

    It still adds up: the last number, whose symbol says how many terms it stands for, is what the others come to.
    """
    return Shortened(why.quantity, why.index, _short(why.expression, why.quantity.value_of, most))


class Rest(ex.Number):
    """What the terms that are not written come to; its symbol says how many they are."""


def _rests(node: ex.Expression) -> Iterator[Rest]:
    if isinstance(node, Rest):
        yield node
    for part in ex.children(node):
        yield from _rests(part)


def _short(node: ex.Expression, lookup: Lookup, most: int) -> ex.Expression:
    if isinstance(node, ex.Sum) and len(node.terms) > most:
        values = values_of(node.terms, lookup)
        order = by_size(values)
        left = values[order[most:]]
        rest = Rest(float(left.sum()), f"{len(left)} more{_of_0(left)}")
        return replace(node, terms=(*(node.terms[place] for place in order[:most]), rest))
    parts = ex.children(node)
    return with_parts(node, [_short(part, lookup, most) for part in parts]) if parts else node


def _of_0(values: np.ndarray) -> str:
    """How many of them are exactly 0, as the terms of keys are that a mask hides; "" if none is."""
    zeros = int((values == 0).sum())
    if zeros == 0:
        return ""
    return " (all are 0)" if zeros == len(values) else f" ({zeros} {'is' if zeros == 1 else 'are'} 0)"
