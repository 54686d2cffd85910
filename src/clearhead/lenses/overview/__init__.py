"""The overview of a captured model: its towers and layers, a small picture of every head, and one head in words."""

from clearhead.lenses.overview.facts import facts
from clearhead.lenses.overview.head import hidden, sink_share
from clearhead.lenses.overview.thumbnails import thumbnails, weights_in
from clearhead.lenses.overview.towers import agreement_in_words, agreement_view, stream, token_views, towers

__all__ = [
    "agreement_in_words", "agreement_view", "facts", "hidden", "sink_share", "stream", "thumbnails",
    "token_views", "towers", "weights_in",
]  # fmt: skip
