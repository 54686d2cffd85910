"""What two captures do otherwise that has a name: heads, widths, scales, masks, turns ..."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clearhead.lenses.parting_models.aligned import Pair
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.below import Below
from clearhead.trace.capture.held import EPSILON
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.recognised import recognised
from clearhead.trace.capture.visible import Named, Pattern

OWN_MASK = "a mask that has no name"

ROUNDED = 16
"""Units in the last place of 1 by which a cosine may be off that was found from rounded numbers."""


def differences(pairs: tuple[Pair, ...]) -> tuple[str, ...]:
    """What the layers do otherwise, as sentences; what several layers share is said once."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        for sentence in _of_pair(pair):
            found.setdefault(sentence, []).append(pair.label)
    return tuple(f"{sentence} ({_listed(labels)})." for sentence, labels in found.items())


def _listed(labels: list[str]) -> str:
    return ", ".join(labels) if len(labels) < 4 else f"{labels[0]} to {labels[-1]}, {len(labels)} layers"


def _of_pair(pair: Pair) -> Iterator[str]:
    mine, theirs = (dict(_facts(layer)) for layer in (pair.a, pair.b))
    for name, value in mine.items():
        if value != theirs[name]:
            yield f"{name}: {_written(value)} in a, {_written(theirs[name])} in b"
    yield from _masks(*pair.attentions)
    yield from _turns(pair)


def _facts(layer: Layer) -> Iterator[tuple[str, Any]]:
    """What a layer's attention is, apart from its numbers."""
    one = layer.attention
    assert one is not None  # only such layers are paired
    yield "heads", one.heads
    yield "key heads", one.key.shape[1]
    yield "value heads", one.value.shape[1]
    yield "d_head", one.d_head
    yield "d_value", one.value.shape[3]
    yield "scale", one.scale
    yield "soft cap", one.soft_cap
    yield "a bias on the scores", one.bias is not None
    yield "a sink", one.sink is not None
    yield "dropout", one.dropout
    yield "heads switched off", one.off
    by_hand = (f"H{head}[{query},{key}] = {value:g}" for head, query, key, value in one.weights_set)
    yield "weights set by hand", ", ".join(by_hand)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "none" if value in (None, (), "") else str(value)


def _masks(a: Attention, b: Attention) -> Iterator[str]:
    """The first sequence and head whose masks are not the same."""
    if (a.queries, a.keys) != (b.queries, b.keys):
        return
    heads = max(len(row) for one in (a, b) for row in one.visible.patterns)
    for batch in range(a.sequences):
        for head in range(heads):
            mine, theirs = (recognised(one.visible.pattern(batch, head)) for one in (a, b))
            if not _alike(mine, theirs):
                yield f"mask: {_mask(mine)} in a, {_mask(theirs)} in b{_first_cell(mine, theirs)}"
                return


def _alike(mine: Pattern, theirs: Pattern) -> bool:
    if isinstance(mine, Named) and isinstance(theirs, Named) and mine == theirs:
        return True
    runs = [one.runs() if isinstance(one, Named) else one for one in (mine, theirs)]
    return runs[0].same_as(runs[1])


def _mask(pattern: Pattern) -> str:
    return pattern.name if isinstance(pattern, Named) else OWN_MASK


def _first_cell(mine: Pattern, theirs: Pattern) -> str:
    """A cell that tells two masks apart of which one at least has no name."""
    if isinstance(mine, Named) and isinstance(theirs, Named):
        return ""
    queries = mine.queries
    for query in range(queries):
        a, b = (one.table(slice(query, query + 1))[0] for one in (mine, theirs))
        if (a != b).any():
            key = int(np.flatnonzero(a != b)[0])
            return f": query {query} sees key {key} in {'a' if a[key] else 'b'} alone"
    return ""


def _turns(pair: Pair) -> Iterator[str]:
    """How queries and keys are turned by their positions, where that is proven of both."""
    a, b = pair.a.below, pair.b.below
    if "Q" not in a.projections or "Q" not in b.projections:
        return
    mine, theirs = a.projections["Q"], b.projections["Q"]
    if (mine.pairs, mine.rotated) != (theirs.pairs, theirs.rotated):
        yield f"rotary: {_turn(mine.pairs, mine.rotated)} in a, {_turn(theirs.pairs, theirs.rotated)} in b"
    elif mine.rotated and not _turned_alike(pair):
        bases = [rotary_base(one) for one in (a, b)]
        if None in bases or bases[0] == bases[1]:
            yield "rotary: other angles in a than in b"
        else:
            yield f"rotary base: {bases[0]:g} in a, {bases[1]:g} in b"


def _turned_alike(pair: Pair) -> bool:
    """Whether the angles are the same, up to rounding: they were found from the numbers that were turned."""
    formats = [str(one.query.dtype) for one in pair.attentions]
    most = ROUNDED * max(map(EPSILON.__getitem__, formats))
    for name in ("cos", "sin"):
        mine, theirs = getattr(pair.a.below, name), getattr(pair.b.below, name)
        if (mine is None) != (theirs is None):
            return False
        if mine is not None and (mine.shape[1:] != theirs.shape[1:] or np.abs(mine - theirs).max() > most):
            return False
    return True


def _turn(pairs: str, rotated: int) -> str:
    return f"{pairs} of {rotated} features turned together" if pairs else "none"


def rotary_base(below: Below) -> float | None:
    """The base of the angles (Su et al. 2021, section 3.2.2), from how far position 1 is turned, to 5 digits."""
    if below.cos is None or below.sin is None or below.cos.shape[1] < 2 or below.cos.shape[2] < 2:
        return None
    turned = np.arctan2(below.sin[0], below.cos[0])
    step = np.angle(np.exp(1j * (turned[1] - turned[0])))
    pairs = step.shape[0]
    if not (step > 0).all():
        return None
    base = float(step[1] / step[0]) ** -pairs
    fits = np.abs(step - base ** (-np.arange(pairs) / pairs)) <= 1e-4 * step
    return float(f"{base:.5g}") if fits.all() else None
