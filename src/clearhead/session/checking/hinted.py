"""With which keyword a function would agree that was not told so: rotary positions, ALiBi, a causal mask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from clearhead.lenses.diagnose import Asking, fits
from clearhead.lenses.diagnose.case import ROTARY_BASE
from clearhead.session.checking.told import Told

BASES = (ROTARY_BASE, 5e5, 1e6)
"""Of rotary positions: Su et al. 2021, and those of later models with long contexts."""


def hint(askings: list[Asking], told: Told) -> str:
    """The keywords that would make all answers right, as they are written; nothing where none of them does."""
    types = dict.fromkeys(("float64", "float32", askings[0].dtype))
    square = [
        one for one in askings if len(set(one.case.sizes)) == 1
    ]  # of others it is a convention where they stand
    for others in _others(told, askings[0].reference.d_head) if square else ():
        meant = [
            replace(one, case=replace(one.case, spec=replace(one.case.spec, **others))) for one in square
        ]
        if fits(meant, (), list(types)):
            return ", ".join(f"{name}={value!r}" for name, value in others.items())
    return ""


def _others(told: Told, d_head: int) -> Iterator[dict[str, Any]]:
    """What may be meant beside what was told, one thing at a time."""
    if told.mask == "none":
        yield {"mask": "causal"}
    if not told.alibi:
        yield {"alibi": True}
    if told.rotary:
        yield from ({"rotary_base": base} for base in BASES if base != told.rotary_base)
    elif d_head % 2 == 0:
        for base, pairs in product(BASES, ("halves", "interleaved")):
            yield {"rotary": pairs} | ({"rotary_base": base} if base != ROTARY_BASE else {})
