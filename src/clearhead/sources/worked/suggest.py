"""A row of E for a word that the example does not know: reproducible, and in the style of the example's own rows."""

from __future__ import annotations

import hashlib

import numpy as np

from clearhead.sources.worked.example import Example


def suggest_row(example: Example, word: str) -> list[float]:
    """A row for the word: d_model numbers in steps of a half, within the range of E.

    The numbers come from the SHA-256 of the word, so the same word gets the same row everywhere; they mean nothing.
    """
    largest = max(float(np.abs(row).max()) for row in example.E.values()) or 1.0
    steps = max(1, round(2 * min(largest, 2.0)))
    digest = hashlib.shake_256(word.encode()).digest(example.d_model)
    return [(byte % (2 * steps + 1) - steps) / 2 for byte in digest]
