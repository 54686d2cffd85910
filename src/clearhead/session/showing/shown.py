"""An object as a page shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clearhead.lenses.diagnose import Report
from clearhead.session.door import Session
from clearhead.session.showing.address import Page, address_of
from clearhead.session.view import View
from clearhead.trace.capture.capture import Capture


@dataclass(frozen=True)
class Showing:
    """An object as a page shows it. It answers as its session does, but tells of nothing else that could be opened.

    Attributes:
        session: what answers messages about it.
        title: what it is, in a few words.
        name: what it is called in messages.
        page: what the page shows at first.
        parts: which parts come after the stops, by their ids.
        capture, report: what is shown, where it is one.
    """

    session: Session
    title: str
    name: str
    page: Page
    parts: tuple[str, ...]
    capture: Capture | None = None
    report: Report | None = None

    @property
    def address(self) -> str:
        """The page's address of what it shows at first."""
        return address_of(self.page)

    def ask(self, message: Mapping[str, Any]) -> View:
        """Answer one message, see `clearhead.session.Session.ask`."""
        view = self.session.ask(message)
        for listed in ("examples", "models"):
            if view.data["kind"] == listed:
                every: list[Mapping[str, Any]] = view.data[listed]  # type: ignore[typeddict-item]  # of that kind
                if own := [one for one in every if one["name"] == self.name]:
                    return View({**view.data, listed: own}, view.buffers)  # type: ignore[arg-type]
        return view
