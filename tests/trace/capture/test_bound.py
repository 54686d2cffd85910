"""The tolerance of an agreement: what rounding does stays within it, and it is not wider than it says."""

from dataclasses import replace

import numpy as np
import pytest

from clearhead.trace.capture.agreement import agreement_of
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.bound import EXPONENTIAL, Bound
from clearhead.trace.capture.recompute import rows_of, weights_of
from clearhead.trace.capture.visible import Named, Runs, Visible

ROUNDOFF = {"float16": 2.0**-11 + 2.0**-53, "float32": 2.0**-24 + 2.0**-53}


def attention(dtype, kernel, *, queries=29, keys=29, size=1.0, seed=0, mask="causal"):
    """Random numbers, with what a kernel of that kind makes of them in NumPy."""
    numbers = np.random.default_rng(seed)
    query, key, value = (
        (size * numbers.normal(size=(1, 2, length, 11))).astype(dtype) for length in (queries, keys, keys)
    )
    seen = Visible(((Named(mask, queries, keys),),))
    kept = np.float32 if kernel == "sdpa" else dtype
    scores = (query.astype(np.float32) @ key.astype(np.float32).swapaxes(2, 3)).astype(kept)
    scores = scores * kept(11**-0.5)
    scores = np.where(seen.table(0, 0), scores, -np.inf).astype(np.float32)
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    total = exponentials.sum(-1, keepdims=True)
    if kernel == "sdpa":  # what is rounded is not divided yet
        mixed = (exponentials.astype(dtype).astype(np.float32) @ value.astype(np.float32)) / total
    else:
        mixed = (exponentials / total).astype(dtype).astype(np.float32) @ value.astype(np.float32)
    output = mixed.astype(dtype).swapaxes(1, 2)
    return Attention(query, key, value, output, 11**-0.5, seen, kernel)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("kernel", ["sdpa", "eager"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_what_kernels_round_is_within_it(dtype, kernel, size, seed):
    """Scores in the format of the queries or in float32, weights divided before they are rounded or after."""
    assert agreement_of(attention(dtype, kernel, size=size, seed=seed), "L0").agrees


@pytest.mark.parametrize("mask", ["causal", "none"])
def test_errors_of_scores_as_large_as_they_may_be_are_within_it(mask):
    """Each score moved up or down by all of d_head u |q| |k|, by chance and in the worst way for one number."""
    one = attention(np.float32, "sdpa", mask=mask)
    found = rows_of(one, 0, 1)
    bound = Bound(one)(0, 1, found)
    query, key, value = (np.float64(held[0, 1]) for held in (one.query, one.key, one.value))
    lengths = np.linalg.norm(query, axis=1)[:, None] * np.linalg.norm(key, axis=1)
    error = 11 * ROUNDOFF["float32"] * one.scale * lengths
    mixed = found.weights @ value
    for column in range(11):
        worst = np.sign(value[:, column] - mixed[:, column, None])
        for signs in (worst, -worst, np.random.default_rng(column).choice([-1, 1], error.shape)):
            moved = np.exp(found.masked + signs * error)
            moved = moved / moved.sum(-1, keepdims=True) @ value
            assert (np.abs(moved - mixed) <= bound).all()


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_where_one_key_has_all_the_weight_no_score_counts(dtype):
    """The first row sees itself alone: 3 roundings, and 4 of the sums of one term each and of the division."""
    one = attention(np.dtype(dtype).type, "eager")
    found = rows_of(one, 0, 0, slice(0, 1), trim=True)
    assert found.weights.tolist() == [[1.0]]
    roundings = 3 * ROUNDOFF[dtype] + 4 * ROUNDOFF["float32"]
    below_the_normal_range = {"float16": 2.0**-25, "float32": 0.0}[dtype]
    expected = (roundings + below_the_normal_range) * np.abs(np.float64(one.value[0, 0, :1]))
    # it is worked out in float32
    np.testing.assert_allclose(Bound(one)(0, 0, found), expected, rtol=1e-5)


def test_two_keys_of_one_score_by_hand():
    """q = 0: no product has an error, and no score a size; each of two exponentials may be off by 40 roundings."""
    query, key = np.zeros((1, 1, 1, 3), np.float32), np.ones((1, 1, 2, 3), np.float32)
    value = np.array([2.0, 4.0], np.float32)[None, None, :, None]
    one = Attention(
        query,
        key,
        value,
        np.full((1, 1, 1, 1), 3, np.float32),
        1.0,
        Visible(((Named("none", 1, 2),),)),
        "sdpa",
    )
    # a weight of 1/2 is moved by 1/2 (1/2 e + 1/2 e); 6 roundings of the sums of two terms, and 3
    weight = 0.5 * (EXPONENTIAL + 6 + 3) * ROUNDOFF["float32"]
    np.testing.assert_allclose(Bound(one)(0, 0, rows_of(one, 0, 0)), [[weight * 6]], rtol=1e-5)


def test_a_kernel_that_keeps_its_scores_in_float32_is_held_to_that():
    """The fused ones: roundings of scores to float16 are no excuse."""
    one = attention(np.float16, "sdpa", size=3.0)
    eager = replace(one, kernel="eager")
    found = rows_of(one, 0, 0)
    assert found.weights[-1].max() < 0.99
    assert (Bound(one)(0, 0, found)[-1] < 0.7 * Bound(eager)(0, 0, found)[-1]).all()


def test_keys_that_no_row_of_a_block_sees_are_left_out():
    one = attention(np.float32, "sdpa")
    window = replace(one, visible=Visible(((Named("causal & window(5)", 29, 29),),)))
    for layer, keys in ((one, slice(0, 17)), (window, slice(9, 17))):
        found = rows_of(layer, 0, 0, slice(13, 17), trim=True)
        assert found.keys == keys
        whole = weights_of(layer, 0, 0)[13:17]
        assert np.abs(found.weights - whole[:, keys]).max() <= 1e-15  # a sum in another order
        assert whole.sum() == pytest.approx(found.weights.sum(), abs=1e-14)


def test_rows_of_a_mask_of_runs():
    """Any rows of any mask, among them such that see nothing."""
    numbers = np.random.default_rng(3)
    for chance in (0.0, 0.1, 0.5, 1.0):
        table = numbers.random((23, 19)) < chance
        runs = Runs.of_table(table)
        for rows in (slice(None), slice(5, 6), slice(7, 19), slice(22, 40), slice(4, 4)):
            np.testing.assert_array_equal(runs.table(rows), table[rows])
