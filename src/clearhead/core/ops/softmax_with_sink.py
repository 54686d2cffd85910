"""Softmax with a sink: one more score beside the row's, whose weight goes nowhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearhead.core.expression import BigSum, Cell, Exp, Quotient, Sum, Symbol
from clearhead.core.ops.base import GRADIENT, OUTPUT, Equation, Index, Made, Pattern, Program, Pull
from clearhead.core.ops.sink_gradient import SinkGradient
from clearhead.core.ops.softmax import PLAIN_UP_TO, Softmax


class SoftmaxWithSink(Softmax):
    """weights[..., j] = e^score[..., j] / (e^sink + sum over j' of e^score[..., j']), along the last axis.

    What the sink takes is taken from nowhere, so a row adds up to 1 less its share. Each head learns its own sink in
    OpenAI's gpt-oss (2025); that attention wants such a place is found in Xiao et al. 2023, Efficient streaming
    language models with attention sinks, section 3. The sink has no axes, or those of the scores before the query's.
    """

    name = "softmax_with_sink"

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Scores (heads, queries, keys) and sinks (heads,) to the shape of the scores."""
        scores, sink = inputs[0], inputs[1][..., None, None]
        largest = np.maximum(scores.max(axis=-1, keepdims=True), sink)
        shift = np.where(np.abs(largest) > PLAIN_UP_TO, largest, 0.0)
        exponentials = np.exp(scores - shift)
        return exponentials / (exponentials.sum(axis=-1, keepdims=True) + np.exp(sink - shift))

    def member(self, row: Sequence[int], place: int, *inputs: np.ndarray) -> Cell:
        """One of the row's scores, or after them the sink."""
        if place == inputs[0].shape[-1]:
            return Cell(1, _sink_of(row, inputs[1]))
        return super().member(row, place, *inputs)

    def scores(self, row: Sequence[int], *inputs: np.ndarray) -> np.ndarray:
        """(members,) the row's scores, and the sink."""
        return np.append(super().scores(row, *inputs), inputs[1][_sink_of(row, inputs[1])])

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """A score feeds its row, the sink every row; but none that may see nothing."""
        if slot == 0:
            return super().feeds(slot, index, *inputs)
        rows = (row for row in np.ndindex(inputs[0].shape[:-1]) if _sink_of(row, inputs[1]) == index)
        return [(*row, None) for row in rows if not self.sees_nothing(row, *inputs)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """e^score over the sum of e^sink and the row's e^score."""
        plain = super().formula(output, inputs[0])
        assert isinstance(plain.right, Quotient)
        assert isinstance(plain.right.bottom, BigSum)
        sink = Exp(Symbol(inputs[1], tuple(letter for letter in self.letters()[:-2] if letter != "b")))
        return Equation(plain.left, Quotient(plain.right.top, Sum((sink, plain.right.bottom))))

    def program(self, module: str, *inputs: str) -> Program:
        """The formula, the largest number of a row subtracted."""
        row_maximum = (
            "scores.amax(-1, keepdim=True)" if module == "torch" else "scores.max(-1, keepdims=True)"
        )
        helper = f"""\
def softmax_with_sink(scores, sink):
    sink = sink[..., None, None]
    largest = {module}.maximum({row_maximum}, sink)
    exponentials = {module}.exp(scores - largest)
    return exponentials / (exponentials.sum(-1)[..., None] + {module}.exp(sink - largest))
"""
        return Program(f"softmax_with_sink({inputs[0]}, {inputs[1]})", helper)

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The scores' as without a sink, as the sink's own weight has no gradient; the sink's see `SinkGradient`."""
        if slot == 0:
            return super().backward(slot, inputs)
        return Pull(SinkGradient(inputs[1].axes, inputs[0].axes), (GRADIENT, OUTPUT))

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says what share the sink takes, beside what there is to say without it."""
        row, plain = index[:-1], super().note(index, *inputs)
        if self.sees_nothing(row, *inputs):
            return f"{plain}: the sink takes all of this row"
        rest = float(self.forward(inputs[0][row][None, :], inputs[1][_sink_of(row, inputs[1])]).sum())
        share = f"the sink takes {1 - rest:.3g} of this row, whose weights add up to {rest:.3g}"
        return f"{plain}; {share}" if plain else share


def _sink_of(row: Sequence[int], sink: np.ndarray) -> Index:
    """The place of a row's sink: that of its head, whichever sentence of a batch it is."""
    *before, _ = row
    return tuple(before[len(before) - sink.ndim :])
