"""Answers that are worked out beforehand, for a page that has no session to ask."""

from clearhead.session.kept.example import keep_example, keep_training
from clearhead.session.kept.kept import Kept

__all__ = ["Kept", "keep_example", "keep_training"]
