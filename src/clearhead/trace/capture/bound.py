"""What rounding alone can do to weights times V: how far a kernel's output may lie from what is recomputed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.held import EPSILON, precise
from clearhead.trace.capture.recompute import Rows

ACCUMULATED = "float32"
"""The format in which the kernels of PyTorch add up products of shorter formats."""

RECOMPUTED = "float64"
"""The format in which everything is recomputed here."""

FUSED = ("sdpa", "flash", "flex")
"""How the names begin of kernels that keep their scores in the format in which they add up; others round them to that
of the queries. Both round their weights to the format of the values."""

EXPONENTIAL = 40
"""Roundings by which an exponential may be off: PyTorch's fused kernel for CPUs uses one that is good to 20 units in
the last place (at::vec, exp_u20; 5 of them were measured), which are 40 roundings."""

SCALED = 4
"""Roundings of the factors of a product, where both are multiplied by a rounded √scale first."""

ROUNDINGS = 3
"""Roundings of a weight and of what it blends in the format of the values: its own, once more where it was divided by
the row's sum before, and the output's."""

SMALLEST: Mapping[str, float] = {"float16": 2.0**-24}
"""The distance between the smallest numbers of a format, where weights do fall below its normal range."""

BEYOND = 20.0
"""Errors of a score are counted up to here: a weight cannot change by more than 1."""


class Bound:
    """The largest difference that rounding explains, for every number of one layer's output.

    To first order in u, the unit roundoff, with the terms that matter (Higham, Accuracy and Stability of Numerical
    Algorithms, 2002, sections 3.1 and 4.2); u is that of the kernel's format and that of float64 together.

    A score is a dot product of d_head terms, whose sizes add up to at most |q| |k|. Whatever the order in which they
    are added, its error is at most d_head u |q| |k|, in the format it is added up in. Each step after that (scale, soft
    cap, bias) rounds it once, in the format it is kept in, as does the difference from the row's largest score; that
    its exponential is off by a factor of 1 + ε is as if it had an error of ε. Errors of at most e_j in the scores of a
    row change its weights by at most w_j ((1 - w_j) e_j + Σ_{k≠j} w_k e_k): by nothing where one key has all the
    weight. (e^(2e) - 1) / 2 stands for e, for what is beyond the first order.

    The exponentials and the weighted values are sums of as many terms as a query sees keys: at most one roundoff a
    term, each. All of this is worked out in float32: it is a tolerance, and nothing of it cancels that matters.
    """

    def __init__(self, attention: Attention) -> None:
        self._attention = attention
        own = EPSILON[str(attention.query.dtype)]
        scores = max(own, EPSILON[attention.softmax_dtype or str(attention.query.dtype)])
        added = min(scores, EPSILON[ACCUMULATED])
        kept = added if attention.kernel.startswith(FUSED) else scores
        formats = (str(attention.value.dtype), str(attention.output.dtype))
        given = max(scores, *map(EPSILON.__getitem__, formats))
        self._added, self._kept, self._given = (
            np.float32((one + EPSILON[RECOMPUTED]) / 2) for one in (added, kept, given)
        )
        self._least = np.float32(SMALLEST.get(formats[0], 0.0) / 2)
        # product and scale; dividing by the cap, its tangent, multiplying by it; adding the bias
        self._steps = np.float32(2 + 3 * (attention.soft_cap is not None) + (attention.bias is not None))
        self._known: dict[tuple[int, int, int], tuple[np.ndarray, np.ndarray]] = {}

    @np.errstate(over="ignore", invalid="ignore")  # what is beyond float32 is as good as infinite
    def __call__(self, batch: int, head: int, found: Rows) -> np.ndarray:
        """(rows, d_value) the tolerance of each number."""
        weights = np.abs(found.weights, dtype=np.float32)
        masked = found.masked.astype(np.float32)
        seen = masked > -np.inf
        largest = self._largest(head, masked)
        relative = self._of_scores(batch, head, found, masked, largest)
        relative *= seen
        row = self._of_a_row(head, weights, relative, largest)
        relative *= 1 - 2 * weights
        relative += row
        np.maximum(relative, 0, out=relative)  # 0 but for rounding, or where a weight above 1 was set by hand
        # the two sums, the division by the first
        relative += self._added * (2 * seen.sum(axis=1, keepdims=True, dtype=np.float32) + 2)
        relative += ROUNDINGS * self._given
        relative *= weights
        if self._least:
            relative += self._least * seen
        _, value = self._of_keys(batch, head)
        return np.asarray(relative @ value[found.keys])

    def _of_scores(
        self, batch: int, head: int, found: Rows, masked: np.ndarray, largest: np.ndarray
    ) -> np.ndarray:
        """(rows, keys) what the error of each score does to its exponential; where it is not seen, any number."""
        one = self._attention
        lengths, _ = self._of_keys(batch, head)
        query = np.linalg.norm(precise(one.query, batch, head, found.rows), axis=1)
        products = (self._added * (one.d_head + SCALED) * abs(one.scale) * query).astype(np.float32)
        errors = np.multiply.outer(products, lengths[found.keys])
        errors += self._kept * largest + EXPONENTIAL * self._added
        # of the score's own size: the steps up to it, less its part of the difference from the largest; a soft cap
        # lets through no more of a score's error than if the score were the capped one
        size = np.abs(masked)
        if one.bias is not None:
            size += np.abs(one.bias.table(batch, head, found.rows)[:, found.keys])
        size *= self._steps
        size -= masked
        size *= self._kept
        errors += size
        return _beyond(errors)

    def _largest(self, head: int, masked: np.ndarray) -> np.ndarray:
        """(rows, 1) the largest score of each row, the sink among them; 0 where a query sees nothing."""
        largest = masked.max(axis=1, keepdims=True)
        largest[np.isneginf(largest)] = 0
        sink = self._attention.sink
        return largest if sink is None else np.maximum(largest, np.float32(sink[head]))

    def _of_a_row(
        self, head: int, weights: np.ndarray, errors: np.ndarray, largest: np.ndarray
    ) -> np.ndarray:
        """(rows, 1) the mean error of a row's scores, each counted by its weight; a sink counts as one of them."""
        if self._attention.set_in(head):  # the row's weights are not those of its scores
            return np.asarray(errors.max(axis=1, keepdims=True))
        mean = np.einsum("rk,rk->r", weights, errors)[:, None]
        if self._attention.sink is None:
            return mean
        sink = np.float32(self._attention.sink[head])
        error = _beyond(self._kept * (abs(sink) + largest - sink) + EXPONENTIAL * self._added)
        return np.asarray(mean + (1 - weights.sum(axis=1, keepdims=True)) * error)

    def _of_keys(self, batch: int, head: int) -> tuple[np.ndarray, np.ndarray]:
        """(keys,) the length of each key, and (keys, d_value) the sizes of the values; the last are kept."""
        one = self._attention
        place = (batch, one.key_head(head), one.value_head(head))
        if place not in self._known:
            key, value = precise(one.key, *place[:2]), precise(one.value, batch, place[2])
            lengths = np.sqrt(np.einsum("kd,kd->k", key, key)).astype(
                np.float32
            )  # no copy of all keys is made
            self._known = {place: (lengths, np.abs(value, dtype=np.float32, casting="same_kind"))}
        return self._known[place]


def _beyond(errors: np.ndarray) -> np.ndarray:
    """(e^(2e) - 1) / 2 for each e, in its place."""
    np.minimum(errors, BEYOND, out=errors)
    errors *= 2
    np.expm1(errors, out=errors)
    errors /= 2
    return errors
