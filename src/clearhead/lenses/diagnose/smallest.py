"""The smallest example on which a function and the reference differ: few tokens, small whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.axes import FEATURE, KEY, QUERY
from clearhead.core.head import Head, attend
from clearhead.lenses.diagnose.case import Case, Spec
from clearhead.lenses.diagnose.probes import Sizes, shapes
from clearhead.trace.trace import Recorder, Trace

CLEAR = 0.01
"""Two numbers that differ by this much differ in what a person reads."""
TRIES = 5
"""Different numbers of one size that are tried."""


@dataclass(frozen=True, eq=False)
class Smallest:
    """One small case, with both answers.

    Attributes:
        case: what was asked.
        yours: the function's output, without the batch: (queries, d_value), heads in front if there are several; joined
            (queries, heads * d_value).
        right: the reference's.
        cell: the index of the cell that is furthest off.
        trace: the reference, every number with its recipe; None where heads come joined or from projections.
    """

    case: Case
    yours: np.ndarray
    right: np.ndarray
    cell: tuple[int, ...]
    trace: Trace | None

    def lines(self) -> list[str]:
        """The example as text: what goes in, both outputs, and the right cell worked."""
        given = {name: _plain(array) for name, array in self.case.given.items()}
        tokens, place = self.case.sizes[1], ",".join(map(str, self.cell))
        mask = "" if self.case.spec.mask == "none" else f", mask {self.case.spec.mask}"
        lines = [f"The smallest example found has {tokens} tokens{mask}:"]
        for name, array in given.items():
            lines += [f"  {name}{line}" for line in _rows(array)]
        lines += [f"  yours{line}" for line in _rows(self.yours)]
        lines += [f"  right{line}" for line in _rows(self.right)]
        lines += [f"At [{place}] yours is {self.yours[self.cell]:.6g}, right is {self.right[self.cell]:.6g}."]
        if self.trace is not None:
            lines += ["", *str(self.trace["mixed"].explain(*self.cell)).splitlines()]
        return lines

    def as_dict(self) -> dict[str, Any]:
        """In plain types."""
        return {
            "given": {name: array.tolist() for name, array in self.case.given.items()},
            "mask": self.case.spec.mask,
            "yours": _listed(self.yours), "right": _listed(self.right), "cell": list(self.cell),
        }  # fmt: skip


def small_cases(spec: Spec, seed: int) -> Iterator[Case]:
    """Cases of whole numbers from -2 to 3, the smallest first."""
    even = 2 if spec.rotary else 1
    for tokens in (2, 3, 4, 5):
        for d_head in (1, 2, 4):
            if d_head % even == 0:
                sizes = Sizes(1, tokens, tokens, d_head, d_head)
                for number in range(TRIES):
                    random = np.random.default_rng([seed, tokens, d_head, number])
                    given = {
                        name: random.integers(-2, 4, size=shape).astype(float)
                        for name, shape in shapes(spec, sizes).items()
                    }
                    yield Case("small", spec, given)


def smallest(case: Case, yours: np.ndarray, right: np.ndarray) -> Smallest | None:
    """The example of this case, if its answers differ so that a person sees it."""
    off = np.abs(yours - right)
    off = np.where(np.isnan(yours) & ~np.isnan(right), np.inf, off)
    if not np.nanmax(off, initial=0.0) >= CLEAR:
        return None
    alone = not (case.spec.joined or case.weights) and case.spec.heads == 1
    yours, right, off = (_plain(one) for one in (yours, right, off))
    cell = tuple(int(place) for place in np.unravel_index(np.nanargmax(off), off.shape))
    return Smallest(case, yours, right, cell, traced(case) if alone and case.spec.rotary is None else None)


def traced(case: Case) -> Trace:
    """The reference of a case with one head, every number with its recipe."""
    step, spec = Recorder(finite=False), case.spec
    given = {name: array[0, 0] for name, array in case.given.items()}
    Q = step.given("Q", (QUERY, FEATURE), given["Q"])
    K = step.given("K", (KEY, FEATURE), given["K"])
    V = step.given("V", (KEY, FEATURE), given["V"])
    attend(step, Q, K, V, Head(spec.scale, spec.soft_cap, spec.mask))
    return Trace(step.quantities, [str(place) for place in range(case.sizes[1])], (), {})


def _plain(array: np.ndarray) -> np.ndarray:
    """Without the axes of size 1 in front."""
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    return array


def _rows(array: np.ndarray) -> list[str]:
    """The rows of a matrix, behind its name: a head's number in front where there are several."""
    if array.ndim == 2:
        width = max(len(_number(one)) for one in array.flat)
        return [
            f"[{place}]  " + "  ".join(_number(one).rjust(width) for one in row)
            for place, row in enumerate(array)
        ]
    return [f"[{head}]{line}" for head, matrix in enumerate(array) for line in _rows(matrix)]


def _number(value: float) -> str:
    return f"{value:.4g}"


def _listed(array: np.ndarray) -> list[Any]:
    """As lists; what is no finite number as a word, for which JSON has no number."""
    return [_listed(one) if one.ndim else float(one) if np.isfinite(one) else str(one) for one in array]
