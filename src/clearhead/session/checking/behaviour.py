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

CALLS = 64
"""How often a function that drops by chance is asked: each weight is seen at least once (0.8^64 < 1e-6)."""

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
    with seeded(0):
        found = [weights_of(ask, case) for _ in range(CALLS)]
    seen = np.stack([np.zeros(1) if one is None else one for one in found])
    kept = np.max(np.abs(seen), axis=0)
    kept = np.where((seen == kept).any(axis=0), kept, -kept)
    dropped = seen == 0
    steady = np.isclose(seen, kept, rtol=1e-3, atol=1e-12) | dropped
    chance = kept != 0
    if not steady.all() or not (dropped & chance).any():
        return kept, None
    share = float(dropped[:, chance].mean())
    sums = kept.sum(axis=-1)
    exact = 1 - 1 / float(sums.flat[0])
    # Rows that added up to 1 add up to 1 / (1 - rate) now; where they did not, the share of zeros is the best there is.
    rate = exact if np.ptp(sums) < 1e-3 * sums.flat[0] and abs(exact - share) < 0.1 else round(share, 2)
    return kept * (1 - rate), rate


def _asked(ask: Ask, case: Case, seed: int) -> np.ndarray:
    with seeded(seed):
        return ask(case)


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    """Equal up to the order in which threads add up."""
    if one.shape != other.shape:
        return False
    size = float(np.abs(one).max(initial=0.0, where=np.isfinite(one)))
    return bool(np.isclose(one, other, rtol=0, atol=1e-5 * size, equal_nan=True).all())
