"""From what a function gave to the output and the weights in the reference's shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearhead.sources.function.answer import Trouble
from clearhead.sources.function.layouts import Layout
from clearhead.sources.function.libraries import numbers


def taken(
    result: Any, given: Mapping[str, np.ndarray], weights: Mapping[str, np.ndarray], layout: Layout
) -> tuple[np.ndarray, np.ndarray | None, str]:
    """The output, the attention weights if there are any, and the type that came back.

    Raises:
        Trouble: it is no array of numbers, or has another shape than an output has.
    """
    parts = [one for one in _parts(result) if one is not None]
    if not parts:
        raise Trouble("kind", "it returns nothing; expected the output, or (output, weights)")
    output, dtype = numbers(parts[0], "what it returns")
    wanted = layout.give(_like(given, weights, layout)).shape
    if output.shape != wanted:
        raise Trouble(
            "shape", f"it returns an array of shape {output.shape}; expected {wanted} for {layout.says}"
        )
    return layout.take(output), _weights(parts[1], given, layout) if len(parts) > 1 else None, dtype


def _like(given: Mapping[str, np.ndarray], weights: Mapping[str, np.ndarray], layout: Layout) -> np.ndarray:
    """An array of the output's shape."""
    if "X" in given:
        if "W_O" in weights:
            width = weights["W_O"].shape[-1]
        else:  # each query head has a value's width, though some share their values
            groups = weights["W_Q"].shape[-1] // weights["W_K"].shape[-1]
            width = weights["W_V"].shape[-1] * groups
        return np.empty((*given["X"].shape[:-1], width))
    *before, queries, _ = given["Q"].shape
    groups = given["Q"].shape[-1] // given["K"].shape[-1] if layout.heads == "joined" else 1
    return np.empty((*before, queries, given["V"].shape[-1] * groups))


def _weights(value: Any, given: Mapping[str, np.ndarray], layout: Layout) -> np.ndarray | None:
    """Returned weights where they have the shape of weights; a cache or a flag is something else."""
    try:
        weights, _ = numbers(value, "the second thing it returns")
    except Trouble:
        return None
    queries = given["X" if "X" in given else "Q"].shape[-2]
    keys = (given.get("context", given["X"]) if "X" in given else given["K"]).shape[-2]
    if weights.ndim < 2 or weights.shape[-2:] != (queries, keys):
        return None
    if weights.ndim == 4:
        return weights
    if weights.ndim == 2:
        return weights[None, None]
    if layout.heads == "one":
        return weights[:, None]
    return weights if layout.batch else weights[None]


def _parts(result: Any) -> list[Any]:
    """What came back as a list: a tuple's members, a model output's, or the one thing."""
    if isinstance(result, dict):
        return list(result.values())
    if isinstance(result, tuple | list):
        return list(result)
    return [result]
