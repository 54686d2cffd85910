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
from clearhead.surfaces.cli.failing import fail, one_sentence, to_be_written
from clearhead.surfaces.cli.groups import NONE_GIVEN, grouped
from clearhead.surfaces.cli.opening import look_for
from clearhead.surfaces.cli.options import digits_of, one_of, optimiser_of
from clearhead.surfaces.cli.output import printable
from clearhead.surfaces.cli.why import FROM, refuse_switches, trace_with
from clearhead.trace.capture.saved import load_capture
from clearhead.trace.frames import write_whole
from clearhead.trace.notation.numbers import DIGITS
from clearhead.trace.places import file_place
from clearhead.trace.quantity import Quantity

FORMS = {"markdown": ".md", "latex": ".tex", "tsv": ".tsv"}
"""How a table can be written, and how the names of such files end."""


@grouped
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
    switches: options.Switches = NONE_GIVEN,
    update: options.Update = NONE_GIVEN,
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
    form = form or _form_of(output)
    shown: Digits = digits_of(digits) if digits else "full" if form == "tsv" else 2
    with one_sentence(), to_be_written(output):
        look_for(source, "example", "capture")
        if names_a_capture(source):
            refuse_switches(switches, update)
            found = _captured(source, quantity)
        else:
            example = load_example(source).vary(**switches)
            found = trace_with(quantity, example, optimiser_of(update))[quantity]
        writers = {"markdown": found.markdown, "latex": found.latex, "tsv": found.tsv}
        written = writers[form](shown, head).rstrip("\n") + "\n"
        if output is not None:
            write_whole(file_place(output), [written.encode("utf-8", "replace")])
    typer.echo(written if output is None else f"Written to {printable(output)}", nl=output is not None)


def _form_of(output: str | None) -> str:
    """As the file's name says; one sentence where it says nothing that is known."""
    if output is None:
        return "markdown"
    forms = [form for form, ending in FORMS.items() if ending == Path(output).suffix.lower()]
    if not forms:
        fail(
            f"{output or repr(output)}: expected a name that ends in .md, .tex or .tsv, or --as to tell the form"
        )
    return forms[0]


def _captured(path: str, name: str) -> Quantity:
    """A quantity of a head of a capture.

    Raises:
        LookupError: there is no such head or quantity.
        ValueError: the name does not say which head; the capture cannot be read.
    """
    tower, layer, head, quantity = parse_head(name)
    return load_capture(path).head(layer, head, tower=tower)[quantity]
