"""Mistakes with positions, as a person writes them: each is named, and no other is."""

import math

import numpy as np
import pytest

from clearhead.session.checking import check


def softmax(scores):
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def attend(q, k, v, bias=0.0):
    return softmax(q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1]) + bias) @ v


def angles(length, width, base=10000.0):
    return np.outer(np.arange(length), base ** (-np.arange(0, width, 2) / width))


def halves(x, sign=1):
    turned = angles(x.shape[-2], x.shape[-1])
    cos, sin = np.cos(turned), sign * np.sin(turned)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def neighbours(x):
    turned = angles(x.shape[-2], x.shape[-1])
    numbers = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * turned)
    return np.stack([numbers.real, numbers.imag], axis=-1).reshape(x.shape)


def mixed_up(x):
    """Halves with the angles of neighbours."""
    turned = np.repeat(angles(x.shape[-2], x.shape[-1]), 2, axis=-1)
    a, b = np.split(x, 2, axis=-1)
    return x * np.cos(turned) + np.concatenate([-b, a], axis=-1) * np.sin(turned)


def by_head(x):
    turned = angles(x.shape[-3], x.shape[-1])[:, None]
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate(
        [a * np.cos(turned) - b * np.sin(turned), a * np.sin(turned) + b * np.cos(turned)], -1
    )


def distances(q, k):
    return np.abs(np.subtract.outer(np.arange(q.shape[-2]), np.arange(k.shape[-2])))


def slopes(heads, first=1):
    return 2.0 ** (-8 * (np.arange(heads) + first) / heads)[:, None, None]


HALVES = {"rotary": "halves", "layout": "bhtd"}
NEIGHBOURS = {"rotary": "interleaved", "layout": "bhtd"}
ALIBI = {"alibi": True, "layout": "bhtd", "heads": 4}
WRONG = (
    ("rotary-pairs", lambda q, k, v: attend(neighbours(q), neighbours(k), v), HALVES),
    ("rotary-pairs", lambda q, k, v: attend(halves(q), halves(k), v), NEIGHBOURS),
    ("rotary-missing", lambda q, k, v: attend(q, k, v), HALVES),
    ("rotary-on-values", lambda q, k, v: attend(halves(q), halves(k), halves(v)), HALVES),
    ("rotary-on-queries-alone", lambda q, k, v: attend(halves(q), k, v), HALVES),
    ("rotary-on-keys-alone", lambda q, k, v: attend(q, neighbours(k), v), NEIGHBOURS),
    ("rotary-keys-turned-back", lambda q, k, v: attend(halves(q), halves(k, -1), v), HALVES),
    ("rotary-angles-mixed", lambda q, k, v: attend(mixed_up(q), mixed_up(k), v), HALVES),
    ("alibi-missing", lambda q, k, v: attend(q, k, v), ALIBI),
    ("alibi-sign", lambda q, k, v: attend(q, k, v, slopes(q.shape[1]) * distances(q, k)), ALIBI),
    ("alibi-slopes-from-0", lambda q, k, v: attend(q, k, v, -slopes(q.shape[1], 0) * distances(q, k)), ALIBI),
)
RIGHT = (
    (lambda q, k, v: attend(halves(q), halves(k), v), HALVES),
    (lambda q, k, v: attend(neighbours(q), neighbours(k), v), NEIGHBOURS),
    (lambda q, k, v: attend(q, k, v, -slopes(q.shape[1]) * distances(q, k)), ALIBI),
)


@pytest.mark.parametrize(("name", "function", "told"), WRONG, ids=[name for name, *_ in WRONG])
def test_the_mistake_is_named(name, function, told):
    report = check(function, **told)

    assert report.mistakes == (name,), report
    assert not report.agrees


@pytest.mark.parametrize(("function", "told"), RIGHT, ids=["halves", "interleaved", "alibi"])
def test_the_right_positions_agree(function, told):
    assert check(function, **told).agrees


def test_angles_by_head_turn_queries_and_keys_alike_and_so_are_as_good_as_none():
    """The same numbers but for rounding: both mistakes are told."""
    report = check(lambda q, k, v: attend(by_head(q), by_head(k), v), **HALVES)
    told = {*report.mistakes, *(one.rpartition("(")[2].rstrip(")") for one in report.possible)}
    assert told == {"rotary-missing", "rotary-along-heads"}
    assert not report.agrees
