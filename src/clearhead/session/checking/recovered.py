"""The weights that a function uses, found out by values that pick out one key each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from clearhead.lenses.diagnose import Case

Ask = Callable[[Case], np.ndarray]


def weights_of(ask: Ask, case: Case) -> np.ndarray | None:
    """(batch, heads, queries, keys) the weights of a function; None where its values cannot be made to show them."""
    return _of_x(ask, case) if "X" in case.given else _of_qkv(ask, case)


def _of_qkv(ask: Ask, case: Case) -> np.ndarray | None:
    """Value j is 1 in feature j: feature j of an output is the weight of key j."""
    V, keys, spec = np.zeros_like(case.given["V"]), case.sizes[1], case.spec
    width = V.shape[-1] // (spec.kv_heads if spec.joined else 1)
    if width < keys:
        return None
    for key in range(keys):
        if spec.joined:
            V[:, key, key::width] = 1
        else:
            V[..., key, key] = 1
    output = ask(replace(case, given={**case.given, "V": V}))
    if spec.joined:
        output = output.reshape(*output.shape[:2], spec.heads, width).swapaxes(1, 2)
    return np.asarray(output[..., :keys])


def _of_x(ask: Ask, case: Case) -> np.ndarray | None:
    """W_V makes such values of x, if its rows are independent; W_O leads the heads to the output, as many as fit."""
    keys, spec = case.sizes[1], case.spec
    W_V, source = case.weights["W_V"], case.source("V")
    width = W_V.shape[-1] // spec.kv_heads
    rows = source.reshape(-1, source.shape[-1])
    one = np.tile(np.eye(keys, width), (source.shape[0], 1))
    made = np.linalg.pinv(rows) @ one
    if width < keys or not np.allclose(rows @ made, one, atol=1e-9):
        return None
    weights = {**case.weights, "W_V": np.tile(made, spec.kv_heads)}
    weights |= {name: np.zeros_like(weights[name]) for name in ("b_V", "b_O") if name in weights}
    if "W_O" not in weights:
        output = ask(replace(case, weights=weights))
        output = output.reshape(*output.shape[:2], spec.heads, width).swapaxes(1, 2)
        return _clear(output[..., :keys])
    together = case.weights["W_O"].shape[-1] // keys
    if not together:
        return None
    found = []
    for first in range(0, spec.heads, together):
        heads = range(first, min(first + together, spec.heads))
        W_O = np.zeros_like(weights["W_O"])
        for place, head in enumerate(heads):
            W_O[head * width + np.arange(keys), place * keys + np.arange(keys)] = 1
        output = ask(replace(case, weights={**weights, "W_O": W_O}))[..., : len(heads) * keys]
        found.append(output.reshape(*output.shape[:2], len(heads), keys).swapaxes(1, 2))
    return _clear(np.concatenate(found, axis=1))


def _clear(weights: np.ndarray) -> np.ndarray:
    """What a sum leaves of values that are meant to be 0 is 0."""
    return np.where(np.abs(weights) <= 1e-13, 0.0, weights)
