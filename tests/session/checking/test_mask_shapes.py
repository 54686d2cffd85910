"""Masks as people shape them: each is found out, and is the same if it is told; and a fill that hides no padding."""

import math

import pytest
import torch
from torch import nn

import clearhead as ch

HEADS, D_HEAD = 3, 7
D_MODEL = HEADS * D_HEAD


class Masking(nn.Module):
    """Self-attention that is handed a mask; `shaped` makes it (batch, heads or 1, queries or 1, keys)."""

    def __init__(self, shaped):
        super().__init__()
        self.num_heads, self.shaped = HEADS, shaped
        self.qkv, self.out_proj = nn.Linear(D_MODEL, 3 * D_MODEL), nn.Linear(D_MODEL, D_MODEL)

    def forward(self, x, mask=None):
        q, k, v = (
            part.reshape(*x.shape[:2], HEADS, D_HEAD).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)
        )
        scores = q @ k.mT / math.sqrt(D_HEAD)
        if mask is not None:
            scores = scores.masked_fill(self.shaped(mask) == 0, -1e9)
        return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))


SHAPES = {
    "batch, heads, queries, keys": lambda mask: mask,
    "batch, queries, keys": lambda mask: mask[:, None],
    "batch, keys": lambda mask: mask[:, None, None, :],
}


@pytest.mark.parametrize("told", [{}, {"mask_means": "seen"}], ids=["untold", "told"])
@pytest.mark.parametrize("shaped", SHAPES.values(), ids=SHAPES)
def test_a_right_module_agrees_whatever_the_shape_of_its_mask(shaped, told):
    report = ch.check(Masking(shaped), **told)
    assert report.agrees, report


def filling(fill):
    def attention(q, k, v, attention_mask):
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        return scores.masked_fill(attention_mask[:, None, None, :] == 0, fill).softmax(-1) @ v

    return attention


@pytest.mark.parametrize("fill", [-1e9, -math.inf])
def test_a_mask_of_padding_that_must_be_handed_over(fill):
    report = ch.check(filling(fill))
    assert report.agrees, report
    assert "its attention_mask is taken to be (batch, keys), True where a key may be seen" in report.notes


@pytest.mark.parametrize("fill", [-10.0, -50.0, -1e3, -1e4])
def test_a_fill_that_does_not_hide_padding(fill):
    report = ch.check(filling(fill))
    assert report.mistakes == ("fill-too-small",), report
    assert f"gives hidden scores {fill:g}" in report.verdict


def test_what_looks_at_one_key_alone_is_not_held_against_a_causal_mask():
    def hard(q, k, v):
        return nn.functional.one_hot((q @ k.mT).argmax(-1), k.shape[-2]).to(v.dtype) @ v

    report = ch.check(hard)
    assert not report.agrees
    assert "mask none" in report.asked


def test_an_einsum_with_two_letters_for_the_keys():
    def attention(q, k, v):
        weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)
        return torch.einsum("bhqk,bhjd->bhqd", weights, v)

    assert ch.check(attention).mistakes == ("values-added-apart",)


def test_keys_beyond_a_number_that_are_left_out():
    def short(q, k, v):
        return nn.functional.scaled_dot_product_attention(q, k[..., :32, :], v[..., :32, :])

    report = ch.check(short)
    assert not report.agrees
    assert "only with many positions" in report.verdict


def numbered(fill):
    """It must be handed a mask, and reckons with it: True and False do not do."""

    def attention(q, k, v, mask):
        return (q @ k.mT / math.sqrt(q.shape[-1]) + (1 - mask) * fill).softmax(-1) @ v

    return attention


def test_a_mask_of_numbers_that_must_be_handed_over():
    assert ch.check(numbered(-1e9)).agrees
    report = ch.check(numbered(-1e4))
    assert report.mistakes == ("fill-too-small",), report
    assert "lowers hidden scores by 10000" in report.verdict


def test_an_output_with_numbers_that_are_none():
    def attention(q, k, v):
        output = nn.functional.scaled_dot_product_attention(q, k, v).clone()
        output[..., -1, :] = math.nan
        return output

    report = ch.check(attention)
    assert not report.agrees
    assert "some are no finite numbers, only the last query is off" in report.verdict
    assert "by up to" not in report.verdict


def test_a_wrong_scale_in_a_short_type_is_seen_at_the_scale():
    def attention(q, k, v):
        scores = q.bfloat16() @ k.bfloat16().mT * (1.25 / q.shape[-1] ** 0.5)
        return scores.softmax(-1) @ v.bfloat16()

    report = ch.check(attention)
    assert report.step == "scaled", report
    assert "1.25" in report.parting.pattern or "1.24" in report.parting.pattern
