"""Chance that can be had again."""

from __future__ import annotations

import hashlib
import random


class Dice(random.Random):
    """Chance that is the same on every machine and with every version of Python."""

    def shuffle(self, x: list[int]) -> None:  # type: ignore[override]  # the library's own may change with its version
        """Put a list in another order, in place (Fisher and Yates)."""
        for last in range(len(x) - 1, 0, -1):
            other = int(self.random() * (last + 1))
            x[last], x[other] = x[other], x[last]


def dice_of(*what: object) -> Dice:
    """Dice for one purpose: the same words, the same throws."""
    return Dice(int.from_bytes(hashlib.sha256(repr(what).encode()).digest()[:8], "big"))
