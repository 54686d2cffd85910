"""One transformer block: attention and feed-forward, each with a way around it.

Pre-norm (Xiong et al. 2020): what goes *into* attention and feed-forward is normalised, the way around is left alone.
Post-norm (Vaswani et al. 2017, section 3.1): what comes *out*, added to the way around, is normalised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clearhead.core.attention import Step, attention, batched
from clearhead.core.axes import HIDDEN, MODEL, POSITION
from clearhead.core.ops import Activation, Add, Average, Contract, Copy, Normalise
from clearhead.core.settings import Settings


def block(step: Step, X: Any, weights: Mapping[str, Any], settings: Settings) -> Any:
    """(positions, d_model) to the same: the quantities X_norm ... output, residual, norm, ffn_..., hidden.

    Args:
        step: see `core.attention.Step`.
        X: (positions, d_model), with a batch axis in front or without.
        weights: the matrices of this layer by their names: W_Q, W_K, W_V; if there are any W_O; W_1, b_1, W_2, b_2 and
            W_G of the feed-forward network; gain_1, bias_1 of the attention's norm, gain_2, bias_2 of the other.
        settings: the switches.
    """
    axes, before = (*batched(X), POSITION, MODEL), settings.norm_place == "pre"
    inside = norm(step, "X_norm", X, weights, "1", settings) if before and settings.norm != "none" else X
    W_Q, W_K, W_V, W_O = (weights.get(name) for name in ("W_Q", "W_K", "W_V", "W_O"))
    output = attention(step, inside, W_Q, W_K, W_V, W_O, settings)
    residual = step("residual", Add(axes), X, output)
    if before:
        if "W_1" not in weights:
            return step("hidden", Copy(axes), residual)
        normed = norm(step, "norm", residual, weights, "2", settings)
        return step("hidden", Add(axes), residual, feed_forward(step, normed, weights, settings))
    normed = norm(step, "norm", residual, weights, "1", settings)
    if "W_1" not in weights:
        return step("hidden", Copy(axes), normed)
    around = step("residual_2", Add(axes), normed, feed_forward(step, normed, weights, settings))
    return norm(step, "hidden", around, weights, "2", settings)


def norm(step: Step, name: str, x: Any, weights: Mapping[str, Any], which: str, settings: Settings) -> Any:
    """Layer norm (Ba et al. 2016) or RMS norm (Zhang and Sennrich 2019) of each position, then gain and bias."""
    axes, gain, bias = (
        (*batched(x), POSITION, MODEL),
        weights.get(f"gain_{which}"),
        weights.get(f"bias_{which}"),
    )
    if settings.norm == "none":
        return step(name, Copy(axes), x)
    standard = f"{name}_standard" if gain is not None or bias is not None else name
    if settings.norm == "layer":
        mean = step(f"{name}_mean", Average(axes[:-1], MODEL), x)
        x = step(standard, Normalise(axes, centred=True), x, mean)
    else:
        x = step(standard, Normalise(axes, centred=False), x)
    if gain is not None:
        x = step(f"{name}_gained" if bias is not None else name, Contract(axes, axes, (MODEL,)), x, gain)
    return x if bias is None else step(name, Add(axes, (axes, (MODEL,))), x, bias)


def feed_forward(step: Step, x: Any, weights: Mapping[str, Any], settings: Settings) -> Any:
    """Vaswani et al. 2017, section 3.3: an activation between two matrices; with SwiGLU (Shazeer 2020) a gate as well.

    Shapes: x (positions, d_model); W_1, W_G (d_model, d_ff); W_2 (d_ff, d_model).
    """
    batch = batched(x)
    narrow, wide = (*batch, POSITION, MODEL), (*batch, POSITION, HIDDEN)
    opened = _affine(step, "ffn_in", wide, x, weights["W_1"], weights.get("b_1"), narrow, (MODEL, HIDDEN))
    if settings.activation == "swiglu":
        gate = step("ffn_gate", Contract(wide, narrow, (MODEL, HIDDEN)), x, weights["W_G"])
        swish = step("ffn_swish", Activation(wide, "swish"), gate)
        active = step("ffn_act", Contract(wide, wide, wide), swish, opened)
    else:
        active = step("ffn_act", Activation(wide, settings.activation), opened)
    return _affine(step, "ffn_out", narrow, active, weights["W_2"], weights.get("b_2"), wide, (HIDDEN, MODEL))


def _affine(
    step: Step,
    name: str,
    axes: tuple[str, ...],
    x: Any,
    W: Any,
    b: Any,
    of: tuple[str, ...],
    by: tuple[str, ...],
) -> Any:
    """x W, and + b if there is one."""
    product = step(name if b is None else f"{name}_product", Contract(axes, of, by), x, W)
    return product if b is None else step(name, Add(axes, (axes, axes[-1:])), product, b)
