"""From a question to what a function is handed: its arrays, weights and masks in its own order and library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearhead.sources.function.form import Form
from clearhead.sources.function.layouts import LAYOUTS
from clearhead.sources.function.libraries import array
from clearhead.sources.function.lying import from_reference
from clearhead.sources.function.manner import Manner
from clearhead.sources.function.roles import Roles


def arrays(
    given: Mapping[str, np.ndarray],
    weights: Mapping[str, np.ndarray],
    roles: Roles,
    manner: Manner,
    form: Form,
) -> dict[str, Any]:
    """What each parameter that is an array is given.

    Args:
        given: Q, K, V; or X, context, values.
        weights: (in, out), by role.
        roles: the function's parameters.
        manner: how it is asked.
        form: the number of heads.
    """
    give, made = LAYOUTS[manner.layout].give, dict[str, Any]()
    for role, name in _sources(given, roles).items():
        # The same array where the same is meant: what a function does then may be another way than for two.
        same = next((other for other, one in _sources(given, roles).items() if one == name), role)
        made[role] = made[same] if same in made else _array(give(given[name]), manner)
    for role in roles.weights:
        matrix, heads = _weight(role, weights, form)
        if matrix is not None:
            made[role] = _array(from_reference(matrix, manner.order, role, heads), manner)
    return made


def _sources(given: Mapping[str, np.ndarray], roles: Roles) -> dict[str, str]:
    """Which of the given arrays each parameter gets."""
    if "X" not in given:
        sources = {role: role for role in ("Q", "K", "V")}
    elif "X" in roles:
        sources = {"X": "X"} | ({"context": "context"} if "context" in given else {})
    else:
        key = "context" if "context" in given else "X"
        sources = {"Q": "X", "K": key, "V": "values" if "values" in given else key}
    return {role: name for role, name in sources.items() if role in roles}


def _weight(role: str, weights: Mapping[str, np.ndarray], form: Form) -> tuple[np.ndarray | None, int]:
    if role.endswith("QKV"):
        parts = [weights[f"{role[:2]}{one}"] for one in "QKV" if f"{role[:2]}{one}" in weights]
        return (np.concatenate(parts, axis=-1) if parts else None), form.heads
    return weights.get(role), form.kv_heads if role[-1] in "KV" else form.heads


def other(role: str, value: Any, manner: Manner, form: Form) -> Any:
    """A mask, the words among padding, or a setting, as the function wants it."""
    if role == "mask":
        return _mask(value, manner, form)
    return _words(value, manner) if role == "padding" else value


def _mask(seen: np.ndarray, manner: Manner, form: Form) -> Any:
    layout = LAYOUTS[manner.layout]
    seen = seen.reshape((1,) * (4 - seen.ndim) + seen.shape)
    if manner.mask_axes == "every":
        seen = np.broadcast_to(seen, (form.batch, form.heads, *seen.shape[-2:]))
    if manner.mask_axes == "square" or layout.name in ("td", "tD"):
        seen = seen[0, 0]
    elif layout.name in ("htd", "thd"):
        seen = seen[0]
    elif layout.name == "btd" or manner.mask_axes == "batch":
        seen = seen[:, 0]
    return _array(_meant(seen, manner.meaning), manner)


def _words(words: np.ndarray, manner: Manner) -> Any:
    values = _meant(words, manner.meaning)
    return _array(values if LAYOUTS[manner.layout].batch else values[0], manner)


def _meant(seen: np.ndarray, meaning: str) -> np.ndarray:
    if meaning == "added":
        return np.where(seen, 0.0, -np.inf)
    if meaning == "ones":
        return seen.astype(np.float64)
    return seen if meaning == "seen" else ~seen


def _array(values: np.ndarray, manner: Manner) -> Any:
    return array(np.ascontiguousarray(values), manner.library, manner.dtype, manner.device)
