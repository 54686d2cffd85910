"""Two captures walked side by side: how far every step of every layer is off, and the first that is off too far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from clearhead.lenses.parting_models.aligned import Pair
from clearhead.lenses.parting_models.differences import apart
from clearhead.lenses.parting_models.steps import (
    OF_KEYS,
    OF_LAYER,
    STEPS,
    Off,
    Side,
    hidden_of,
    of_head,
    of_keys,
    of_layer,
    output_of,
)
from clearhead.lenses.parting_models.tolerance import Tolerance
from clearhead.trace.capture.agreement import some_rows
from clearhead.trace.capture.held import precise
from clearhead.trace.capture.threads import one_thread

Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class StepRow:
    """One step of one layer: how far apart the two are there.

    A difference is relative: of a row of numbers, its length over that of the row, or of the mean row of the head where
    that is longer. Of scores, their size is that of the query times that of each key, however much of it cancels.

    Attributes:
        layer: the label of the layer, such as "L3".
        step: such as "Q".
        median: the median of all rows: heads, positions and sequences.
        largest: the largest of them.
        by_head: the largest of each query head; one number for what all heads have in common.
        tolerance: the largest difference that counts as none, of the row that is furthest beyond it, or nearest to it.
        beyond: how many rows are beyond their tolerance.
        rows: how many rows were compared.
    """

    layer: str
    step: str
    median: float
    largest: float
    by_head: tuple[float, ...]
    tolerance: float
    beyond: int
    rows: int


@dataclass(frozen=True)
class Parting:
    """The first place where two captures part.

    Attributes:
        pair: the layer in both.
        step: the step.
        head: the query head; None for what all heads have in common.
        batch: the sequence.
        row: the place of the query; of K and V, of the key.
        cell: of the row the number that is furthest off: a feature, or of scores and weights a key.
        values: that number in a and in b.
        off: how far the row is off.
        tolerance: how far it may be.
        heads: all heads that part at this step.
    """

    pair: Pair
    step: str
    head: int | None
    batch: int
    row: int
    cell: int
    values: tuple[float, float]
    off: float
    tolerance: float
    heads: tuple[int, ...]


@dataclass
class Table:
    """One step of one layer while it is measured: (sequences, heads or 1, positions), NaN where nothing is compared."""

    off: np.ndarray
    allowed: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is measured yet."""
        self.allowed = np.full_like(self.off, np.nan)

    def put(self, batch: int, head: int, rows: slice, found: Off, counts: np.ndarray) -> None:
        """What was found of some rows; those of padding do not count."""
        for kept, values in zip((self.off, self.allowed), found, strict=True):
            kept[batch, head, rows] = np.where(counts[rows], values, np.nan)

    @property
    def beyond(self) -> np.ndarray:
        """Boolean: the rows that are further off than they may be."""
        return self.off > self.allowed


def walked(
    pairs: tuple[Pair, ...], tolerance: Tolerance, progress: Tell | None = None
) -> tuple[tuple[StepRow, ...], Parting | None]:
    """Every step of every layer, and the first place where the two part, if they do."""
    rows: list[StepRow] = []
    first = None
    for done, pair in enumerate(pairs, 1):
        tables = _measured(pair, tolerance)
        for step in STEPS:
            if step not in tables or np.isnan(tables[step].off).all():
                continue
            rows.append(_row(pair, step, tables[step]))
            if first is None and tables[step].beyond.any():
                first = _parting(pair, step, tables[step])
        if progress is not None:
            progress(done, len(pairs))
    return tuple(rows), first


@one_thread()
def _measured(pair: Pair, tolerance: Tolerance) -> dict[str, Table]:
    """Every step of one layer, of all heads, or of those heads that both have."""
    a, b = pair.attentions
    tables: dict[str, Table] = {}

    def put(step: str, batch: int, head: int, rows: slice, found: Off) -> None:
        counts = pair.asked if step in OF_KEYS else pair.asks
        if step not in tables:
            heads = 1 if step in OF_LAYER else a.heads
            tables[step] = Table(np.full((a.sequences, heads, counts.shape[1]), np.nan))
        tables[step].put(batch, head, rows, found, counts[batch])

    for batch in range(a.sequences):
        for step, found in of_layer(pair, batch, tolerance):
            put(step, batch, 0, slice(None), found)
        for head in range(a.heads) if a.heads == b.heads else ():
            for step, found in of_keys(pair, batch, head, tolerance):
                put(step, batch, head, slice(None), found)
            for rows in some_rows(a.queries, a.keys):
                for step, found in of_head(pair, batch, head, rows, tolerance):
                    put(step, batch, head, rows, found)
    return tables


def _row(pair: Pair, step: str, table: Table) -> StepRow:
    compared = ~np.isnan(table.off)
    off, allowed = table.off[compared], table.allowed[compared]
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(off == 0, 0.0, off / allowed)
    by_head = np.where(compared, table.off, 0.0).max(axis=(0, 2))
    return StepRow(
        pair.label, step, float(np.median(off)), float(off.max()), tuple(map(float, by_head)),
        float(allowed[int(times.argmax())]), int(table.beyond.sum()), int(compared.sum()),
    )  # fmt: skip


def _parting(pair: Pair, step: str, table: Table) -> Parting:
    """The first sequence, head and row of a step in which they part."""
    batch, head, row = map(int, np.argwhere(table.beyond)[0])
    a, b = rows_of_step(pair, step, batch, head, row)
    by = apart(a, b)
    cell = int(by.argmax())
    heads = () if step in OF_LAYER else tuple(map(int, np.flatnonzero(table.beyond.any(axis=(0, 2)))))
    return Parting(
        pair, step, None if step in OF_LAYER else head, batch, row, cell, (float(a[cell]), float(b[cell])),
        float(table.off[batch, head, row]), float(table.allowed[batch, head, row]), heads,
    )  # fmt: skip


def rows_of_step(pair: Pair, step: str, batch: int, head: int, row: int) -> tuple[np.ndarray, np.ndarray]:
    """(cells,) one row of one step, in a and in b."""
    return tuple(_numbers(pair, side, step, batch, head, row) for side in (0, 1))  # type: ignore[return-value]


def _numbers(pair: Pair, side: int, step: str, batch: int, head: int, row: int) -> np.ndarray:
    layer, attention = (pair.a, pair.b)[side], pair.attentions[side]
    if step == "hidden":
        held = hidden_of(layer)
        assert held is not None  # it was measured
        return precise(held, batch, row)
    if step == "output":
        output = output_of(layer, batch)
        assert output is not None
        return output[row]
    if step in OF_KEYS:
        return np.asarray(getattr(Side(attention, batch, head, slice(0, 0)), step)[row])
    found = getattr(Side(attention, batch, head, slice(row, row + 1)), step)[0]
    if step in ("scores", "scaled"):  # cells that neither may see were not compared
        seen = [np.isfinite(Side(one, batch, head, slice(row, row + 1)).masked[0]) for one in pair.attentions]
        found = np.where(seen[0] | seen[1], found, 0.0)
    return np.asarray(found)


def measured_after(rows: tuple[StepRow, ...], parting: Parting) -> Iterator[StepRow]:
    """The steps of the layer in which they part that come after."""
    for one in rows:
        if one.layer == parting.pair.label and STEPS.index(one.step) > STEPS.index(parting.step):
            yield one
