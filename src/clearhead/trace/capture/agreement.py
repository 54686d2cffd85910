"""Ours against the model's: each layer's weights times V, recomputed, beside what its kernel really returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any

import numpy as np

from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.bound import Bound
from clearhead.trace.capture.held import precise
from clearhead.trace.capture.recompute import mixed_of, rows_of
from clearhead.trace.capture.threads import one_thread

CELLS = 2**22
"""Cells of a head, queries times keys, that are compared: all of a text of up to 2,048 tokens; of a longer one so many
rows as come to this, evenly spread: 256 at 16,384 tokens, 128 at 32,768."""

CELLS_AT_ONCE = 2**19
"""Cells that are compared together, so that no whole square is ever made: 4 MB in float64."""

ROWS_AT_ONCE = 128
"""Rows that are compared together at most: few enough that a causal mask leaves out much of what they do not see."""


@dataclass(frozen=True)
class LayerAgreement:
    """How far one layer's recomputed output lies from the kernel's.

    Attributes:
        layer: the layer's label, such as "L3".
        difference: the largest absolute difference of all numbers compared; where they do not agree, that of the number
            furthest beyond its tolerance.
        tolerance: the largest difference that rounding explains, for that number.
        agrees: whether every number lies within its own tolerance.
        rows: how many rows were compared, over all heads and sequences.
        of: how many there are.
        blind: rows left out because their query may see nothing: kernels differ in what they return for it.
        dtype: the format of what the kernel returned.
        kernel: what computed it.
        note: why nothing could be compared, or nothing.
        nan: how many of the compared numbers that the kernel returned are NaN.
        lost: how many recomputed numbers are not finite where the kernel's are.
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
    nan: int = 0
    lost: int = 0

    @property
    def undefined(self) -> str:
        """Why there is no difference where numbers were compared: one sentence; empty where there is one."""
        if self.note or not np.isnan(self.difference):
            return ""
        said = [
            f"{self.nan:,} of the numbers that the kernel returned are NaN, in the model itself"
            if self.nan
            else "",
            f"{self.lost:,} numbers are NaN or infinite here where the kernel returned finite ones"
            if self.lost
            else "",
        ]
        what = ", and ".join(filter(None, said)) or "There are numbers that are not finite"
        return f"{what}: they cannot be compared."

    def to_dict(self) -> dict[str, Any]:
        """All but the layer, as JSON-able data; what is no finite number as a word."""
        return {
            part.name: str(value) if isinstance(value, float) and not isfinite(value) else value
            for part in fields(self)
            if part.name != "layer"
            and (value := getattr(self, part.name)) is not None
            and (part.name not in ("nan", "lost") or value)
        }

    @classmethod
    def from_dict(cls, layer: str, given: Mapping[str, Any]) -> LayerAgreement:
        """What `to_dict` gave, of a layer of this label."""
        numbers = {name: float(given[name]) for name in ("difference", "tolerance")}
        return cls(layer, **{**given, **numbers})


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
    seen, counted = layer.of - layer.blind, ""
    if layer.rows < seen:
        counted = f", {layer.rows} of {seen} rows compared, evenly spread"
    if layer.blind:
        counted += f", {layer.blind} rows left out that may see nothing"
    if layer.undefined:
        where = f"in {layer.dtype} on {layer.kernel}{counted}"
        return f"{layer.layer}: {layer.undefined.rstrip('.')}, {where}: DOES NOT AGREE"
    return (
        f"{layer.layer}: largest difference {layer.difference:.1e}, within {layer.tolerance:.1e} expected of "
        f"{layer.dtype} on {layer.kernel}{counted}: {verdict}"
    )


@one_thread()
def agreement_of(attention: Attention, label: str) -> LayerAgreement:
    """Compare a layer's weights times V with what its kernel returned."""
    of = attention.sequences * attention.heads * attention.queries
    worst, blind, compared, nan, lost, agrees = (0.0, 0.0), 0, 0, 0, 0, True
    rounded = attention.softmax_dtype
    kernel = f"{attention.kernel} (its softmax in {rounded})" if rounded else attention.kernel
    about = (str(attention.output.dtype), kernel)
    if attention.dropout:
        note = f"dropout of {attention.dropout:g} was on: weights were dropped at random, nothing can be compared"
        return LayerAgreement(label, np.nan, np.nan, False, 0, of, 0, *about, note)
    for differences, allowed, unseen, returned in _blocks(attention):
        blind += int(unseen.sum())
        compared += len(unseen) - int(unseen.sum())
        differences, allowed, returned = (part[~unseen] for part in (differences, allowed, returned))
        nan += int(np.isnan(returned).sum())
        lost += int((~np.isfinite(differences) & np.isfinite(returned)).sum())
        if not len(allowed):
            continue
        agrees &= bool((differences <= allowed).all())  # a NaN does not agree
        worst = max(worst, _telling(differences, allowed), key=lambda pair: (_parting(*pair), pair[0]))
    return LayerAgreement(label, *worst, agrees, compared, of, blind, *about, nan=nan, lost=lost)


def _telling(differences: np.ndarray, allowed: np.ndarray) -> tuple[float, float]:
    """The difference that tells most, and its tolerance: the largest, or the one furthest beyond its tolerance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = np.where(differences <= allowed, 0.0, differences / allowed)
    place = int(np.nan_to_num(beyond, nan=np.inf).argmax() if beyond.any() else differences.argmax())
    return float(differences.flat[place]), float(allowed.flat[place])


def _parting(difference: float, tolerance: float) -> float:
    """How far beyond its tolerance, for comparison; 0 within it, and a NaN is furthest."""
    if difference <= tolerance:
        return 0.0
    return difference / tolerance if tolerance and not np.isnan(difference) else np.inf


def _blocks(attention: Attention) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """For blocks of rows of every head: (rows, d_value) differences and tolerances, rows that see nothing, output."""
    bound = Bound(attention)
    for batch in range(attention.sequences):
        for head in range(attention.heads):
            for rows in some_rows(attention.queries, attention.keys):
                found = rows_of(attention, batch, head, rows, trim=True)
                mixed = mixed_of(attention, batch, head, found)
                returned = precise(attention.output, batch, rows, head)
                with np.errstate(invalid="ignore"):
                    differences = np.abs(mixed - returned)
                yield differences, bound(batch, head, found), found.blind, returned


def some_rows(queries: int, keys: int) -> Iterator[slice]:
    """Blocks of rows: all of a short text; of a long one evenly spread blocks, the first and the last row in them."""
    rows = min(queries, ROWS_AT_ONCE, CELLS_AT_ONCE // max(1, keys) or 1)
    if queries * keys <= CELLS:
        yield from (slice(first, min(first + rows, queries)) for first in range(0, queries, rows))
        return
    blocks = min(max(2, CELLS // (rows * keys)), queries // rows)
    for first in np.linspace(0, queries - rows, blocks).round().astype(int).tolist():
        yield slice(first, first + rows)
