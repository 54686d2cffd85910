"""The checker: a person's own attention is asked, its answers are explained, and a report says what came out."""

from clearhead.session.checking.check import check

__all__ = ["check"]
