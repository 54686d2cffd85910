"""The kinds of masks, each made from its numbers; `named` finds them by name."""

from __future__ import annotations

import numpy as np

from clearhead.core.masks.base import Mask, Predicate, Spans

EVERY = 2**31 - 1
"""A key after all that there are."""


def _mask(
    name: str, says: str, rule: str, program: str, forbids: str, allows: Predicate, spans: Spans
) -> Mask:
    """A mask whose reason is a sentence with {query} and {key} in it, and whose queries see what lies together."""

    def reason(query: int | str, key: int) -> str:
        return forbids.format(query=query, key=key)

    return Mask(name, says, rule, program, reason, allows, spans)


def none() -> Mask:
    """Nothing is forbidden."""
    return _mask(
        "none",
        "every position may look at every position, as in an encoder",
        "always",
        "key == key",
        "",
        lambda query, key: np.ones(np.broadcast(query, key).shape, dtype=bool),
        lambda query: (0, EVERY),
    )


def causal() -> Mask:
    """Vaswani et al. 2017, section 3.2.3: nothing comes from later positions."""
    return _mask(
        "causal",
        "a position may look at itself and at what came before, as in a decoder",
        "j ≤ i",
        "key <= query",
        "key {key} comes after query {query}",
        lambda query, key: key <= query,
        lambda query: (0, query + 1),
    )


def window(size: int) -> Mask:
    """Beltagy et al. 2020 (Longformer), section 3.1, looking back: `sliding_window` in Hugging Face transformers.

    Later keys it leaves alone: "causal & window(8)" is the window of a decoder.
    """
    return _mask(
        f"window({size})",
        f"a position may look no further back than the last {size} positions, its own among them",
        f"j > i − {size}",
        f"key > query - {size}",
        f"key {{key}} lies outside the window of {size} positions before query {{query}}",
        lambda query, key: key > query - size,
        lambda query: (query - size + 1, EVERY),
    )


def band(reach: int) -> Mask:
    """The window to both sides of Beltagy et al. 2020, section 3.1; the local attention of ModernBERT."""
    return _mask(
        f"band({reach})",
        f"a position may look at most {reach} positions to either side",
        f"i − {reach} ≤ j ≤ i + {reach}",
        f"abs(query - key) <= {reach}",
        f"key {{key}} lies more than {reach} positions from query {{query}}",
        lambda query, key: np.abs(query - key) <= reach,
        lambda query: (query - reach, query + reach + 1),
    )


def chunk(size: int) -> Mask:
    """Positions in blocks that do not see each other; with "causal" the local layers of Llama 4."""
    return _mask(
        f"chunk({size})",
        f"a position may look only at its own chunk of {size} positions",
        f"i and j lie in the same chunk of {size}",
        f"key // {size} == query // {size}",
        f"key {{key}} lies in another chunk of {size} positions than query {{query}}",
        lambda query, key: key // size == query // size,
        lambda query: (query // size * size, query // size * size + size),
    )


def keys(start: int, end: int) -> Mask:
    """Only the keys from `start` to before `end` are words, the others are padding."""
    return _mask(
        f"keys({start}:{end})",
        f"only the keys from {start} to before {end} may be looked at, the others are padding",
        f"{start} ≤ j < {end}",
        f"({start} <= key) & (key < {end})",
        "key {key} is padding",
        lambda query, key: (start <= key) & (key < end),
        lambda query: (start, end),
    )


def prefix(size: int) -> Mask:
    """The first positions, which every one sees: joined with "causal", Raffel et al. 2020, section 3.2.1."""
    return _mask(
        f"prefix({size})",
        f"every position may look at the first {size} positions",
        f"j < {size}",
        f"key < {size}",
        f"key {{key}} is none of the first {size} positions",
        lambda query, key: key < size,
        lambda query: (0, size),
    )


def documents(*starts: int) -> Mask:
    """Sequences packed into one, beginning at these positions; what stands before the first is one more."""

    def document(position: np.ndarray) -> np.ndarray:
        return np.searchsorted(starts, position, side="right")

    def span(query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        edges = np.array([0, *starts, EVERY])
        own = document(query)
        return edges[own], edges[own + 1]

    begun = "sum({} >= start for start in [" + ", ".join(map(str, starts)) + "])"
    return _mask(
        f"documents({','.join(map(str, starts))})",
        "a position may look only at its own document",
        "i and j lie in the same document",
        f"{begun.format('key')} == {begun.format('query')}",
        "key {key} lies in another document than query {query}",
        lambda query, key: document(key) == document(query),
        span,
    )


def rows(start: int, end: int) -> Mask:
    """The queries from `start` to before `end` see everything.

    Padding on the left leaves the first queries of a causal model nothing to see; Hugging Face transformers then lets
    them see every key, because some kernels of PyTorch return NaN for a row without any.
    """
    return _mask(
        f"rows({start}:{end})",
        f"the queries from {start} to before {end}, which are padding, look everywhere",
        f"{start} ≤ i < {end}",
        f"({start} <= query) & (query < {end})",
        f"query {{query}} is none of the padding from {start} to before {end}",
        lambda query, key: (start <= query) & (query < end) & (key == key),
        lambda query: (0, np.where((start <= query) & (query < end), EVERY, 0)),
    )
