"""The trace of one head as a capture of that head alone, so that whatever shows captures shows it, too."""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from typing import Any

import numpy as np

from clearhead.core.ops import Copy, Masked, ScaleBy, ScaleByRoot, SetCells, SoftCap
from clearhead.trace.capture.agreement import LayerAgreement
from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.below import Below
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.recompute import rows_of
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import Runs, Visible
from clearhead.trace.trace import Trace

STEPS = ("Q", "K", "V", "scores", "scaled", "masked", "weights", "mixed")
"""What the trace of a head has, each of two axes; see `clearhead.core.head.attend`."""

EXPECTED = "expected the trace of one head, as capture.head(layer, head) gives it"

NEAR = 1e-9
"""How far weights that are worked out again may lie from the trace's own: rounding of float64, and no more."""


def alone(trace: Trace) -> Capture:
    """A capture of one layer with one head, whose trace is this one.

    Raises:
        ValueError: it is no trace of one head, or of one of its queries only; the message says what is the matter.
    """
    for name in STEPS:
        if name not in trace or len(trace[name].axes) != 2:
            what = "has no" if name not in trace else "has several matrices of"
            raise ValueError(f"it {what} {name}; {EXPECTED}")
    if any(trace["Q"].starts):
        query = trace["Q"].starts[0]
        raise ValueError(
            f"it has query {query} alone; expected all of the head, clearhead.show(capture.head(layer, head), "
            f"query={query})"
        )
    attention = _attention(trace)
    blended = trace["changed" if "changed" in trace else "weights"].values
    far = np.abs(rows_of(attention, 0, 0).weights - blended)
    if not (np.isnan(blended) | (far <= NEAR)).all():
        raise ValueError(f"its weights are made in another way than those of a head; {EXPECTED}")
    texts = {"text": (_tokens(trace.tokens),)}
    if keys := trace.provenance.get("keys"):
        texts["keys"] = (_tokens(keys),)
    label = trace.provenance.get("head")
    named = f"head {label}" if label else "one head"
    columns = "keys" if keys else "text"
    below = Below(W_O=trace["W_O"].values if _joins(trace) else None)
    layer = Layer("", 0, "", attention, "", "text", columns, lambda: below, named)
    note = "It is a head by itself, without what the kernel returned."
    known = LayerAgreement(layer.label, nan, nan, False, 0, attention.queries, 0, "float64", "", note)
    return Capture(
        (layer,), texts, _provenance(trace, named),
        compared={layer.label: known}, traces={(layer.tower, layer.number, 0, 0): trace},
    )  # fmt: skip


def _joins(trace: Trace) -> bool:
    """Whether the trace goes on through W_O: of one head through the rows that are its own."""
    return "W_O" in trace and trace["W_O"].shape[:1] == trace["V"].shape[1:]


def _provenance(trace: Trace, named: str) -> dict[str, Any]:
    """Where it comes from; of the texts of a batch it is not known which was this head's."""
    known = {name: value for name, value in trace.provenance.items() if name not in ("keys", "head", "below")}
    if not isinstance(known.get("text"), str):
        known.pop("text", None)
    title = named[0].upper() + named[1:] + (f" of {known['model']}" if "model" in known else "")
    return known | {"title": title}


def _attention(trace: Trace) -> Attention:
    Q, K, V = (trace[name].values[None, None] for name in "QKV")
    masked, (queries, keys) = trace["masked"], trace["weights"].shape
    operation = masked.operation
    if not isinstance(operation, Masked) or operation.fill != "-inf":
        raise ValueError(f"its mask is not −∞; {EXPECTED}")
    seen = np.ones((queries, keys), bool) if masked.masked is None else ~masked.masked
    capped: Any = trace["soft_capped"].operation if "soft_capped" in trace else None
    changed: Any = trace["changed"].operation if "changed" in trace else None
    bias, sink = trace.get("bias"), trace.get("sink")
    return Attention(
        Q, K, V, trace["mixed"].values[None, :, None], _scale(trace), Visible(((Runs.of_table(seen),),)), "",
        soft_cap=capped.cap if isinstance(capped, SoftCap) else None,
        bias=None if bias is None else Bias(np.atleast_2d(bias.values)[None, None], False, queries),
        sink=None if sink is None else np.atleast_1d(sink.values),
        off=(0,) if "switched_off" in trace else (),
        weights_set=tuple((0, *cell) for cell in changed.cells) if isinstance(changed, SetCells) else (),
    )  # fmt: skip


def _scale(trace: Trace) -> float:
    operation = trace["scaled"].operation
    if isinstance(operation, ScaleByRoot) and operation.divide:
        return float(operation.width**-0.5)
    if isinstance(operation, ScaleBy) and not operation.divide:
        return float(operation.factor)
    if isinstance(operation, Copy):
        return 1.0
    raise ValueError(f"its scores are scaled in another way than those of a head; {EXPECTED}")


def _tokens(words: Iterable[str]) -> tuple[Token, ...]:
    """The words as tokens; those that read the same count as the same."""
    numbers: dict[str, int] = {}
    return tuple(Token(word, numbers.setdefault(word, len(numbers)), None, None) for word in words)
