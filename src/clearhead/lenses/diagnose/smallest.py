"""The smallest example on which a function and the reference differ: few tokens, small whole numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.lenses.diagnose.asking import IMPOSSIBLE
from clearhead.lenses.diagnose.case import Case, Spec
from clearhead.lenses.diagnose.mistakes import Mistake
from clearhead.lenses.diagnose.probes import Sizes, shapes
from clearhead.lenses.diagnose.traced import answered, traced
from clearhead.trace.trace import Trace

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
        reference: the reference step by step, every number with its recipe.
        done: what the function does step by step, where known mistakes explain it; otherwise None.
        step: the first quantity in which the two traces differ; the last one where `done` is None.
        cell: the index of its cell that is furthest off, None where all of them are equal.
    """

    case: Case
    yours: np.ndarray
    right: np.ndarray
    reference: Trace
    done: Trace | None
    step: str
    cell: tuple[int, ...] | None

    @property
    def known(self) -> Trace:
        """What is known of what the function does: `done`, or what it was given and what it gave back."""
        return answered(self.reference, self.yours) if self.done is None else self.done

    def lines(self) -> list[str]:
        """The example as text: what goes in, both outputs, and the right cell worked."""
        given = {name: _plain(array) for name, array in self.case.given.items()}
        mask = "" if self.case.spec.mask == "none" else f", mask {self.case.spec.mask}"
        lines = [f"The smallest example found has {self.case.sizes[1]} tokens{mask}:"]
        for name, array in given.items():
            lines += [f"  {name}{line}" for line in _rows(array)]
        lines += _weight_lines(self.case.weights)
        lines += [f"  {'yours'}{line}" for line in _rows(self.yours)]
        lines += [f"  {'right'}{line}" for line in _rows(self.right)]
        return [*lines, *self._worked()]

    def _worked(self) -> list[str]:
        if self.cell is None:
            return []
        right = self.reference[self.step]
        place = ",".join(map(str, self.cell))
        yours = self.known[self.step].values[self.cell]
        both = f"{_number(yours)} in yours, and {_number(right.values[self.cell])} is right"
        compared = f"{self.step}[{place}] is {both}:"
        return ["", compared, *str(right.explain(*self.cell)).splitlines()]

    def as_dict(self) -> dict[str, Any]:
        """In plain types."""
        return {
            "given": {name: array.tolist() for name, array in self.case.given.items()},
            "weights": {name: array.tolist() for name, array in self.case.weights.items()},
            "mask": self.case.spec.mask,
            "yours": _listed(self.yours), "right": _listed(self.right),
            "step": self.step, "cell": None if self.cell is None else list(self.cell),
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


def smallest(
    case: Case, yours: np.ndarray, right: np.ndarray, mistakes: Sequence[Mistake] = ()
) -> Smallest | None:
    """The example of this case, if its answers differ so that a person sees it.

    Args:
        case: what was asked.
        yours: the function's answer.
        right: the reference's.
        mistakes: what explains the function's answers, if that is known.
    """
    with np.errstate(invalid="ignore"):
        off = np.abs(yours - right)
    if not (np.isnan(off).any() or off.max(initial=0.0) >= CLEAR):
        return None
    reference = traced(case)
    try:
        done = traced(case, [one.changes for one in mistakes]) if mistakes else None
    except IMPOSSIBLE:
        return None
    step, cell = _parts(reference, done, _plain(yours))
    return Smallest(case, _plain(yours), _plain(right), reference, done, step, cell)


def _parts(reference: Trace, done: Trace | None, yours: np.ndarray) -> tuple[str, tuple[int, ...] | None]:
    """The first quantity that differs, and its cell that is furthest off."""
    last = list(reference)[-1]
    if done is None:
        return last, _furthest(yours, reference[last].values)
    for name, right in reference.items():
        cell = _furthest(done[name].values, right.values)
        if cell is not None:
            return name, cell
    return last, None


def _furthest(yours: np.ndarray, right: np.ndarray) -> tuple[int, ...] | None:
    with np.errstate(invalid="ignore"):
        off = np.where(yours == right, 0.0, np.abs(yours - right))
    off = np.where(np.isnan(off), np.inf, off)
    place = tuple(map(int, np.unravel_index(int(off.argmax()), off.shape)))
    return place if off[place] > 0 else None


def _plain(array: np.ndarray) -> np.ndarray:
    """Without the axes of size 1 in front."""
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    return array


def _weight_lines(weights: Mapping[str, np.ndarray]) -> list[str]:
    """The weights, in words where they are all identities."""
    biases = [name for name in weights if name.startswith("b_") and weights[name].any()]
    plain = [name for name, array in weights.items() if array.ndim == 2 and _is_identity(array)]
    lines = [f"  {', '.join(plain)}: 1 on the diagonal, 0 elsewhere"] if plain else []
    for name, array in weights.items():
        if name not in plain and (array.ndim == 2 or name in biases):
            lines += [f"  {name}{line}" for line in _rows(np.atleast_2d(array))]
    return lines


def _is_identity(array: np.ndarray) -> bool:
    return bool(np.array_equal(array, np.eye(*array.shape)))


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
