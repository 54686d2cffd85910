"""Running the server: a port on the loopback address, until Ctrl-C."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Callable

import uvicorn

from clearhead.session.requests import Door
from clearhead.surfaces.server.app import LOOPBACK, create_app

DEFAULT_PORT = 8377

PORTS_TRIED = 20
"""How many ports after the default are tried before the system chooses one."""

LARGEST_REQUEST = 2**24
"""Bytes. A text of a million tokens, which each request about it carries, is far below it."""

SECONDS_TO_END = 2
"""How long a tab may take to notice that the server is stopping."""


class ServeError(Exception):
    """The server cannot start, in one sentence."""


def serve(session: Door, *, port: int | None = None, ready: Callable[[str], None]) -> None:
    """Serve the page on the loopback address until Ctrl-C.

    Args:
        session: what answers the page's messages.
        port: which port; None: the default or the next free one; 0: any free one.
        ready: called once with the page's address, when the server listens.

    Raises:
        ServeError: the port is in use or may not be used.
    """
    with open_port(port) as listener:
        number: int = listener.getsockname()[1]
        server = _Server(uvicorn.Config(
            create_app(session, port=number),
            ws_per_message_deflate=False,  # compressing costs more time than the loopback saves
            log_config=None, access_log=False, server_header=False, proxy_headers=False,
            ws_max_size=LARGEST_REQUEST, timeout_graceful_shutdown=SECONDS_TO_END,
        ))  # fmt: skip
        server.ready = lambda: ready(f"http://{LOOPBACK}:{number}/")
        # uvicorn raises the signal again after a clean stop; Ctrl-C is how this server is meant to end.
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that says when it listens."""

    ready: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()


def open_port(port: int | None) -> socket.socket:
    """A bound socket on the loopback address.

    Raises:
        ServeError: names the port, and why it cannot be used.
    """
    if port is not None:
        return _bound(port)
    for candidate in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
        with contextlib.suppress(ServeError):
            return _bound(candidate)
    return _bound(0)


def _bound(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # to start again at once on the same port; on Windows it would share a port in use
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()  # two servers may bind one port; only one may listen
    except OSError as error:
        listener.close()
        raise ServeError(_reason(port, error)) from None
    return listener


def _reason(port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use; choose another with --port, or leave --port out to take the next free one."
    if error.errno == errno.EACCES:
        return f"Port {port} may not be opened by this user; choose one from 1024 with --port."
    return f"Port {port} cannot be opened ({(error.strerror or str(error)).lower()})."
