"""`clearhead walk`: a transformer on a sentence, step by step."""

from __future__ import annotations

from typing import Annotated

import typer

from clearhead.lenses.walkthrough import stops
from clearhead.sources.worked import Example
from clearhead.sources.worked.files import DEFAULT_EXAMPLE, load_example
from clearhead.sources.worked.matrices import ExampleError
from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.failing import one_sentence
from clearhead.surfaces.cli.groups import NONE_GIVEN, grouped
from clearhead.surfaces.cli.machine import walk_as_data
from clearhead.surfaces.cli.options import EXAMPLE, digits_of, one_of, optimiser_of
from clearhead.surfaces.cli.output import make_console, print_json, print_lines
from clearhead.surfaces.cli.reading import Reading, traced
from clearhead.surfaces.cli.steps import ONCE, Step, walk_lines
from clearhead.trace.trace import Trace

STEP_NAMES = tuple(stop.id for stop in stops())


@grouped
def walk(
    example: Annotated[str, typer.Argument(help=EXAMPLE)] = DEFAULT_EXAMPLE,
    switches: options.Switches = NONE_GIVEN,
    layer: Annotated[
        int | None,
        typer.Option("--layer", min=0, help="Only this layer, from 0. Default: all, one after another."),
    ] = None,
    step: Annotated[
        str | None, one_of("--step", STEP_NAMES, "Only this step, with all of its matrices.")
    ] = None,
    backwards: Annotated[
        bool, typer.Option("--backwards", help="Go on from the loss: every gradient, and one update.")
    ] = False,
    update: options.Update = NONE_GIVEN,
    all_words: Annotated[
        bool, typer.Option("--all-words", help="Print every word of a large vocabulary.")
    ] = False,
    digits: options.DigitsShown = "2",
    json: options.Json = False,
) -> None:
    """Print a sentence's way to the next word, step by step, with every number.

    --backwards goes on from the loss: the gradients stand beside the
    steps they belong to, and every matrix is moved by one update.

    With --json, one object: example, tokens, vocabulary, settings;
    quantities, each with name, axes, shape, values (nested lists),
    operation, inputs, formula, says; and stops, each with id, layer,
    title, text, quantities. The score of a masked cell is the string
    "-inf".
    """
    with one_sentence():
        chosen = load_example(example).vary(**switches)
        trace = traced(chosen, backwards or step == "update", optimiser_of(update))
        steps = chosen_steps(chosen, trace, layer, step, all_words)
    if json:
        print_json(walk_as_data(steps))
    else:
        console = make_console()
        print_lines(console, walk_lines(steps, console, digits_of(digits), loop=backwards and step is None))


def chosen_steps(
    example: Example, trace: Trace, layer: int | None, step: str | None, all_words: bool
) -> list[Step]:
    """What is to be printed: every layer, or one, with all of its steps, or one.

    Raises:
        ExampleError: there is no such layer, or the model has no such step.
    """
    count = example.settings.layers
    if layer is not None and layer >= count:
        raise ExampleError(
            "layer", f"this model has {count}, counted from 0; expected at most {count - 1}, got {layer}"
        )
    numbers = range(count) if layer is None else [layer]
    readings = [Reading.of(example, trace, number, all_words) for number in numbers]
    steps = [
        Step(reading, stop, number)
        for reading in readings
        for number, stop in enumerate((stop for stop in stops() if stop.stands(reading.layer)), 1)
        if layer is not None or ONCE.get(stop.id, reading.layer.number) % count == reading.layer.number
    ]
    steps.sort(key=lambda one: one.stop.id == "update")  # the loss comes before the update of any layer
    found = [one for one in steps if step in (None, one.stop.id)]
    if not found:
        there = ", ".join(dict.fromkeys(one.stop.id for one in steps))
        raise ExampleError("step", f"this model has no {step!r}; expected one of {there}")
    return found
