"""`clearhead worksheet`: a walkthrough on paper, with cells to fill in by hand, and its key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.failing import fail, one_sentence
from clearhead.surfaces.cli.options import EXAMPLE, one_of, variation
from clearhead.surfaces.cli.output import printable

if TYPE_CHECKING:
    from clearhead.surfaces.worksheet.making import Worksheet

HIDE = (
    "What is left empty: quantities, parts of one or a share of its cells, with commas between: "
    "weights,output or 'weights[0,:]' or weights:30%."
)
KEY = "The file of the answers. Default: beside the sheet, sheet-key.pdf for sheet.pdf."


def worksheet(
    example: Annotated[str, typer.Argument(help=EXAMPLE)],
    output: Annotated[str, typer.Option("--output", "-o", help="The file to write: sheet.pdf.")],
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
    mask: options.Mask = None,
    mask_fill: options.MaskFill = None,
    scale: options.Scale = None,
    positions: options.Positions = None,
    scale_embeddings: options.ScaleEmbeddings = None,
    heads: options.Heads = None,
    norm: options.Norm = None,
    norm_place: options.NormPlace = None,
    activation: options.Activation = None,
    temperature: options.Temperature = None,
) -> None:
    """Make a worksheet: the steps of an example as a PDF, with boxes to fill in.

    The sheet ends with the last step that is needed. Cells that hold the
    very number of a hidden one are empty too. The answers go into a file
    of their own.
    """
    switches = variation(
        mask=mask, mask_fill=mask_fill, scale=scale, positions=positions, scale_embeddings=scale_embeddings,
        heads=heads, norm=norm, norm_place=norm_place, activation=activation, temperature=temperature,
    )  # fmt: skip
    if key is not None and no_key:
        raise typer.BadParameter("--key and --no-key exclude each other.")
    answers = None if no_key else key or _beside(output)
    for path in (output, answers):
        if path is not None and Path(path).suffix.lower() != ".pdf":
            fail(f"{path}: expected a name that ends in .pdf")
    if answers is not None and Path(answers).resolve() == Path(output).resolve():
        fail(f"{answers}: expected another file for the answers than for the sheet")
    from clearhead.surfaces.worksheet import worksheet as make

    with one_sentence():
        try:
            made = make(
                example, hide, variants=variants, seed=seed, digits=int(digits), paper=paper, **switches
            )
            for sheet, path in ((made, output), (made.key(), answers)):
                if path is not None:
                    _save(sheet, path)
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


def _save(sheet: Worksheet, path: str) -> None:
    try:
        sheet.save(path)
    except OSError as error:
        fail(f"{path}: cannot be written ({(error.strerror or str(error)).lower()})")
