"""From two captures to what is said of them."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.parting_models.aligned import Pair, aligned
from clearhead.lenses.parting_models.causes import causes
from clearhead.lenses.parting_models.comparison import Comparison
from clearhead.lenses.parting_models.steps import OF_KEYS, STEPS
from clearhead.lenses.parting_models.structure import differences
from clearhead.lenses.parting_models.telling import verdict_of
from clearhead.lenses.parting_models.tolerance import Tolerance, coarsest
from clearhead.lenses.parting_models.walk import Parting, StepRow, Tell, walked
from clearhead.lenses.parting_models.words import next_words
from clearhead.trace.capture.capture import Capture


@np.errstate(over="ignore", invalid="ignore")  # a model may have computed NaN: it is compared as it is
def compared(
    a: Capture, b: Capture, tolerance: float | None = None, progress: Tell | None = None
) -> Comparison:
    """Walk two captures side by side.

    Raises:
        CaptureError: they have read other tokens, or have no layer in common.
        ValueError: the tolerance is none.
    """
    how = Tolerance.of(a, b, tolerance)
    found = aligned(a, b)
    table, first = walked(found.pairs, how, progress)
    words = () if found.said else next_words(a, b, how.at(len(a.layers)))
    token = "" if first is None else _token(a, first)
    agrees = first is None and not found.said and all(one.agrees for one in words)
    return Comparison(
        agrees, verdict_of(first, table, how, words, token, found.said), table, how, (_name(a), _name(b)),
        (*found.said, *differences(found.pairs)), () if first is None else causes(first, table, how), (), words,
        (*_of_captures(a, b), *_notes(found.pairs, table)), first, token,
    )  # fmt: skip


def _token(capture: Capture, parting: Parting) -> str:
    layer = parting.pair.a
    stream = layer.columns if parting.step in OF_KEYS else layer.rows
    return capture.texts[stream][parting.batch][parting.row].text


def _name(capture: Capture) -> str:
    """Model, format, kernels, versions, and what was changed."""
    kernels = {
        one.attention.kernel.removesuffix(", changed"): None for one in capture.attentions() if one.attention
    }
    name = capture.provenance.get("model", "a model")
    versions = capture.provenance.get("versions", {})
    library = f", transformers {versions['transformers']}" if "transformers" in versions else ""
    changed = f", changed: {', '.join(map(str, capture.changes))}" if capture.changes else ""
    return f"{name}, {coarsest(capture)} on {' and '.join(kernels)}{library}{changed}"


def _of_captures(a: Capture, b: Capture) -> list[str]:
    """What is to be known of how the models were run, such as in training mode."""
    whose: dict[str, list[str]] = {}
    for name, capture in (("a", a), ("b", b)):
        for note in capture.provenance.get("notes", ()):
            whose.setdefault(str(note).rstrip("."), []).append(name)
    return [f"{' and '.join(names)}: {note}." for note, names in whose.items()]


def _notes(pairs: tuple[Pair, ...], table: tuple[StepRow, ...]) -> list[str]:
    """Which steps were not compared, and why."""
    there = {(row.layer, row.step) for row in table}
    missing: dict[str, list[str]] = {}
    for pair in pairs:
        for step in STEPS:
            if (pair.label, step) not in there:
                missing.setdefault(_why(pair, step), []).append(f"{pair.label}.{step}")
    return [f"{why}: not compared ({_few(steps)})." for why, steps in missing.items()]


def _why(pair: Pair, step: str) -> str:
    a, b = pair.attentions
    if step in ("hidden", "output"):
        unknown = [
            name
            for name, layer in (("a", pair.a), ("b", pair.b))
            if (layer.below.W_O is None if step == "output" else not layer.below.projections)
        ]
        what = "the matrix after the heads" if step == "output" else "what enters the layer"
        return f"{what} is not known in {' and '.join(unknown)}" if unknown else f"{what} has another width"
    if a.heads != b.heads:
        return "they have other numbers of heads"
    return "dropout was on" if a.dropout or b.dropout else "they have other widths"


def _few(steps: list[str]) -> str:
    return ", ".join(steps) if len(steps) < 4 else f"{steps[0]} to {steps[-1]}, {len(steps)} steps"
