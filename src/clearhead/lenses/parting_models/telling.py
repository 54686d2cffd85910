"""What is said of a comparison, in lines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clearhead.lenses.parting_models.steps import OF_KEYS, OF_LAYER, STEPS, TO_A_KEY
from clearhead.lenses.parting_models.tolerance import Tolerance
from clearhead.lenses.parting_models.walk import Parting, StepRow
from clearhead.lenses.parting_models.words import NextWords

if TYPE_CHECKING:
    from clearhead.lenses.parting_models.comparison import Comparison


def lines_of(found: Comparison) -> Iterator[str]:
    """What is printed of a comparison, line by line."""
    yield found.verdict
    yield ""
    yield from (f"{which}: {name}" for which, name in zip("ab", found.names, strict=True))
    yield found.how.says
    yield from (f"Different: {one}" for one in found.differences)
    yield from found.causes
    if (parting := found.parting) is not None:
        yield from _place(found, parting)
    yield from map(str, found.words)
    yield from (f"Note: {one}" for one in found.notes)
    yield ""
    yield from _grid("Largest relative difference of a row; * beyond its tolerance:", found, "largest")
    yield ""
    yield from _grid("Median:", found, "median")


def _place(found: Comparison, parting: Parting) -> Iterator[str]:
    """The number that is furthest off, and which heads part."""
    keys = found.parting is not None and parting.step in TO_A_KEY
    cell = f"[{parting.row},{parting.cell}]"
    head = "" if parting.head is None else f"H{parting.head}"
    a, b = parting.values
    yield (
        f"Furthest off in that row: {parting.pair.label}{head}.{parting.step}{cell} is {a:.6g} in a, {b:.6g} in b "
        f"({'key' if keys else 'feature'} {parting.cell})."
    )
    heads = parting.pair.attentions[0].heads
    if parting.head is not None and heads > 1:
        yield f"Heads that part there: {', '.join(map(str, parting.heads))} of {heads}."


def _grid(title: str, found: Comparison, what: str) -> Iterator[str]:
    """A line for each layer, a column for each step."""
    steps = [step for step in STEPS if any(row.step == step for row in found.table)]
    there = {(row.layer, row.step): row for row in found.table}
    layers = list(dict.fromkeys(row.layer for row in found.table))
    wide = max(map(len, ["layer", *layers]))
    yield title
    yield "  " + "layer".ljust(wide) + "".join(step.rjust(9) for step in steps)
    for layer in layers:
        cells = (_cell(there.get((layer, step)), what) for step in steps)
        yield "  " + layer.ljust(wide) + "".join(cell.rjust(9) for cell in cells)


def _cell(row: StepRow | None, what: str) -> str:
    if row is None:
        return "-"
    value = float(getattr(row, what))
    mark = "*" if what == "largest" and row.beyond else ""
    return f"{short(value)}{mark}"


def short(value: float) -> str:
    """A relative difference in two digits."""
    if value == 0:
        return "0"
    return "inf" if math.isinf(value) else f"{value:.1e}"


def verdict_of(
    parting: Parting | None,
    table: tuple[StepRow, ...],
    how: Tolerance,
    words: tuple[NextWords, ...],
    token: str,
    alone: tuple[str, ...],
) -> str:
    """The first line; `alone`: what is in one of the two alone, as sentences."""
    explains = "the tolerance given" if how.given is not None else f"rounding to {how.format}"
    count = len({row.layer for row in table})
    layers = "the one layer" if count == 1 else f"all {count} layers"
    if parting is not None:
        return _parts(parting, token, how)
    if not all(one.agrees for one in words):
        return (
            f"part after the last layer: in {layers} every difference is within {explains}, that of the next tokens "
            "is not"
        )
    if alone:
        what = alone[0].partition(";")[0].rstrip(".")
        both = "the one layer that both have" if count == 1 else f"the {count} layers that both have"
        return f"do not agree: {what}; in {both} every difference is within {explains}"
    most = max(table, key=lambda row: row.largest)
    if not most.largest:
        return f"agree: in {layers} no number differs at all"
    return (
        f"agree: in {layers} every difference is within {explains}; "
        f"the largest is {short(most.largest)} of a row's size ({most.layer}, {most.step})"
    )


def _parts(parting: Parting, token: str, how: Tolerance) -> str:
    step = parting.step
    kind = "key" if step in OF_KEYS else "position" if step in OF_LAYER else "query"
    head = "" if parting.head is None else f"head {parting.head}, "
    batch = f"sequence {parting.batch}, " if parting.pair.attentions[0].sequences > 1 else ""
    if math.isinf(parting.off):
        far = "one sees what the other does not" if step == "masked" else "one is not finite"
    else:
        source = "the tolerance given" if how.given is not None else "what rounding explains"
        far = f"off by {short(parting.off)} of the row's size, beyond {source}, {short(parting.tolerance)}"
    return f"part at layer {parting.pair.label}, {head}{step}, {batch}{kind} {parting.row} “{token}”: {far}"
