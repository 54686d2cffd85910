"""Masks: which key position a query position may see. A mask is a named predicate on (query, key)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["MASKS", "Mask", "mask_named"]


@dataclass(frozen=True)
class Mask:
    """A named predicate.

    Attributes:
        name: how a person asks for it.
        says: what the mask lets positions do, in words.
        rule: the predicate as it is written in formulas, i the query and j the key.
        program: the predicate as it is written in code, over `query` and `key`.
        forbids: why a cell is forbidden, in words, with {query} and {key} to be filled in.
        allows: takes integer arrays of query and key positions (broadcast together), gives a boolean array.
    """

    name: str
    says: str
    rule: str
    program: str
    forbids: str
    allows: Callable[[np.ndarray, np.ndarray], np.ndarray]

    def table(self, queries: int, keys: int) -> np.ndarray:
        """Boolean array (query, key): True where the query may see the key."""
        query, key = np.ogrid[:queries, :keys]
        return np.broadcast_to(self.allows(query, key), (queries, keys))


NONE = Mask(
    "none",
    "every position may look at every position, as in an encoder",
    "always",
    "key == key",
    "",
    lambda query, key: np.ones(np.broadcast(query, key).shape, dtype=bool),
)
CAUSAL = Mask(
    "causal",
    "a position may look at itself and at what came before, as in a decoder",
    "j ≤ i",
    "key <= query",
    "key {key} comes after query {query}, so it may not be seen",
    lambda query, key: key <= query,
)
MASKS = {mask.name: mask for mask in (NONE, CAUSAL)}


def mask_named(name: str) -> Mask:
    """The mask of that name.

    Raises:
        ValueError: names the masks there are.
    """
    if name not in MASKS:
        raise ValueError(f"mask: {name!r} is not known; expected one of {', '.join(MASKS)}")
    return MASKS[name]
