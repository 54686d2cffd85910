"""What holds for the shipped examples holds for random ones: any sizes, heads, magnitudes and switches."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import clearhead as ch
from clearhead.core.optimise import Optimiser
from clearhead.sources.worked.run import with_asides

MAGNITUDES = (1e-25, 1e-3, 1.0, 1e3, 1e25)
"""E and two matrices multiply to scores and outputs; the shares of contribution square those: all fit float64."""


@st.composite
def examples(draw, magnitudes=MAGNITUDES, whole=False):
    """With `whole`, a model that goes on to the next word and has a loss.

    Sizes are drawn one by one; the numbers come from a drawn seed, some of them 0 and some small integers."""
    heads, d_head, d_value = draw(st.integers(1, 3)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    d_model, words, length = draw(st.integers(1, 5)), draw(st.integers(1, 3)), draw(st.integers(1 + whole, 5))
    width = d_model if whole else draw(st.sampled_from([None, 1, d_model, 7]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def matrix(rows, columns):
        size = draw(st.sampled_from(magnitudes))
        kinds = [random.integers(-3, 4, (rows, columns)), random.normal(size=(rows, columns))]
        return size * np.where(random.random((rows, columns)) < 0.4, *kinds)

    vocabulary = ["ape", "bee", "cow"][:words]
    schemes = ["none", "sinusoidal", "learned", "alibi"] + ["rotary"] * (d_head % 2 == 0)
    return ch.Example(
        tokens=[vocabulary[at] for at in random.integers(0, words, length)],
        E=dict(zip(vocabulary, matrix(words, d_model), strict=True)),
        P=matrix(length + 1, d_model),
        W_Q=matrix(d_model, heads * d_head),
        W_K=matrix(d_model, heads * d_head),
        W_V=matrix(d_model, heads * d_value),
        W_O=None if width is None else matrix(heads * d_value, width),
        heads=heads,
        mask=draw(st.sampled_from(["none", "causal"])),
        mask_fill=draw(st.sampled_from(["-inf", "0"])),
        scale=draw(st.booleans()),
        positions=draw(st.sampled_from(schemes)),
        scale_embeddings=draw(st.booleans()),
        norm=draw(st.sampled_from(["none", "layer", "rms"])) if whole else "none",
    )


@given(examples())
def test_every_recipe_gives_its_cell(faults, random_example):
    assert faults(with_asides(ch.run(random_example))) == []


@given(examples(magnitudes=(1e-3, 1.0, 1e3), whole=True))
def test_every_gradient_and_update_gives_its_cell(faults, random_example):
    trace = ch.run(random_example).backward()
    assert faults(trace.update(Optimiser("adamw")), feeds=len(trace.tokens) == 3) == []


@given(examples(magnitudes=(1.0,)))
def test_rows_of_weights_sum_to_one_and_masked_weights_are_exactly_zero(random_example):
    trace = ch.run(random_example)
    weights = trace["weights"].values
    assert weights.shape == (random_example.heads, *[len(random_example.tokens)] * 2)
    # Up to 5 terms, each rounded once, and the division: 5 ulps of 1.
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=0, atol=5 * 2.0**-52)
    if random_example.mask == "causal" and random_example.mask_fill == "-inf":
        above = np.triu(np.ones(weights.shape[1:], dtype=bool), k=1)
        assert (weights[:, above] == 0).all()


@given(examples(magnitudes=(1.0,)))
def test_contributions_add_up_to_the_output(random_example):
    trace = with_asides(ch.run(random_example))
    parts, output = trace["contribution"].values, trace["output"].values
    # Sums of at most 5·3·4 products of numbers below 100: 1e-10 is some 1e3 ulps of the largest partial sum.
    np.testing.assert_allclose(parts.sum(axis=1), output, rtol=0, atol=1e-10)
    for row, share in zip(output, trace["contribution_share"].values, strict=True):
        # The shares cancel to 1 from terms in proportion to |part| / |row|.
        scale = 1 + np.abs(share).sum()
        assert share.sum() == pytest.approx(1 if row.any() else 0, abs=1e-10 * scale)


def layer(**changes):
    """One word of one number: E = W_Q = W_K = W_V = 1, no positions."""
    fields = {"tokens": ["a"], "E": {"a": [1]}, "W_Q": [[1]], "W_K": [[1]], "W_V": [[1]], "positions": "none"}
    return ch.Example(**(fields | changes))


@pytest.mark.parametrize("size", [1e-170, 1e-200, 5e-324])
def test_an_output_whose_square_vanishes_is_still_explained(faults, size):
    """Its square is 0 in float64 although the vector is not: every recipe must still have a value."""
    trace = with_asides(ch.run(layer(W_V=[[size]])))
    assert trace["output"].values[0, 0] == size
    assert faults(trace) == []


@given(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5))
@example(1e5, -1e5)
@example(-1e5, -1e5)
@example(20.0, 20.0)
@example(-20.000001, -700.0)
def test_softmax_of_any_two_scores_is_explained(faults, first, second):
    """Query 1, keys `first` and `second`: the scores are exactly these."""
    two = layer(
        tokens=["a", "b"], E={"a": [1, first], "b": [1, second]},
        W_Q=[[1], [0]], W_K=[[0], [1]], W_V=[[1], [0]],
    )  # fmt: skip
    trace = ch.run(two)
    assert trace["scores"].values[0].tolist() == [[first, second]] * 2
    assert faults(trace) == []
    # 1 / (1 + e^(second − first)), the two-way softmax written as a logistic function.
    with np.errstate(over="ignore"):
        expected = 1 / (1 + np.exp(second - first))
    # A difference of up to 2e5 is rounded to 2e5·2^-53, which e^… passes on; 1e-10 covers it.
    np.testing.assert_allclose(trace["weights"].values[0, :, 0], expected, rtol=1e-10, atol=1e-300)
