"""Mistakes before the softmax, as a person writes them: each is named, and no other is."""

import numpy as np
import pytest

from clearhead.session.checking import check

torch = pytest.importorskip("torch")


def softmax(scores):
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def forgets_the_scale(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1), dim=-1) @ v


def takes_the_models_width(q, k, v, n_heads):
    batch, length, width = q.shape
    q, k, v = (x.view(batch, -1, n_heads, width // n_heads).transpose(1, 2) for x in (q, k, v))
    weights = torch.softmax(q @ k.mT / width**0.5, dim=-1)
    return (weights @ v).transpose(1, 2).reshape(batch, length, width)


def multiplies(query, key, value):
    scores = np.matmul(query, np.swapaxes(key, -1, -2)) * np.sqrt(query.shape[-1])
    return softmax(scores) @ value


def forgets_the_root(q, k, v):
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1]
    return np.einsum("bhqk,bkhd->bqhd", softmax(scores), v)


def scales_too_late(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1) / q.size(-1) ** 0.5
    return weights @ v, weights


def divides_whole_numbers(q, k, v):
    scale = 1 // int(q.shape[-1] ** 0.5)
    return softmax(q @ k.swapaxes(-1, -2) * scale) @ v


def takes_the_number_of_keys(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / k.size(-2) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ v


def takes_the_number_of_heads(q, k, v):
    return torch.softmax(q @ k.mT / q.shape[1] ** 0.5, -1) @ v


def takes_a_distance(q, k, v):
    return softmax(-(q @ k.swapaxes(-1, -2)) / np.sqrt(q.shape[-1])) @ v


def exchanges_letters(q, k, v):
    scores = np.einsum("htd,hsd->hst", q, k) / q.shape[-1] ** 0.5
    return np.einsum("hqk,hkd->hqd", softmax(scores), v)


def reshapes_the_keys(q, k, v):
    batch, heads, length, width = k.shape
    scores = q @ k.reshape(batch, heads, width, length) / width**0.5
    return torch.softmax(scores, -1) @ v


def asks_with_keys(q, k, v):
    return softmax(k @ k.T / np.sqrt(k.shape[1])) @ v


def compares_queries(q, k, v):
    return softmax(q @ q.T / np.sqrt(k.shape[1])) @ v


def compares_values(q, k, v):
    return softmax(q @ v.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v


def measures_angles(q, k, v):
    q, k = torch.nn.functional.normalize(q, dim=-1), torch.nn.functional.normalize(k, dim=-1)
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v


def caps_nothing(q, k, v, softcap=3.0):
    return torch.softmax(q @ k.mT * q.shape[-1] ** -0.5, -1) @ v


def caps_to_one(q, k, v):
    return torch.softmax(torch.tanh(q @ k.mT * q.shape[-1] ** -0.5 / 3.0), -1) @ v


def caps_too_early(q, k, v):
    return torch.softmax(3.0 * torch.tanh(q @ k.mT / 3.0) * q.shape[-1] ** -0.5, -1) @ v


def caps_what_is_hidden(q, k, v):
    hidden = torch.triu(torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool), 1)
    scores = (q @ k.mT * q.shape[-1] ** -0.5).masked_fill(hidden, float("-inf"))
    return torch.softmax(3.0 * torch.tanh(scores / 3.0), -1) @ v


WRONG = (
    ("no-scale", forgets_the_scale, {}),
    ("scale-by-d-model", takes_the_models_width, {}),
    ("scale-multiplied", multiplies, {}),
    ("scale-without-root", forgets_the_root, {"layout": "bthd"}),
    ("scale-after-softmax", scales_too_late, {}),
    ("scale-zero", divides_whole_numbers, {}),
    ("scale-by-keys", takes_the_number_of_keys, {}),
    ("scale-by-heads", takes_the_number_of_heads, {"layout": "bhtd"}),
    ("scores-negated", takes_a_distance, {}),
    ("keys-ask-queries", exchanges_letters, {"layout": "htd"}),
    ("keys-reshaped", reshapes_the_keys, {}),
    ("keys-for-queries", asks_with_keys, {}),
    ("queries-for-keys", compares_queries, {}),
    ("values-for-keys", compares_values, {}),
    ("cosine-scores", measures_angles, {}),
    ("soft-cap-missing", caps_nothing, {"soft_cap": 3.0}),
    ("soft-cap-not-multiplied-back", caps_to_one, {"soft_cap": 3.0}),
    ("soft-cap-before-scale", caps_too_early, {"soft_cap": 3.0}),
    ("soft-cap-after-mask", caps_what_is_hidden, {"soft_cap": 3.0, "mask": "causal"}),
)


@pytest.mark.parametrize(("name", "function", "told"), WRONG, ids=[name for name, *_ in WRONG])
def test_the_mistake_is_named(name, function, told):
    report = check(function, **told)

    assert report.mistakes == (name,), report
    assert not report.agrees
    assert f"({name})" in str(report).splitlines()[0]
