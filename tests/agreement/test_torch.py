"""Agreement with PyTorch in float64 to 1e-12, over heads, masks, scale settings and sizes that are distinct primes.

1e-12 is the promise: numbers here are below about 30, so it is some hundred ulps, and both sides add up to 17 products.
"""

import numpy as np
import pytest
import torch

import clearhead as ch
from clearhead.core.ops import Softmax

TOLERANCE = 1e-12
# heads, d_head, d_value, d_model, positions, columns of W_O
SIZES = [
    (1, 2, 3, 5, 7, 11),
    (2, 3, 5, 7, 11, 13),
    (3, 5, 2, 11, 7, 17),
    (5, 7, 3, 2, 13, 11),
    (1, 3, 2, 5, 1, 7),
]


def random_example(heads, d_head, d_value, d_model, length, width, **switches):
    random = np.random.default_rng(heads * 1009 + d_model)
    words = [f"word{number}" for number in range(length)]
    return ch.Example(
        tokens=words,
        E=dict(zip(words, random.normal(size=(length, d_model)), strict=True)),
        W_Q=random.normal(size=(d_model, heads * d_head)),
        W_K=random.normal(size=(d_model, heads * d_head)),
        W_V=random.normal(size=(d_model, heads * d_value)),
        W_O=random.normal(size=(heads * d_value, width)),
        **({"heads": heads, "positions": "none"} | switches),
    )


def tensor(array):
    return torch.tensor(array, dtype=torch.float64)


def assert_agrees(ours, theirs):
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("positions", ["none", "sinusoidal"])
@pytest.mark.parametrize("sizes", SIZES)
def test_scaled_dot_product_attention(sizes, mask, scale, positions):
    heads, length = sizes[0], sizes[4]
    example = random_example(*sizes, mask=mask, scale=scale, positions=positions)
    trace = ch.run(example)
    X = tensor(trace["X"].values)
    q, k, v = (
        (X @ tensor(W)).unflatten(1, (heads, -1)).transpose(0, 1)
        for W in (example.W_Q, example.W_K, example.W_V)
    )
    mixed = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal=mask == "causal", scale=None if scale else 1.0
    )
    assert_agrees(trace["mixed"].values, mixed)
    output = mixed.transpose(0, 1).reshape(length, -1) @ tensor(example.W_O)
    assert_agrees(trace["output"].values, output)


@pytest.mark.parametrize("heads", [1, 2, 3])
def test_alibi_is_a_mask_added_to_scaled_scores(heads):
    """sdpa adds a float mask. Slopes of 1 and 2 heads by their definition, of 3 by the published recursion."""
    slopes = tensor({1: [2**-8], 2: [2**-4, 2**-8], 3: [2**-4, 2**-8, 2**-2]}[heads])
    trace = ch.run(random_example(heads, 5, 2, 3, 7, 11, positions="alibi"))
    at = torch.arange(7)
    bias = -slopes[:, None, None] * (at[:, None] - at).abs()
    q, k, v = (tensor(trace[name].values) for name in "QKV")
    assert_agrees(
        trace["mixed"].values, torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    )


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize(("heads", "d_head", "length"), [(1, 7, 5), (2, 3, 7), (3, 5, 11), (5, 2, 13)])
def test_multihead_attention(heads, d_head, length, mask):
    """One module, without biases: its output and each head's weights."""
    width = heads * d_head
    example = random_example(heads, d_head, d_head, width, length, width, mask=mask)
    module = torch.nn.MultiheadAttention(width, heads, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():  # PyTorch keeps its matrices transposed
        module.in_proj_weight.copy_(tensor(np.hstack([example.W_Q, example.W_K, example.W_V]).T))
        module.out_proj.weight.copy_(tensor(example.W_O.T))
    trace = ch.run(example)
    X = tensor(trace["X"].values)[None]
    forbidden = torch.ones(length, length, dtype=torch.bool).triu(1) if mask == "causal" else None
    output, weights = module(X, X, X, attn_mask=forbidden, average_attn_weights=False)
    assert_agrees(trace["output"].values, output[0])
    assert_agrees(trace["weights"].values, weights[0])


@pytest.mark.parametrize("size", [1.0, 30.0, 1e5])
def test_softmax(size):
    """Small scores, scores around where our formula changes form (20), and scores of ±1e5, mixed and alone."""
    scores = np.random.default_rng(7).uniform(-size, size, (2, 3, 5))
    scores[0, 0] = [size, -size, size, 0, -np.inf]
    scores[0, 1], scores[0, 2] = scores[0, 1] + size, scores[0, 2] - 3 * size
    ours = Softmax(("head", "query", "key")).forward(scores)
    assert_agrees(ours, torch.softmax(tensor(scores), dim=-1))


def test_softmax_where_every_score_is_a_hundred_thousand_or_minus_that():
    softmax = Softmax(("head", "query", "key"))
    for score in (1e5, -1e5):
        assert softmax.forward(np.full((1, 1, 4), score)).tolist() == [[[0.25] * 4]]
    assert softmax.forward(np.array([[[1e5, -1e5]]])).tolist() == [[[1, 0]]]


def test_the_comparison_would_find_a_wrong_scale():
    """The same comparison with sdpa's scale off by one part in a thousand million must fail."""
    trace = ch.run(random_example(*SIZES[1]))
    q, k, v = (tensor(trace[name].values) for name in "QKV")
    other = torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=3**-0.5 * (1 + 1e-9))
    with pytest.raises(AssertionError):
        assert_agrees(trace["mixed"].values, other)
