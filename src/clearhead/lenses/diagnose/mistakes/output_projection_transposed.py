"""The output projection is transposed."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs

MISTAKES = (
    Mistake(
        name="output-projection-transposed",
        step="output",
        says="multiplies with W_O the wrong way round",
        seen="a matrix of shape (out, in) taken for (in, out)",
        mend="x @ W_O.T where W_O is kept as (out, in).",
        changes={"projected": on_inputs(lambda run, x, W: (x, W.swapaxes(-1, -2)))},
    ),
)
