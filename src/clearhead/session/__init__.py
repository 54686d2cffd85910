"""The session: the one door between those who show and those who compute."""

from clearhead.session.door import Session
from clearhead.session.states import MOST_WORDS
from clearhead.session.view import View

__all__ = ["MOST_WORDS", "Session", "View"]
