"""Slips in a cell's own line of arithmetic, and places that are taken for it."""

from __future__ import annotations

from collections.abc import Iterator

from clearhead.core import expression as ex
from clearhead.core.axes import HEAD
from clearhead.core.ops.base import Index
from clearhead.trace.explanation import Explanation, cell_label
from clearhead.trace.notation.tokens import visible_token
from clearhead.trace.quantity import Quantity

MOST_TERMS = 64
"""Terms of a sum up to which each is left out in turn."""


def slips(why: Explanation) -> Iterator[tuple[str, str, float]]:
    """(id, what is done wrong, what comes out) of each slip that this cell can have."""
    yield "sign", "the sign is turned round", -why.value
    yield from _terms(why)
    yield from _places(why.quantity, why.index)


def _terms(why: Explanation) -> Iterator[tuple[str, str, float]]:
    """A term of a sum over an axis left out, or with the other sign; where two things are added, the step itself is."""
    whole = why.expression
    if not isinstance(whole, ex.Sum) or whole.over is None or not 1 < len(whole.terms) <= MOST_TERMS:
        return
    words = why.quantity.words.along(whole.over)
    for number, term in enumerate(whole.terms):
        worth = ex.evaluate(term, why.quantity.value_of)
        if worth in (0, why.value):
            continue
        word = f" “{visible_token(words[number])}”" if number < len(words) else ""
        called = f"the term of {whole.over} {number}{word}"
        yield "term-left-out", f"{called} is left out", why.value - worth
        yield "term-sign", f"the sign of {called} is turned round", why.value - 2 * worth


def _places(quantity: Quantity, index: Index) -> Iterator[tuple[str, str, float]]:
    """Another head's number, and that of row and column exchanged."""
    if HEAD in quantity.axes:
        axis = quantity.axes.index(HEAD)
        for head in range(quantity.shape[axis]):
            if head != index[axis]:
                other = (*index[:axis], head, *index[axis + 1 :])
                yield "other-head", f"head {head} is read, not head {index[axis]}", quantity.number(other)
    if len(index) > 1 and index[-1] != index[-2]:
        turned = (*index[:-2], index[-1], index[-2])
        if quantity.holds(turned):
            label = cell_label(quantity.name, turned)
            yield "row-for-column", f"row and column are exchanged ({label})", quantity.number(turned)
