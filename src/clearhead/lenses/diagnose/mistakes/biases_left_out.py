"""The biases are left out."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip

MISTAKES = (
    Mistake(
        name="biases-left-out",
        step="Q",
        says="leaves out the biases of the projections",
        seen="bias=False where the checkpoint has biases",
        mend="Add b_Q, b_K, b_V and b_O after the products.",
        changes={f"{name}_biased": skip for name in ("XW_Q", "XW_K", "XW_V", "projected")},
    ),
)
