"""A case as a trace, every number with its recipe: the reference, or what a function with known mistakes does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from clearhead.core.axes import FEATURE, HEAD, JOINED, KEY, MODEL, QUERY
from clearhead.core.head import Head, attend
from clearhead.core.ops import Add, Alibi, Contract, MergeHeads
from clearhead.lenses.diagnose.case import Case
from clearhead.lenses.diagnose.pipeline import EVERY, Changes, Run, attention_of
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Recorder, Trace

ROLES = {"Q": QUERY, "K": KEY, "V": KEY}

PARTS = {"output": ("output", "projected", "projected_biased"), "product": ("projected",)}
"""Steps here that `pipeline` calls otherwise: the first has the result, and all of them make it."""

Done = Callable[..., Quantity]


def traced(case: Case, changes: Sequence[Changes] = ()) -> Trace:
    """From queries, keys and values to the output; the first sentence of the batch.

    Queries, keys and values are those that enter the scores: projected, turned, shared. A step that is done otherwise
    has its numbers and no recipe: nobody knows how the function comes to them, only what they are. The last quantity
    has the shape of the output.

    Raises:
        ValueError, IndexError, TypeError, KeyError: the changes cannot be made with arrays of these sizes.
    """
    run, spec = attention_of(case, changes), case.spec
    step, heads = Recorder(finite=False), (HEAD,) if spec.heads > 1 else ()
    Q, K, V = (
        _given(step, name, (*heads, role, FEATURE), _entering(run, name)) for name, role in ROLES.items()
    )
    bias: Any = Alibi((HEAD, QUERY, KEY), spec.heads, max(case.sizes)) if spec.alibi else None
    if bias is not None and not heads:
        bias = _given(step, "bias", (QUERY, KEY), run.values["bias"])
    allowed = None
    if case.allowed is not None or case.padding is not None:
        seen = np.broadcast_to(case.visible(), run.values["scores"].shape)
        allowed = _given(step, "allowed", (*heads, QUERY, KEY), seen.astype(float))

    def done(name: str, operation: Any, *inputs: Quantity) -> Quantity:
        parts = PARTS.get(name, (name,))
        if any(one in change for change in changes for one in (EVERY, *parts)):
            return _given(step, name, operation.axes, run.values[parts[0]])
        return step(name, operation, *inputs)

    mixed = attend(done, Q, K, V, Head(spec.scale, spec.soft_cap, spec.mask), bias, allowed=allowed)
    _end(step, done, case, mixed)
    return Trace(step.quantities, [str(place) for place in range(max(case.sizes))], (), {"source": "check"})


def answered(reference: Trace, output: np.ndarray, weights: np.ndarray | None = None) -> Trace:
    """What is known of a function that no known mistake explains: what it was given, and what it returned.

    Args:
        reference: the same case, as `traced` has it.
        output: the shape of its last quantity.
        weights: the shape of its weights, where the function returned them.
    """
    step = Recorder(finite=False)
    last = list(reference.values())[-1]
    for name, one in reference.items():
        if one.operation is None:
            step.given(name, one.axes, one.values)
        if name == "weights" and weights is not None:
            step.given(name, one.axes, weights)
    step.given(last.name, last.axes, output)
    return Trace(step.quantities, reference.tokens, (), reference.provenance)


def _end(step: Recorder, done: Done, case: Case, mixed: Quantity) -> None:
    """From what each head blends to the output, as far as the case goes."""
    joins = case.spec.heads > 1 and (case.spec.joined or "X" in case.given)
    last = done("joined", MergeHeads((QUERY, JOINED), "d_value"), mixed) if joins else mixed
    if "W_O" not in case.weights:
        return
    wide = last.axes[-1]
    W_O = step.given("W_O", (wide, MODEL), case.weights["W_O"])
    project = Contract((QUERY, MODEL), (QUERY, wide), (wide, MODEL))
    if "b_O" not in case.weights:
        done("output", project, last, W_O)
        return
    product = done("product", project, last, W_O)
    b_O = step.given("b_O", (MODEL,), case.weights["b_O"])
    done("output", Add((QUERY, MODEL), ((QUERY, MODEL), (MODEL,))), product, b_O)


def _entering(run: Run, name: str) -> np.ndarray:
    """What enters the scores or the blend: the last of Q, Q_rotated, ... that there is."""
    last = next(one for one in (f"{name}_shared", f"{name}_rotated", name) if one in run.values)
    return run.values[last]


def _given(step: Recorder, name: str, axes: tuple[str, ...], array: np.ndarray) -> Quantity:
    """Of the first sentence, and of the head where there is one: without what stands before these axes."""
    while array.ndim > len(axes):
        array = array[0]
    return step.given(name, axes, array)
