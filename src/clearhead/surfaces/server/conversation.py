"""One browser tab's websocket."""

from __future__ import annotations

from anyio import CapacityLimiter, to_thread
from starlette.websockets import WebSocket, WebSocketDisconnect

from clearhead.surfaces.server.messages import Door, answer

UNSUPPORTED_DATA = 1003
"""The close code for a frame of the wrong type (RFC 6455, section 7.4.1)."""

MOST_AT_ONCE = 64
"""Requests computed at the same time, over all tabs."""


class Conversation:
    """Answers the requests of a tab, one after another.

    The computing is done in a thread, so that a slow request holds up its own tab only.
    """

    def __init__(self, session: Door) -> None:
        self.session = session
        self.limiter: CapacityLimiter | None = None

    async def talk(self, socket: WebSocket) -> None:
        """Talk until the tab goes away."""
        if self.limiter is None:  # it belongs to the running loop, so not made in __init__
            self.limiter = CapacityLimiter(MOST_AT_ONCE)
        await socket.accept()
        try:
            while True:
                message = await socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                text = message.get("text")
                if text is None:
                    await socket.close(UNSUPPORTED_DATA, "a request is text; expected JSON")
                    return
                # Abandoned when the server stops: nobody is waiting for the answer any more.
                reply = await to_thread.run_sync(
                    answer, self.session, text, abandon_on_cancel=True, limiter=self.limiter
                )
                await socket.send_bytes(reply)
        except (WebSocketDisconnect, RuntimeError):
            return  # the tab closed while its answer was being computed
