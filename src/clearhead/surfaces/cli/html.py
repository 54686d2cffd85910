"""`clearhead html`: one HTML file that shows everything, and needs nothing."""

from __future__ import annotations

from typing import Annotated

import typer

from clearhead.sources.worked.files import load_example
from clearhead.surfaces.cli.failing import fail, one_sentence
from clearhead.surfaces.cli.opening import SOURCE, saved
from clearhead.surfaces.cli.options import one_of
from clearhead.surfaces.cli.output import printable


def html(
    source: Annotated[str, typer.Argument(help=SOURCE)],
    output: Annotated[str, typer.Option("--output", "-o", help="The file to write, such as page.html.")],
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
    # Only here: to print help nobody needs them.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from clearhead.surfaces.page import save_html

    with one_sentence():
        kept = saved(source)
        x = load_example(source) if kept is None else kept
        try:
            screen = Console(stderr=True)
            columns = (TextColumn("worked out"), BarColumn(), MofNCompleteColumn())
            with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
                task = bar.add_task("", total=None)
                page = save_html(
                    x, output, worked=not weights_only, precision=precision,  # type: ignore[arg-type]  # one of these
                    tell=lambda done, of: bar.update(task, completed=done, total=of),
                )  # fmt: skip
        except (TypeError, FileNotFoundError, IsADirectoryError) as error:
            fail(str(error))
        except OSError as error:
            fail(f"{output}: cannot be written ({(error.strerror or str(error)).lower()})")
    typer.echo(f"Saved in {printable(str(page))}")
