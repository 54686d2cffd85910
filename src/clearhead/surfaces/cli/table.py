"""`clearhead table`: the numbers of a quantity as LaTeX, Markdown or tab-separated values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clearhead.messages.values import Digits
from clearhead.sources.worked.files import load_example
from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.address import parse_head
from clearhead.surfaces.cli.captured import names_a_capture
from clearhead.surfaces.cli.failing import fail, one_sentence
from clearhead.surfaces.cli.options import digits_of, one_of, optimiser_of, variation
from clearhead.surfaces.cli.output import printable
from clearhead.surfaces.cli.why import FROM, trace_with
from clearhead.trace.capture.saved import load_capture
from clearhead.trace.frames import write_whole
from clearhead.trace.notation.numbers import DIGITS
from clearhead.trace.quantity import Quantity

FORMS = {"markdown": ".md", "latex": ".tex", "tsv": ".tsv"}
"""How a table can be written, and how the names of such files end."""


def table(
    source: Annotated[str, typer.Argument(help=FROM)],
    quantity: Annotated[
        str, typer.Argument(help="Such as weights or W_Q; of a capture with its head: L3H1.weights.")
    ],
    form: Annotated[
        str | None, one_of("--as", FORMS, "How it is written. Default: as the file's name says, or markdown.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A file to write, instead of printing.")
    ] = None,
    head: Annotated[int | None, typer.Option("--head", help="Only this head. Default: all.")] = None,
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
    optimiser: options.Kind = None,
    learning_rate: options.LearningRate = None,
    digits: Annotated[
        str | None, one_of("--digits", map(str, DIGITS), "Decimals. Default: 2, and full in tsv.")
    ] = None,
) -> None:
    """Write the numbers of a quantity for a document: as LaTeX, Markdown or TSV.

    Rows and columns are named by their words, which stay text whatever
    is in them. LaTeX needs the package amsmath. In TSV, for spreadsheets,
    a word stands after its position in brackets, so that none is taken
    for a formula.
    """
    switches = variation(
        mask=mask, mask_fill=mask_fill, scale=scale, positions=positions, scale_embeddings=scale_embeddings,
        heads=heads, norm=norm, norm_place=norm_place, activation=activation, temperature=temperature,
    )  # fmt: skip
    form = form or _form_of(output)
    shown: Digits = digits_of(digits) if digits else "full" if form == "tsv" else 2
    with one_sentence():
        if names_a_capture(source):
            if switches or optimiser or learning_rate is not None:
                raise typer.BadParameter("a capture is what was; the switches of examples cannot change it.")
            found = _captured(source, quantity)
        else:
            example = load_example(source).vary(**switches)
            found = trace_with(quantity, example, optimiser_of(optimiser, learning_rate))[quantity]
        writers = {"markdown": found.markdown, "latex": found.latex, "tsv": found.tsv}
        written = writers[form](shown, head).rstrip("\n") + "\n"
    if output is None:
        typer.echo(written, nl=False)
        return
    try:
        write_whole(Path(output), [written.encode("utf-8", "replace")])
    except OSError as error:
        fail(f"{output}: cannot be written ({(error.strerror or str(error)).lower()})")
    typer.echo(f"Written to {printable(output)}")


def _form_of(output: str | None) -> str:
    ending = Path(output or "").suffix.lower()
    return next((form for form, its in FORMS.items() if its == ending), "markdown")


def _captured(path: str, name: str) -> Quantity:
    """A quantity of a head of a capture.

    Raises:
        LookupError: there is no such head or quantity.
        ValueError: the name does not say which head; the capture cannot be read.
    """
    tower, layer, head, quantity = parse_head(name)
    return load_capture(path).head(layer, head, tower=tower)[quantity]
