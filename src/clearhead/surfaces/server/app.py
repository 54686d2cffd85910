"""The application: its routes, behind the guard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute

from clearhead.session.requests import Door
from clearhead.surfaces.server.conversation import Conversation
from clearhead.surfaces.server.guard import Guard

LOOPBACK = "127.0.0.1"

BUNDLE = files("clearhead") / "static"

HTML, JAVASCRIPT = "text/html; charset=utf-8", "text/javascript; charset=utf-8"

PAGES = {"/": ("index.html", HTML), "/gallery": ("index.html", HTML), "/app.js": ("app.js", JAVASCRIPT)}
"""Every file that is ever sent, by its path: nothing is looked up by a name that came from outside."""

NOT_BUILT = (
    "The page has not been built; run `npm ci && npm run build` in the folder frontend, then load it again."
)


def create_app(session: Door, *, host: str = LOOPBACK, port: int, bundle: Traversable = BUNDLE) -> Starlette:
    """The page and its websocket.

    Args:
        session: what answers the messages: `ask(message)` returns a view with `data` and `buffers`.
        host: the address it will be served on; only the loopback address is accepted.
        port: the port it will be served on, which the Host and Origin of every request must name.
        bundle: the folder with index.html and app.js.

    Raises:
        ValueError: `host` is not 127.0.0.1.
    """
    if host != LOOPBACK:
        raise ValueError(
            f"host: {host!r} is not allowed; expected {LOOPBACK}: the server is for this computer only"
        )
    routes = [
        *(Route(path, _sender(bundle / name, media_type)) for path, (name, media_type) in PAGES.items()),
        WebSocketRoute("/ws", Conversation(session).talk),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, port=port)])


def is_built(bundle: Traversable = BUNDLE) -> bool:
    """Whether the page's files are there."""
    return all((bundle / name).is_file() for name, _ in PAGES.values())


def _sender(file: Traversable, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    """What answers a path with one file, read anew each time so that a rebuilt page needs no restart."""

    # No thread is started for it: to read a file that the system has in memory takes less time than that.
    async def send(request: Request) -> Response:
        try:
            content = file.read_bytes()
        except OSError:
            return PlainTextResponse(NOT_BUILT, status_code=503)
        # The browser asks again each time: an upgraded Clearhead must never run an old page.
        return Response(content, media_type=media_type, headers={"Cache-Control": "no-cache"})

    return send
