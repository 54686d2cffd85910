"""What a function is asked, in the sizes and with the arrays that it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np

from clearhead.lenses.diagnose import Case, Sizes, Spec, cases, exact, projected, ramp, small_cases
from clearhead.session.checking.told import Told
from clearhead.sources.function import Asked, Form

POSITIONS = 5
"""Queries, and keys where they are as many."""
FURTHER = 7
"""Keys where their number is another than that of the queries."""
RESIZED = 13
"""Positions in the question of other sizes."""
MANY = 131
"""Positions in the question of many: what works in blocks of up to 128 begins another one."""
RISE = 0.125
"""By how much a score lies above that of the key before it, in the other question of many."""
READABLE = 16
"""How wide x may be in an example that a person reads; of a wider one all but a few columns are 0."""


def questions(told: Told, asked: Asked, mask: str) -> list[Case]:
    """The cases with as many keys as queries."""
    form = asked.form
    spec = told.spec(form.heads, form.kv_heads, asked.layout.heads == "joined", mask)
    if form.of_x:
        return _projected(told, form, spec, _shapes(form, POSITIONS, form.context == "must"))
    sizes = Sizes(batch=form.batch, d_head=form.d_head, d_value=form.d_value)
    return list(cases(spec, sizes, told.seed))


def resized(told: Told, asked: Asked, mask: str) -> Case:
    """One case of other sizes, so that no number of them passes that a function has from somewhere else."""
    made = _sized(told, asked, mask, RESIZED, 0 if told.d_head else 6)
    return replace(made, probe=f"{made.probe}, other sizes")


def lengthened(told: Told, asked: Asked, mask: str) -> list[Case]:
    """Cases of many positions: plain, and with scores that rise from key to key, where they can be made to."""
    plain = _sized(told, asked, mask, MANY, 0)
    rising = ramp(plain, RISE) if asked.form.own is None else None
    if rising is not None:
        given = {name: exact(array) for name, array in rising.given.items()}
        rising = replace(rising, probe="rising", given=given)
    return [replace(one, probe=f"{one.probe}, many positions") for one in (plain, rising) if one is not None]


def _sized(told: Told, asked: Asked, mask: str, positions: int, wider: int) -> Case:
    form = asked.form
    spec = told.spec(form.heads, form.kv_heads, asked.layout.heads == "joined", mask)
    if form.of_x:
        shapes = _shapes(form, positions, form.context == "must", queries=positions)
        return next(iter(projected(spec, shapes, told.seed, form.own)))
    width = form.d_head + wider
    return next(iter(cases(spec, Sizes(form.batch, positions, positions, width, width), told.seed)))


def further(told: Told, asked: Asked, mask: str) -> list[Case]:
    """Two cases with more keys than queries.

    None where keys are made of the same x as queries, or where it matters where a query stands: whether the first or
    the last query stands beside the first or the last key is a convention.
    """
    form = asked.form
    if told.rotary or told.alibi:
        return []
    spec = told.spec(form.heads, form.kv_heads, asked.layout.heads == "joined", mask)
    if form.of_x:
        if form.context == "no":
            return []
        made = _projected(told, form, spec, _shapes(form, FURTHER, True))
    else:
        sizes = Sizes(batch=form.batch, keys=FURTHER, d_head=form.d_head, d_value=form.d_value)
        made = list(cases(spec, sizes, told.seed))
    return [replace(one, probe=f"{one.probe}, other keys") for one in made[:2]]


def _projected(told: Told, form: Form, spec: Spec, shapes: Mapping[str, tuple[int, ...]]) -> list[Case]:
    if form.own is not None:
        return list(projected(spec, shapes, told.seed, form.own))
    return [replace(one, spec=spec) for one in numbers_of(tuple(shapes.items()), told.seed)]


@lru_cache(maxsize=2)
def numbers_of(shapes: tuple[tuple[str, tuple[int, ...]], ...], seed: int) -> tuple[Case, ...]:
    """The questions, whatever they are meant to mask: the same numbers are asked about many times."""
    return tuple(projected(Spec(), dict(shapes), seed))


def _shapes(
    form: Form, keys: int, context: bool, batch: int = 0, queries: int = POSITIONS
) -> dict[str, tuple[int, ...]]:
    batch = batch or form.batch
    shapes: dict[str, tuple[int, ...]] = {"X": (batch, queries, form.d_model)}
    if context:
        shapes["context"] = (batch, keys, form.d_context)
        if form.apart:
            shapes["values"] = (batch, keys, form.weights["W_V"][0])
    return shapes | dict(form.weights)


def small(told: Told, asked: Asked, mask: str) -> Iterator[tuple[Asked, Case]]:
    """Cases of few small whole numbers, the smallest first; none where wide weights stay as they are."""
    form, joined = asked.form, asked.layout.heads == "joined"
    if form.of_x:
        yield from _small_of_x(told, asked, mask)
        return
    for heads, kv_heads in dict.fromkeys(((1, 1), (form.heads, form.kv_heads))):
        for case in small_cases(told.spec(heads, kv_heads, joined, mask), told.seed):
            yield asked, case


CONTEXTS = {"no": (False,), "may": (False, True), "must": (True,)}
"""Whether small cases have a context, by whether the function takes one; those without it are the smaller ones."""


def _small_of_x(told: Told, asked: Asked, mask: str) -> Iterator[tuple[Asked, Case]]:
    for form in _small_forms(asked):
        if form.own is not None and form.d_model > READABLE:
            continue  # its own weights leave few columns of nothing 0
        spec = told.spec(form.heads, form.kv_heads, True, mask)
        for context, tokens in product(CONTEXTS[form.context], (2, 3, 4, 5)):
            shapes = _shapes(form, tokens, context, 1, tokens)
            for number in range(4):
                random = np.random.default_rng([told.seed, tokens, number])
                yield replace(asked, form=form), _whole(form, spec, shapes, random, number == 0)


def _small_forms(asked: Asked) -> Iterator[Form]:
    """With one head, where that is free, and a narrow x; otherwise as it is."""
    form = asked.form
    if asked.held is None:
        for heads, kv_heads in dict.fromkeys(((1, 1), (form.heads, form.kv_heads))):
            if heads == 1 and not (
                "heads" in asked.roles or asked.manner.order == "by head" or form.heads == 1
            ):
                continue
            yield _narrow(form, heads, kv_heads)
    yield form


def _narrow(form: Form, heads: int, kv_heads: int) -> Form:
    """Heads of width 2."""
    width = 2
    square = form.d_model == form.heads * form.d_head
    d_model = heads * width if square else 3
    sizes = {
        form.d_model: d_model,
        form.heads * form.d_head: heads * width,
        form.kv_heads * form.d_head: kv_heads * width,
    }
    kept = {"K": kv_heads * width, "V": kv_heads * width, "Q": heads * width, "O": d_model}
    weights = {
        role: (*((sizes[shape[0]],) if len(shape) > 1 else ()), kept[role[-1]])
        for role, shape in form.weights.items()
    }
    return replace(
        form, heads=heads, kv_heads=kv_heads, d_head=width, d_value=width, d_model=d_model, d_context=d_model,
        weights=weights,
    )  # fmt: skip


def _whole(
    form: Form, spec: Spec, shapes: Mapping[str, tuple[int, ...]], random: np.random.Generator, plain: bool
) -> Case:
    """Whole numbers from -2 to 3; plain: the weights are identities as far as their shapes let them.

    Where x is wide, only two features of the first two heads are other than 0, and weights lead from these to these.
    """
    made = {name: random.integers(-2, 4, size=shape).astype(float) for name, shape in shapes.items()}
    few = [head * form.d_head + feature for head in range(min(2, form.kv_heads)) for feature in range(2)]
    for name, array in made.items():
        if name.startswith("W"):
            array[:] = np.eye(*array.shape) if plain else np.clip(array, -1, 1)
        if name.startswith("b") and plain:
            array[:] = 0.0
        if form.d_model > READABLE and not (plain and name.startswith("W")):
            _keep(array, few, 2 if name.startswith("W") else 1)
    given = {name: array for name, array in made.items() if name[:2] not in ("W_", "b_")}
    weights = {name: array for name, array in made.items() if name[:2] in ("W_", "b_")}
    return Case("small", spec, given, weights if form.own is None else dict(form.own))


def _keep(array: np.ndarray, places: list[int], axes: int) -> None:
    """Put 0 everywhere but at some places along the last axes."""
    for axis in range(-axes, 0):
        others = np.setdiff1d(np.arange(array.shape[axis]), places)
        np.moveaxis(array, axis, 0)[others] = 0.0
