"""`clearhead compare`: two models that should be the same, side by side."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clearhead.surfaces.cli.bars import bar
from clearhead.surfaces.cli.capture import captured_by_name, read_text
from clearhead.surfaces.cli.failing import fail, one_sentence
from clearhead.surfaces.cli.groups import NONE_GIVEN, Given, grouped
from clearhead.surfaces.cli.options import Decoder, Json, Loading
from clearhead.surfaces.cli.output import print_json, printable
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.saved import is_capture, load_capture

MODEL = (
    "a model, by folder, file or name on the hub; study; or the file of a capture (see `clearhead capture`)"
)


@grouped
def compare(
    a: Annotated[str, typer.Argument(help=f"What the other should be: {MODEL}.")],
    b: Annotated[str, typer.Argument(help="The other.")],
    text: Annotated[
        str | None,
        typer.Argument(help="What both are to read; not needed for two captures.", show_default=False),
    ] = None,
    file: Annotated[
        str | None, typer.Option("--file", help="A text file (UTF-8) that they are to read.")
    ] = None,
    decoder: Decoder = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance",
            min=0.0,
            help="How far a row may be off, as a part of its size. Default: what rounding explains.",
            show_default=False,
        ),
    ] = None,
    loading: Loading = NONE_GIVEN,
    dtype_b: Annotated[
        str | None,
        typer.Option("--dtype-b", help="The type of b's numbers, where it is not that of both, as bfloat16."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Run them though they seem to need more memory than there is.")
    ] = False,
    json: Json = False,
) -> None:
    """Walk two models side by side that should be the same, and say where they part.

    A port, a copy in another format, two versions of a library: the first
    layer, head, step and position where they part beyond what rounding
    explains, why, and how the difference grows. The exit code is 0 if they
    agree and 1 if they do not.
    """
    captures = [is_capture(a), is_capture(b)]
    if file is not None and text is not None:
        raise typer.BadParameter("expected what the models are to read once: either TEXT or --file.")
    if all(captures) and (unused := _unused(text, file, decoder, loading, dtype_b)):
        raise typer.BadParameter(f"{unused}: would do nothing with two captures; expected it left out.")
    given = {"decoder": decoder, "force": force}
    with one_sentence():
        from clearhead.session.comparing import compared_with_reasons

        read = read_text(text, file)
        how_b = {**loading, **({} if dtype_b is None else {"dtype": dtype_b})}
        try:
            sides = [_side(one, read, given, how) for one, how in ((a, loading), (b, how_b))]
        except ImportError as error:
            fail(str(error))
        with bar("Comparing") as tell:
            found: Any = compared_with_reasons(sides[0], sides[1], tolerance, tell)
    if json:
        print_json(found.as_dict())
    else:
        typer.echo("\n".join(printable(line) for line in str(found).split("\n")))
    raise typer.Exit(0 if found.agrees else 1)


def _unused(
    text: str | None, file: str | None, decoder: str | None, loading: Given, dtype_b: str | None
) -> str | None:
    """What is for models that are run."""
    options = {"TEXT": text, "--file": file, "--decoder": decoder, "--dtype-b": dtype_b}
    options |= {f"--{name.replace('_', '-')}": value for name, value in loading.items()}
    return next((name for name, value in options.items() if value is not None), None)


def _side(name: str, text: str | None, given: dict[str, Any], how: Given) -> Capture:
    """The capture of one of the two."""
    if is_capture(name):
        return load_capture(name)
    if text is None:
        raise ValueError(f"{name}: is a model, not a capture; expected the text that it is to read")
    return captured_by_name(name, text, given, how)
