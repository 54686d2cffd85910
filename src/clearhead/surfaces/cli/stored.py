"""A capture that is written into a folder layer by layer, and may be broken off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from clearhead.surfaces.cli.failing import fail
from clearhead.surfaces.cli.output import printable
from clearhead.trace.places import try_folder

INTERRUPTED = 130
"""The exit code of what Ctrl-C ended, as shells have it."""


def check_store(output: str) -> None:
    """Refuse what would only be found out when the model is loaded."""
    from clearhead.trace.capture.store_folder import check_folder

    if output.endswith(".safetensors"):
        fail(f"{output}: with --overview the layers are written into a folder; expected the path of one")
    try:
        folder = Path(output).expanduser()
        check_folder(folder, output)
        try_folder(folder if folder.is_dir() else folder.absolute().parent, output)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None)
        fail(str(error) if reason is None else f"{output}: cannot be read ({reason.lower()})")


@contextmanager
def writing_store(output: str) -> Iterator[None]:
    """Refuse at once what can be no store. What Ctrl-C leaves is said, and that the same command goes on."""
    from clearhead.trace.capture.store_folder import kept_in

    check_store(output)
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
