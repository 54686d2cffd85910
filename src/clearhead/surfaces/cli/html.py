"""`clearhead html`: one HTML file that shows everything, and needs nothing."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clearhead.sources.worked.files import load_example
from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.bars import bar
from clearhead.surfaces.cli.failing import fail, one_sentence, to_be_written
from clearhead.surfaces.cli.groups import NONE_GIVEN, Given, Group, grouped
from clearhead.surfaces.cli.opening import SOURCE, named_after, saved
from clearhead.surfaces.cli.options import one_of
from clearhead.surfaces.cli.output import printable

Place = Annotated[
    Given,
    Group(
        step=Annotated[
            int | None, typer.Option("--step", min=0, help="Of a training: the step it opens at.")
        ],
        layer=Annotated[int | None, typer.Option("--layer", min=0, help="The layer it opens at, from 0.")],
        head=Annotated[int | None, typer.Option("--head", min=0, help="The head it opens at.")],
        query=Annotated[int | None, typer.Option("--query", min=0, help="The query that is looked at.")],
        cell=Annotated[str | None, typer.Option("--cell", help="The open cell, such as 'weights[0,3,1]'.")],
        tower=Annotated[str | None, typer.Option("--tower", help="The part of a model of several.")],
        batch=options.Batch,
    ),
]
"""What is to be seen first."""


@grouped
def html(
    source: Annotated[str, typer.Argument(help=SOURCE)],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="The file to write. Default: by its name, such as two-heads-page.html."
        ),
    ] = None,
    weights_only: Annotated[
        bool,
        typer.Option(
            "--weights-only", help="Of a capture: keep weights, and nothing that cells unfold into."
        ),
    ] = False,
    precision: Annotated[
        str, one_of("--precision", ("short", "float32"), "Of a capture: how exact its numbers are.")
    ] = "short",
    switches: options.Switches = NONE_GIVEN,
    place: Place = NONE_GIVEN,
) -> None:
    """Save a page as one HTML file, which opens anywhere without a network.

    Every number unfolds into its arithmetic, and the switches that are kept
    in it work: mask, scaling, heads and layer, or the steps of a training.
    """
    output = named_after(source, "page", ".html") if output is None else output
    with one_sentence(), to_be_written(output):
        kept = saved(source)
        if kept is not None and switches:
            first = next(iter(switches)).replace("_", "-")
            fail(f"--{first}: cannot change what was saved; expected an example with it")
        x = load_example(source).vary(**switches) if kept is None else kept
        with bar("Working out the page", line=f"{source}: working out the page, every state of it") as tell:
            from clearhead.surfaces.page import save_html  # only here: to print help nobody needs it

            how: Any = {"worked": not weights_only, "precision": precision, **place}
            try:
                page = save_html(x, output, tell=tell, **how)
            except TypeError as error:
                fail(str(error))
    typer.echo(f"Saved in {printable(str(page))}")
