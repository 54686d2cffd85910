"""What one matrix is of the other's: transposed, that of another projection, or the same in another order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearhead.lenses.parting_models.aligned import Pair
from clearhead.trace.capture.below import PARTS, Projection, columns_of
from clearhead.trace.capture.held import EPSILON, precise

Order = tuple[int, ...]


def recognised(pair: Pair, step: str) -> Iterator[str]:
    """How b's W_Q, W_K or W_V is made of a's, where that is proven by their numbers; as sentences, one at most.

    Args:
        pair: the layer in both.
        step: "Q", "K" or "V".
    """
    mine, theirs = (layer.below.projections.get(step) for layer in (pair.a, pair.b))
    if mine is None or theirs is None:
        return
    near, a, b = _near(pair), _matrix(mine), _matrix(theirs)
    if _same(a, b, near):
        return
    if other := _exchanged(pair, step, b, near):
        yield other
    elif a.shape == b.shape and _same(a.T, b, near):
        yield f"W_{step} of b is that of a transposed."
    elif a.shape == b.shape and (order := _order(a.T, b.T)):
        yield f"W_{step} of b is that of a with {_said(order, mine.columns.shape[1])}."
    elif a.shape == b.shape and _order(a, b):
        yield f"W_{step} of b is that of a with its rows, one for each feature of the input, in another order."


def recognised_output(pair: Pair) -> Iterator[str]:
    """The same of W_O, whose rows are the features of the heads."""
    a, b = (precise(held) for held in (pair.a.below.W_O, pair.b.below.W_O) if held is not None)
    if a.shape != b.shape or _same(a, b, _near(pair)):
        return
    if _same(a.T, b, _near(pair)):
        yield "W_O of b is that of a transposed."
    elif order := _order(a, b):
        yield f"W_O of b is that of a with {_said(order, pair.attentions[0].output.shape[3], 'rows')}."


def _near(pair: Pair) -> float:
    """How far numbers may be off, as a part of their size, that are the same in the two formats."""
    return max(EPSILON[str(one.query.dtype)] for one in pair.attentions)


def _matrix(projection: Projection) -> np.ndarray:
    """(d_model, heads * width) the columns of all heads."""
    return columns_of(projection.weight, slice(None), projection.columns.reshape(-1))


def _same(a: np.ndarray, b: np.ndarray, near: float) -> bool:
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=near, atol=0))


def _exchanged(pair: Pair, step: str, b: np.ndarray, near: float) -> str:
    """Whose matrix of a it is, if it is that of another projection."""
    for other in PARTS:
        mine, theirs = (layer.below.projections.get(other) for layer in (pair.a, pair.b))
        if other == step or mine is None or not _same(_matrix(mine), b, near):
            continue
        own = pair.a.below.projections[step]
        if theirs is not None and _same(_matrix(own), _matrix(theirs), near):
            return f"W_{step} and W_{other} are exchanged: W_{step} of b is W_{other} of a, and the other way round."
        return f"W_{step} of b is W_{other} of a."
    return ""


def _order(a: np.ndarray, b: np.ndarray) -> Order:
    """Which row of a each row of b is, to the last bit; nothing where that is no other order of all of them."""
    places = {row.tobytes(): place for place, row in enumerate(np.ascontiguousarray(a))}
    found = [places.get(row.tobytes()) for row in np.ascontiguousarray(b)]
    order = tuple(place for place in found if place is not None)
    changed = order != tuple(range(len(a)))
    return order if changed and len(places) == len(a) and sorted(order) == list(range(len(a))) else ()


def _said(order: Order, width: int, what: str = "columns") -> str:
    """An order of the features of all heads in words.

    Args:
        order: of each feature of b that of a.
        width: of a head.
        what: what they are in the matrix.
    """
    heads = [order[start : start + width] for start in range(0, len(order), width)]
    within = {tuple(one % width for one in head) for head in heads}
    whose = [{one // width for one in head} for head in heads]
    if within == {tuple(range(width))} and all(len(one) == 1 for one in whose):
        return f"the heads in another order: {_few([next(iter(one)) for one in whose])} of a"
    if len(within) > 1 or whose != [{head} for head in range(len(heads))]:
        return f"its {what} in another order"
    (each,) = within
    says = f"the {what} of each head in another order: {_few(each)} of a"
    interleaved = tuple(
        place for pair in zip(range(width // 2), range(width // 2, width), strict=False) for place in pair
    )
    if each == interleaved:
        return f"{says}, interleaved where a has halves, as weights are converted for another rotary turn"
    if each == tuple(np.argsort(interleaved)):
        return (
            f"{says}, halves where a has interleaved pairs, as weights are converted for another rotary turn"
        )
    return says


def _few(order: Order | list[int]) -> str:
    return ", ".join(map(str, order[:8])) + (" ..." if len(order) > 8 else "")
