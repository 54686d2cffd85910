"""Answers that are worked out beforehand, for a page that has no session to ask."""

from clearhead.session.kept.capture import keep_capture
from clearhead.session.kept.example import keep_example, keep_recording
from clearhead.session.kept.kept import Answer, Kept
from clearhead.session.kept.report import keep_report
from clearhead.session.kept.steps import PRECISIONS, Precision, Steps

__all__ = [
    "PRECISIONS",
    "Answer",
    "Kept",
    "Precision",
    "Steps",
    "keep_capture",
    "keep_example",
    "keep_recording",
    "keep_report",
]
