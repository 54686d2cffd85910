"""Scores of queries and keys that are normed first; said only if it holds in every answer that was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import on_result
from clearhead.lenses.diagnose.pipeline import changed
from clearhead.lenses.diagnose.seen import Known, Seen, centred, scores_of

Norm = Callable[[np.ndarray], np.ndarray]
NORMED = (("queries and keys are", "QK"), ("queries are", "Q"), ("keys are", "K"))
TINY = (1e-20, 1e-6, 1e-5)
"""What is added to a mean square before its root is taken: next to nothing, or what norms usually come with."""


def normed(first: Seen, known: Known) -> str:
    """Whether queries, keys or both are normed before they meet, as Henry et al. 2020 do (query-key normalization)."""
    answers = (first, *known)
    for (says, which), (to, norm) in product(NORMED, _norms()):
        if all(one.has_weights_of(_scores(one, which, norm)) for one in answers):
            return f"{says} brought to {to} first"
    cosines = [_scores(one, "QK", _unit) / one.scale for one in answers]
    times = _slope(first, cosines[0])
    if all(one.has_weights_of(these * times) for one, these in zip(answers, cosines, strict=True)):
        return f"scores are {times:.4g} times the cosines of queries and keys"
    return ""


def _norms() -> Iterator[tuple[str, Norm]]:
    """Zhang and Sennrich 2019, the same over all heads (OLMo 2), Ba et al. 2016; all without weights of their own."""
    for tiny in TINY:
        yield "a root mean square of 1", _root_mean_square((-1,), tiny)
        yield "a root mean square of 1 over all heads together", _root_mean_square((-3, -1), tiny)
        yield "a mean of 0 and a variance of 1", _standard(tiny)
    yield "a length of 1", _unit


def _root_mean_square(axes: tuple[int, ...], tiny: float) -> Norm:
    return lambda x: x / np.sqrt((x**2).mean(axis=axes, keepdims=True) + tiny)


def _standard(tiny: float) -> Norm:
    norm = _root_mean_square((-1,), tiny)
    return lambda x: norm(x - x.mean(axis=-1, keepdims=True))


def _unit(x: np.ndarray) -> np.ndarray:
    return np.asarray(x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12))


def _scores(one: Seen, which: str, norm: Norm) -> np.ndarray:
    change = {name: on_result(lambda run, x: norm(x)) for name in which}
    return scores_of(changed(one.asking.reference, [change], [change]))


def _slope(one: Seen, scores: np.ndarray) -> float:
    """How many times these scores the function's are, for all that is told alone up to one number for each row."""
    logarithms, scores = centred(one.logarithms, one.told), centred(scores, one.told)
    return float((logarithms * scores).sum() / max(float((scores**2).sum()), 1e-300))
