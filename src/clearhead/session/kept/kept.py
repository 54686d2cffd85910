"""What a page is to know that has no session to ask."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearhead.session.kept.steps import Steps
from clearhead.session.view import View


@dataclass(frozen=True)
class Answer:
    """A view as it is kept: its numbers may be in whole steps.

    Attributes:
        data: that of the view.
        buffers: its arrays.
        apart: what is only read when it is asked for has a name here, the same for all that is read together; "" is
            there from the beginning.
    """

    data: Any
    buffers: Sequence[np.ndarray | Steps] = ()
    apart: str = ""


@dataclass
class Kept:
    """Answers by the message that asks for them, and how the page begins.

    Attributes:
        title: what the page is about, in a few words.
        address: what it begins with; see `state/url.ts` of the page.
        parts: which parts of the page come after the stops.
        own: the switches as the example came with them: a state that says one of them says nothing new.
        steps: the steps of a training that are kept, in order.
        answers: by `key_of` their messages.
        says: how exact the numbers are, as a sentence; "" where they are all exact.
    """

    title: str
    address: str
    parts: tuple[str, ...] = ()
    own: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[int, ...] = ()
    answers: dict[str, Answer] = field(default_factory=dict)
    says: str = ""

    @property
    def header(self) -> dict[str, Any]:
        """Everything but the answers, JSON-able."""
        return {
            "title": self.title, "address": self.address, "parts": list(self.parts), "own": dict(self.own),
            "steps": list(self.steps),
        }  # fmt: skip

    def put(self, message: Mapping[str, Any], view: View) -> None:
        """Keep the answer to a message.

        Raises:
            ValueError: the answer is that the message cannot be answered.
        """
        if view.data["kind"] == "error":
            raise ValueError(view.data["message"])
        self.answers[key_of(message)] = Answer(view.data, view.buffers)


def key_of(message: Mapping[str, Any]) -> str:
    """The same text for messages that ask the same."""
    return json.dumps(message, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
