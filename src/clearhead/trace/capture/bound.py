"""What rounding alone can do to weights times V: how far a kernel's output may lie from what is recomputed."""

from __future__ import annotations

import numpy as np

from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.held import EPSILON, precise
from clearhead.trace.capture.recompute import Rows

ACCUMULATED = "float32"
"""The format in which the kernels of PyTorch add up products of shorter formats."""

RECOMPUTED = "float64"
"""The format in which everything is recomputed here."""

ROUNDINGS = 4
"""Roundings of a score on its way (product, scale, soft cap or bias, difference from the largest); and of a weight
(exponential, division, format of the values, output)."""


class Bound:
    """The largest difference that rounding explains, for every number of one layer's output.

    A score is a dot product of d_head terms, whose sizes add up to at most |q| |k|; its error is at most d_head times
    the unit roundoff of the format it is added up in, and `ROUNDINGS` more of its own size in the format it is kept in
    (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). Errors of at most e_j in the scores of
    a row change its weights, to first order, by w_j ((1 - w_j) e_j + Σ_{k≠j} w_k e_k): nothing where one key has all
    the weight. (e^(2e) - 1) / 2 stands for e, for what is beyond the first order. The sum over the keys adds one
    roundoff a key, in the format of the sum. What is recomputed has the same errors in float64.
    """

    def __init__(self, attention: Attention) -> None:
        self._attention = attention
        own, ours = str(attention.query.dtype), EPSILON[RECOMPUTED]
        scores = max(EPSILON[own], EPSILON[attention.softmax_dtype or own])
        given = max(scores, EPSILON[str(attention.value.dtype)], EPSILON[str(attention.output.dtype)])
        self._kept, self._given = (scores + ours) / 2, (given + ours) / 2
        self._added = (min(scores, EPSILON[ACCUMULATED]) + ours) / 2
        self._known: dict[tuple[int, int, int], tuple[np.ndarray, np.ndarray]] = {}

    def __call__(self, batch: int, head: int, rows: slice, found: Rows) -> np.ndarray:
        """(rows, d_value) the tolerance of each number."""
        weights, keys = np.abs(found.weights), self._attention.keys
        lengths, value = self._of_keys(batch, head)
        errors = np.expm1(2 * self._of_scores(batch, head, rows, found, lengths)) / 2
        moved = weights * (np.abs(1 - 2 * weights) * errors + self._of_a_row(head, found, errors))
        summed = self._added * (keys + 2) + ROUNDINGS * self._given
        return np.asarray((moved + summed * weights) @ value)

    def _of_scores(self, batch: int, head: int, rows: slice, found: Rows, lengths: np.ndarray) -> np.ndarray:
        """(rows, keys) the error of each score."""
        one = self._attention
        query = np.linalg.norm(precise(one.query, batch, head, rows), axis=1)
        # a soft cap lets through no more of a score's error than if the score were the capped one
        size = np.where(np.isneginf(found.masked), 0.0, np.abs(found.masked))
        if one.bias is not None:
            size = size + np.abs(one.bias.table(batch, head, rows))
        product = abs(one.scale) * query[:, None] * lengths
        return np.asarray(self._added * one.d_head * product + ROUNDINGS * self._kept * size)

    def _of_a_row(self, head: int, found: Rows, errors: np.ndarray) -> np.ndarray:
        """(rows, 1) the mean error of a row's scores, each counted by its weight; a sink counts as one of them."""
        if self._attention.set_in(head):  # the row's weights are not those of its scores
            return errors.max(axis=1, keepdims=True)
        mean = (found.weights * errors).sum(axis=1, keepdims=True)
        if self._attention.sink is None:
            return np.asarray(mean)
        sink = ROUNDINGS * self._kept * abs(float(self._attention.sink[head]))
        return np.asarray(mean + (1 - found.weights.sum(axis=1, keepdims=True)) * sink)

    def _of_keys(self, batch: int, head: int) -> tuple[np.ndarray, np.ndarray]:
        """(keys,) the length of each key, and (keys, d_value) the sizes of the values."""
        one = self._attention
        place = (batch, one.key_head(head), one.value_head(head))
        if place not in self._known:
            self._known = {place: (
                np.linalg.norm(precise(one.key, *place[:2]), axis=1), np.abs(precise(one.value, batch, place[2])),
            )}  # fmt: skip
        return self._known[place]
