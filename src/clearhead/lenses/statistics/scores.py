"""What is asked of every row of a head's weights, and where the question makes sense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.trace.capture.token import Token

SCORES: Mapping[str, str] = {
    "entropy": "bits: log2 of the number of keys that it is spread over, if evenly",
    "spread": "the entropy as a share of the largest possible",
    "first": "share on the first token",
    "previous": "share on the token before",
    "next": "share on the token after",
    "induction": "share on what followed the same token before",
    "duplicate": "share on the same token before",
    "distance": "how many tokens away it looks, on average",
    "sink": "share of the sink",
}
"""The scores and what each says."""


@dataclass(frozen=True, eq=False)
class Positions:
    """What the queries and keys of one sequence are.

    Attributes:
        asked: boolean (queries,): those that are not padding.
        first: the first key that is not padding, or None.
        own: whether queries and keys are the same tokens, so that "before" means something.
        words: (keys,) the token's number; −1 for padding, marks, and tokens whose number is not known.
    """

    asked: np.ndarray
    first: int | None
    own: bool
    words: np.ndarray

    @staticmethod
    def of(queries: Sequence[Token], keys: Sequence[Token], own: bool) -> Positions:
        """From the tokens. Marks have no likeness: those that stand for a picture's patches are all the same."""
        first = next((place for place, token in enumerate(keys) if not token.padding), None)
        words = [-1 if token.padding or token.special else token.id for token in keys]
        asked = np.array([not token.padding for token in queries], dtype=bool)
        return Positions(asked, first, own, np.array(words, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Looks:
    """For some rows, which cells the scores are about: the same for every head.

    Attributes:
        rows: the queries.
        single: for the scores of one cell a row, its column; one outside where there is none.
        several: for the scores of any number of cells a row, all of them as (row, column).
        away: (rows, keys) float64, how far each key is from its query; or None.
    """

    rows: slice
    single: Mapping[str, np.ndarray]
    several: Mapping[str, tuple[np.ndarray, np.ndarray]]
    away: np.ndarray | None

    @staticmethod
    def of(positions: Positions, rows: slice) -> Looks:
        """The cells of these rows."""
        words, query = positions.words, np.arange(rows.start, rows.stop)
        single = {} if positions.first is None else {"first": np.full(len(query), positions.first)}
        if not positions.own:
            return Looks(rows, single, {}, None)
        known = np.where(words[query] < 0, -2, words[query])  # like no key's
        row, column = np.nonzero(
            (known[:, None] == words[None, :]) & (np.arange(len(words)) < query[:, None])
        )
        followed = column + 1 < query[row]  # a token that follows itself does not count as its own follower
        return Looks(
            rows,
            {**single, "previous": query - 1, "next": query + 1},
            {"induction": (row[followed], column[followed] + 1), "duplicate": (row, column)},
            np.abs(query[:, None] - np.arange(len(words), dtype=np.float64)),
        )


def scores_of(
    weights: np.ndarray, visible: np.ndarray, looks: Looks, sink: bool
) -> Iterator[tuple[str, np.ndarray]]:
    """Each score of every row, NaN where it is not defined.

    Args:
        weights: (rows, keys) of one head.
        visible: boolean (rows, keys): which keys each query may see.
        looks: which cells of these rows the scores are about.
        sink: whether a sink takes a share of every row.
    """
    total = weights.sum(axis=1)
    taken = np.clip(1 - total, 0, 1) if sink else np.zeros(len(weights))
    entropy = -np.einsum("ij,ij->i", weights, _logarithm(weights)) - taken * _logarithm(taken)
    yield "entropy", entropy
    most = np.log2(np.maximum(1, np.count_nonzero(visible, axis=1) + sink))
    yield "spread", _ratio(entropy, most)
    for name, column in looks.single.items():
        row = np.flatnonzero((column >= 0) & (column < weights.shape[1]))
        yield name, _summed(weights, visible, row, column[row])
    for name, (row, column) in looks.several.items():
        yield name, _summed(weights, visible, row, column)
    if looks.away is not None:
        yield "distance", _ratio(np.einsum("ij,ij->i", weights, looks.away), total)
    if sink:
        yield "sink", taken


def _summed(weights: np.ndarray, visible: np.ndarray, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Of each row the sum of those cells that may be seen; NaN where there is none."""
    seen = visible[row, column]
    row, column = row[seen], column[seen]
    sums = np.bincount(row, weights[row, column], len(weights))
    return np.where(np.bincount(row, minlength=len(weights)) > 0, sums, np.nan)


def _ratio(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """NaN where the bottom is 0."""
    return np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0)


def _logarithm(share: np.ndarray) -> np.ndarray:
    """log2, and something finite for 0, whose product with 0 is 0."""
    return np.log2(np.maximum(share, np.finfo(np.float64).tiny))
