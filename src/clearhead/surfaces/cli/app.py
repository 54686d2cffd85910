"""The command `clearhead` and its subcommands."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from clearhead.surfaces.cli.capture import capture
from clearhead.surfaces.cli.check import check
from clearhead.surfaces.cli.compare import compare
from clearhead.surfaces.cli.examples import examples
from clearhead.surfaces.cli.figure import figure
from clearhead.surfaces.cli.flags import flags_of
from clearhead.surfaces.cli.heads import heads
from clearhead.surfaces.cli.html import html
from clearhead.surfaces.cli.model import model
from clearhead.surfaces.cli.options import NoBrowser, Port
from clearhead.surfaces.cli.output import silence_output, survive_ascii
from clearhead.surfaces.cli.serve import serve, start
from clearhead.surfaces.cli.table import table
from clearhead.surfaces.cli.train import train
from clearhead.surfaces.cli.walk import walk
from clearhead.surfaces.cli.why import why
from clearhead.surfaces.cli.worksheet import worksheet
from clearhead.trace.capture.arguments import called_by

app = typer.Typer(
    name="clearhead",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from clearhead import __version__

        typer.echo(f"clearhead {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
]


@app.callback(invoke_without_command=True)
def clearhead(
    context: typer.Context, port: Port = None, no_browser: NoBrowser = False, version: Version = False
) -> None:
    """See every number inside attention, and where it came from.

    Without a command: opens the walkthrough in the browser.
    """
    name = context.invoked_subcommand
    group: Any = context.command  # of click, which typer may bring under another name
    context.with_resource(called_by(flags_of(group if name is None else group.get_command(context, name))))
    if name is None:
        start(None, port, no_browser)
    elif port is not None or no_browser:
        raise typer.BadParameter(
            "--port and --no-browser belong after the command: clearhead serve --port ..."
        )


app.command()(serve)
app.command()(walk)
app.command(context_settings={"ignore_unknown_options": True})(why)  # an index may be negative
app.command()(train)
app.command()(model)
app.command()(examples)
app.command()(check)
app.command()(compare)
app.command()(capture)
app.command()(heads)
app.command(context_settings={"allow_extra_args": True})(figure)  # which says where a kind belongs
app.command()(html)
app.command()(table)
app.command()(worksheet)


def main() -> None:
    """Run the command. Where its output cannot be written, it ends with one sentence and exit code 1."""
    if sys.stdout is None:  # closed by whoever called
        sys.exit("clearhead: the output is closed; expected somewhere to print to" if sys.stderr else 1)
    survive_ascii()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:
        silence_output()
        sys.exit(f"clearhead: the output cannot be written ({(error.strerror or str(error)).lower()})")
