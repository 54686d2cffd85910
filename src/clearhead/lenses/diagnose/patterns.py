"""How weights or an output are off: each of these is said only if it holds in every answer that was seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from clearhead.lenses.diagnose.asking import IMPOSSIBLE, Asking
from clearhead.lenses.diagnose.mistakes.base import instead
from clearhead.lenses.diagnose.pipeline import changed

CLEAR = 1e-4
"""What is off by less than this share of the largest number counts as equal here."""
FEW, NEARLY = 6, 0.9
"""Up to so many distances each difference is larger than the one before; of more the correlation is at least that."""
FINE = 1e-6
"""What is off by less than this in one place, and by more in another, is off in the other alone."""


@dataclass(frozen=True, eq=False)
class Seen:
    """One answer.

    Attributes:
        asking: the question with the function's output.
        weights: (batch, heads, queries, keys) the function's own, returned or found out; None where there are none.
    """

    asking: Asking
    weights: np.ndarray | None

    @property
    def right(self) -> np.ndarray:
        """The weights of the reference."""
        return self.asking.reference.values["weights"]

    @property
    def scores(self) -> np.ndarray:
        """The scores of the reference as they enter the mask, or the softmax where there is none."""
        run = self.asking.reference
        values = run.values
        return values.get("biased", values.get("soft_capped", values["scaled"]))

    @property
    def visible(self) -> np.ndarray:
        """True where a query may see a key, the shape of the weights."""
        return np.broadcast_to(self.asking.case.visible(), self.right.shape)

    @property
    def blends(self) -> bool:
        """Whether the output is made with these weights: if not, what follows them is done otherwise."""
        run, weights, got = self.asking.reference, self.weights, self.asking.output
        if weights is None or not np.isfinite(weights).all():
            return True
        change = {"weights": instead(lambda run, *inputs: weights)}
        try:
            made = changed(run, [*run.changes, change], [change]).values["output"]
        except IMPOSSIBLE:
            return False
        return made.shape == got.shape and most(made - got) <= 0.01 * most(got)


Known = Sequence[Seen]
"""Answers whose weights are known."""


def sums(known: Known) -> str:
    """What the rows add up to, and whether they are the right ones by a factor."""
    found = np.concatenate([_mine(one).sum(axis=-1).ravel() for one in known])
    by_row = ", each row by one factor" if all(_by_row(one) for one in known) else ""
    if np.ptp(found) <= CLEAR:
        return f"rows add up to {found[0]:.4g}{by_row}"
    return f"rows add up to between {found.min():.4g} and {found.max():.4g}{by_row}"


def _by_row(one: Seen) -> bool:
    ratios = np.divide(_mine(one), one.right, where=one.right > CLEAR, out=np.full(one.right.shape, np.nan))
    steady = np.nanmax(ratios, axis=-1) - np.nanmin(ratios, axis=-1)
    return bool(most(steady) <= CLEAR)


def cells(known: Known, which: Callable[[Seen], np.ndarray], verb: str) -> str:
    """Which cells are let through or hidden."""
    after = [np.subtract(*np.ogrid[: one.right.shape[-2], : one.right.shape[-1]]) for one in known]
    places = (
        (f"only later keys are {verb}", [query_less_key < 0 for query_less_key in after]),
        (f"only a position's own key is {verb}", [query_less_key == 0 for query_less_key in after]),
        (f"only earlier keys are {verb}", [query_less_key > 0 for query_less_key in after]),
    )
    for says, place in places:
        if not any((which(one) & ~here).any() for one, here in zip(known, place, strict=True)):
            return says
    return f"keys are {verb} that should not be"


def factor_of_scores(known: Known) -> str:
    """By which factor the scores are off, if it is one for all, or one for each head and sentence.

    It may be another in other sizes, as where the root of another width is taken.
    """
    sizes: dict[tuple[int, ...], list[Seen]] = {}
    for one in known:
        sizes.setdefault((*one.right.shape[-2:], one.asking.reference.d_head), []).append(one)
    ratios = [_ratio(alike[0]) for alike in sizes.values()]
    if all(_softened(alike, ratio) for alike, ratio in zip(sizes.values(), ratios, strict=True)):
        found = [ratio for ratio in ratios if abs(ratio - 1) > CLEAR] or ratios
        return f"the scores are {_range(found)} times what they should be"
    by_head = [_by_head(alike[0]) for alike in sizes.values()]
    if not all(_softened(alike, ratio) for alike, ratio in zip(sizes.values(), by_head, strict=True)):
        return ""
    others = np.concatenate([one[np.abs(one - 1) > CLEAR] for one in by_head])
    if np.ptp(others) <= CLEAR:
        return f"some scores are {others[0]:.4g} times what they should be"
    return "the scores have another factor in each head or sentence"


def _range(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:.4g}" if high - low <= CLEAR * max(1.0, abs(high)) else f"between {low:.4g} and {high:.4g}"


def _ratio(one: Seen) -> float:
    products, squares = _products(one)
    return float(products.sum() / squares.sum())


def _by_head(one: Seen) -> np.ndarray:
    """(batch, heads, 1, 1)."""
    products, squares = _products(one)
    return np.asarray(products.sum(axis=(-2, -1), keepdims=True) / squares.sum(axis=(-2, -1), keepdims=True))


def _products(one: Seen) -> tuple[np.ndarray, np.ndarray]:
    told = _told(one)
    logs, scores = _centred(logarithms(one, told), told), _centred(one.scores, told)
    return logs * scores, np.maximum(scores**2, 1e-300)


def _softened(known: Known, ratio: np.ndarray | float) -> bool:
    """Whether the weights are those of the scores times this."""
    return all(_alike(one, one.scores * ratio) for one in known)


def _alike(one: Seen, scores: np.ndarray) -> bool:
    """Whether the weights are those of these scores."""
    hidden = np.where(one.visible, scores, -np.inf)
    with np.errstate(all="ignore"):
        exponentials = np.exp(hidden - hidden.max(axis=-1, keepdims=True))
        made = np.nan_to_num(exponentials / exponentials.sum(axis=-1, keepdims=True))
    return bool(np.abs(made - _mine(one)).max(initial=0.0) <= 10 * CLEAR)


def by_distance(first: Seen, known: Known) -> str:
    """How the scores are further off the further apart two positions stand, measured from a position's own score."""
    steep = _slopes(first)
    if steep is not None and all(_alike(one, one.scores + steep * _distance(one)) for one in known):
        if np.ptp(steep) <= CLEAR:
            return f"each position of distance changes the score by {steep.flat[0]:.4g}"
        return "the score changes with the distance, in each head by another number for each position"
    told = [
        one
        for one in known
        if _square(one) and (_told(one) == one.visible).all() and not _alike(one, one.scores)
    ]
    if told and all(_grows(one) for one in told):
        return "the difference grows with the distance of two positions"
    return ""


def _distance(one: Seen) -> np.ndarray:
    queries, keys = one.right.shape[-2:]
    return np.abs(np.subtract.outer(np.arange(queries), np.arange(keys))).astype(float)


def _square(one: Seen) -> bool:
    queries, keys = one.right.shape[-2:]
    return queries == keys and bool(np.diagonal(_told(one), axis1=-2, axis2=-1).all())


def _off_own(one: Seen) -> np.ndarray:
    off = logarithms(one, _told(one)) - one.scores
    return np.asarray(off - np.diagonal(off, axis1=-2, axis2=-1)[..., None])


def _slopes(one: Seen) -> np.ndarray | None:
    """(batch, heads, 1, 1) what each position of distance adds."""
    if not _square(one):
        return None
    distance = _distance(one)
    each = np.where(_told(one) & (distance > 0), _off_own(one) / np.maximum(distance, 1), np.nan)
    return np.asarray(np.nanmean(each, axis=(-2, -1), keepdims=True))


def _grows(one: Seen) -> bool:
    off, told, distance = _off_own(one), _told(one), _distance(one)
    means = [np.abs(off[..., distance == d][told[..., distance == d]]) for d in range(1, off.shape[-1])]
    sizes = [float(one.mean()) for one in means]
    if len(sizes) <= FEW:
        return all(b > a for a, b in pairwise(sizes))
    return float(np.corrcoef(sizes, np.arange(len(sizes)))[0, 1]) >= NEARLY


def lies(wrong: Known) -> str:
    """How outputs are off: everywhere by one factor, or in one place."""
    factors = [_factor(one.asking.output, one.asking.reference.values["output"]) for one in wrong]
    if None not in factors and np.ptp([one for one in factors if one is not None]) <= CLEAR:
        return f"all numbers are {factors[0]:.4g} times what they should be"
    return place([(one.asking.output, one.asking.reference.values["output"]) for one in wrong])


def _factor(got: np.ndarray, right: np.ndarray) -> float | None:
    with np.errstate(all="ignore"):
        ratios = (got / right)[np.abs(right) > CLEAR]
    if ratios.size and np.isfinite(ratios).all() and np.ptp(ratios) <= CLEAR * abs(ratios[0]):
        return float(ratios[0])
    return None


def place(wrong: Sequence[tuple[np.ndarray, np.ndarray]]) -> str:
    """Whether arrays are off in one sentence, one head, or one query alone, the same in all."""
    said = [set(_places(got, right)) for got, right in wrong]
    both = set.intersection(*said) if said else set()
    return next((one for one in _places(*wrong[0]) if one in both), "") if wrong else ""


def _places(got: np.ndarray, right: np.ndarray) -> list[str]:
    off = ~np.isclose(got, right, rtol=FINE, atol=FINE * max(1.0, most(right)), equal_nan=True)
    names = ("sentence", "head", "query") if off.ndim == 4 else ("sentence", "query")
    found = []
    for axis, name in enumerate(names):
        where = np.flatnonzero(off.any(axis=tuple(other for other in range(off.ndim) if other != axis)))
        if len(where) == 1 and off.shape[axis] > 1:
            last = name == "query" and where[0] == off.shape[axis] - 1
            found.append(f"only the last {name} is off" if last else f"only {name} {where[0]} is off")
    return found


def _mine(one: Seen) -> np.ndarray:
    assert one.weights is not None
    return one.weights


def _told(one: Seen) -> np.ndarray:
    return np.asarray(one.visible & (_mine(one) > 0))


def logarithms(one: Seen, told: np.ndarray) -> np.ndarray:
    """Of the weights where there are any: scores up to one number for each row."""
    return np.log(np.where(told, _mine(one), 1.0))


def _centred(values: np.ndarray, told: np.ndarray) -> np.ndarray:
    count = np.maximum(told.sum(axis=-1, keepdims=True), 1)
    mean = np.where(told, values, 0).sum(axis=-1, keepdims=True) / count
    return np.where(told, values - mean, 0.0)


def most(values: np.ndarray) -> float:
    """The largest size that is a number."""
    sizes = np.abs(values)
    return float(np.max(sizes, initial=0.0, where=~np.isnan(sizes)))
