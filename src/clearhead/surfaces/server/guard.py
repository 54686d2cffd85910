"""Who may talk to the server, and what a browser may do with what it sends.

The server computes for anyone on this computer who can reach it, so the danger is a web page elsewhere that makes the
person's browser reach it. A page that resolves its own name to 127.0.0.1 (DNS rebinding) is stopped by the Host check,
a page that opens a websocket by the Origin check, and markup in a sentence by the Content-Security-Policy.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMES = ("127.0.0.1", "localhost", "[::1]")
"""The names by which a browser on this computer may call the server."""

HTTP_PORT = 80
"""The port that browsers leave out of Host and Origin."""


class Guard:
    """Middleware that refuses strangers and puts the security headers on every answer, refusals included."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == HTTP_PORT else set())
        self.origins = {f"http://{host}" for host in self.hosts}
        self.headers = security_headers(port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, refuse, or pass on one request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        send = self._with_headers(send)
        refusal = self._refusal(scope)
        if refusal is None:
            await self.app(scope, receive, send)
        else:
            await _refuse(scope, send, *refusal)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the sentence for a stranger, or None."""
        headers = Headers(scope=scope)
        host = headers.getlist("host")
        if len(host) != 1 or host[0].lower() not in self.hosts:
            return 421, f"This server answers only to {' or '.join(sorted(self.hosts))}."
        origin = headers.getlist("origin")
        if scope["type"] == "websocket" and (len(origin) != 1 or origin[0].lower() not in self.origins):
            return 403, "Only a page from this server may open its websocket."
        return None

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers[name] = value
            await send(message)

        return send_with_headers


async def _refuse(scope: Scope, send: Send, status: int, sentence: str) -> None:
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": f"{kind}.start", "status": status, "headers": headers})
    await send({"type": f"{kind}.body", "body": sentence.encode()})


def security_headers(port: int) -> dict[str, str]:
    """The headers of every answer: the page may load its own script and talk to its own server, and nothing else."""
    sockets = " ".join(f"ws://{name}:{port}" for name in NAMES[:2])
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": f"'self' {sockets}",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
