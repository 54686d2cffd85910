"""Columns are dealt out to the heads in turn."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead
from clearhead.lenses.diagnose.pipeline import Run


def _dealt(run: Run, name: str, x: np.ndarray) -> np.ndarray:
    batch, positions, width = x.shape  # with the heads apart already, this does not apply
    heads = run.case.spec.heads if name == "Q" else run.case.spec.kv_heads
    return np.moveaxis(x.reshape(batch, positions, width // heads, heads), -1, 1)


MISTAKES = (
    Mistake(
        name="heads-dealt-out",
        step="Q",
        says="deals the columns out to the heads in turn: head 0 gets every so many columns, not the first ones",
        seen="view(batch, positions, d_head, heads) for view(batch, positions, heads, d_head)",
        mend="Head h has the columns from h * d_head on: view(batch, positions, heads, d_head).",
        changes={name: instead(lambda run, x, name=name: _dealt(run, name, x)) for name in "QKV"},
    ),
)
