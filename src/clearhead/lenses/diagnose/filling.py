"""What hidden scores are filled with, or lowered by: a question whose scores can be brought near it, and its reading.

All queries are alike, and a later key lies above the one before it. However small the fill is, at some depth a hidden
key begins to take weight from the last visible one, and their weights then tell how far apart the two scores are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clearhead.lenses.diagnose.case import Case
from clearhead.lenses.diagnose.mistakes import Mistake
from clearhead.lenses.diagnose.mistakes.fill_too_small import giving, lowering
from clearhead.lenses.diagnose.pipeline import Run, attention_of

READABLE = 1e-12
"""A weight below this is none: what a sum leaves of values that are meant to be 0 may be as large."""


def ramp(case: Case, depth: float) -> Case | None:
    """The case with the score of key j at about -depth * (keys - j); None where there is no room for that in x.

    Args:
        case: of Q, K and V; or of x, with weights that can be chosen.
        depth: above 0.
    """
    steps = depth * np.arange(case.sizes[1], 0, -1.0)[:, None]
    if "X" not in case.given:
        Q, K = np.ones_like(case.given["Q"]), -steps / np.ones_like(case.given["K"])
        return replace(
            case, given={**case.given, "Q": Q / _root(Q, case.spec.heads if case.spec.joined else 1), "K": K}
        )
    if case.given["X"].shape[-1] < 3:
        return None
    given = {name: array.copy() for name, array in case.given.items()}
    for array in given.values():
        array[..., 0], array[..., 1] = 1.0, np.arange(array.shape[-2], 0, -1.0)
    weights = {
        name: np.zeros_like(array) if name[-1] in "QK" else array for name, array in case.weights.items()
    }
    weights["W_Q"][0] = 1 / _root(weights["W_Q"], case.spec.heads)
    weights["W_K"][1] = -depth
    return replace(case, given=given, weights=weights)


def _root(array: np.ndarray, heads: int) -> float:
    return float((array.shape[-1] // heads) ** 0.5)


def shown(case: Case, weights: np.ndarray) -> tuple[float, list[float]]:
    """How much weight the hidden keys of the first row that has both take; and, if that tells it, what they are at.

    Args:
        case: from `ramp`.
        weights: (batch, heads, queries, keys) the function's own.

    Returns:
        The share; and what hidden scores are set to below 0, and by how much they are lowered, if it were that.
    """
    run = attention_of(case)
    seen = np.broadcast_to(case.visible(), weights.shape)
    place = tuple(np.argwhere(seen.any(axis=-1) & ~seen.all(axis=-1))[0])
    row, visible = np.nan_to_num(weights[place]), seen[place]
    scores = np.broadcast_to(_unmasked(run), weights.shape)[place]
    here = int(np.argmax(np.where(visible, row, -1.0)))
    hidden = int(np.argmax(np.where(visible, -1.0, row)))
    if min(row[here], row[hidden]) <= READABLE:
        return float(row[~visible].sum()), []
    level = scores[here] + float(np.log(row[hidden] / row[here]))
    return float(row[~visible].sum()), [-level, float(scores[hidden]) - level]


def _unmasked(run: Run) -> np.ndarray:
    """The scores as they enter the mask."""
    source = next(inputs[0] for name, _, inputs in run.steps if name == "masked")
    return run.values[source] if isinstance(source, str) else source


def filled_with(at: list[float], off: float) -> list[Mistake]:
    """The mistakes that this would be, with numbers as short as the measurement lets them be.

    Args:
        at: from `shown`.
        off: by which share of it such a number may be off.
    """
    made = zip((giving, lowering), at, strict=True)
    return [how(_short(value, off), about=off > 1e-4) for how, value in made if value > 0]


def _short(value: float, off: float) -> float:
    for digits in range(1, 7):
        short = float(f"{value:.{digits - 1}e}")
        if abs(short - value) <= off * value:
            return short
    return value
