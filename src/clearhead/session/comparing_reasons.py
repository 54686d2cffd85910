"""Why two models part: the checker's library of mistakes, tried on the numbers of the layer where they do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isqrt

import numpy as np

from clearhead.lenses.diagnose import Asking, Case, Explanation, Spec, explanations
from clearhead.lenses.parting_models import Parting, rotary_base
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.held import precise
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.recognised import recognised
from clearhead.trace.capture.visible import Named

MOST_CELLS = 2**19
"""Cells of all heads that mistakes are tried on; of a causal head the first queries alone are as good."""

BEFORE = ("Q", "K", "V")
TRIED = (*BEFORE, "scores", "scaled", "masked", "weights", "mixed")
"""The steps whose difference a mistake of attention may explain."""

OF_A = "From a's Q, K and V comes what b returned, if attention"
OF_B = "With its own Q, K and V, b"
ATTENDS_ALIKE = "With its own Q, K and V, b attends as a does: the difference is in what makes them."

Reasons = tuple[tuple[str, ...], tuple[str, ...]]
"""Sentences, and the names of the mistakes."""


@np.errstate(over="ignore", invalid="ignore")  # a model may have computed NaN: it is compared as it is
def reasons(parting: Parting, a: Capture) -> Reasons:
    """What makes of a's attention what b returned: sentences, and the names of the mistakes.

    Tried are a's own Q, K and V (before they are turned, if they are), and b's own. A name is given only where the
    mistake reproduces every number that b's kernel returned in this layer.
    """
    if parting.step not in TRIED:
        return (), ()
    mine, theirs = parting.pair.attentions
    spec = _spec(mine, parting.batch)
    if spec is None or not _comparable(mine, theirs):
        return (), ()
    before = parting.step in BEFORE
    tried = [(_of_a, OF_A), (_of_b, OF_B)]
    for make, begins in tried if before else reversed(tried):
        for case in make(parting, a, spec):
            found = _found(case, _output(theirs, parting.batch, case))
            if any(not one.mistakes for one in found):
                return ((ATTENDS_ALIKE,) if before else (), ())
            if found:
                return _said(found, begins)
    return (), ()


def _said(found: list[Explanation], begins: str) -> Reasons:
    ways = [f"{one.mistakes[0].says} ({one.mistakes[0].name})" for one in found]
    return (f"{begins} {'; or '.join(ways)}.",), tuple(one.mistakes[0].name for one in found)


def _found(case: Case, output: np.ndarray) -> list[Explanation]:
    return explanations([Asking(case, output)], most=1)


def _comparable(mine: Attention, theirs: Attention) -> bool:
    return (
        mine.heads == theirs.heads
        and mine.output.shape[3] == theirs.output.shape[3]
        and not any(one.dropout or one.off or one.weights_set for one in (mine, theirs))
        and theirs.bias is None
        and theirs.sink is None
    )


def _spec(attention: Attention, batch: int) -> Spec | None:
    """How a attends, in the library's terms; None where these have no word for it."""
    patterns = attention.visible.patterns[batch if len(attention.visible.patterns) > 1 else 0]
    if attention.bias is not None or attention.sink is not None or len(patterns) > 1:
        return None
    pattern = recognised(patterns[0])
    scale = None if attention.scale == attention.d_head**-0.5 else attention.scale
    mask = pattern.name if isinstance(pattern, Named) else "none"
    return Spec(attention.heads, mask=mask, scale=scale, soft_cap=attention.soft_cap)


def _allowed(attention: Attention, batch: int) -> np.ndarray | None:
    """(queries, keys) a mask that has no name."""
    pattern = recognised(attention.visible.pattern(batch, 0))
    return None if isinstance(pattern, Named) else pattern.table()


def _size(attention: Attention, spec: Spec) -> int | None:
    """How many queries and keys are tried; None where they are too many, and cannot be cut."""
    most = isqrt(MOST_CELLS // attention.heads)
    if max(attention.queries, attention.keys) <= most:
        return max(attention.queries, attention.keys)
    cut = attention.queries == attention.keys and spec.mask.startswith("causal") and "|" not in spec.mask
    return most if cut else None


def _case(
    attention: Attention, batch: int, spec: Spec, given: dict[str, np.ndarray], mine: Attention
) -> Iterator[Case]:
    """The question, no longer than it may be."""
    size = _size(attention, spec)
    if size is None or attention.key.shape[1] != attention.value.shape[1]:
        return
    cut = {name: values[None, :, :size] for name, values in given.items()}
    yield Case("captured", replace(spec, kv_heads=attention.key.shape[1]), cut, allowed=_allowed(mine, batch))


def _of_b(parting: Parting, a: Capture, spec: Spec) -> Iterator[Case]:
    mine, theirs = parting.pair.attentions
    yield from _case(theirs, parting.batch, spec, _given(theirs, parting.batch), mine)


def _of_a(parting: Parting, a: Capture, spec: Spec) -> Iterator[Case]:
    """From Q and K before they are turned, if that is how a's own result comes about; else as they were captured."""
    mine, batch = parting.pair.attentions[0], parting.batch
    given = _given(mine, batch)
    before = _unturned(a, parting.pair.a, batch, spec)
    for how, numbers in [before, (spec, given)] if before else [(spec, given)]:
        for case in _case(mine, batch, how, given | numbers, mine):
            if any(not one.mistakes for one in _found(case, _output(mine, batch, case))):
                yield case


def _given(attention: Attention, batch: int) -> dict[str, np.ndarray]:
    """(heads, positions, width) Q, K and V as they were captured."""
    names = {"Q": attention.query, "K": attention.key, "V": attention.value}
    return {name: precise(held, batch) for name, held in names.items()}


def _output(attention: Attention, batch: int, case: Case) -> np.ndarray:
    """(1, heads, queries, d_value) what the kernel returned."""
    return precise(attention.output, batch, slice(0, case.sizes[0])).swapaxes(0, 1)[None]


def _unturned(a: Capture, layer: Layer, batch: int, spec: Spec) -> tuple[Spec, dict[str, np.ndarray]] | None:
    """How a turns its queries and keys, and what they are before; None where it does not, or not in the plain way."""
    attention, below = layer.attention, layer.below
    assert attention is not None  # it was compared
    way, base = below.projections.get("Q"), rotary_base(below)
    if way is None or base is None or "K" not in below.projections or way.rotated != attention.d_head:
        return None
    found: dict[str, np.ndarray] = {}
    each = attention.heads // attention.key.shape[1]
    for name, heads in (("Q", range(attention.heads)), ("K", range(0, attention.heads, each))):
        traces = [a.head(layer.number, head, batch=batch, tower=layer.tower) for head in heads]
        turned = [trace.get(f"{name}_rotated") for trace in traces]
        found[name] = np.stack([one.inputs[0].values for one in turned if one is not None])
    return replace(spec, rotary=way.pairs, rotary_base=base), found
