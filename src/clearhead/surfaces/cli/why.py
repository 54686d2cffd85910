"""`clearhead why`: the arithmetic of one cell, where it came from and where it goes."""

from __future__ import annotations

from typing import Annotated

import typer

from clearhead.lenses.explain import explain
from clearhead.sources.worked import run
from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.run import with_asides
from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.cell import parse_cell
from clearhead.surfaces.cli.failing import one_sentence
from clearhead.surfaces.cli.machine import why_as_data
from clearhead.surfaces.cli.options import EXAMPLE, digits_of, variation
from clearhead.surfaces.cli.output import make_console, print_json, print_lines
from clearhead.surfaces.cli.worked import why_lines


def why(
    example: Annotated[str, typer.Argument(help=EXAMPLE)],
    cell: Annotated[
        str, typer.Argument(help="A quantity and the cell's indices from 0, such as 'weights[0,3,1]'.")
    ],
    mask: options.Mask = None,
    mask_fill: options.MaskFill = None,
    scale: options.Scale = None,
    positions: options.Positions = None,
    scale_embeddings: options.ScaleEmbeddings = None,
    heads: options.Heads = None,
    digits: options.DigitsShown = "2",
    latex: Annotated[
        bool, typer.Option("--latex", help="Print the arithmetic as LaTeX, for a paper.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Print where a number came from: its arithmetic, the cells it was made of, and where it goes.

    With --json, one object: what the page gets for this cell (label,
    place, value, full, formula, terms, lines, sources, feeds, text,
    latex, ...) and number, the value itself, there and in each source.
    The score of a masked cell is the string "-inf".
    """
    if latex and json:
        raise typer.BadParameter("--latex and --json exclude each other; the JSON holds the LaTeX too.")
    switches = variation(
        mask=mask,
        mask_fill=mask_fill,
        scale=scale,
        positions=positions,
        scale_embeddings=scale_embeddings,
        heads=heads,
    )
    with one_sentence():
        name, index = parse_cell(cell)
        trace = with_asides(run(load_example(example), **switches))
        view = explain(trace, name, index, digits_of(digits))
    if json:
        print_json(why_as_data(view, trace))
    elif latex:
        typer.echo(view["latex"])
    else:
        console = make_console()
        print_lines(console, why_lines(view, trace, console, digits_of(digits)))
