"""A function that masks by itself, untold, and is wrong in a way that nothing known explains: its mask is seen."""

import pytest
import torch

import clearhead as ch

D_HEAD, LIMIT = 11, 0.5


@pytest.mark.parametrize(("causal", "mask"), [(True, "causal"), (False, "none")])
def test_an_unknown_mistake_is_measured_against_the_mask_that_is_there(causal, mask):
    """Scores are clamped: they part, and not the weights of the later positions that are rightly hidden."""

    def attention(q, k, v):
        scores = (q @ k.transpose(-2, -1) * D_HEAD**-0.5).clamp(-LIMIT, LIMIT)
        if causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -torch.inf)
        return scores.softmax(-1) @ v

    report = ch.check(attention)
    assert not report.agrees
    assert not report.mistakes
    assert report.step in ("scores", "scaled"), report
    assert f"mask {mask}" in report.asked
