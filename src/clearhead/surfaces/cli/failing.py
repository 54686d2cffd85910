"""A person's mistake ends a command with one sentence on stderr and exit code 1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from clearhead.surfaces.cli.output import printable
from clearhead.trace.places import file_place


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn what goes wrong in reading and computing into its sentence; rendering stays outside."""
    try:
        yield
    except RecursionError:
        fail("the file is nested too deeply; expected lists of rows of numbers")
    except MemoryError:
        fail("there is not enough memory for this example; expected a shorter sentence or smaller matrices")
    except (ValueError, OverflowError, LookupError) as error:
        # str() of a KeyError is the repr of its sentence.
        fail(str(error.args[0]) if isinstance(error, KeyError) else str(error))


@contextmanager
def to_be_written(*paths: str | None) -> Iterator[None]:
    """Before the work refuse files that cannot be written, and say of it in one sentence if one cannot be after all."""
    given = [path for path in paths if path is not None]
    try:
        for path in given:
            file_place(path)
        yield
    except OSError as error:
        if error.errno is None:  # a sentence already
            fail(str(error))
        where = given[0] if len(given) == 1 else error.filename
        fail(f"{where}: cannot be written ({(error.strerror or str(error)).lower()})")


def fail(sentence: str) -> NoReturn:
    """End the command."""
    typer.echo(f"clearhead: {printable(sentence)}", err=True)
    raise typer.Exit(1)
