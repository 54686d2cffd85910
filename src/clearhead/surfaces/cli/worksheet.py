"""`clearhead worksheet`: a walkthrough on paper, with cells to fill in by hand, and its key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.failing import fail, one_sentence, to_be_written
from clearhead.surfaces.cli.groups import NONE_GIVEN, grouped
from clearhead.surfaces.cli.opening import named_after
from clearhead.surfaces.cli.options import EXAMPLE, one_of
from clearhead.surfaces.cli.output import printable

HIDE = (
    "What is left empty: quantities, parts of one or a share of its cells, with commas between: "
    "weights,output or 'weights[0,:]' or weights:30%."
)
KEY = "The file of the answers. Default: beside the sheet, sheet-key.pdf for sheet.pdf."


@grouped
def worksheet(
    example: Annotated[str, typer.Argument(help=EXAMPLE)],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="The file to write. Default: by its name, such as two-heads-sheet.pdf."
        ),
    ] = None,
    hide: Annotated[str, typer.Option("--hide", help=HIDE)] = "weights,output",
    key: Annotated[str | None, typer.Option("--key", help=KEY)] = None,
    no_key: Annotated[bool, typer.Option("--no-key", help="Write no file of answers.")] = False,
    variants: Annotated[
        int,
        typer.Option(
            "--variants", min=0, help="So many sheets with other small numbers. 0: the example's own."
        ),
    ] = 0,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Which numbers, and which cells of a share: the same again.")
    ] = 0,
    digits: Annotated[str, one_of("--digits", "234", "Decimals that answers are rounded to.")] = "2",
    paper: Annotated[str, one_of("--paper", ("a4", "letter"), "Its size.")] = "a4",
    switches: options.Switches = NONE_GIVEN,
) -> None:
    """Make a worksheet: the steps of an example as a PDF, with boxes to fill in.

    The sheet ends with the last step that is needed. Cells that hold the
    very number of a hidden one are empty too. The answers go into a file
    of their own.
    """
    if key is not None and no_key:
        raise typer.BadParameter("--key and --no-key exclude each other.")
    output = named_after(example, "sheet", ".pdf") if output is None else output
    _check_names(output, key)
    answers = None if no_key else _beside(output) if key is None else key
    from clearhead.surfaces.worksheet import worksheet as make

    with one_sentence(), to_be_written(output, answers):
        try:
            made = make(
                example, hide, variants=variants, seed=seed, digits=int(digits), paper=paper, **switches
            )
            made.save(output)
            if answers is not None:
                made.key().save(answers)
        except ImportError as error:
            fail(str(error))
    what = f"{variants} variants" if variants else "The worksheet"
    typer.echo(
        f"{what} in {printable(output)}" + (f", the answers in {printable(answers)}" if answers else "")
    )


def _beside(output: str) -> str:
    """The file of the answers to a sheet."""
    place = Path(output)
    return str(place.with_name(f"{place.stem}-key{place.suffix}"))


def _check_names(output: str, answers: str | None) -> None:
    """Two files of PDF, or one."""
    for path in (output, answers):
        if path is not None and Path(path).suffix.lower() != ".pdf":
            fail(f"{path or repr(path)}: expected a name that ends in .pdf")
    if answers is not None and Path(answers).resolve() == Path(output).resolve():
        fail(f"{answers}: expected another file for the answers than for the sheet")
