"""What a mask is, and how masks are made of others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

Predicate = Callable[[np.ndarray, np.ndarray], np.ndarray]
Spans = Callable[[np.ndarray], tuple[np.ndarray | int, np.ndarray | int]]
Reason = Callable[[int | str, int], str]


@dataclass(frozen=True)
class Mask:
    """A named predicate.

    Attributes:
        name: how a person asks for it.
        says: what the mask lets positions do, in words.
        rule: the predicate as it is written in formulas, i the query and j the key.
        program: the predicate as it is written in code, over `query` and `key`, for NumPy and PyTorch alike.
        forbids: why a cell that is forbidden is so, in words, of the query and the key.
        allows: takes integer arrays of query and key positions (broadcast together), gives a boolean array.
        spans: of query positions the first key that each may see and the key after the last, where what a query sees
            always lies together; None where it need not. Either may lie outside of the keys there are.
    """

    name: str
    says: str
    rule: str
    program: str
    forbids: Reason
    allows: Predicate
    spans: Spans | None = None

    def table(self, queries: int, keys: int) -> np.ndarray:
        """Boolean array (query, key): True where the query may see the key."""
        query, key = np.ogrid[:queries, :keys]
        return np.broadcast_to(self.allows(query, key), (queries, keys))

    def sees(self, query: int, key: int) -> bool:
        """Whether one query may see one key; no other cell is looked at."""
        return bool(self.allows(np.array(query), np.array(key)))

    def span(self, queries: int, keys: int) -> tuple[np.ndarray, np.ndarray] | None:
        """(queries,) int32 each: the first key that a query may see, and the key after the last; None if `spans` is.

        Where a query may see nothing, the two are the same.
        """
        if self.spans is None:
            return None
        first, after = (
            np.broadcast_to(np.clip(edge, 0, keys), queries) for edge in self.spans(np.arange(queries))
        )
        return first.astype(np.int32), np.maximum(first, after).astype(np.int32)


def later(mask: Mask, by: int) -> Mask:
    """The mask for queries of which the first stands at position `by`: the keys before it lie in a cache."""
    return Mask(
        f"{mask.name}+{by}",
        f"{mask.says} (the first query stands at position {by})",
        re.sub(r"\bi\b", f"(i + {by})", mask.rule),
        re.sub(r"\bquery\b", f"(query + {by})", mask.program),
        lambda query, key: mask.forbids(f"{query} (which stands at position {int(query) + by})", key),
        lambda query, key: mask.allows(query + by, key),
        _moved(mask.spans, by),
    )


def _moved(spans: Spans | None, by: int) -> Spans | None:
    return None if spans is None else lambda query: spans(query + by)


def every(masks: Sequence[Mask]) -> Mask:
    """A key may be seen where all of the masks allow it; the first that does not says why."""
    if len(masks) == 1:
        return masks[0]

    def forbids(query: int | str, key: int) -> str:
        reasons = (one.forbids(query, key) for one in masks if not one.sees(int(query), key))
        return next(reasons, "")

    together = _joined(masks, (" & ", " and ", "; and "), np.logical_and)
    return replace(together, forbids=forbids, spans=_common([one.spans for one in masks]))


def _common(parts: Sequence[Spans | None]) -> Spans | None:
    """What lies together in each of the masks does so in all of them at once."""
    known = [one for one in parts if one is not None]
    if len(known) < len(parts):
        return None

    def spans(query: np.ndarray) -> tuple[np.ndarray | int, np.ndarray | int]:
        firsts, afters = zip(*(one(query) for one in known), strict=True)
        return reduce(np.maximum, firsts), reduce(np.minimum, afters)

    return spans


def some(masks: Sequence[Mask]) -> Mask:
    """A key may be seen where at least one of the masks allows it; where none does, each says why."""
    if len(masks) == 1:
        return masks[0]
    together = _joined(masks, (" | ", " or ", "; or "), np.logical_or)
    return replace(
        together, forbids=lambda query, key: ", and ".join(one.forbids(query, key) for one in masks)
    )


def _joined(masks: Sequence[Mask], signs: tuple[str, str, str], combine: Predicate) -> Mask:
    """All but the reason: the parts with a sign between them, which differs in names, formulas and sentences."""
    sign, in_rules, in_words = signs
    return Mask(
        sign.join(one.name for one in masks),
        in_words.join(one.says for one in masks),
        in_rules.join(one.rule for one in masks),
        sign.join(f"({one.program})" for one in masks),
        masks[0].forbids,
        lambda query, key: reduce(combine, (one.allows(query, key) for one in masks)),
    )
