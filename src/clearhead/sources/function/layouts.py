"""The order of axes in which a function wants its arrays: to it from (batch, head, position, feature), and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Layout:
    """One order of axes.

    Attributes:
        name: as a person writes it: b batch, h heads, t positions, d features, D all heads' features side by side,
            or the width of x.
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


def _same(x: np.ndarray) -> np.ndarray:
    return x


def _by_position(x: np.ndarray) -> np.ndarray:
    return x.swapaxes(1, 2)


def _one_by_position(x: np.ndarray) -> np.ndarray:
    return x.swapaxes(0, 1)[None]


def _positions_first(x: np.ndarray) -> np.ndarray:
    return x.swapaxes(0, 1)


LAYOUTS = {
    one.name: one
    for one in (
        Layout("bhtd", "(batch, heads, positions, d_head)", True, "apart", _same, _same),
        Layout("bthd", "(batch, positions, heads, d_head)", True, "apart", _by_position, _by_position),
        Layout("htd", "(heads, positions, d_head)", False, "apart", lambda x: x[0], lambda x: x[None]),
        Layout("thd", "(positions, heads, d_head)", False, "apart", lambda x: _by_position(x)[0], _one_by_position),
        Layout("btd", "(batch, positions, d_head)", True, "one", lambda x: x[:, 0], lambda x: x[:, None]),
        Layout("td", "(positions, d_head)", False, "one", lambda x: x[0, 0], lambda x: x[None, None]),
        Layout("btD", "(batch, positions, D)", True, "joined", _same, _same),
        Layout("tbD", "(positions, batch, D)", True, "joined", _positions_first, _positions_first),
        Layout("tD", "(positions, D)", False, "joined", lambda x: x[0], lambda x: x[None]),
    )
}  # fmt: skip
"""In the order in which they are tried."""
