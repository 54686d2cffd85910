"""Mistakes in the softmax and after it, as a person writes them: each is named, and no other is."""

import math

import numpy as np
import pytest

from clearhead.session.checking import check

torch = pytest.importorskip("torch")


def scores_of(q, k):
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])


def down_the_columns(q, k, v):
    weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-2)
    return weights @ v, weights


def across_the_heads(q, k, v):
    scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.shape[-1])
    return torch.softmax(scores, dim=1) @ v


def across_the_batch(q, k, v):
    return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=0) @ v


def over_all_there_is(q, k, v):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.flatten().softmax(0).view_as(scores) @ v


def over_the_matrix(q, k, v):
    exponentials = np.exp(scores_of(q, k) - scores_of(q, k).max())
    return exponentials / exponentials.sum() @ v


def without_softmax(q, k, v):
    return scores_of(q, k) @ v


def twice(q, k, v):
    weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1)
    return torch.softmax(weights, dim=-1) @ v


def without_the_sum(q, k, v):
    return np.exp(scores_of(q, k)) @ v


def overflowing(q, k, v):
    exponentials = np.exp(scores_of(q, k))
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ v


def below_the_largest_of_all(q, k, v):
    exponentials = np.exp(scores_of(q, k) - scores_of(q, k).max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ v


def logarithms(q, k, v):
    return torch.log_softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v


def each_by_itself(q, k, v):
    return torch.sigmoid(q @ k.mT / math.sqrt(q.shape[-1])) @ v


def with_room_for_nothing(q, k, v):
    scores = scores_of(q, k)
    largest = np.maximum(scores.max(-1, keepdims=True), 0)
    exponentials = np.exp(scores - largest)
    return exponentials / (np.exp(-largest) + exponentials.sum(-1, keepdims=True)) @ v


def powers_of_two(q, k, v):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    powers = torch.exp2(scores - scores.amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True) @ v


def blends_keys(q, k, v):
    return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ k


def blends_queries(q, k, v):
    return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ q


def sends_instead_of_fetching(q, k, v):
    weights = torch.softmax(torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.shape[-1]), dim=-1)
    return torch.einsum("bhji,bhjd->bhid", weights, v)


def takes_the_mean(q, k, v):
    weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1)
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).mean(dim=-2)


def goes_around(q, k, v):
    return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v + q


WRONG = (
    ("softmax-over-queries", down_the_columns, {}),
    ("softmax-over-heads", across_the_heads, {"layout": "bhtd"}),
    ("softmax-over-batch", across_the_batch, {"layout": "bhtd"}),
    ("softmax-over-everything", over_the_matrix, {"layout": "td"}),
    ("softmax-over-whole-array", over_all_there_is, {"layout": "bhtd"}),
    ("no-softmax", without_softmax, {}),
    ("softmax-twice", twice, {}),
    ("weights-not-divided", without_the_sum, {}),
    ("exponential-overflows", overflowing, {}),
    ("largest-of-everything", below_the_largest_of_all, {}),
    ("log-weights", logarithms, {}),
    ("sigmoid", each_by_itself, {}),
    ("softmax-plus-one", with_room_for_nothing, {}),
    ("softmax-base-2", powers_of_two, {}),
    ("keys-for-values", blends_keys, {}),
    ("queries-for-values", blends_queries, {}),
    ("weights-transposed", sends_instead_of_fetching, {}),
    ("divided-by-keys", takes_the_mean, {}),
    ("query-added", goes_around, {}),
)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, where a person's exponential overflows
@pytest.mark.parametrize(("name", "function", "told"), WRONG, ids=[name for name, *_ in WRONG])
def test_the_mistake_is_named(name, function, told):
    report = check(function, **told)

    assert report.mistakes == (name,), report
    assert not report.agrees
