"""The questions to an attention that makes queries, keys and values of x: x and weights in place of Q, K and V.

The weights are chosen so that Q, K and V come out as `probes` has them: scores far below 0, row by row lower, or of
1e5, equal keys, repeated tokens. Two features of x serve that: the first is about 1, the second says how far a query
lies from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from clearhead.lenses.diagnose.case import Case, Spec
from clearhead.lenses.diagnose.probes import LOW, LOWER, RISE, Numbers, Shapes, exact

SOURCES = ("X", "context", "values")
"""What is projected; the rest of a question's arrays are weights."""

Make = Callable[[np.random.Generator, Shapes], Numbers]


def plain(random: np.random.Generator, of: Shapes) -> Numbers:
    """Numbers around 1, weights so that queries, keys and values are around 1, too."""
    return {name: _drawn(random, name, shape) for name, shape in of.items()}


POOL = 8191
"""Of more numbers than this only so many are drawn, and come again and again: a prime, so that no rows are alike."""


def _drawn(random: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    count = int(np.prod(shape))
    drawn = exact(random.normal(size=min(count, POOL)) / _root(name, shape))
    return np.resize(drawn, shape)


def integers(random: np.random.Generator, of: Shapes) -> Numbers:
    """Whole numbers from -2 to 2; in a weight about three of each column, as sums of many are large."""
    made = {name: random.integers(-2, 3, size=shape).astype(float) for name, shape in of.items()}
    for name, array in made.items():
        if name.startswith("W"):
            array[random.random(array.shape) > 3 / array.shape[0]] = 0.0
    return made


def equal_keys(random: np.random.Generator, of: Shapes) -> Numbers:
    """All keys are 0, or the bias: every key gets the same weight, whatever the scale."""
    made = plain(random, of)
    made["W_K"][:] = 0.0
    return made


def repeated(random: np.random.Generator, of: Shapes) -> Numbers:
    """Two positions with the same token, which only a mask or the positions tell apart."""
    return _repeated(plain(random, of))


def _repeated(made: Numbers) -> Numbers:
    for name in SOURCES:
        if name in made and made[name].shape[-2] > 2:
            made[name][..., 2, :] = made[name][..., 0, :]
    return made


HIGH = 3200.0
"""With 16 heads scores are about a fourth of this: above 709 e^score overflows in float64, above 88 in float32."""


@dataclass(frozen=True)
class Led:
    """Query i is about `query` times `depth[i]` in every feature, and every key about `key`.

    Attributes:
        depth: one after the other, again from the first where there are more queries.
        query, key: as they would be with one head of one feature.
        steady: what is random is one part in so many.
        rise: by which share of the depth a key lies above the one before it.
    """

    depth: tuple[float, ...]
    query: float
    key: float
    steady: int
    rise: float = 0.0


def low(random: np.random.Generator, of: Shapes) -> Numbers:
    """Scores below 0, row by row lower: a fill that does not hide becomes the largest score of its row."""
    return _led(random, of, Led(LOW, -1 / of["W_Q"][-1] ** 0.5, 1.0, 8, RISE))


def lower(random: np.random.Generator, of: Shapes) -> Numbers:
    """The same, further down."""
    return _led(random, of, Led(LOWER, -1 / of["W_Q"][-1] ** 0.5, 1.0, 8, RISE))


def high(random: np.random.Generator, of: Shapes) -> Numbers:
    """Scores far above 0 and near to each other: e^score overflows, and less any of them it does not."""
    return _led(random, of, Led((1.0,), HIGH / of["W_Q"][-1] ** 0.5, 1.0, 128))


def large(random: np.random.Generator, of: Shapes) -> Numbers:
    """Scores of about 1e5, above 0 in every other row, below in the others: one key takes all, e^score overflows."""
    return _led(random, of, Led((-1.0, 1.0), 100.0, 300.0, 2))


def _led(random: np.random.Generator, of: Shapes, led: Led) -> Numbers:
    made = plain(random, of)
    for name in SOURCES:
        if name in made:
            places = np.arange(made[name].shape[-2])
            made[name][..., 0] = exact(1 - led.rise * places / max(1, len(places) / 5))
            made[name][..., 1] = np.resize(led.depth, len(places)) if name == "X" else 0.0
    W_Q, W_K = made["W_Q"], made["W_K"]
    leading = exact(led.query * (1 + random.normal(size=W_Q.shape[1:]) / led.steady))
    W_Q[:], W_K[:] = 0.0, exact(led.key * W_K / led.steady)
    W_Q[1], W_K[0], W_K[1], made["W_V"][1] = leading, led.key, 0.0, 0.0
    for name in ("b_Q", "b_K"):
        if name in made:
            made[name][:] = 0.0
    return made


def _root(name: str, shape: tuple[int, ...]) -> float:
    return float(shape[0] ** 0.5) if name.startswith("W") else 1.0


MAKERS: dict[str, Make] = {
    "plain": plain,
    "integers": integers,
    "low": low,
    "large": large,
    "lower": lower,
    "high": high,
    "equal-keys": equal_keys,
    "repeated": repeated,
}
"""Each kind of numbers by its name, the one that tells most first."""
CHOSEN = (low, lower, large, high)
"""Kinds that weights make, not x alone."""


def projected(
    spec: Spec, of: Shapes, seed: int, own: Mapping[str, np.ndarray] | None = None
) -> Iterator[Case]:
    """All questions about x, the same for the same seed.

    Args:
        spec: the reference.
        of: the shapes of X, perhaps of "context" and "values", and of the weights: (in, out).
        seed: of the numbers.
        own: the weights of a function whose weights cannot be chosen: only x differs then.
    """
    for number, (name, make) in enumerate(MAKERS.items()):
        random = np.random.default_rng([seed, number, 1])
        if own is not None:
            if make not in (lower, high):
                yield Case(name, spec, _with(own, make, random, of), dict(own))
        elif of["X"][-1] > 2 or make not in CHOSEN:
            made = make(random, of)
            given = {name: array for name, array in made.items() if name in SOURCES}
            yield Case(name, spec, given, {name: made[name] for name in made if name not in SOURCES})


def _with(own: Mapping[str, np.ndarray], make: Make, random: np.random.Generator, of: Shapes) -> Numbers:
    """X for weights that cannot be chosen: for large scores a large x, for equal keys one token everywhere."""
    made = plain(random, {name: shape for name, shape in of.items() if name in SOURCES})
    for name, array in made.items():
        if make is integers:
            array[:] = random.integers(-2, 3, size=array.shape)
        if make in (low, large):
            array *= 8.0 if make is low else 128.0
        if make is equal_keys and (name != "X" or len(made) == 1):
            array[:] = array[..., :1, :]
    return _repeated(made) if make is repeated else made


__all__ = ["SOURCES", "projected"]
