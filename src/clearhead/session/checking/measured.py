"""How small a fill is, measured: the library has only a few, and large ones show in few answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from clearhead.lenses.diagnose import (
    EXACT,
    Asking,
    Case,
    Explanation,
    explanations,
    filled_with,
    ramp,
    shown,
    unmeasured,
)
from clearhead.lenses.diagnose.rounding import EPSILON, SHORT
from clearhead.session.checking.recovered import weights_of
from clearhead.sources.function import Trouble

NAME = ("fill-too-small",)
DEEPEST = 4e6
"""Fills beyond this hide well enough."""
TRIES = 24
"""Halvings: the range is then narrower than that in which the weights of both keys can be read."""

Ask = Callable[[Case], np.ndarray]


def explains_by_fill(found: list[Explanation]) -> bool:
    """Whether a fill of the library's explains the answers."""
    return any(one.names == NAME for one in found)


def with_fill(ask: Ask | None, askings: list[Asking], found: list[Explanation]) -> list[Explanation]:
    """What explains the answers, with the fill as it was measured where one is too small.

    Args:
        ask: the function's answer to a case; None where its weights cannot be chosen, and so not its scores.
        askings: the questions with their answers.
        found: what explains them by the library alone; nothing, where nothing does.
    """
    of_fill = [one for one in found if one.names == NAME]
    if found and not of_fill:
        return found
    dtype = found[0].dtype if found else askings[0].dtype
    off = 16 * EPSILON[dtype] if dtype in SHORT else 4e-6
    known = explanations(askings, 1, filled_with(at, off)) if ask and (at := _measured(ask, askings)) else []
    known = [one for one in known if one.names == NAME]
    others = [one for one in found if one.names != NAME]
    if known:
        return [known[0], *others]
    if not of_fill or (len(of_fill) == 1 and of_fill[0].mistakes[0] in EXACT):
        return found
    vague = tuple(unmeasured(one) for one in of_fill[0].mistakes)
    return [replace(of_fill[0], mistakes=vague), *others]


def _measured(ask: Ask, askings: list[Asking]) -> list[float]:
    """What hidden scores are at, by halving the range where hidden keys begin to take weight; [] if they never do."""
    masked = (one.case for one in askings if _tells(one.case))
    case = next(masked, None)
    if case is None:
        return []
    low, high = 0.0, float(np.log(DEEPEST))
    at = high
    for _ in range(TRIES):
        question = ramp(case, float(np.round(np.exp(at), 3)))
        try:
            weights = None if question is None else weights_of(ask, question)
        except Trouble:
            return []
        if question is None or weights is None:
            return []
        share, values = shown(question, weights)
        if values:
            return values
        if at == high and share < 0.5:
            return []
        low, high = (low, at) if share > 0.5 else (at, high)
        at = (low + high) / 2
    return []


def _tells(case: Case) -> bool:
    """Whether some query sees some keys and not others."""
    seen = case.visible()
    return bool((seen.any(axis=-1) & ~seen.all(axis=-1)).any())
