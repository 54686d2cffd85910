"""One browser tab's websocket."""

from __future__ import annotations

import asyncio
import contextlib
import threading

from starlette.websockets import WebSocket, WebSocketDisconnect

from clearhead.session.requests import Door, answer

UNSUPPORTED_DATA, TRY_AGAIN_LATER = 1003, 1013
"""Close codes: a frame of the wrong type (RFC 6455, section 7.4.1), and too much at once (IANA's registry)."""

MOST_WAITING = 256
"""Requests of a tab that may wait for the one being computed."""


class Conversation:
    """Answers the requests of a tab, one after another.

    The computing is done in a thread, so that a slow request holds up its own tab only, and reading goes on meanwhile,
    so that a tab that closes, or a server that stops, waits for nothing.
    """

    def __init__(self, session: Door) -> None:
        self.session = session

    async def talk(self, socket: WebSocket) -> None:
        """Talk until the tab goes away."""
        await socket.accept()
        requests: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        answering = asyncio.create_task(self._answer_all(socket, requests))
        try:
            await _read_all(socket, requests)
        finally:
            answering.cancel()
            await asyncio.wait([answering])

    async def _answer_all(self, socket: WebSocket, requests: asyncio.Queue[str]) -> None:
        # A tab that closes while it is being answered needs no answer.
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                reply = await _in_thread(self.session, await requests.get())
                await socket.send_bytes(reply)


async def _read_all(socket: WebSocket, requests: asyncio.Queue[str]) -> None:
    """Take requests in until the tab goes away, or breaks the rules."""
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        text = message.get("text")
        if text is None:
            await socket.close(UNSUPPORTED_DATA, "a request is text; expected JSON")
            return
        if requests.full():
            await socket.close(TRY_AGAIN_LATER, f"{MOST_WAITING} requests are waiting already")
            return
        requests.put_nowait(text)


async def _in_thread(session: Door, text: str) -> bytes:
    """The reply, computed in a thread that does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    reply: asyncio.Future[bytes] = loop.create_future()

    def deliver(outcome: bytes | BaseException) -> None:
        if reply.cancelled():
            return
        if isinstance(outcome, bytes):
            reply.set_result(outcome)
        else:
            reply.set_exception(outcome)

    def work() -> None:
        outcome: bytes | BaseException
        try:
            outcome = answer(session, text)
        except BaseException as error:
            outcome = error
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(deliver, outcome)

    threading.Thread(target=work, name="clearhead-answer", daemon=True).start()
    return await reply
