"""What an attention is meant to compute, and the numbers it is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from clearhead.core.masks import mask_named

ROTARY_BASE = 10000.0
"""Su et al. 2021, section 3.2.2."""


@dataclass(frozen=True)
class Spec:
    """How the reference computes, apart from the numbers it is given.

    Attributes:
        heads: how many heads the queries have.
        kv_heads: how many the keys and values have; each serves heads / kv_heads heads in a row (Ainslie et al. 2023).
        joined: whether Q, K and V come as (batch, positions, heads * d_head), and the output goes so.
        mask: the name of a mask, see `core.masks`.
        scale: what scores are multiplied by; None: divided by root(d_head).
        soft_cap: the limit that scaled scores are bent to stay within, or None.
        rotary: which features are turned together, "halves" or "interleaved" (see `core.ops.RotateBy`), or None.
        rotary_base: the base of the angles.
        alibi: whether distance is penalised, see `core.ops.Alibi`.
    """

    heads: int = 1
    kv_heads: int = 1
    joined: bool = False
    mask: str = "none"
    scale: float | None = None
    soft_cap: float | None = None
    rotary: str | None = None
    rotary_base: float = ROTARY_BASE
    alibi: bool = False


@dataclass(frozen=True)
class Case:
    """One question to an attention: a reference with its numbers.

    Attributes:
        probe: the name of the kind of numbers, see `probes`.
        spec: how it is to be answered.
        given: Q (batch, heads, queries, d_head), K (batch, kv_heads, keys, d_head) and V (batch, kv_heads, keys,
            d_value); joined (batch, positions, heads * width). Or X (batch, positions, d_model), and perhaps "context"
            of which keys and values are made, or keys alone where "values" is there, too.
        weights: with X: W_Q, W_K, W_V, and perhaps W_O, b_Q, b_K, b_V, b_O; a matrix is (d_in, d_out).
        padding: (batch, keys) True where a key is a word, or None: padding is hidden from every query.
        allowed: (queries, keys), batch and heads in front or not: True where a query may see a key, or None.
    """

    probe: str
    spec: Spec
    given: Mapping[str, np.ndarray]
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)
    padding: np.ndarray | None = None
    allowed: np.ndarray | None = None

    @property
    def sizes(self) -> tuple[int, int]:
        """Queries and keys."""
        queries = self.given["X"] if "X" in self.given else self.given["Q"]
        keys = self.given.get("context", queries) if "X" in self.given else self.given["K"]
        return queries.shape[-2], keys.shape[-2]

    def source(self, name: str) -> np.ndarray:
        """With X: what Q, K or V is made of."""
        given = self.given
        if name == "Q":
            return given["X"]
        return given["values"] if name == "V" and "values" in given else given.get("context", given["X"])

    def visible(self) -> np.ndarray:
        """True where a query may see a key, (queries, keys) or with (batch, heads) in front, heads 1."""
        seen = self.visible_padding()
        return seen if self.padding is None else seen & self.padding[:, None, None, :]

    def visible_padding(self) -> np.ndarray:
        """The same if padding were words."""
        seen = mask_named(self.spec.mask).table(*self.sizes)
        return seen if self.allowed is None else seen & self.allowed
