"""From what a function gave to the output and the weights in the reference's shape."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from clearhead.sources.function.answer import Trouble
from clearhead.sources.function.layouts import Layout
from clearhead.sources.function.reading import listed, numbers


@dataclasses.dataclass(frozen=True)
class Taken:
    """What a function gave.

    Attributes:
        output: in the reference's shape.
        weights: if there are any.
        dtype: the type that came back.
        place: which of the things it returned is the output; None where it returned one alone.
    """

    output: np.ndarray
    weights: np.ndarray | None
    dtype: str
    place: int | None


def taken(
    result: Any,
    given: Mapping[str, np.ndarray],
    weights: Mapping[str, np.ndarray],
    layout: Layout,
    place: int | None = None,
) -> Taken:
    """The output, and the attention weights if there are any.

    Args:
        result: an array; or several things: a tuple, a list, a mapping, a dataclass.
        given, weights: what was asked, in the reference's shape.
        layout: the order of axes.
        place: which of the things is the output, where that is known; otherwise it is told by its shape, and from
            weights of the same shape by their rows, which add up to 1.

    Raises:
        Trouble: it is no array of numbers, or has another shape than an output has.
    """
    wanted = layout.give(_like(given, weights, layout)).shape
    parts = _parts(result)
    read = [_read(one) for one in parts]
    if place is None or place >= len(parts) or read[place] is None:
        place = _place(read, wanted)
    if (
        place is None and isinstance(result, list) and listed(result)[0] is not None
    ):  # rows, and not several things
        parts, read, place = [result], [_read(result)], 0
    found = None if place is None else read[place]
    if found is None:
        first = next((one for one in parts if one is not None), None)
        if first is None:
            raise Trouble("kind", "it returns nothing; expected the output, or (output, weights)")
        found = numbers(first, "what it returns")
    output, dtype = found
    if output.shape != wanted:
        raise Trouble(
            "shape", f"it returns an array of shape {output.shape}; expected {wanted} for {layout.says}"
        )
    others = [one for at, one in enumerate(read) if at != place and one is not None]
    shares = (_weights(one[0], given, layout) for one in others)
    return Taken(
        layout.take(output), next((one for one in shares if one is not None), None), dtype,
        place if len(parts) > 1 else None,
    )  # fmt: skip


def _read(value: Any) -> tuple[np.ndarray, str] | None:
    """The numbers of one of the things; None where it has none, as a cache or a flag."""
    try:
        return None if isinstance(value, tuple) else numbers(value, "what it returns")
    except Trouble:
        return None


def _place(read: list[tuple[np.ndarray, str] | None], wanted: tuple[int, ...]) -> int | None:
    """Which is the output: of several of its shape the first that cannot be weights."""
    fitting = [place for place, one in enumerate(read) if one is not None and one[0].shape == wanted]
    others = [place for place in fitting if not _are_shares(read[place])]
    return next(iter(others or fitting), None)


def _are_shares(one: tuple[np.ndarray, str] | None) -> bool:
    """Whether every row is of numbers from 0 on that add up to 1."""
    values = np.zeros(1) if one is None else one[0]
    return bool((values >= 0).all() and np.allclose(values.sum(axis=-1), 1, atol=1e-3))


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


def _weights(weights: np.ndarray, given: Mapping[str, np.ndarray], layout: Layout) -> np.ndarray | None:
    """Returned weights where they have the shape of weights; what has another is something else."""
    queries = given["X" if "X" in given else "Q"].shape[-2]
    keys = (given.get("context", given["X"]) if "X" in given else given["K"]).shape[-2]
    if not 2 <= weights.ndim <= 4 or weights.shape[-2:] != (queries, keys):
        return None
    if weights.ndim == 4:
        return weights
    if weights.ndim == 2:
        return weights[None, None]
    if layout.heads == "one":
        return weights[:, None]
    return weights if layout.batch else weights[None]


def _parts(result: Any) -> list[Any]:
    """What came back as a list: the members of a tuple, a mapping, a dataclass; or the one thing."""
    if isinstance(result, Mapping):
        return list(result.values())
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return [getattr(result, one.name) for one in dataclasses.fields(result)]
    return list(result) if isinstance(result, tuple | list) else [result]
