"""One head, with all that real models add to it, against PyTorch in float64: forwards and backwards.

1e-12 is the promise: numbers here are below about 30, so it is some hundred ulps, and both sides add up to 17 products.
"""

import math

import numpy as np
import pytest
import torch

from clearhead.core.attention import compute
from clearhead.core.backward import backward
from clearhead.core.head import Head, attend
from clearhead.core.ops import Contract
from clearhead.core.tape import Tape

TOLERANCE = 1e-12
QUERIES, KEYS = ("query", "feature"), ("key", "feature")

# queries, keys, d_head, d_value: distinct primes
SIZES = [(5, 7, 3, 2), (13, 11, 5, 7), (2, 3, 11, 5), (17, 13, 7, 3), (7, 7, 2, 5)]
LEADING = [(), (3,), (2, 3)]

at = torch.arange
MASKS = {
    "none": lambda q, k: torch.ones(q, k, dtype=torch.bool),
    "causal": lambda q, k: at(k) <= at(q)[:, None],
    "causal & window(3)": lambda q, k: (at(k) <= at(q)[:, None]) & (at(k) > at(q)[:, None] - 3),
    "band(2)": lambda q, k: (at(k) - at(q)[:, None]).abs() <= 2,
    "causal & chunk(3)": lambda q, k: (at(k) <= at(q)[:, None]) & (at(k) // 3 == at(q)[:, None] // 3),
    "causal & keys(1:4)": lambda q, k: (at(k) <= at(q)[:, None]) & (at(k) >= 1) & (at(k) < 4),
    "causal+2": lambda q, k: at(k) <= at(q)[:, None] + 2,
    "causal | prefix(3)": lambda q, k: (at(k) <= at(q)[:, None]) | (at(k) < 3),
    "documents(0,2,5)": lambda q, k: torch.bucketize(at(k), torch.tensor([2, 5]), right=True)
    == torch.bucketize(at(q), torch.tensor([2, 5]), right=True)[:, None],
}  # fmt: skip
"""The masks again, in PyTorch, from what they mean."""


def drawn(sizes, leading=()):
    """Random Q, K, V, a bias and sinks."""
    queries, keys, d_head, d_value = sizes
    random = np.random.default_rng(1009 * queries + d_head)
    shapes = {
        "Q": (queries, d_head),
        "K": (keys, d_head),
        "V": (keys, d_value),
        "bias": (queries, keys),
        "sink": (),
    }
    heads = {name: leading[1:] if name == "sink" and len(leading) == 2 else leading for name in shapes}
    return {name: random.normal(size=(*heads[name], *shape)) * 2 for name, shape in shapes.items()}


def reference(Q, K, V, scale, visible, cap=None, bias=None, sink=None):
    """The published formula: the sink as one more column of scores, which is dropped after the softmax."""
    scores = Q @ K.mT * scale
    if cap is not None:
        scores = cap * torch.tanh(scores / cap)
    if bias is not None:
        scores = scores + bias
    scores = scores.masked_fill(~visible, -math.inf)
    if sink is None:
        return torch.softmax(scores, -1).nan_to_num(0.0) @ V
    column = sink[..., None, None].expand(*scores.shape[:-1], 1)
    return torch.softmax(torch.cat([scores, column], -1), -1)[..., :-1] @ V


def tensors(arrays):
    return {name: torch.tensor(array, dtype=torch.float64) for name, array in arrays.items()}


def assert_agrees(ours, theirs):
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("scale", [None, 1.0, 0.37])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_scaled_dot_product_attention(sizes, mask, scale):
    """Rows that see nothing among them: queries after a window's or a document's last key."""
    given, visible = drawn(sizes), MASKS[mask](*sizes[:2])
    Q, K, V = (given[name] for name in "QKV")
    ours = attend(compute, Q, K, V, Head(scale=scale, mask=mask))
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *(torch.tensor(one)[None, None] for one in (Q, K, V)), attn_mask=visible, scale=scale
    )
    assert_agrees(ours, theirs[0, 0])


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("leading", LEADING, ids=str)
@pytest.mark.parametrize("cap", [None, 1.5, 50.0])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("sunk", [False, True])
def test_soft_cap_bias_and_sink(sizes, leading, cap, biased, sunk):
    """Alone and together, for one head, for heads and for a batch of them; a given mask with an empty row on top."""
    given = drawn(sizes, leading)
    allowed = np.random.default_rng(sizes[1]).random((*leading, *sizes[:2])) < 0.7
    allowed[..., 1, :] = False
    mask, other = "causal | prefix(3)", tensors(given)
    more = {"bias": biased, "sink": sunk}
    ours = attend(
        compute, *(given[name] for name in "QKV"), Head(0.41, cap, mask), allowed=allowed.astype(float),
        **{name: given[name] for name, there in more.items() if there},
    )  # fmt: skip
    visible = MASKS[mask](*sizes[:2]) & torch.tensor(allowed)
    theirs = reference(
        *(other[name] for name in "QKV"), 0.41, visible, cap,
        **{name: other[name] for name, there in more.items() if there},
    )  # fmt: skip
    assert_agrees(ours, theirs)
    assert (ours[..., 1, :] == 0).all()


@pytest.mark.parametrize("size", [1.0, 30.0, 1e5])
@pytest.mark.parametrize("sink", [-1e5, -30.0, 0.0, 30.0, 1e5])
def test_sinks_and_scores_of_every_size(size, sink):
    """Around and beyond where the formula changes form (20)."""
    scores = np.random.default_rng(7).uniform(-size, size, (5, 7))
    given = {"Q": scores, "K": np.eye(7), "V": np.eye(7), "sink": np.array(sink)}
    ours = attend(compute, *(given[name] for name in "QKV"), Head(scale=1.0), sink=given["sink"])
    theirs = reference(**tensors(given), scale=1.0, visible=torch.tensor(True))
    assert_agrees(ours, theirs)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("leading", LEADING, ids=str)
def test_the_gradient_of_everything(sizes, leading):
    """Of the sum of what was mixed, each number by a weight of its own, with PyTorch's own differentiation."""
    arrays = drawn(sizes, leading)
    queries, keys = (("batch", "head")[2 - len(leading) :] + axes for axes in (QUERIES, KEYS))
    sink_axes = ("head",) if leading else ()
    axes = {"Q": queries, "K": keys, "V": keys, "bias": (*queries[:-1], "key"), "sink": sink_axes}
    weighed = np.random.default_rng(3).normal(size=(*leading, sizes[0], sizes[3]))
    tape = Tape()
    given = {name: tape.given(name, axes[name], array) for name, array in arrays.items()}
    r = tape.given("r", queries, weighed)
    mixed = attend(
        tape, *(given[name] for name in "QKV"), Head(0.41, 3.0, "causal"), given["bias"], given["sink"]
    )
    loss = tape("loss", Contract((), queries, queries), mixed, r)
    ours = backward(Tape(), tape.values, loss)
    theirs = {name: one.requires_grad_() for name, one in tensors(arrays).items()}
    visible = MASKS["causal"](*sizes[:2])
    (reference(*(theirs[name] for name in "QKV"), 0.41, visible, 3.0, theirs["bias"], theirs["sink"])
     * torch.tensor(weighed)).sum().backward()  # fmt: skip
    for name, one in theirs.items():
        assert_agrees(ours[name].values, one.grad)


def test_the_comparison_would_find_a_sink_that_is_left_out():
    given = drawn(SIZES[0])
    Q, K, V = (given[name] for name in "QKV")
    other = reference(
        **{name: torch.tensor(given[name]) for name in "QKV"}, scale=1.0, visible=torch.tensor(True)
    )
    assert_agrees(attend(compute, Q, K, V, Head(scale=1.0)), other)
    with pytest.raises(AssertionError):
        assert_agrees(attend(compute, Q, K, V, Head(scale=1.0), sink=np.array(-20.0)), other)
