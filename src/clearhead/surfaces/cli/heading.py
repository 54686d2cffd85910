"""What stands above a walk: the title, what to look for, the sentence and the switches."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from clearhead.surfaces.cli.marks import sentence
from clearhead.surfaces.cli.output import printable
from clearhead.surfaces.cli.prose import wrapped
from clearhead.surfaces.cli.reading import Reading
from clearhead.surfaces.cli.sheet import INDENT


def heading(reading: Reading, console: Console) -> Iterator[Text]:
    """Title, what to look for, the sentence and the switches."""
    example = reading.example
    yield from wrapped(printable(example.title or example.name), console, style="bold")
    yield from wrapped(printable(example.look_for), console)
    yield Text("")
    yield from wrapped(sentence(reading.trace.tokens), console, indent=INDENT)
    yield Text("")
    yield from wrapped(" · ".join(_switches(reading)), console, indent=INDENT, style="dim")


def _switches(reading: Reading) -> list[str]:
    """The switches that say something about this model."""
    example, settings = reading.example, reading.example.settings
    mask = settings.mask
    if mask != "none":
        mask += f" (filled with {settings.mask_fill.replace('-inf', '−∞')})"
    switches = [f"layers {settings.layers}"] if settings.layers > 1 else []
    switches += [
        f"heads {settings.heads}", f"d_model {example.d_model}", f"d_head {example.d_head}", f"mask {mask}",
        f"scaling {'on' if settings.scale else 'off'}", f"positions {settings.positions}",
    ]  # fmt: skip
    if settings.predicts and settings.norm != "none":
        switches.append(f"norm {settings.norm} ({settings.norm_place})")
    if settings.predicts and any("W_1" in layer for layer in example.layer_weights):
        switches.append(f"activation {settings.activation}")
    if settings.predicts and settings.temperature != 1:
        switches.append(f"temperature {settings.temperature:g}")
    return switches
