"""A capture that is written into a folder layer by layer, and may be broken off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from clearhead.surfaces.cli.failing import fail
from clearhead.surfaces.cli.output import printable

STUDY = "study"
"""The name of the model that comes along."""

INTERRUPTED = 130
"""The exit code of what Ctrl-C ended, as shells have it."""


def check_store(output: str) -> None:
    """Refuse what would only be found out when the model is loaded."""
    from clearhead.trace.capture.store_folder import check_folder

    if output.endswith(".safetensors"):
        fail(f"{output}: with --overview the layers are written into a folder; expected the path of one")
    try:
        check_folder(Path(output).expanduser(), output)
    except (OSError, RuntimeError) as error:
        fail(f"{output}: cannot be read ({str(getattr(error, 'strerror', None) or error).lower()})")


@contextmanager
def broken_off(output: str) -> Iterator[None]:
    """What Ctrl-C leaves is said, and that the same command goes on."""
    from clearhead.trace.capture.store_folder import kept_in

    try:
        yield
    except KeyboardInterrupt:
        kept = kept_in(output)
        layers = "1 layer is" if kept == 1 else f"{kept or 'no'} layers are"
        typer.echo(
            f"clearhead: stopped; {layers} kept whole in {printable(output)}, and the same command goes on from there",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
