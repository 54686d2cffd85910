"""`clearhead serve`: the page, on this computer only."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from clearhead.sources.worked import Example
from clearhead.sources.worked.files import load_example, shipped_names
from clearhead.surfaces.cli.failing import fail, one_sentence
from clearhead.surfaces.cli.options import EXAMPLE, NoBrowser, Port
from clearhead.surfaces.cli.output import printable

if TYPE_CHECKING:
    from clearhead.session import Session


def serve(
    example: Annotated[str | None, typer.Argument(help=EXAMPLE, show_default=False)] = None,
    port: Port = None,
    no_browser: NoBrowser = False,
) -> None:
    """Serve the walkthrough on this computer and open it in the browser."""
    start(example, port, no_browser)


def start(example: str | None, port: int | None, no_browser: bool) -> None:
    """Serve until Ctrl-C."""
    extra, fragment = _chosen(example)
    # Only here: the other commands need no server, and `--help` should not wait for one.
    from clearhead.session import Session

    serve_page(Session(extra_examples=extra), fragment, port, no_browser)


def serve_page(
    session: Session,
    fragment: str,
    port: int | None,
    no_browser: bool,
    served: Callable[[], None] = lambda: None,
) -> None:
    """Serve the page until Ctrl-C.

    Args:
        session: what answers the page.
        fragment: the part of the page's address that says what it opens with.
        port: see `clearhead.surfaces.server.serve`.
        no_browser: whether the page is not to be opened.
        served: called when the address has been said.
    """
    from clearhead.surfaces.server import ServeError
    from clearhead.surfaces.server import serve as run_server
    from clearhead.surfaces.server.app import NOT_BUILT, is_built

    if not is_built():
        typer.echo(f"clearhead: {NOT_BUILT}", err=True)

    def ready(address: str) -> None:
        typer.echo(f"Clearhead is at {address}{fragment} (Ctrl-C stops it)")
        if not no_browser:
            # In a thread: where the only browser is a text one, opening it waits for its end.
            threading.Thread(target=webbrowser.open, args=(address + fragment,), daemon=True).start()
        served()

    try:
        run_server(session, port=port, ready=ready)
    except ServeError as error:
        fail(str(error))


def _chosen(example: str | None) -> tuple[dict[str, Example], str]:
    """The person's own examples for the session, and the part of the address that opens the example."""
    if example is None:
        return {}, ""
    with one_sentence():
        loaded = load_example(example)
    if example in shipped_names():
        return {}, f"#example={quote(example, safe='')}"
    # A file may be called as an example that ships; then its suffix tells them apart.
    name = f"{loaded.name}.toml" if loaded.name in shipped_names() else loaded.name
    return {printable(name): loaded}, f"#example={quote(printable(name), safe='')}"
