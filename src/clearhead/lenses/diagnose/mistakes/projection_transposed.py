"""The projections are transposed."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs

MISTAKES = (
    Mistake(
        name="projection-transposed",
        step="Q",
        says="multiplies with W_Q, W_K and W_V the wrong way round",
        seen="a matrix of shape (out, in), as torch.nn.Linear keeps it, taken for (in, out)",
        mend="x @ W.T where W is kept as (out, in).",
        changes={f"XW_{name}": on_inputs(lambda run, X, W: (X, W.swapaxes(-1, -2))) for name in "QKV"},
    ),
)
