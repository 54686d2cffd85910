"""Why two captures part where they do, as far as the numbers tell: another matrix, order, factor or kernel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearhead.lenses.parting_models.aligned import Pair
from clearhead.lenses.parting_models.differences import of_rows
from clearhead.lenses.parting_models.recognising import recognised, recognised_output
from clearhead.lenses.parting_models.steps import STEPS, Side, hidden_of
from clearhead.lenses.parting_models.tolerance import Tolerance
from clearhead.lenses.parting_models.walk import Parting, StepRow, measured_after
from clearhead.trace.capture.agreement import agreement_of
from clearhead.trace.capture.below import columns_of
from clearhead.trace.capture.held import Held, precise
from clearhead.trace.capture.projecting import output_rows

ROWS = 64
"""Rows of a head by which orders and factors are found."""

MADE_OF = {"Q": "scores", "K": "scores", "V": "mixed"}
"""The first step that is made of these; what stands between is made beside them."""

WHERE = {
    "hidden": "Between the layer before and this one stand the bias of its output, the feed-forward network and norms.",
    "first": "Before the first layer stand the embeddings, the positions and a norm.",
}


def causes(parting: Parting, table: tuple[StepRow, ...], tolerance: Tolerance) -> tuple[str, ...]:
    """What can be said of the first parting, as sentences; the most telling first."""
    pair, step = parting.pair, parting.step
    most = tolerance.projected(pair.depth)
    found: list[str] = []
    if step == "hidden":
        a, b = (precise(one, parting.batch) for one in _hidden(pair))
        found += _factor(a, b, "what enters the layer", most)
        found.append(WHERE["first" if pair.depth == 0 else "hidden"])
    elif step in ("Q", "K", "V") and parting.head is not None:
        found += _orders(parting, most) or [*recognised(pair, step)] or _matrices(parting, parting.head)
    elif step == "mixed":
        found += _kernels(pair)
    elif step == "output" and len({one.output.shape for one in pair.attentions}) == 1:
        found += [*recognised_output(pair)] or _outputs(pair)
    if step != "hidden" and (together := _together(parting, table, tolerance.at(pair.depth))):
        found.append(together)
    return tuple(found)


def _hidden(pair: Pair) -> Iterator[Held]:
    for layer in (pair.a, pair.b):
        held = hidden_of(layer)
        assert held is not None  # they were compared
        yield held


def _factor(a: np.ndarray, b: np.ndarray, what: str, most: float) -> list[str]:
    """One factor between all numbers."""
    size = float((a * a).sum())
    factor = float((a * b).sum()) / size if size else 0.0
    unlike = np.isfinite(factor) and min(abs(factor), abs(factor - 1)) > most
    if unlike and of_rows(factor * a, b).max(initial=0.0) <= most:
        return [f"In b {what} is {factor:.4g} times that of a."]
    return []


def _orders(parting: Parting, most: float) -> list[str]:
    """Another order of the heads, or of one head's features; or one factor."""
    step, head = parting.step, parting.head
    assert head is not None
    mine, theirs = (
        [_rows(parting, one, step, at) for at in range(one.heads)] for one in parting.pair.attentions
    )
    same = [[of_rows(x, y).max(initial=0.0) <= most for x in mine] for y in theirs]
    places = [row.index(True) if any(row) else None for row in same]
    if None not in places and places != list(range(len(places))):
        listed = ", ".join(map(str, places))
        order = "in another order" if len(set(places)) == len(places) else "not those of a"
        return [
            f"The heads of {step} are {order}: heads 0 to {len(places) - 1} of b are heads {listed} of a."
        ]
    a, b = mine[head], theirs[head]
    columns = [[of_rows(x[None], y[None])[0] <= most for x in a.T] for y in b.T]
    features = [row.index(True) if any(row) else None for row in columns]
    if None not in features and sorted(features) == list(range(len(features))) != features:  # type: ignore[type-var]
        return [f"The features of head {head} are in another order: {', '.join(map(str, features))} of a."]
    return _factor(a, b, step, most)


def _rows(parting: Parting, attention: object, step: str, head: int) -> np.ndarray:
    rows = np.asarray(getattr(Side(attention, parting.batch, head, slice(0, ROWS)), step))  # type: ignore[arg-type]
    return rows[:ROWS]


def _matrices(parting: Parting, head: int) -> Iterator[str]:
    """Which numbers of the head's own columns differ, where the way from the layer's input is proven of both."""
    step, pair = parting.step, parting.pair
    mine, theirs = (layer.below.projections.get(step) for layer in (pair.a, pair.b))
    if mine is None or theirs is None:
        return
    own, other = (_own(one, step, head) for one in pair.attentions)
    which = "head" if step == "Q" else f"{'key' if step == 'K' else 'value'} head"
    a, b = mine.columns[own], theirs.columns[other]
    matrices = columns_of(mine.weight, slice(None), a), columns_of(theirs.weight, slice(None), b)
    yield from _cells(*matrices, f"W_{step} of {which} {own}")
    if (mine.bias is None) != (theirs.bias is None):
        yield f"b_{step}: a bias in {'a' if theirs.bias is None else 'b'} alone."
    elif mine.bias is not None and theirs.bias is not None:
        biases = columns_of(mine.bias, a)[None], columns_of(theirs.bias, b)[None]
        if not np.array_equal(*biases):
            yield from _cells(*biases, f"b_{step} of {which} {own}")


def _own(attention: object, step: str, head: int) -> int:
    """The key or value head that a query head reads; the head itself for Q."""
    names = {"K": "key_head", "V": "value_head"}
    return int(getattr(attention, names[step])(head)) if step in names else head


def _cells(a: np.ndarray, b: np.ndarray, where: str) -> Iterator[str]:
    if a.shape != b.shape:
        yield f"{where} is {_size(a)} in a and {_size(b)} in b."
        return
    other = np.argwhere(a != b)
    if not len(other):
        yield f"{where} is the same in both."
        return
    row, column = map(int, np.unravel_index(int(np.abs(a - b).argmax()), a.shape))
    place = f"[{column}]" if len(a) == 1 else f"[{row},{column}]"
    verb = "differs" if len(other) == 1 else "differ"
    yield (
        f"{where}: {len(other)} of {a.size} numbers {verb}, the most {place}: {a[row, column]:.6g} in a, "
        f"{b[row, column]:.6g} in b."
    )


def _size(array: np.ndarray) -> str:
    return " × ".join(map(str, array.shape))


def _kernels(pair: Pair) -> Iterator[str]:
    """Whose kernel does not return weights times V."""
    for name, one in zip("ab", pair.attentions, strict=True):
        if not agreement_of(one, pair.label).agrees:
            yield f"In {name} the kernel ({one.kernel}) did not return weights times V."


def _outputs(pair: Pair) -> Iterator[str]:
    """Which numbers of W_O differ, in the rows of the first head of which any does."""
    mine, theirs = pair.a.below.W_O, pair.b.below.W_O
    assert mine is not None  # the outputs were compared
    assert theirs is not None
    for head in range(pair.attentions[0].heads):
        a, b = (
            output_rows(one, held, head) for one, held in zip(pair.attentions, (mine, theirs), strict=True)
        )
        if not np.array_equal(a, b):
            yield from _cells(a, b, f"W_O, the rows of head {head}")
            return


def _together(parting: Parting, table: tuple[StepRow, ...], most: float) -> str:
    """From which step of the layer on the two are as near again as if they had not parted."""
    made = STEPS.index(MADE_OF.get(parting.step, parting.step))
    after = [row for row in measured_after(table, parting) if STEPS.index(row.step) >= made]
    again = []
    for row in reversed(after):
        if not row.largest <= most:
            break
        again.append(row.step)
    if not again:
        return ""
    return f"From {again[-1]} on, the two agree again in this layer."
