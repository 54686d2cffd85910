"""What keys add, and where attention leads: by hand, on a capture of whole numbers."""

import numpy as np
import pytest

import clearhead as ch
from clearhead.lenses.contribution import CONTRIBUTION_IS, ROLLOUT_IS
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.below import Below
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import Named, Runs, Visible

VALUES = np.array([[3.0, 4.0], [0.0, 1.0], [5.0, 12.0]])
SWAP_AND_DOUBLE = np.array([[0.0, 2.0], [2.0, 0.0]])


def attention(pattern, heads=1, sink=None, keys=3):
    """Scores of 0: every query spreads evenly over what it sees; the values of head h are h + 1 times VALUES."""
    query, key = np.zeros((1, heads, 3, 2)), np.zeros((1, heads, keys, 2))
    value = np.stack([(head + 1) * np.resize(VALUES, (keys, 2)) for head in range(heads)])[None]
    return Attention(
        query, key, value, np.zeros((1, 3, heads, 2)), 1.0, Visible(((pattern,),)), "by hand", sink=sink
    )


def capture(*attentions, columns="text", W_O=None):
    tokens = tuple(Token(word, at, None, None) for at, word in enumerate(("a", "b", "c")))
    layers = tuple(
        Layer(
            "", number, f"layers.{number}", one, rows="text", columns=columns, beneath=lambda: Below(W_O=W_O)
        )
        for number, one in enumerate(attentions)
    )
    return ch.Capture(layers, {"text": (tokens,), "other": (tokens,)}, {"model": "by hand"})


CAUSAL = Named("causal", 3, 3)


def test_a_contribution_is_the_weight_times_the_length_of_the_value():
    one = capture(attention(CAUSAL), W_O=np.eye(2))
    expected = [[5, 0, 0], [2.5, 0.5, 0], [5 / 3, 1 / 3, 13 / 3]]
    np.testing.assert_allclose(ch.contribution(one, 0, 0), expected, rtol=4 * 2.0**-52)  # thirds are rounded


def test_it_goes_through_the_rows_of_its_own_head():
    matrix = np.concatenate([np.zeros((2, 2)), SWAP_AND_DOUBLE])
    one = capture(attention(CAUSAL, heads=2), W_O=matrix)
    assert ch.contribution(one, 0, 0).tolist() == np.zeros((3, 3)).tolist()
    # head 1 has twice the values, and its matrix doubles them again
    assert ch.contribution(one, 0, 1)[1].tolist() == [10, 2, 0]


def test_a_sink_adds_nothing():
    one = capture(attention(Named("none", 3, 3), sink=np.zeros(1)), W_O=np.eye(2))
    np.testing.assert_allclose(ch.contribution(one, 0, 0)[0], [5 / 4, 1 / 4, 13 / 4], rtol=1e-15)


def test_an_output_that_is_not_known_is_refused_with_the_reason():
    with pytest.raises(
        ValueError, match=r"^L0: contributions need the matrix W_O .* Expected a layer whose output"
    ):
        ch.contribution(capture(attention(CAUSAL)), 0, 0)


def test_places_that_are_not_there_are_named():
    one = capture(attention(CAUSAL), W_O=np.eye(2))
    with pytest.raises(LookupError, match="head: 1 is none of layer 0's; expected 0 to 0"):
        ch.contribution(one, 0, 1)
    with pytest.raises(LookupError, match="layer: 2 is none"):
        ch.contribution(one, 2, 0)
    with pytest.raises(LookupError, match="position: 3 is not there; expected 0 to 2"):
        ch.rollout(one, 3)
    with pytest.raises(LookupError, match="batch: 1 is not there"):
        ch.rollout(one, 0, batch=1)
    with pytest.raises(LookupError, match="tower: 'decoder' is none of this model's"):
        ch.rollout(one, 0, tower="decoder")


def test_rollout_is_half_by_the_heads_and_half_straight_layer_by_layer():
    """After layer 0, c is half thirds, half itself; layer 1 does the same with what a, b and c then are."""
    shares = ch.rollout(capture(attention(CAUSAL), attention(CAUSAL)), 2)
    np.testing.assert_allclose(shares[0], [1 / 6, 1 / 6, 4 / 6], rtol=1e-15)
    np.testing.assert_allclose(shares[1], [23 / 72, 17 / 72, 32 / 72], rtol=1e-15)
    assert ch.rollout(capture(attention(CAUSAL)), 0).tolist() == [[1, 0, 0]]


def test_it_is_the_product_of_the_matrices_of_the_paper():
    """Abnar and Zuidema 2020, section 3: the product of the layers' (0.5 W + 0.5 I), W the mean over heads."""
    one = capture(attention(CAUSAL, heads=2), attention(Named("band(1)", 3, 3)), attention(CAUSAL))
    matrices = [
        0.5 * np.mean([one.window(layer, head, slice(0, 3), slice(0, 3)) for head in range(heads)], 0)
        + np.eye(3) / 2
        for layer, heads in ((0, 2), (1, 1), (2, 1))
    ]
    after = [matrices[0], matrices[1] @ matrices[0], matrices[2] @ matrices[1] @ matrices[0]]
    for position in range(3):
        expected = [product[position] for product in after]
        np.testing.assert_allclose(ch.rollout(one, position), expected, rtol=1e-14)


def test_rows_sum_to_1_with_a_sink_and_where_nothing_is_seen():
    blind = Runs.of_table(np.array([[False] * 3, [True, True, False], [True] * 3]))
    one = capture(attention(blind, heads=2), attention(CAUSAL, sink=np.ones(1)))
    for position in range(3):
        np.testing.assert_allclose(ch.rollout(one, position).sum(axis=1), 1, rtol=1e-15)
    assert ch.rollout(one, 0)[0].tolist() == [1, 0, 0]  # the blind query stays where it is


def test_rollout_needs_queries_and_keys_that_are_the_same_positions():
    with pytest.raises(ValueError, match="are not the same positions"):
        ch.rollout(capture(attention(CAUSAL), columns="other"), 0)


def test_both_say_what_they_are_not():
    for words in (CONTRIBUTION_IS, ROLLOUT_IS):
        assert "not" in words
        assert "norms" in words
