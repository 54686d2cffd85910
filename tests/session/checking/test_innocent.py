"""Right functions in many ways of computing: none is ever convicted, and a coarser type is said."""

import math

import numpy as np
import pytest

from clearhead.session.checking import check

torch = pytest.importorskip("torch")
F = torch.nn.functional


def seen_by(q, k):
    return torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()


def backend(name):
    """One of PyTorch's own kernels."""

    def sdpa(query, key, value, attn_mask=None, is_causal=False):
        with torch.nn.attention.sdpa_kernel(getattr(torch.nn.attention.SDPBackend, name)):
            return F.scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal)

    return sdpa


def einsum(q, k, v):
    weights = torch.einsum("bhid,bhjd->bhij", q, k).div(math.sqrt(q.shape[-1])).softmax(-1)
    return torch.einsum("bhij,bhjd->bhid", weights, v), weights


def baddbmm(q, k, v):
    """As in older translation models: batches of heads, the scale inside the product."""
    start = q.new_zeros(q.shape[0], q.shape[1], k.shape[1])
    return torch.bmm(torch.baddbmm(start, q, k.mT, beta=0, alpha=q.shape[-1] ** -0.5).softmax(-1), v)


def online(q, k, v):
    """Keys one after the other, with a running maximum (Milakov and Gimelshein 2018)."""
    scale = q.shape[-1] ** -0.5
    largest = np.full((*q.shape[:-1], 1), -np.inf)
    total, mixed = np.zeros_like(largest), np.zeros((*q.shape[:-1], v.shape[-1]))
    for place in range(k.shape[-2]):
        score = (q * k[..., place : place + 1, :]).sum(-1, keepdims=True) * scale
        higher = np.maximum(largest, score)
        shrunk, one = np.exp(largest - higher), np.exp(score - higher)
        total = total * shrunk + one
        mixed = mixed * shrunk + one * v[..., place : place + 1, :]
        largest = higher
    return mixed / total


def in_chunks(q, k, v, causal=False):
    """Two queries at a time against two keys at a time."""
    output = torch.empty(*q.shape[:-1], v.shape[-1], dtype=q.dtype)
    for first in range(0, q.shape[-2], 2):
        rows = slice(first, first + 2)
        logs, parts = [], []
        for at in range(0, k.shape[-2], 2):
            columns = slice(at, at + 2)
            scores = q[..., rows, :] @ k[..., columns, :].mT / math.sqrt(q.shape[-1])
            if causal:
                scores = scores.masked_fill(~seen_by(q, k)[rows, columns], float("-inf"))
            logs.append(scores.logsumexp(-1, keepdim=True))
            parts.append(scores.softmax(-1).nan_to_num() @ v[..., columns, :])
        shares = torch.cat(logs, -1).softmax(-1)
        output[..., rows, :] = sum(shares[..., place, None] * part for place, part in enumerate(parts))
    return output


def loops(q, k, v):
    """Plain Python for one head."""
    rows = []
    for query in q:
        scores = [sum(a * b for a, b in zip(query, key, strict=True)) / len(query) ** 0.5 for key in k]
        powers = [math.exp(score - max(scores)) for score in scores]
        shares = [power / math.fsum(powers) for power in powers]
        rows.append(
            [math.fsum(w * value[d] for w, value in zip(shares, v, strict=True)) for d in range(len(v[0]))]
        )
    return np.array(rows)


def logarithms(q, k, v):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True)) @ v


def shifted_rows(q, k, v):
    """One number more on all scores of a row, another on each: nothing changes."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return torch.softmax(scores + q.sum(-1, keepdim=True), -1) @ v


def halved_scale(q, k, v):
    root = q.shape[-1] ** 0.25
    return torch.softmax((q / root) @ (k / root).mT, -1) @ v


def filled(fill):
    def masked(q, k, v, is_causal=False):
        scores = q @ k.mT * q.shape[-1] ** -0.5
        if is_causal:
            scores = scores.masked_fill(~seen_by(q, k), fill)
        return torch.softmax(scores, -1) @ v

    return masked


def adds_the_mask(q, k, v, mask=None):
    scores = q @ k.mT * q.shape[-1] ** -0.5
    return torch.softmax(scores if mask is None else scores + mask, -1) @ v


def one_for_all_heads(q, k, v):
    """The weights that are returned are the heads' mean."""
    weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1)
    return weights @ v, weights.mean(1)


def positions_first(q, k, v, is_causal=False):
    scores = np.einsum("bihd,bjhd->bhij", q, k) / np.sqrt(q.shape[-1])
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("bhij,bjhd->bihd", weights / weights.sum(-1, keepdims=True), v)


def joined_heads(q, k, v, num_heads):
    """What `torch.nn.functional.multi_head_attention_forward` does between its projections."""
    q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(1, 2).flatten(0, 1) for x in (q, k, v))
    mixed = torch.bmm(torch.bmm(q * q.shape[-1] ** -0.5, k.mT).softmax(-1), v)
    return mixed.unflatten(0, (-1, num_heads)).transpose(1, 2).flatten(2)


def repeated_groups(q, k, v):
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], dim=1) for x in (k, v))
    return F.scaled_dot_product_attention(q, k, v)


def grouped_by_view(q, k, v):
    """No key is copied: the queries of a group stand beside each other."""
    batch, heads, length, width = q.shape
    grouped = q.view(batch, k.shape[1], -1, length, width)
    weights = torch.einsum("bghid,bgjd->bghij", grouped, k).div(width**0.5).softmax(-1)
    return torch.einsum("bghij,bgjd->bghid", weights, v).reshape(batch, heads, length, -1)


def weights_first(q, k, v):
    """(W v) as (v^T W^T)^T, and the division at the end."""
    powers = np.exp((s := q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) - s.max(-1, keepdims=True))
    blended = (v.swapaxes(-1, -2) @ powers.swapaxes(-1, -2)).swapaxes(-1, -2)
    return blended / powers.sum(-1, keepdims=True)


def powers_of_two(q, k, v):
    """With log2(e) in the scale, as fast kernels have it."""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 * math.log2(math.e))
    powers = torch.exp2(scores - scores.amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True) @ v


def inside(dtype):
    """All steps in one type, whatever comes in; the answer as it came."""

    def computed(q, k, v):
        given = q.dtype
        q, k, v = (x.to(dtype) for x in (q, k, v))
        return (torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1) @ v).to(given)

    return computed


def scores_in(dtype):
    """Only the scores in the short type."""

    def computed(q, k, v):
        scores = (q.to(dtype) @ k.to(dtype).mT).to(q.dtype)
        return torch.softmax(scores / math.sqrt(q.shape[-1]), -1) @ v

    return computed


def own_jax(q, k, v):
    jnp = pytest.importorskip("jax.numpy")
    nn = pytest.importorskip("jax.nn")
    return nn.softmax(q @ jnp.swapaxes(k, -1, -2) / jnp.sqrt(q.shape[-1]), axis=-1) @ v


INNOCENT = (
    ("torch, math kernel", backend("MATH"), {}),
    ("torch, flash kernel", backend("FLASH_ATTENTION"), {"mask": "none"}),
    ("torch, whichever kernel", F.scaled_dot_product_attention, {"mask": "none"}),
    ("einsum, with weights", einsum, {}),
    ("baddbmm", baddbmm, {"layout": "btd"}),
    ("online softmax", online, {}),
    ("in chunks", in_chunks, {}),
    ("loops", loops, {"layout": "td"}),
    ("log-sum-exp", logarithms, {}),
    ("rows shifted", shifted_rows, {}),
    ("half the scale on either side", halved_scale, {}),
    ("fill -1e9", filled(-1e9), {}),
    ("fill of the type's least", filled(torch.finfo(torch.float32).min), {}),
    ("fill -inf", filled(-math.inf), {}),
    ("a mask that is added", adds_the_mask, {}),
    ("weights averaged over heads", one_for_all_heads, {"layout": "bhtd"}),
    ("positions before heads", positions_first, {"layout": "bthd"}),
    ("heads joined", joined_heads, {}),
    ("shared heads repeated", repeated_groups, {"heads": 6, "kv_heads": 2, "layout": "bhtd"}),
    ("shared heads by a view", grouped_by_view, {"heads": 6, "kv_heads": 2, "layout": "bhtd"}),
    ("divided at the end", weights_first, {}),
    ("powers of two with their factor", powers_of_two, {}),
)


@pytest.mark.parametrize(
    ("function", "told"), [one[1:] for one in INNOCENT], ids=[one[0] for one in INNOCENT]
)
def test_a_right_function_agrees(function, told):
    report = check(function, **told)

    assert report.agrees, report
    assert not report.mistakes


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize(
    "function",
    [einsum, filled(-math.inf), backend("MATH"), halved_scale],
    ids=["einsum", "filled", "sdpa", "halved"],
)
def test_a_right_function_agrees_in_a_short_type(function, dtype):
    report = check(function, library="torch", dtype=dtype, layout="bhtd")

    assert report.agrees, report
    assert not report.mistakes


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_the_type_inside_is_said(dtype):
    report = check(inside(getattr(torch, dtype)))

    assert report.agrees, report
    assert f"its precision looks like {dtype}" in report.verdict


def test_numpy_in_float32_and_float16():
    for dtype in ("float32", "float16"):
        assert check(online, dtype=dtype, layout="bhtd").agrees


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_one_step_in_a_short_type_agrees(dtype):
    report = check(scores_in(getattr(torch, dtype)))

    assert report.agrees, report
    assert dtype in report.verdict


def test_jax_agrees():
    pytest.importorskip("jax")
    report = check(own_jax, library="jax")

    assert report.agrees, report


def a_little_in_the_sum(q, k, v):
    """Against a division by zero."""
    weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)
    return weights / (weights.sum(-1, keepdim=True) + 1e-7) @ v


def test_what_is_as_near_as_float32_is_not_said_to_be_float32():
    report = check(a_little_in_the_sum, layout="bhtd")

    assert report.agrees, report
    assert "looks like" not in report.verdict
    assert "as far as rounding in float32 may reach" in report.verdict


def test_questions_beyond_a_type_say_nothing_of_how_near_it_is():
    report = check(inside(torch.float16))

    assert report.agrees, report
    assert report.off < 0.01
    assert "more are beyond float16" in report.verdict
