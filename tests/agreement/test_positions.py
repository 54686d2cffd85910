"""Position schemes against their published definitions, written again here from the papers."""

import cmath
import math

import numpy as np
import pytest

from clearhead.core.ops import Alibi, Rotate, Sinusoid

TOLERANCE = 1e-14
"""Angles up to 16 are rounded to some 2e-15 before a sine or cosine of size 1 is taken of them; numbers are below 5."""


@pytest.mark.parametrize(("positions", "d_model"), [(1, 2), (7, 3), (11, 5), (13, 7), (5, 1), (17, 8)])
def test_sinusoidal_positions(positions, d_model):
    """Vaswani et al. 2017, section 3.5: PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(the same)."""
    ours = Sinusoid(("position", "model"), positions, d_model).forward()
    assert ours.shape == (positions, d_model)
    for pos in range(positions):
        for i in range((d_model + 1) // 2):
            angle = pos / 10000 ** (2 * i / d_model)
            assert ours[pos, 2 * i] == pytest.approx(math.sin(angle), rel=0, abs=TOLERANCE)
            if 2 * i + 1 < d_model:
                assert ours[pos, 2 * i + 1] == pytest.approx(math.cos(angle), rel=0, abs=TOLERANCE)


@pytest.mark.parametrize(("heads", "positions", "d_head"), [(1, 3, 2), (2, 7, 6), (3, 11, 10), (5, 13, 14)])
def test_rotary_positions(heads, positions, d_head):
    """RoFormer (Su et al. 2021), equations 12-15: features as complex numbers times e^(i m theta).

    The halves layout: the real parts come first, then the imaginary parts; theta_k = 10000^(-2k/d), k from 0.
    """
    x = np.random.default_rng(d_head).normal(size=(heads, positions, d_head))
    ours = Rotate(("head", "query", "feature")).forward(x)
    half = d_head // 2
    for head in range(heads):
        for m in range(positions):
            for k in range(half):
                theta = 10000 ** (-2 * k / d_head)
                turned = complex(x[head, m, k], x[head, m, k + half]) * cmath.exp(1j * m * theta)
                assert ours[head, m, k] == pytest.approx(turned.real, rel=0, abs=5 * TOLERANCE)
                assert ours[head, m, k + half] == pytest.approx(turned.imag, rel=0, abs=5 * TOLERANCE)


def test_rotary_scores_depend_only_on_the_distance():
    q, k = np.random.default_rng(3).normal(size=(2, 6))
    rotate = Rotate(("head", "query", "feature"))
    queries = rotate.forward(np.tile(q, (1, 13, 1)))[0]
    keys = rotate.forward(np.tile(k, (1, 13, 1)))[0]
    scores = queries @ keys.T
    for distance in range(-12, 13):
        # Six products below 10, with angles up to 12: 1e-13 is some hundred ulps.
        assert np.ptp(np.diagonal(scores, distance)) < 1e-13


def published_slopes(n):
    """`get_slopes` of Press et al.'s code, restated: powers of two by ratio, others from their neighbours."""

    def power_of_two(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(n).is_integer():
        return power_of_two(n)
    closest = 2 ** math.floor(math.log2(n))
    return power_of_two(closest) + published_slopes(2 * closest)[0::2][: n - closest]


def our_slopes(heads):
    """The bias of keys at distance 1 is minus the slope."""
    return -Alibi(("head", "query", "key"), heads, 2).forward()[:, 0, 1]


def test_alibi_slopes_of_eight_heads_are_the_published_table():
    assert our_slopes(8).tolist() == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]


def test_alibi_slopes_of_sixteen_heads_put_roots_between():
    """Section 3: 1/2^0.5, 1/2^1, 1/2^1.5, ..., 1/2^8."""
    expected = [2.0 ** -(step / 2) for step in range(1, 17)]
    np.testing.assert_allclose(our_slopes(16), expected, rtol=1e-15)


@pytest.mark.parametrize("heads", [1, 2, 3, 5, 6, 7, 8, 11, 12, 13, 16, 20])
def test_alibi_slopes_by_the_published_code(heads):
    # The published code multiplies up to 16 times, each with one rounding.
    np.testing.assert_allclose(our_slopes(heads), published_slopes(heads), rtol=1e-14)


def test_alibi_is_minus_slope_times_distance():
    bias = Alibi(("head", "query", "key"), 8, 5).forward()
    for query in range(5):
        for key in range(5):
            assert bias[1, query, key] == -abs(query - key) / 4
