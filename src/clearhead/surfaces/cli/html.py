"""`clearhead html`: one HTML file that shows everything, and needs nothing."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clearhead.sources.worked.files import load_example
from clearhead.surfaces.cli.bars import bar
from clearhead.surfaces.cli.failing import fail, one_sentence, to_be_written
from clearhead.surfaces.cli.opening import SOURCE, named_after, saved
from clearhead.surfaces.cli.options import one_of
from clearhead.surfaces.cli.output import printable


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
) -> None:
    """Save a page as one HTML file, which opens anywhere without a network.

    Every number unfolds into its arithmetic, and the switches that are kept
    in it work: mask, scaling, heads and layer, or the steps of a training.
    """
    output = output or named_after(source, "page", ".html")
    with one_sentence(), to_be_written(output):
        kept = saved(source)
        x = load_example(source) if kept is None else kept
        with bar("Working out the page", line=f"{source}: working out the page, every state of it") as tell:
            from clearhead.surfaces.page import save_html  # only here: to print help nobody needs it

            how: Any = {"worked": not weights_only, "precision": precision}
            try:
                page = save_html(x, output, tell=tell, **how)
            except TypeError as error:
                fail(str(error))
    typer.echo(f"Saved in {printable(str(page))}")
