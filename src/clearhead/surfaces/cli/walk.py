"""`clearhead walk`: one attention layer, step by step."""

from __future__ import annotations

from typing import Annotated

import typer

from clearhead.lenses.walkthrough import stops
from clearhead.sources.worked.files import DEFAULT_EXAMPLE, load_example
from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.failing import one_sentence
from clearhead.surfaces.cli.machine import walk_as_data
from clearhead.surfaces.cli.options import EXAMPLE, digits_of, one_of, variation
from clearhead.surfaces.cli.output import make_console, print_json, print_lines
from clearhead.surfaces.cli.reading import Reading
from clearhead.surfaces.cli.steps import walk_lines

STEP_NAMES = tuple(stop.id for stop in stops())


def walk(
    example: Annotated[str, typer.Argument(help=EXAMPLE)] = DEFAULT_EXAMPLE,
    mask: options.Mask = None,
    mask_fill: options.MaskFill = None,
    scale: options.Scale = None,
    positions: options.Positions = None,
    scale_embeddings: options.ScaleEmbeddings = None,
    heads: options.Heads = None,
    step: Annotated[
        str | None, one_of("--step", STEP_NAMES, "Only this step, with all of its matrices.")
    ] = None,
    digits: options.DigitsShown = "2",
    json: options.Json = False,
) -> None:
    """Print attention on a sentence, step by step, with every number.

    With --json, one object: example, tokens, vocabulary, settings;
    quantities, each with name, axes, shape, values (nested lists),
    operation, inputs, formula, says; and stops, each with id, title,
    text, quantities. The score of a masked cell is the string "-inf".
    """
    switches = variation(
        mask=mask,
        mask_fill=mask_fill,
        scale=scale,
        positions=positions,
        scale_embeddings=scale_embeddings,
        heads=heads,
    )
    with one_sentence():
        reading = Reading.of(load_example(example).vary(**switches))
    chosen = [stop for stop in stops() if step in (None, stop.id)]
    if json:
        print_json(walk_as_data(reading, chosen))
    else:
        console = make_console()
        print_lines(console, walk_lines(reading, chosen, console, digits_of(digits)))
