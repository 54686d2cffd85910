"""The questions: numbers chosen so that each mistake is told from every other, and from an innocent function.

All of them are exact in every type down to bfloat16, so that no difference comes from rounding the inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clearhead.lenses.diagnose.case import Case, Spec

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Sizes:
    """How large a question is. Distinct primes as far as they are free, so that no axis passes for another."""

    batch: int = 2
    queries: int = 5
    keys: int = 5
    d_head: int = 11
    d_value: int = 11
    d_model: int = 13


def shapes(spec: Spec, sizes: Sizes) -> Shapes:
    """Of Q, K and V, in the reference's order of axes."""
    lengths = {"Q": sizes.queries, "K": sizes.keys, "V": sizes.keys}
    widths = {"Q": sizes.d_head, "K": sizes.d_head, "V": sizes.d_value}
    heads = {"Q": spec.heads, "K": spec.kv_heads, "V": spec.kv_heads}
    if spec.joined:
        return {name: (sizes.batch, lengths[name], heads[name] * widths[name]) for name in "QKV"}
    return {name: (sizes.batch, heads[name], lengths[name], widths[name]) for name in "QKV"}


def exact(values: np.ndarray) -> np.ndarray:
    """The nearest numbers with seven significant bits."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa * 128) / 128, exponent)


Numbers = dict[str, np.ndarray]
Make = Callable[[np.random.Generator, Shapes], Numbers]


def plain(random: np.random.Generator, of: Shapes) -> Numbers:
    """Numbers around 1, positive and negative."""
    return {name: exact(random.normal(size=shape)) for name, shape in of.items()}


def integers(random: np.random.Generator, of: Shapes) -> Numbers:
    """Whole numbers from -2 to 2."""
    return {name: random.integers(-2, 3, size=shape).astype(float) for name, shape in of.items()}


def equal_keys(random: np.random.Generator, of: Shapes) -> Numbers:
    """All keys alike: every key gets the same weight, whatever the scale."""
    made = plain(random, of)
    made["K"][:] = made["K"][..., :1, :]
    return made


def repeated(random: np.random.Generator, of: Shapes) -> Numbers:
    """Two positions with the same token, which only a mask or the positions tell apart."""
    made = plain(random, of)
    for array in made.values():
        if array.shape[-2] > 2:
            array[..., 2, :] = array[..., 0, :]
    return made


LOW = (1.0, 6.0, 30.0, 300.0, 3e3)
"""How far below 0 the scores of a query lie, one after the other, about: between the fills that are in use."""
LOWER = (3e3, 3e4, 3e5, 3e3, 3e4)
"""The same, further down."""
RISE = 0.1
"""By which share of that a key lies above the one before it: a later score that is only lowered stays the largest."""


def _below(depths: Sequence[float], random: np.random.Generator, of: Shapes) -> Numbers:
    made = plain(random, of)
    queries, keys = made["Q"].shape[-2], made["K"].shape[-2]
    rise = 1 - RISE * np.arange(keys)[:, None] / max(1, keys / 5)
    made["K"][:] = exact(8 * (rise + made["K"] / 64))
    depth = np.resize(depths, queries)[:, None]
    made["Q"][:] = exact(-depth * (1 + made["Q"] / 32) / made["Q"].shape[-1] ** 0.5 / 8)
    return made


def low(random: np.random.Generator, of: Shapes) -> Numbers:
    """Scores below 0, row by row lower: a fill that does not hide becomes the largest score of its row."""
    return _below(LOW, random, of)


def lower(random: np.random.Generator, of: Shapes) -> Numbers:
    """The same, further down."""
    return _below(LOWER, random, of)


def large(random: np.random.Generator, of: Shapes) -> Numbers:
    """Scores of about 1e5: one key takes all, and e^score overflows."""
    made = plain(random, of)
    made["K"][:] = exact(300 * (1 + made["K"] / 2))
    made["Q"][:] = exact(100 * (1 + made["Q"] / 2))
    return made


MAKERS: dict[str, Make] = {
    "plain": plain,
    "integers": integers,
    "low": low,
    "lower": lower,
    "large": large,
    "equal-keys": equal_keys,
    "repeated": repeated,
}
"""Each kind of numbers by its name, the one that tells most first."""


def cases(spec: Spec, sizes: Sizes, seed: int) -> Iterator[Case]:
    """All questions about Q, K and V, the same for the same seed."""
    of = shapes(spec, sizes)
    for number, (name, make) in enumerate(MAKERS.items()):
        yield Case(name, spec, make(np.random.default_rng([seed, number]), of))


def hiding(case: Case, seed: int) -> Case:
    """The case with a mask that no name describes: each query may see itself and some of the others."""
    queries, keys = case.sizes
    seen = np.random.default_rng([seed, 101]).random((queries, keys)) < 0.5
    seen |= np.eye(queries, keys, dtype=bool)
    seen[-1, -1] = True
    return replace(case, probe=f"{case.probe}, hidden cells", allowed=seen)


def padded(case: Case) -> Case:
    """The case with padding: of the first sentence the second and the last place, of the last the first and last."""
    batch = next(iter(case.given.values())).shape[0]
    _, keys = case.sizes
    words = np.ones((batch, keys), bool)
    words[0, [1, -1]] = False
    words[-1, [0, -1]] = False
    return replace(case, probe=f"{case.probe}, padded", padding=words)
