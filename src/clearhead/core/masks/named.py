"""Reading the name of a mask.

    mask = all {"|" all}          a key may be seen where one of them allows it
    all  = one {"&" one}          where each of them does ("&" binds tighter than "|")
    one  = kind ["(" numbers ")"] ["+" number]

"causal & window(8) & keys(3:19)" is a decoder's sliding window with padding around. "+5" says that the first query
stands at position 5, as 5 earlier keys lie in a cache: "causal+5".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from clearhead.core.masks import kinds
from clearhead.core.masks.base import Mask, every, later, some

MASKS = {mask.name: mask for mask in (kinds.none(), kinds.causal())}
"""The masks that are only a word: those that a worked example chooses from."""

ONE = re.compile(r"(\w+)(?:\(([^()]*)\))?(?:\+(\d+))?", re.ASCII)


@dataclass(frozen=True)
class Kind:
    """One kind of mask, as it may be written.

    Attributes:
        form: how it is written, for messages.
        numbers: what stands between the brackets, as a pattern; empty if there are none.
        make: from the numbers to the mask.
        fits: whether the numbers make sense; `form` says when they do.
        looks_at_the_query: whether it matters where the query stands.
    """

    form: str
    numbers: str
    make: Callable[..., Mask]
    fits: Callable[..., bool] = lambda *numbers: True
    looks_at_the_query: bool = True


KINDS = {
    "none": Kind("none", "", kinds.none, looks_at_the_query=False),
    "causal": Kind("causal", "", kinds.causal),
    "window": Kind("window(N) with N from 1", r"\d+", kinds.window, lambda size: size > 0),
    "band": Kind("band(N)", r"\d+", kinds.band),
    "chunk": Kind("chunk(N) with N from 1", r"\d+", kinds.chunk, lambda size: size > 0),
    "keys": Kind(
        "keys(A:B) with A up to B", r"\d+\s*:\s*\d+", kinds.keys, lambda start, end: start <= end, False
    ),
    "rows": Kind("rows(A:B) with A up to B", r"\d+\s*:\s*\d+", kinds.rows, lambda start, end: start <= end),
    "prefix": Kind("prefix(N)", r"\d+", kinds.prefix, looks_at_the_query=False),
    "documents": Kind(
        "documents(A,B,...) with growing numbers",
        r"\d+(\s*,\s*\d+)*",
        kinds.documents,
        lambda *starts: all(a < b for a, b in pairwise(starts)),
    ),
}


@lru_cache(maxsize=256)
def mask_named(name: str) -> Mask:
    """The mask of that name; see the top of this file for how names are written.

    Raises:
        ValueError: names the masks there are, or says how one is written.
    """
    return some([every([_one(one.strip(), name) for one in part.split("&")]) for part in name.split("|")])


def _one(text: str, name: str) -> Mask:
    where = f"mask: {text!r}" + ("" if text == name.strip() else f" in {name!r}")
    found = ONE.fullmatch(text)
    if not found or found[1] not in KINDS:
        forms = ", ".join(kind.form.partition(" ")[0] for kind in KINDS.values())
        raise ValueError(f"{where} is not known; expected one of {forms}, or several with & and |")
    kind, inside, by = KINDS[found[1]], (found[2] or "").strip(), int(found[3] or 0)
    numbers = [int(number) for number in re.findall(r"\d+", inside)]
    if not re.fullmatch(kind.numbers, inside, re.ASCII) or not kind.fits(*numbers):
        raise ValueError(f"{where} has not the right numbers; expected {kind.form}")
    if by and not kind.looks_at_the_query:
        raise ValueError(f"{where} is the same wherever the query stands; expected it without +{by}")
    return later(kind.make(*numbers), by) if by else kind.make(*numbers)
