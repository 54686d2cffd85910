"""The order of axes in which a function wants its arrays: to it from (batch, head, position, feature), and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Layout:
    """One order of axes.

    Attributes:
        name: as a person writes it: b batch, h heads, t positions, d features, D all heads' features side by side.
        says: in words.
        batch: whether it has a batch; otherwise there is one sentence.
        heads: "apart" (an axis of their own), "joined", or "one".
        give: from the reference's shape, which is (b, h, t, d), or (b, t, D) where heads are joined.
        take: back to it.
    """

    name: str
    says: str
    batch: bool
    heads: str
    give: Callable[[np.ndarray], np.ndarray]
    take: Callable[[np.ndarray], np.ndarray]


LAYOUTS = {
    one.name: one
    for one in (
        Layout("bhtd", "(batch, heads, positions, d_head)", True, "apart", lambda x: x, lambda x: x),
        Layout("bthd", "(batch, positions, heads, d_head)", True, "apart", lambda x: x.swapaxes(1, 2), lambda x: x.swapaxes(1, 2)),
        Layout("htd", "(heads, positions, d_head)", False, "apart", lambda x: x[0], lambda x: x[None]),
        Layout("thd", "(positions, heads, d_head)", False, "apart", lambda x: x[0].swapaxes(0, 1), lambda x: x.swapaxes(0, 1)[None]),
        Layout("btd", "(batch, positions, d_head)", True, "one", lambda x: x[:, 0], lambda x: x[:, None]),
        Layout("td", "(positions, d_head)", False, "one", lambda x: x[0, 0], lambda x: x[None, None]),
        Layout("btD", "(batch, positions, heads * d_head)", True, "joined", lambda x: x, lambda x: x),
        Layout("tD", "(positions, heads * d_head)", False, "joined", lambda x: x[0], lambda x: x[None]),
    )
}  # fmt: skip
"""In the order in which they are tried."""
