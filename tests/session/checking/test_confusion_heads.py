"""Mistakes with heads, as a person writes them: each is named, and no other is."""

import math

import numpy as np
import pytest

from clearhead.session.checking import check

torch = pytest.importorskip("torch")


def attend(q, k, v):
    return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1) @ v


def split(x, n_heads):
    return x.view(x.shape[0], x.shape[1], n_heads, -1).transpose(1, 2)


def merged(x):
    return x.transpose(1, 2).flatten(2)


def splits_by_view(q, k, v, n_heads):
    batch, length, width = q.shape
    q, k, v = (x.reshape(batch, n_heads, length, width // n_heads) for x in (q, k, v))
    return merged(attend(q, k, v))


def merges_by_view(q, k, v, n_heads):
    mixed = attend(*(split(x, n_heads) for x in (q, k, v)))
    return mixed.reshape(q.shape)


def deals_out(q, k, v, n_heads):
    """The axes of heads and features in the other order."""
    q, k, v = (x.view(x.shape[0], x.shape[1], -1, n_heads).permute(0, 3, 1, 2) for x in (q, k, v))
    return merged(attend(q, k, v))


def deals_together(q, k, v, num_heads):
    mixed = attend(*(split(x, num_heads) for x in (q, k, v)))
    return mixed.permute(0, 2, 3, 1).flatten(2)


def attends_among_heads(q, k, v, n_heads):
    q, k, v = (x.view(x.shape[0], x.shape[1], n_heads, -1) for x in (q, k, v))
    return attend(q, k, v).flatten(2)


def tiles(q, k, v):
    times = q.shape[1] // k.shape[1]
    return attend(q, k.repeat(1, times, 1, 1), v.repeat(1, times, 1, 1))


def keeps_the_first(q, k, v, n_heads):
    mixed = attend(*(split(x, n_heads) for x in (q, k, v)))
    return merged(mixed[:, :1].expand_as(mixed))


def blends_with_the_mean(q, k, v, n_heads):
    q, k, v = (split(x, n_heads) for x in (q, k, v))
    weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1)
    return merged(weights.mean(1, keepdim=True) @ v)


def drops(rate):
    def dropping(q, k, v):
        weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1)
        return torch.nn.functional.dropout(weights, rate, training=True) @ v

    return dropping


WRONG = (
    ("heads-split-by-reshape", splits_by_view, {}),
    ("heads-merged-by-reshape", merges_by_view, {}),
    ("heads-dealt-out", deals_out, {}),
    ("heads-dealt-together", deals_together, {}),
    ("attends-over-heads", attends_among_heads, {}),
    ("groups-tiled", tiles, {"kv_heads": 2, "heads": 6, "layout": "bhtd"}),
    ("first-head-for-all", keeps_the_first, {}),
    ("weights-averaged-over-heads", blends_with_the_mean, {}),
)


@pytest.mark.parametrize(("name", "function", "told"), WRONG, ids=[name for name, *_ in WRONG])
def test_the_mistake_is_named(name, function, told):
    report = check(function, **told)

    assert report.mistakes == (name,), report
    assert not report.agrees


def test_what_cannot_be_told_with_one_head_is_not_found_there():
    """The root of all heads' widths is that of the only head's."""

    def takes_the_models_width(q, k, v):
        scores = np.einsum("btd,bsd->bts", q, k) / q.shape[-1] ** 0.5
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ v

    assert check(takes_the_models_width, layout="btd").agrees


@pytest.mark.parametrize("rate", [0.1, 0.2, 0.5])
def test_dropout_left_on_is_said_with_its_rate(rate):
    """It hides nothing else: with its zeros put right the function agrees."""
    report = check(drops(rate), layout="bhtd")

    assert report.mistakes == ()
    assert f"dropout is left on, at a rate of {rate:g}" in report.verdict, report
