"""The example of a module whose x is wide: a few columns hold numbers, and only these are written."""

import numpy as np
import pytest
import torch
from torch import nn

import clearhead as ch


class Joined(nn.Module):
    """Heads that are joined without being transposed back, and a scale that can be wrong."""

    def __init__(self, heads, d_head, *, joins=True, scale=None, transposed=False, swaps=False):
        super().__init__()
        self.num_heads, d_model = heads, heads * d_head
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.joins, self.scale, self.transposed, self.swaps = joins, scale, transposed, swaps

    def forward(self, x):
        def split(y):
            return y.view(*x.shape[:2], self.num_heads, -1).transpose(1, 2)

        k = x @ self.k_proj.weight + self.k_proj.bias if self.transposed else self.k_proj(x)
        q, k, v = split(self.q_proj(x)), split(k), split(self.v_proj(x))
        q, k = (k, q) if self.swaps else (q, k)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, scale=self.scale)
        return self.out_proj((mixed.transpose(1, 2) if self.joins else mixed).reshape(x.shape))


@pytest.mark.parametrize(
    ("wrong", "name", "step"),
    [
        ({"joins": False}, "heads-merged-by-reshape", "joined"),
        ({"scale": 0.125}, None, None),
        ({"transposed": True}, "projection-transposed", "K"),
    ],
)
def test_a_wide_module_gets_an_example_of_few_columns(wrong, name, step):
    report = ch.check(Joined(5, 7, **wrong))
    example = report.smallest
    assert example is not None, report
    x = example.case.given["X"]
    assert x.shape[-1] == 35
    assert set(np.flatnonzero(x.any(axis=(0, 1)))) <= {0, 1, 7, 8}
    assert np.array_equal(x, x.round())
    if name is not None:
        assert report.mistakes == (name,)
        assert report.step == step
    text = str(report)
    assert "all others are 0:" in text
    assert max(map(len, text.split("The smallest example")[1].split("\n\n")[0].splitlines())) < 120


def test_what_is_written_is_what_was_answered():
    """Every number that the text gives of both outputs, put back in its column, is the output."""
    example = ch.check(Joined(5, 7, joins=False)).smallest
    lines = str(ch.check(Joined(5, 7, joins=False))).splitlines()
    for side, values in (("yours", example.yours), ("right", example.right)):
        head = next(line for line in lines if line.startswith(f"  {side}, columns "))
        columns = [int(one) for one in head.split("columns ")[1].split(";")[0].split(", ")]
        rows = [line.split()[1:] for line in lines if line.startswith(f"  {side}[")]
        told = np.zeros_like(values)
        told[:, columns] = np.array(rows, dtype=float)
        np.testing.assert_allclose(told, values, rtol=1e-3, atol=1e-12)


def test_long_sums_are_written_by_their_largest_terms():
    """64 features of a head, of which two hold numbers: 5 terms, and what the other 59 come to."""
    report = ch.check(Joined(2, 64, transposed=True))
    example = report.smallest
    assert report.mistakes == ("projection-transposed",)
    assert set(np.flatnonzero(example.case.given["X"].any(axis=(0, 1)))) <= {0, 1, 64, 65}
    assert max(map(len, str(report).splitlines())) < 200
    scores = ch.check(Joined(2, 64, swaps=True))
    assert scores.mistakes == ("keys-ask-queries",)
    assert "59 more (all are 0)" in str(scores)


class Uncopied(Joined):
    def __deepcopy__(self, memo):
        raise TypeError("not to be copied")


def test_of_own_weights_that_are_wide_there_is_none_and_that_is_told():
    torch.manual_seed(0)
    report = ch.check(Uncopied(2, 11, joins=False))
    assert report.mistakes == ("heads-merged-by-reshape",)
    assert report.smallest is None
    assert any("its own weights are asked, 22 wide" in note for note in report.notes)
