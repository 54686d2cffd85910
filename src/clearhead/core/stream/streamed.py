"""What is left of a head's square of weights, and how the sums of its blocks become that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.stream.block import Swept
from clearhead.core.stream.layout import Chunk
from clearhead.core.stream.pooled import Pooled, Pooling
from clearhead.core.stream.question import HIDDEN, LOG2E, Question


@dataclass(frozen=True, eq=False)
class Streamed:
    """What is left of a head's square of weights.

    Attributes:
        lse: (queries,) float64 the log-sum-exp of each row, natural, a sink among it; −∞ where nothing is seen.
        entropy: (queries,) float64 bits, a sink as one more place; NaN where nothing is seen, here and below.
        away: (queries,) float64 the mean distance to the keys, weighted by the weights.
        taken: (queries,) float64 what a sink takes of the row; 0 without one.
        duplicate: (queries,) float64 the weight on the same word before.
        induction: (queries,) float64 the weight on what followed the same word before.
        mean: (bins, bins) the weights, in the format of the queries, pooled by their mean.
        largest: (bins, bins) the same, pooled by their maximum.
        histogram: (classes,) float64 the mean share, over the counted queries, of keys at a distance of each class.
    """

    lse: np.ndarray
    entropy: np.ndarray
    away: np.ndarray
    taken: np.ndarray
    duplicate: np.ndarray
    induction: np.ndarray
    mean: np.ndarray
    largest: np.ndarray
    histogram: np.ndarray


class Gathered:
    """Puts the blocks of a head together."""

    def __init__(
        self,
        question: Question,
        rows: np.ndarray,
        columns: np.ndarray,
        distances: np.ndarray | None,
        pooling: Pooling,
    ) -> None:
        self.question, self.distances = question, distances
        self._pooled = Pooled(rows, columns, question.query, pooling)
        queries = question.queries
        self._lse = np.full(queries, -np.inf)
        self._parts = {
            name: np.full(queries, np.nan) for name in ("entropy", "away", "taken", "duplicate", "induction")
        }
        self._histogram = np.zeros(0 if distances is None else len(distances) - 1)
        self._counted = 0

    def add(self, block: slice, parts: list[Chunk], swept: list[Swept], given: bool) -> None:
        """Add the rows of a block."""
        if not parts:
            return
        count = block.stop - block.start
        table = np.stack([one.table[:, :count] for one in swept], axis=1)
        largest, total, logs, away, duplicate, induction = table
        lse = np.zeros(count) if given else self._log_sum(largest, total)
        factor = np.exp2(largest - lse)  # NaN where a row has numbers that are not finite
        logs = logs + (largest - lse) * total
        seen = np.isfinite(lse) & (largest.max(0) > HIDDEN)
        factor[:, ~seen] = 0.0
        logs[:, ~seen] = 0.0
        weight = (factor * total).sum(0)
        taken = np.clip(1 - weight, 0, 1) if self.question.sink is not None else np.zeros(count)
        entropy = -(factor * logs).sum(0) - taken * np.log2(np.maximum(taken, np.finfo(np.float64).tiny))
        self._keep(block, seen, "entropy", entropy)
        self._keep(block, seen, "taken", taken)
        self._keep(block, seen, "away", (factor * away).sum(0) / weight)
        self._keep(block, seen, "duplicate", (factor * duplicate).sum(0))
        self._keep(block, seen, "induction", (factor * induction).sum(0))
        self._lse[block] = lse / LOG2E
        self._pooled.add(block, parts, swept, np.where(seen, factor, 0.0))
        if self.distances is not None:
            self._count(block, swept, factor, seen)

    def _log_sum(self, largest: np.ndarray, total: np.ndarray) -> np.ndarray:
        """(queries,) log2 of the sum of 2^score over all blocks, and the sink."""
        top = largest.max(0)
        sink = self.question.sink
        if sink is not None:
            top = np.maximum(top, sink * LOG2E)
        sums = (np.exp2(largest - top) * total).sum(0)
        if sink is not None:
            sums = sums + np.exp2(sink * LOG2E - top)
        nothing = np.where(
            np.isnan(sums), np.nan, -np.inf
        )  # a NaN need not be the largest, but is in the sum
        return np.asarray(np.where(largest.max(0) > HIDDEN, top + np.log2(sums), nothing))

    def _keep(self, block: slice, seen: np.ndarray, name: str, values: np.ndarray) -> None:
        self._parts[name][block] = np.where(seen, values, np.nan)

    def _count(self, block: slice, swept: list[Swept], factor: np.ndarray, seen: np.ndarray) -> None:
        """Add a block's rows to the histogram."""
        counted = seen if self.question.counted is None else seen & self.question.counted[block]
        self._counted += int(counted.sum())
        for one, scale in zip(swept, np.where(counted, factor, 0.0), strict=True):
            classes = one.classes[:, : len(scale)]
            if not counted.all():
                classes = np.where(counted, classes, 0.0)  # they may be NaN
            self._histogram[one.among] += classes @ scale

    def done(self) -> Streamed:
        """All of it."""
        return Streamed(
            self._lse,
            mean=self._pooled.mean,
            largest=self._pooled.largest,
            histogram=self._histogram / max(self._counted, 1),
            **self._parts,
        )
