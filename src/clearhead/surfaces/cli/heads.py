"""`clearhead heads`: what every head of a captured model does, in numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from clearhead.lenses.statistics import SCORES, HeadTable, head_statistics
from clearhead.surfaces.cli.bars import bar
from clearhead.surfaces.cli.failing import one_sentence
from clearhead.surfaces.cli.heads_table import heads_lines
from clearhead.surfaces.cli.options import Batch, Json, one_of
from clearhead.surfaces.cli.output import make_console, print_json, print_lines
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.saved import load_capture


def heads(
    capture: Annotated[str, typer.Argument(help="The file of a capture (see `clearhead capture`).")],
    sort: Annotated[
        str | None, one_of("--sort", SCORES, "Sort by this score, the largest first, and draw it.")
    ] = None,
    top: Annotated[int | None, typer.Option("--top", min=1, help="Only so many heads.")] = None,
    layer: Annotated[int | None, typer.Option("--layer", min=0, help="Only the heads of this layer.")] = None,
    tower: Annotated[
        str | None, typer.Option("--tower", help="Only this part of a model of several, such as encoder.")
    ] = None,
    batch: Batch = None,
    json: Json = False,
) -> None:
    """Print what every head of a captured model does: where its weights lie, and what stands there.

    Entropy in bits, distance in tokens; every other score is a share,
    from 0 to 1, on average over the tokens it is defined for: on the
    first token, on the one before or after, on what followed the same
    token earlier (induction), or on the same token earlier (duplicate).

    With --json, a list of objects, one a head, with the same names.
    """
    with one_sentence():
        found = load_capture(capture)
        if layer is not None:
            found.layer(layer, tower)
        with bar("Looking at the heads") as tell:
            table = head_statistics(found, tower, batch or 0, progress=tell)
        chosen = _chosen(table, found, sort, top, layer, tower)
    if json:
        print_json([{"head": head.label, "number": head.head, **_scores(head)} for head in chosen])
        return
    console = make_console()
    print_lines(console, heads_lines(found, table, chosen, sort, console))


def _chosen(
    table: HeadTable,
    capture: Capture,
    sort: str | None,
    top: int | None,
    layer: int | None,
    tower: str | None,
) -> HeadTable:
    """The heads to print; a layer without a tower is that of the main one."""
    if layer is not None:
        of = capture.main if tower is None else tower
        table = HeadTable(head for head in table if (head.tower, head.layer) == (of, layer))
    if sort is not None:
        table = table.by(sort)
    return table[:top]


def _scores(head: object) -> dict[str, object]:
    return {name: value for name, value in asdict(head).items() if name != "head"}  # type: ignore[call-overload]
