"""Attention in blocks, as FlashAttention has it: right whatever the block, and named where a factor is forgotten."""

import math

import pytest

import clearhead as ch

torch = pytest.importorskip("torch")


def in_blocks(block, *, blended=True, summed=True, causal=False, most=None):
    """Online softmax; `blended` and `summed` say what is scaled down when a later score is larger."""

    def attention(q, k, v):
        positions = k.shape[-2]
        assert most is None or positions <= most, f"{positions} are more than {most}"
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if causal:
            later = torch.ones(positions, positions, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -torch.inf)
        largest = torch.full((*q.shape[:-1], 1), -1e300, dtype=q.dtype)
        total, output = torch.zeros_like(largest), torch.zeros_like(v[..., : q.shape[-2], :])
        for start in range(0, positions, block):
            part = scores[..., start : start + block]
            now = torch.maximum(largest, part.amax(-1, keepdim=True))
            factor, shares = (largest - now).exp(), (part - now).exp()
            total = total * (factor if summed else 1) + shares.sum(-1, keepdim=True)
            output = output * (factor if blended else 1) + shares @ v[..., start : start + block, :]
            largest = now
        return output / total

    return attention


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block", [1, 3, 16, 50, 128])
def test_any_block_is_right(block, causal):
    report = ch.check(in_blocks(block, causal=causal), layout="bhtd")
    assert report.agrees, report


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block", [1, 4, 32, 128])
@pytest.mark.parametrize("summed", [False, True])
def test_what_is_not_scaled_down_is_named(block, summed, causal):
    report = ch.check(in_blocks(block, blended=False, summed=summed, causal=causal), layout="bhtd")
    assert report.mistakes == ("blocks-not-rescaled",), report
    assert ("one key at a time" if block == 1 else f"blocks of {block} keys") in report.verdict
    assert ("the sum of exponentials" in report.verdict) is not summed


def test_a_block_that_the_library_lacks_is_never_taken_for_right():
    report = ch.check(in_blocks(100, blended=False), layout="bhtd")
    assert not report.agrees
    assert "only with many positions" in report.verdict


def test_positions_that_it_does_not_take_are_told():
    report = ch.check(in_blocks(64, most=50, blended=False), layout="bhtd")
    assert report.agrees
    assert "it does not take 131 positions: what only that many show was not seen" in report.notes
