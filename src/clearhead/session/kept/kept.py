"""What a page is to know that has no session to ask."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clearhead.session.view import View


@dataclass
class Kept:
    """Answers by the message that asks for them, and how the page begins.

    Attributes:
        title: what the page is about, in a few words.
        address: what it begins with; see `state/url.ts` of the page.
        parts: which parts of the page come after the stops.
        own: the switches as the example came with them: a state that says one of them says nothing new.
        steps: the steps of a training that are kept, in order.
        answers: the views, by `key_of` their messages.
    """

    title: str
    address: str
    parts: tuple[str, ...] = ()
    own: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[int, ...] = ()
    answers: dict[str, View] = field(default_factory=dict)

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
        self.answers[key_of(message)] = view


def key_of(message: Mapping[str, Any]) -> str:
    """The same text for messages that ask the same."""
    return json.dumps(message, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
