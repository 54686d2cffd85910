"""`clearhead figure`: a figure for a paper or a slide, as SVG, PDF or PNG."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.run import with_asides
from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.failing import fail, one_sentence, to_be_written
from clearhead.surfaces.cli.groups import NONE_GIVEN, Given, Group, grouped
from clearhead.surfaces.cli.opening import SOURCE, named_after, saved
from clearhead.surfaces.cli.options import digits_of, one_of, optimiser_of
from clearhead.surfaces.cli.output import printable
from clearhead.surfaces.cli.why import trace_with

KINDS = (
    "A quantity, such as weights or Q,K,V; a cell, such as 'weights[0,3,1]'; lines, heads or loss. Default: weights; "
    "heads of a capture, loss of a training."
)
ENDINGS = (".svg", ".pdf", ".png")
THEMES = ("light", "dark", "grey")


Chosen = Annotated[
    Given,
    Group(
        layer=Annotated[int | None, typer.Option("--layer", min=0, help="Which layer, from 0.")],
        head=Annotated[int | None, typer.Option("--head", min=0, help="Only this head. Default: all.")],
        query=Annotated[
            int | None,
            typer.Option("--query", min=0, help="Of a capture only this query; of lines, in colour."),
        ],
        tower=Annotated[
            str | None, typer.Option("--tower", help="The part of a model of several, such as encoder.")
        ],
        batch=options.Batch,
        score=Annotated[
            str | None,
            typer.Option("--score", help="With heads: one number for every head, such as induction."),
        ],
        step=Annotated[
            int | None, typer.Option("--step", min=0, help="Of a training: the step that is drawn.")
        ],
    ),
]
"""What of it is drawn."""


@grouped
def figure(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help=SOURCE)],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="The file to write: fig.svg, fig.pdf or fig.png. Default: by its name, such as two-heads-weights.svg.",
        ),
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", help=KINDS)] = None,
    chosen: Chosen = NONE_GIVEN,
    width: Annotated[
        str, typer.Option("--width", help="column (3.35 inches) | page (6.9 inches) | inches.")
    ] = "column",
    theme: Annotated[str, one_of("--theme", THEMES, "Colours; grey is for print.")] = "light",
    numbers: Annotated[
        bool, typer.Option("--numbers/--no-numbers", help="Write numbers into cells where they fit.")
    ] = True,
    switches: options.Switches = NONE_GIVEN,
    update: options.Update = NONE_GIVEN,
    digits: options.DigitsShown = "2",
) -> None:
    """Draw a figure for a paper or a slide, as SVG, PDF or PNG.

    A matrix with its numbers, the lines from token to token, all heads of a
    capture, a loss curve, or the arithmetic of a cell. Text stays text, and
    its fonts are in the file. Neither a browser nor a display is needed.

    The switches of examples, from --mask to --learning-rate, are for an
    example; what was saved is what was.
    """
    if context.args:  # the command takes what it does not know, to say where it belongs
        more = " ".join(context.args)
        line = shlex.join(["clearhead", "figure", source, "--kind", more])
        raise typer.BadParameter(f"{more!r}: expected a kind after --kind: {line}")
    output = named_after(source, kind or "figure", ".svg") if output is None else output
    if Path(output).suffix.lower() not in ENDINGS:  # before anything is computed
        fail(
            f"{output or repr(output)}: expected a name that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        )
    from clearhead.surfaces.figure import figure as draw
    from clearhead.surfaces.figure import save_figure

    look: Any = {"width": _inches(width), "theme": theme, "digits": digits_of(digits), "numbers": numbers}
    with one_sentence(), to_be_written(output):
        try:
            save_figure(draw(_opened(source, kind, switches, update), kind, **chosen, **look), output)
        except ImportError as error:
            fail(str(error))
    typer.echo(f"Drawn in {printable(output)}")


def _inches(width: str) -> str | float:
    try:
        return float(width)
    except ValueError:
        return width


def _opened(source: str, kind: str | None, switches: Given, update: Given) -> Any:
    """What is to be drawn: a capture, a training, a saved trace, or an example that is run.

    Raises:
        ValueError: there is no such, or it is damaged; switches are given for what was saved.
        LookupError: the quantity cannot be made.
    """
    kept = saved(source)
    if kept is None:
        example, names = load_example(source).vary(**switches), _names(kind)
        if not names:
            return with_asides(trace_with("weights", example, optimiser_of(NONE_GIVEN)), 0)
        return max((trace_with(name, example, optimiser_of(update)) for name in names), key=len)
    if unfit := [*switches, *update]:
        raise ValueError(
            f"--{unfit[0].replace('_', '-')}: cannot change what was saved; expected an example with it"
        )
    return kept


def _names(kind: str | None) -> list[str]:
    """The quantities that a kind names, which an example's trace has to have."""
    if kind in (None, "lines", "heads"):
        return []
    return [
        name.partition("[")[0].strip() for name in str(kind).split(",") if not name.strip("]- ").isdigit()
    ]
