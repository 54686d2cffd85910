"""`clearhead figure`: a figure for a paper or a slide, as SVG, PDF or PNG."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.run import with_asides
from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.failing import fail, one_sentence
from clearhead.surfaces.cli.opening import SOURCE, saved
from clearhead.surfaces.cli.options import digits_of, one_of, optimiser_of, variation
from clearhead.surfaces.cli.output import printable
from clearhead.surfaces.cli.why import trace_with

KINDS = (
    "A quantity, such as weights or Q,K,V; a cell, such as 'weights[0,3,1]'; lines, heads or loss. Default: weights; "
    "heads of a capture, loss of a training."
)
ENDINGS = (".svg", ".pdf", ".png")
THEMES = ("light", "dark", "grey")


def figure(
    source: Annotated[str, typer.Argument(help=SOURCE)],
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write: fig.svg, fig.pdf or fig.png.")
    ],
    kind: Annotated[str | None, typer.Option("--kind", help=KINDS)] = None,
    layer: Annotated[int | None, typer.Option("--layer", min=0, help="Which layer, from 0.")] = None,
    head: Annotated[int | None, typer.Option("--head", min=0, help="Only this head. Default: all.")] = None,
    query: Annotated[
        int | None, typer.Option("--query", min=0, help="Of a capture only this query; of lines, in colour.")
    ] = None,
    tower: Annotated[
        str | None, typer.Option("--tower", help="The part of a model of several, such as encoder.")
    ] = None,
    batch: options.Batch = None,
    score: Annotated[
        str | None, typer.Option("--score", help="With heads: one number for every head, such as induction.")
    ] = None,
    step: Annotated[
        int | None, typer.Option("--step", min=0, help="Of a training: the step that is drawn.")
    ] = None,
    width: Annotated[
        str, typer.Option("--width", help="column (3.35 inches) | page (6.9 inches) | inches.")
    ] = "column",
    theme: Annotated[str, one_of("--theme", THEMES, "Colours; grey is for print.")] = "light",
    numbers: Annotated[
        bool, typer.Option("--numbers/--no-numbers", help="Write numbers into cells where they fit.")
    ] = True,
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
    digits: options.DigitsShown = "2",
) -> None:
    """Draw a figure for a paper or a slide, as SVG, PDF or PNG.

    A matrix with its numbers, the lines from token to token, all heads of a
    capture, a loss curve, or the arithmetic of a cell. Text stays text, and
    its fonts are in the file. Neither a browser nor a display is needed.

    The switches of examples, from --mask to --learning-rate, are for an
    example; what was saved is what was.
    """
    switches = variation(
        mask=mask, mask_fill=mask_fill, scale=scale, positions=positions, scale_embeddings=scale_embeddings,
        heads=heads, norm=norm, norm_place=norm_place, activation=activation, temperature=temperature,
    )  # fmt: skip
    loop = variation(optimiser=optimiser, learning_rate=learning_rate)
    chosen = variation(layer=layer, head=head, query=query, tower=tower, batch=batch, score=score, step=step)
    if Path(output).suffix.lower() not in ENDINGS:  # before anything is computed
        fail(f"{output}: expected a name that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")
    from clearhead.surfaces.figure import figure as draw
    from clearhead.surfaces.figure import save_figure

    with one_sentence():
        try:
            x = _opened(source, kind, switches, loop)
            drawn = draw(
                x,
                kind,
                **chosen,
                width=_inches(width),
                theme=theme,
                digits=digits_of(digits),
                numbers=numbers,
            )
            save_figure(drawn, output)
        except ImportError as error:
            fail(str(error))
        except OSError as error:
            fail(f"{output}: cannot be written ({(error.strerror or str(error)).lower()})")
    typer.echo(f"Drawn in {printable(output)}")


def _inches(width: str) -> str | float:
    try:
        return float(width)
    except ValueError:
        return width


def _opened(source: str, kind: str | None, switches: dict[str, Any], loop: dict[str, Any]) -> Any:
    """What is to be drawn: a capture, a training, a saved trace, or an example that is run.

    Raises:
        ValueError: there is no such, or it is damaged; switches are given for what was saved.
        LookupError: the quantity cannot be made.
    """
    kept = saved(source)
    if kept is None:
        example, names = load_example(source).vary(**switches), _names(kind)
        if not names:
            return with_asides(trace_with("weights", example, optimiser_of(None, None)), 0)
        made = [
            trace_with(name, example, optimiser_of(loop.get("optimiser"), loop.get("learning_rate")))
            for name in names
        ]
        return max(made, key=len)
    if unfit := [*switches, *loop]:
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
