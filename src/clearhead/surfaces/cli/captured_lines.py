"""What was captured, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from clearhead.messages.values import Digits
from clearhead.surfaces.cli.bars import Tell
from clearhead.surfaces.cli.marks import word
from clearhead.surfaces.cli.output import printable
from clearhead.trace.capture.agreement import Agreement, LayerAgreement
from clearhead.trace.capture.capture import Capture
from clearhead.trace.notation.numbers import format_number

MOST_WORDS = 5
"""Next words that are shown."""

DIGITS: Digits = 2


def capture_lines(capture: Capture, tell: Tell) -> Iterator[Text]:
    """What was captured, what comes next, and how far it lies from the model's own numbers.

    Args:
        capture: what was captured.
        tell: told how many layers have been compared, which takes a while.
    """
    yield title(capture)
    for note in capture.notes:
        yield Text(printable(note), "dim")
    others = [layer for layer in capture.layers if layer.attention is None]
    for layer in others:
        yield Text(f"{layer.label}: {printable(layer.what)}")
    if capture.next_words:
        yield _next(capture)
    yield from agreement_lines(capture, tell)


def title(capture: Capture) -> Text:
    """The model, and how much of it was captured."""
    about = capture.provenance
    facts = ", ".join(str(about[name]) for name in ("class", "dtype", "device") if about.get(name))
    return Text(printable(repr(capture)), "bold") + Text(f"  {printable(facts)}", "dim")


def _next(capture: Capture) -> Text:
    """The likeliest words after the first sequence."""
    words = capture.next_words[0][:MOST_WORDS]
    shown = (f"{word(one['text'])} {format_number(one['probability'], DIGITS)}" for one in words)
    return Text("Next: ", "dim") + Text("   ".join(shown))


def agreement_lines(capture: Capture, tell: Tell) -> Iterator[Text]:
    """One line if all layers agree, else one for each that does not, too."""
    layers = list(capture.attentions())
    found = []
    for done, layer in enumerate(layers, 1):
        found.append(capture.agreement_of(layer))
        tell(done, len(layers))
    agreement = Agreement(found)
    if agreement.failing:
        for line in str(Agreement(agreement.failing)).splitlines():
            yield Text(line, "bold red")
        count = len(agreement.failing)
        do = "does" if count == 1 else "do"
        yield Text(f"Agreement: {count} of {len(agreement)} layers {do} not agree with the model")
        return
    yield Text(f"Agreement: {_how_many(found)} with what the model's kernels returned; {_difference(found)}")


def _how_many(found: list[LayerAgreement]) -> str:
    return f"all {len(found)} layers agree" if len(found) > 1 else "the layer agrees"


def _difference(found: list[LayerAgreement]) -> str:
    worst = max(found, key=lambda one: one.difference)
    if worst.difference == 0:
        return "no number differs at all"
    return (
        f"the largest difference is {worst.difference:.1e} ({worst.layer}, {worst.dtype} on {worst.kernel}), of "
        f"{worst.tolerance:.1e} that rounding explains"
    )
