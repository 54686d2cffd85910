"""The smallest example on which a function and the reference differ: few tokens, small whole numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        weights: the function's own, where it returned them: (queries, keys), heads in front if there are several.
    """

    case: Case
    yours: np.ndarray
    right: np.ndarray
    reference: Trace
    done: Trace | None
    step: str
    cell: tuple[int, ...] | None
    weights: np.ndarray | None = None

    @property
    def known(self) -> Trace:
        """What is known of what the function does: `done`, or what it was given and what it gave back."""
        return answered(self.reference, self.yours, self.weights) if self.done is None else self.done

    def compared(self) -> list[tuple[str, np.ndarray, np.ndarray]]:
        """Both sides of what is known of the function: its output, and before it the weights that it returned."""
        output = [("", self.yours, self.right)]
        if self.weights is None or self.done is not None:
            return output
        return [("weights, ", self.weights, self.reference["weights"].values), *output]

    def as_dict(self) -> dict[str, Any]:
        """In plain types."""
        return {
            "given": {name: array.tolist() for name, array in self.case.given.items()},
            "weights": {name: array.tolist() for name, array in self.case.weights.items()},
            "mask": self.case.spec.mask,
            "yours": _listed(self.yours), "right": _listed(self.right),
            "returned_weights": None if self.weights is None else _listed(self.weights),
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
    case: Case,
    yours: np.ndarray,
    right: np.ndarray,
    mistakes: Sequence[Mistake] = (),
    weights: np.ndarray | None = None,
) -> Smallest | None:
    """The example of this case, if its answers differ so that a person sees it.

    Args:
        case: what was asked.
        yours: the function's answer.
        right: the reference's.
        mistakes: what explains the function's answers, if that is known.
        weights: (batch, heads, queries, keys) the function's own, where it returned them.
    """
    with np.errstate(invalid="ignore"):
        off = np.abs(yours - right)
    if not (np.isnan(off).any() or off.max(initial=0.0) >= CLEAR):
        return None
    reference = traced(case)
    done = _done(case, mistakes, reference) if mistakes else None
    if weights is not None:
        weights = plain(weights)
        weights = weights if weights.shape == reference["weights"].values.shape else None
    known = done or answered(reference, plain(yours), weights)
    return Smallest(case, plain(yours), plain(right), reference, done, *_parts(reference, known), weights)


def _done(case: Case, mistakes: Sequence[Mistake], reference: Trace) -> Trace | None:
    """The case with the mistakes, where its steps can stand beside the reference's."""
    try:
        done = traced(case, [one.changes for one in mistakes])
    except IMPOSSIBLE:
        return None
    alike = all(done[name].values.shape == one.values.shape for name, one in reference.items())
    return done if alike else None


def _parts(reference: Trace, known: Trace) -> tuple[str, tuple[int, ...] | None]:
    """The first quantity that differs, and its cell that is furthest off."""
    for name, right in reference.items():
        cell = _furthest(known[name].values, right.values) if name in known else None
        if cell is not None:
            return name, cell
    return list(reference)[-1], None


def _furthest(yours: np.ndarray, right: np.ndarray) -> tuple[int, ...] | None:
    with np.errstate(invalid="ignore"):
        off = np.where(yours == right, 0.0, np.abs(yours - right))
    off = np.where(np.isnan(off), np.inf, off)
    place = tuple(map(int, np.unravel_index(int(off.argmax()), off.shape)))
    return place if off[place] > 0 else None


def plain(array: np.ndarray) -> np.ndarray:
    """An array without the axes of size 1 in front."""
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    return array


def _listed(array: np.ndarray) -> list[Any]:
    """As lists; what is no finite number as a word, for which JSON has no number."""
    return [_listed(one) if one.ndim else float(one) if np.isfinite(one) else str(one) for one in array]
