"""A report of the checker as answers that are worked out beforehand."""

from __future__ import annotations

from clearhead.session.kept.example import Progress
from clearhead.session.kept.kept import Kept
from clearhead.session.showing import Showing


def keep_report(shown: Showing, tell: Progress | None = None) -> Kept:
    """The report, which is one answer: the recipes of its cells are in it."""
    kept = Kept(shown.title, shown.address, shown.parts)
    message = {"ask": "report"}
    kept.put(message, shown.ask(message))
    if tell is not None:
        tell(1, 1)
    return kept
