"""`clearhead why`: the arithmetic of one cell, of an example or of a captured model."""

from __future__ import annotations

from typing import Annotated

import typer

from clearhead.core.names import taken_apart
from clearhead.core.optimise import Optimiser
from clearhead.lenses.explain import explain
from clearhead.sources.worked import Example, run
from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.run import with_asides
from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.captured import names_a_capture, why_of_capture
from clearhead.surfaces.cli.failing import one_sentence
from clearhead.surfaces.cli.groups import NONE_GIVEN, Given, grouped
from clearhead.surfaces.cli.machine import why_as_data
from clearhead.surfaces.cli.opening import look_for
from clearhead.surfaces.cli.options import EXAMPLE, digits_of, optimiser_of
from clearhead.surfaces.cli.output import make_console, print_json, print_lines
from clearhead.surfaces.cli.worked import why_lines, written
from clearhead.trace.notation.cell import layer_of, parse_cell
from clearhead.trace.trace import Trace

CELL = (
    "A quantity and the cell's indices from 0: 'weights[0,3,1]', or weights 0 3 1, or dW_Q 0 1, or loss; of a capture "
    "the head before it: 'L3H1.weights[7,2]'."
)
FROM = f"{EXAMPLE[:-1]}; or the file of a capture (see `clearhead capture`)."


@grouped
def why(
    example: Annotated[str, typer.Argument(help=FROM)],
    cell: Annotated[list[str], typer.Argument(help=CELL)],
    switches: options.Switches = NONE_GIVEN,
    update: options.Update = NONE_GIVEN,
    batch: options.Batch = None,
    digits: options.DigitsShown = "2",
    form: options.As = "text",
    json: options.Json = False,
) -> None:
    """Print where a number came from: its arithmetic, the cells it was made of, and where it goes.

    A gradient is called d and the name of its quantity: dW_Q, dE. The
    first update makes E_next, W_Q_next and so on. The quantities of a
    model of several layers begin with layer0. or layer1. and so on.
    Those of a capture begin with layer and head: L3H1.weights; the
    switches of examples, from --mask to --learning-rate, are not for it.

    With --json, one object: what the page gets for this cell (label,
    place, value, full, formula, terms, lines, sources, feeds, text,
    latex, ...) and number, the value itself, there and in each source.
    The score of a masked cell is the string "-inf".
    """
    if form != "text" and json:
        raise typer.BadParameter("--as and --json exclude each other; the JSON holds the LaTeX too.")
    _refuse_options(cell)
    with one_sentence():
        look_for(example, "example", "capture")
    if names_a_capture(example):
        refuse_switches(switches, update)
        why_of_capture(example, " ".join(cell), batch or 0, digits_of(digits), form=form, json=json)
        return
    if batch is not None:
        raise typer.BadParameter("--batch belongs to captures; an example is one sentence.")
    with one_sentence():
        name, index = parse_cell(" ".join(cell))
        trace = trace_with(name, load_example(example).vary(**switches), optimiser_of(update))
        view = explain(trace, name, index, digits_of(digits))
    if json:
        print_json(why_as_data(view, trace))
    elif form != "text":
        typer.echo(written(trace[name].explain(*index), form, digits_of(digits)))
    else:
        console = make_console()
        print_lines(console, why_lines(view, trace, console, digits_of(digits)))


def refuse_switches(*groups: Given) -> None:
    """Switches of examples, for what was captured."""
    if any(groups):
        raise typer.BadParameter("a capture is what was; the switches of examples cannot change it.")


def _refuse_options(cell: list[str]) -> None:
    """Negative indices look like options, so the command takes what it does not know; only numbers are meant."""
    for part in cell:
        if part.startswith("-") and not part[1:2].isdigit():
            raise typer.BadParameter(f"no such option: {part}")


def trace_with(name: str, example: Example, optimiser: Optimiser) -> Trace:
    """A trace in which the quantity is, if there can be one: gradients and an update come only where they are meant.

    So what a number of the way forwards goes to stays on that way.

    Raises:
        ValueError: the name is that of a gradient or an update, but there is no loss; the message says why.
    """
    trace = run(example)
    layer = layer_of(name)
    trace = with_asides(trace, layer if layer < trace.provenance["settings"]["layers"] else 0)
    if name in trace or not _is_of_the_loop(name, trace):
        return trace
    return trace.backward().update(optimiser)


def _is_of_the_loop(name: str, trace: Trace) -> bool:
    """Whether the name has the form of a gradient (dE, dX_from_XW_Q) or of a part of an update (E_next, E_m_hat)."""
    before, bare = taken_apart(name)
    of = before + bare.removeprefix("d").partition("_from_")[0]
    given = [parameter for parameter, one in trace.items() if one.operation is None]
    return of in trace or any(name.startswith(f"{parameter}_") for parameter in given)
