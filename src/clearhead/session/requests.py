"""From a request's text to a reply's bytes. Whatever comes in, what goes out is a frame.

A request is JSON text, `{"id": n, "asks": [message, ...]}`. Its reply is one binary frame (see `clearhead.trace.wire`)
whose header is `{"clearhead": 1, "id": n, "replies": [{"data": ..., "buffers": [...]}, ...]}`: one reply for each
message, in order. A request that cannot be read has one reply, an error, and the id null unless it could be read.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from clearhead.trace.wire import ALIGNMENT, describe, frame

PROTOCOL = 1

MOST_ASKS = 32
"""The page asks for a handful at a time."""

Reply = tuple[Mapping[str, Any], list[np.ndarray]]

FAILED = "Something went wrong inside Clearhead; the log of the program that answers says what."

log = logging.getLogger(__name__)


class Answer(Protocol):
    """What a session gives back: JSON-able data, and the arrays that it refers to by number."""

    @property
    def data(self) -> Mapping[str, Any]:
        """The reply's data."""

    @property
    def buffers(self) -> list[np.ndarray]:
        """The reply's arrays, float64, float32, int32 or uint8."""


class Door(Protocol):
    """What answers messages: `clearhead.session.Session`, or a stand-in in a test."""

    def ask(self, message: Mapping[str, Any]) -> Answer:
        """Answer one message."""


class RequestError(ValueError):
    """A request that cannot be read, in one sentence."""

    def __init__(self, sentence: str, number: int | None = None) -> None:
        self.number = number
        super().__init__(sentence)


def answer(session: Door, text: str) -> bytes:
    """The reply to one request; never raises because of what the request holds."""
    try:
        number, asks = read_request(text)
    except RequestError as error:
        return _reply(error.number, [(_error(str(error), "request"), [])])
    replies = [_answer_one(session, message) for message in asks]
    try:
        return _reply(number, replies)
    except Exception:  # what a session gave cannot be written: ours to mend, and logged whole
        log.exception("a reply could not be written")
        return _reply(number, [(_error(FAILED, "server"), [])] * len(asks))


def read_request(text: str) -> tuple[int | None, list[Any]]:
    """The id and the messages of a request.

    Raises:
        RequestError: it is not JSON, has another form, or asks for too much at once.
    """
    request = _parse(text)
    if not isinstance(request, dict):
        raise RequestError("The request is not a JSON object; expected one with the fields id and asks.")
    number, asks = request.get("id"), request.get("asks")
    if isinstance(number, bool) or not isinstance(number, int) or abs(number) > 2**53:
        raise RequestError("id: expected a whole number.")
    if not isinstance(asks, list):
        raise RequestError("asks: expected a list of messages.", number)
    if len(asks) > MOST_ASKS:
        raise RequestError(f"asks: there are {len(asks)} messages; expected at most {MOST_ASKS}.", number)
    return number, asks


def _parse(text: str) -> Any:
    try:
        request = json.loads(text, parse_constant=_refuse_constant)
        if "\\u" in text:
            # Half a surrogate pair is valid JSON but no text, and could not be sent back.
            json.dumps(request, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise RequestError("The request holds half of a surrogate pair; expected text.") from None
    except RecursionError:
        raise RequestError("The request is nested too deeply; expected a few levels.") from None
    except ValueError:
        raise RequestError("The request is not valid JSON.") from None
    return request


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _answer_one(session: Door, message: Any) -> Reply:
    if not isinstance(message, dict):
        return _error("A message is not a JSON object; expected one with the field ask.", "ask"), []
    try:
        view = session.ask(message)
        return view.data, [np.ascontiguousarray(buffer) for buffer in view.buffers]
    except Exception:
        # A mistake of a person's never gets here: the session answers it. This is one of ours, and is logged whole.
        log.exception("%r failed", message.get("ask"))
        return _error(FAILED, "server"), []


def _error(sentence: str, where: str) -> dict[str, Any]:
    return {"kind": "error", "message": sentence, "where": where}


def _reply(number: int | None, replies: list[Reply]) -> bytes:
    described, everything, offset = [], [], 0
    for data, buffers in replies:
        described.append({"data": data, "buffers": describe(buffers, offset)})
        everything += buffers
        offset += sum(buffer.nbytes + (-buffer.nbytes % ALIGNMENT) for buffer in buffers)
    return frame({"clearhead": PROTOCOL, "id": number, "replies": described}, everything)
