"""What the two models say next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.trace.capture.capture import Capture

LOGIT = 32.0
"""The size that logits are taken to have, in natural-log units: those of language models are of some tens. Captures do
not keep them."""

LEAST = 1e-300


@dataclass(frozen=True)
class NextWords:
    """The likeliest next tokens of one sequence in both.

    Attributes:
        batch: the sequence.
        said: the likeliest in a and in b.
        probabilities: of a's likeliest, in a and in b; None where b does not list it.
        off: the largest difference of a log-probability, of the tokens that both list.
        tolerance: how far it may be.
    """

    batch: int
    said: tuple[str, str]
    probabilities: tuple[float, float | None]
    off: float
    tolerance: float

    @property
    def agrees(self) -> bool:
        """Whether they are as near as rounding explains."""
        return self.off <= self.tolerance

    def __str__(self) -> str:
        """In one line."""
        mine, theirs = self.probabilities
        there = "not among its likeliest" if theirs is None else f"{theirs:.4f} in b"
        which = f" of sequence {self.batch}" if self.batch else ""
        both = (
            f"both say “{self.said[0]}”"
            if self.said[0] == self.said[1]
            else f"a says “{self.said[0]}”, b “{self.said[1]}”"
        )
        return (
            f"Next token{which}: {both} (the first: {mine:.4f} in a, {there}); log-probabilities differ by up to "
            f"{self.off:.1e}, {'within' if self.agrees else 'beyond'} {self.tolerance:.1e}."
        )


def next_words(a: Capture, b: Capture, relative: float) -> tuple[NextWords, ...]:
    """The next tokens of every sequence, where both captures have some.

    Args:
        a, b: the captures.
        relative: how far a row may be off at the end.
    """
    both = zip(a.next_words, b.next_words, strict=False)
    return tuple(
        _of(batch, mine, theirs, relative) for batch, (mine, theirs) in enumerate(both) if mine and theirs
    )


def _of(
    batch: int, mine: tuple[dict[str, Any], ...], theirs: tuple[dict[str, Any], ...], relative: float
) -> NextWords:
    listed = {word["id"]: word["probability"] for word in theirs}
    pairs = [(word["probability"], listed[word["id"]]) for word in mine if word["id"] in listed]
    logs = np.log(np.maximum(np.array(pairs).reshape(-1, 2), LEAST))
    off = float(np.abs(logs[:, 0] - logs[:, 1]).max(initial=0.0)) if pairs else np.inf
    said = (str(mine[0]["text"]), str(theirs[0]["text"]))
    first = (float(mine[0]["probability"]), listed.get(mine[0]["id"]))
    return NextWords(batch, said, first, off, LOGIT * relative)
