"""The arrays a model is given: their names, their axes, and which of them a run uses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from clearhead.core.axes import HIDDEN, JOINED, MODEL, POSITION, VOCABULARY
from clearhead.core.names import taken_apart
from clearhead.core.settings import Settings

LAYER_AXES: dict[str, tuple[str, ...]] = {
    "W_Q": (MODEL, JOINED), "W_K": (MODEL, JOINED), "W_V": (MODEL, JOINED), "W_O": (JOINED, MODEL),
    "gain_1": (MODEL,), "bias_1": (MODEL,),
    "W_G": (MODEL, HIDDEN), "W_1": (MODEL, HIDDEN), "b_1": (HIDDEN,), "W_2": (HIDDEN, MODEL), "b_2": (MODEL,),
    "gain_2": (MODEL,), "bias_2": (MODEL,),
}  # fmt: skip
"""What each layer may have."""

SHARED_AXES: dict[str, tuple[str, ...]] = {
    "P": (POSITION, MODEL), "gain_final": (MODEL,), "bias_final": (MODEL,), "W_U": (MODEL, VOCABULARY),
}  # fmt: skip
"""What there may be once, beside E."""

AXES = {"E": (VOCABULARY, MODEL)} | SHARED_AXES | LAYER_AXES


def axes_of(name: str) -> tuple[str, ...]:
    """The axes of a parameter by its full name: those of "layer1.W_Q" are those of "W_Q"."""
    return AXES[taken_apart(name)[1]]


def is_used(name: str, parameters: Mapping[str, np.ndarray], settings: Settings) -> bool:
    """Whether a run with these switches has a use for the parameter of that full name."""
    before, bare = taken_apart(name)
    if bare == "P":
        return settings.positions == "learned"
    if bare in ("E", "W_Q", "W_K", "W_V", "W_O"):
        return True
    if not settings.predicts:
        return False
    if bare == "W_G":
        return settings.activation == "swiglu"
    if bare in ("gain_final", "bias_final"):
        return settings.norm != "none" and settings.norm_place == "pre"
    if bare in ("gain_1", "bias_1"):
        return settings.norm != "none"
    if bare in ("gain_2", "bias_2"):
        return settings.norm != "none" and f"{before}W_1" in parameters
    return True
