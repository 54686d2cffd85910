"""The page's server: loopback only, one websocket, three files."""

from clearhead.surfaces.server.app import create_app
from clearhead.surfaces.server.serving import DEFAULT_PORT, ServeError, serve

__all__ = ["DEFAULT_PORT", "ServeError", "create_app", "serve"]
