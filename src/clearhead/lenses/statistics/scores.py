"""What is said of every head in numbers."""

from __future__ import annotations

from collections.abc import Mapping

SCORES: Mapping[str, str] = {
    "entropy": "bits: log2 of the number of keys that it is spread over, if evenly",
    "spread": "the entropy as a share of the largest possible",
    "first": "share on the first token",
    "previous": "share on the token before",
    "next": "share on the token after",
    "induction": "share on what followed the same token before",
    "duplicate": "share on the same token before",
    "distance": "how many tokens away it looks, on average",
    "sink": "share of the sink",
}
"""The scores and what each says."""
