"""Ours against the model's: each layer's weights times V, recomputed, beside what its kernel really returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.held import EPSILON, precise
from clearhead.trace.capture.recompute import mixed_of, rows_of

ROWS_AT_ONCE = 256
"""Rows that are compared together, so that no whole square is ever made."""

ROWS_OF_A_LONG_TEXT = 2048
"""Rows of a layer that are compared: all of a text up to this length, so many of a longer one, evenly spread."""

ACCUMULATED = "float32"
"""The format in which the kernels of PyTorch add up products of shorter formats."""


@dataclass(frozen=True)
class LayerAgreement:
    """How far one layer's recomputed output lies from the kernel's.

    Attributes:
        layer: the layer's label, such as "L3".
        difference: the largest absolute difference of any number compared.
        tolerance: the largest difference that rounding explains, for the cell where the two are closest to parting.
        agrees: whether every number lies within its row's tolerance.
        rows: how many rows were compared, over all heads and sequences.
        of: how many there are.
        blind: rows left out because their query may see nothing: kernels differ in what they return for it.
        dtype: the format the kernel computed in.
        kernel: what computed it.
        note: why nothing could be compared, or nothing.
    """

    layer: str
    difference: float
    tolerance: float
    agrees: bool
    rows: int
    of: int
    blind: int
    dtype: str
    kernel: str
    note: str = ""


class Agreement(tuple[LayerAgreement, ...]):
    """The agreement of every layer, in order."""

    __slots__ = ()

    @property
    def agrees(self) -> bool:
        """Whether all layers do."""
        return all(layer.agrees for layer in self)

    @property
    def failing(self) -> tuple[LayerAgreement, ...]:
        """The layers that do not; their numbers are not the model's."""
        return tuple(layer for layer in self if not layer.agrees)

    def __str__(self) -> str:
        """One line a layer."""
        return "\n".join(map(_line, self))


def _line(layer: LayerAgreement) -> str:
    verdict = "agrees" if layer.agrees else "DOES NOT AGREE: these numbers are not the model's"
    if layer.note:
        return f"{layer.layer}: {layer.note}"
    counted = "" if layer.rows == layer.of else f", {layer.rows} of {layer.of} rows compared"
    return (
        f"{layer.layer}: largest difference {layer.difference:.1e}, within {layer.tolerance:.1e} expected of "
        f"{layer.dtype} on {layer.kernel}{counted}: {verdict}"
    )


def agreement_of(attention: Attention, label: str) -> LayerAgreement:
    """Compare a layer's weights times V with what its kernel returned."""
    of = attention.sequences * attention.heads * attention.queries
    worst, blind, compared, agrees = (0.0, 0.0), 0, 0, True
    about = (str(attention.query.dtype), attention.kernel)
    if attention.dropout:
        note = f"dropout of {attention.dropout:g} was on: weights were dropped at random, nothing can be compared"
        return LayerAgreement(label, np.nan, np.nan, False, 0, of, 0, *about, note)
    for differences, allowed, unseen in _blocks(attention):
        blind += int(unseen.sum())
        compared += len(unseen) - int(unseen.sum())
        differences, allowed = differences[~unseen], allowed[~unseen]
        if not len(allowed):
            continue
        agrees &= bool((differences <= allowed).all())  # a NaN does not agree
        place = int(np.nan_to_num(differences / allowed, nan=np.inf).argmax())
        worst = max(
            worst, (float(differences[place]), float(allowed[place])), key=lambda pair: _parting(*pair)
        )
    return LayerAgreement(label, *worst, agrees, compared, of, blind, *about)


def _parting(difference: float, tolerance: float) -> float:
    """How close to parting, for comparison; a NaN has parted."""
    if difference == 0:
        return 0.0
    return difference / tolerance if tolerance and not np.isnan(difference) else np.inf


def _blocks(attention: Attention) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For blocks of rows of every head: the largest difference, the tolerance, and whether the row sees nothing."""
    bound = Bound(attention)
    for batch in range(attention.sequences):
        for head in range(attention.heads):
            for rows in _some_rows(attention.queries):
                found = rows_of(attention, batch, head, rows)
                mixed = mixed_of(attention, batch, head, found.weights)
                returned = precise(attention.output, batch, rows, head)
                with np.errstate(invalid="ignore"):
                    differences = np.abs(mixed - returned).max(axis=1)
                yield differences, bound(batch, head, rows), found.blind


def _some_rows(queries: int) -> Iterator[slice]:
    """Blocks of rows: all of a short text; of a long one evenly spread blocks, with the last."""
    blocks = [slice(first, min(first + ROWS_AT_ONCE, queries)) for first in range(0, queries, ROWS_AT_ONCE)]
    most = ROWS_OF_A_LONG_TEXT // ROWS_AT_ONCE
    if len(blocks) > most:
        blocks = [blocks[place] for place in np.linspace(0, len(blocks) - 1, most).round().astype(int)]
    yield from blocks


class Bound:
    """What rounding alone can do to a row of weights times V, to first order.

    A score is a dot product of d_head terms, each at most |q| |k| together; its error is at most d_head times the unit
    roundoff of the format it is added up in, and one more rounding in the format it is kept in (Higham, Accuracy and
    Stability of Numerical Algorithms, 2002, section 3.1). A change of every score by at most e changes every weight by
    a factor within e^(±2e). The sum over the keys adds one roundoff a key in the format of the sum.
    """

    def __init__(self, attention: Attention) -> None:
        self._attention = attention
        kept = max(
            EPSILON[str(attention.query.dtype)],
            EPSILON[attention.softmax_dtype or str(attention.query.dtype)],
        )
        added = (
            min(kept, max(EPSILON[ACCUMULATED], EPSILON["float64"])) if kept > EPSILON[ACCUMULATED] else kept
        )
        self._kept, self._added = kept / 2, added / 2
        self._norms: dict[tuple[int, int, int], tuple[float, float]] = {}

    def __call__(self, batch: int, head: int, rows: slice) -> np.ndarray:
        """(rows,) the tolerance of each."""
        one = self._attention
        query = np.linalg.norm(precise(one.query, batch, head, rows), axis=1)
        key, value = self._largest(batch, head)
        score = abs(one.scale) * query * key
        beside = (
            0.0 if one.bias is None else float(np.abs(one.bias.table(batch, head, rows)).max(initial=0.0))
        )
        scores = self._added * one.d_head * score + 4 * self._kept * (score + beside)
        return (2 * scores + self._added * (one.keys + 2) + 4 * self._kept) * value

    def _largest(self, batch: int, head: int) -> tuple[float, float]:
        """The longest key, and the largest number among the values."""
        place = (batch, self._attention.key_head(head), self._attention.value_head(head))
        if place not in self._norms:
            key = precise(self._attention.key, *place[:2])
            value = precise(self._attention.value, batch, place[2])
            longest = float(np.linalg.norm(key, axis=1).max(initial=0.0))
            self._norms[place] = longest, float(np.abs(value).max(initial=0.0))
        return self._norms[place]


def agreement(layers: Callable[[], Iterator[tuple[str, Attention]]]) -> Agreement:
    """The agreement of every layer."""
    return Agreement(agreement_of(attention, label) for label, attention in layers())
