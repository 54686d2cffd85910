"""How a function behaves when it is asked the same again: always alike, by chance, or with a memory."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from clearhead.lenses.diagnose import Case, attention_of, instead
from clearhead.session.checking.recovered import weights_of
from clearhead.sources.function import Asked, moded

CALLS = 64
"""How often a function that drops by chance is asked at most: each weight is seen at least once (0.8^64 < 1e-6)."""
FEWEST = 8
"""How often at least."""
UNSEEN = 1e-6
"""The chance that is left of a weight that was dropped each time."""

Ask = Callable[[Case], np.ndarray]


@dataclass(frozen=True)
class Behaviour:
    """What repeating a question shows.

    Attributes:
        kind: "steady", "random" or "state".
        rate: of dropout, if it is that; None for chance of another kind.
    """

    kind: str
    rate: float | None = None


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """All generators of the process start at the same place, and are put back afterwards."""
    torch = sys.modules.get("torch")
    before = (random.getstate(), np.random.get_state(), torch.get_rng_state() if torch else None)
    random.seed(seed)
    np.random.seed(seed)  # the person's function may draw from it
    if torch:
        torch.manual_seed(seed)
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])
        if torch:
            torch.set_rng_state(before[2])


def behaviour(ask: Ask, case: Case, other: Case) -> Behaviour:
    """Ask twice with the same seed, once with another, and once more after another question."""
    first, again, elsewhere = (_asked(ask, case, seed) for seed in (1, 1, 2))
    _asked(ask, other, 1)
    later = _asked(ask, case, 1)
    if _same(first, again) and _same(first, later):
        if _same(first, elsewhere):
            return Behaviour("steady")
        return Behaviour("random", _dropped(ask, case)[1])
    rate = _dropped(ask, case)[1]
    return Behaviour("state") if rate is None else Behaviour("random", rate)


def told_not_to_drop(asked: Asked) -> bool:
    """Whether it was asked in evaluation mode, or handed a dropout of 0 or training=False."""
    if asked.held is not None and moded(asked.held.owner):
        return True
    owner = getattr(asked.function, "__self__", asked.function)
    return getattr(owner, "training", None) is False or any(
        role in asked.roles for role in ("dropout", "training")
    )


def without_dropout(ask: Ask) -> Callable[[Case], np.ndarray | None]:
    """The function as it would answer if it dropped nothing: its weights without chance, times the values; or None."""

    def answer(case: Case) -> np.ndarray | None:
        weights, rate = _dropped(ask, case)
        if rate is None:  # its values cannot be made to show the weights here
            return None
        return attention_of(case, [{"weights": instead(lambda run, *inputs: weights)}]).values["output"]

    return answer


def _dropped(ask: Ask, case: Case) -> tuple[np.ndarray, float | None]:
    """The weights without dropout, and its rate; None where the weights are not each 0 or one number."""
    found: list[np.ndarray] = []
    with seeded(0):
        for call in range(1, CALLS + 1):
            one = weights_of(ask, case)
            if one is None:
                return np.zeros(1), None
            found.append(one)
            if call >= FEWEST and call % 4 == 0 and _all_seen(np.stack(found)):
                break
    seen = np.stack(found)
    kept = _kept(seen)
    dropped = seen == 0
    steady = np.isclose(seen, kept, rtol=1e-3, atol=1e-12) | dropped
    chance = kept != 0
    if not steady.all() or not (dropped & chance).any():
        return kept, None
    share = float(dropped[:, chance].mean())
    sums = kept.sum(axis=-1)
    exact = 1 - 1 / float(sums.flat[0])
    # Rows that added up to 1 add up to 1 / (1 - rate) now; where they did not, the share of zeros is the best there is.
    rate = exact if _one_sum(kept) and abs(exact - share) < 0.1 else round(share, 2)
    return kept * (1 - rate), rate


def _kept(seen: np.ndarray) -> np.ndarray:
    """Of each weight what it is where it is not dropped."""
    kept = np.max(np.abs(seen), axis=0)
    return np.where((seen == kept).any(axis=0), kept, -kept)


def _one_sum(kept: np.ndarray) -> bool:
    sums = kept.sum(axis=-1)
    return bool(np.ptp(sums) < 1e-3 * sums.flat[0])


def _all_seen(seen: np.ndarray) -> bool:
    """Whether every weight was likely seen by now; where rows have other sums the rate needs all calls."""
    kept = _kept(seen)
    share = float((seen == 0)[:, kept != 0].mean()) if kept.any() else 0.0
    if not 0 < share < 1 or not _one_sum(kept):
        return False
    return bool(len(seen) * np.log(min(share + 0.1, 0.99)) < np.log(UNSEEN / kept.size))


def _asked(ask: Ask, case: Case, seed: int) -> np.ndarray:
    with seeded(seed):
        return ask(case)


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    """Equal up to the order in which threads add up."""
    if one.shape != other.shape:
        return False
    size = float(np.abs(one).max(initial=0.0, where=np.isfinite(one)))
    return bool(np.isclose(one, other, rtol=0, atol=1e-5 * size, equal_nan=True).all())
