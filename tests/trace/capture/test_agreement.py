"""Which rows of a long text are compared: so many as a number of cells allows, with the first and the last."""

import json
from dataclasses import replace

import numpy as np
import pytest

from clearhead.trace.capture import agreement
from clearhead.trace.capture.agreement import (
    CELLS,
    CELLS_AT_ONCE,
    Agreement,
    LayerAgreement,
    agreement_of,
    some_rows,
)
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.visible import Named, Visible


@pytest.mark.parametrize("queries", [1, 7, 127, 128, 129, 2_047, 2_048])
def test_every_row_of_a_short_text(queries):
    rows = [row for block in some_rows(queries, queries) for row in range(block.start, block.stop)]
    assert rows == list(range(queries))


@pytest.mark.parametrize(
    ("queries", "keys", "rows"),
    [
        (4_096, 4_096, 1_024), (16_384, 16_384, 256), (32_768, 32_768, 128), (131_072, 131_072, 32),
        (32_768, 77, 32_768), (5, 1_000_003, 4), (2, 10_000_019, 2), (1, 10_000_019, 1), (2_053, 2_053, 15 * 128),
    ],
)  # fmt: skip
def test_rows_of_a_long_text(queries, keys, rows):
    blocks = list(some_rows(queries, keys))
    chosen = [row for block in blocks for row in range(queries)[block]]
    assert len(chosen) == len(set(chosen)) == rows  # none twice
    assert (chosen[0], chosen[-1]) == (0, queries - 1)
    assert rows * keys <= max(CELLS, 2 * keys)
    assert all((block.stop - block.start) * keys <= max(CELLS_AT_ONCE, keys) for block in blocks)
    gaps = np.diff([block.start for block in blocks])
    assert not len(gaps) or gaps.max() - gaps.min() <= 1 or rows == queries  # evenly spread


def layer(length=211, d_head=5):
    numbers = np.random.default_rng(11)
    query, key, value = (numbers.normal(size=(1, 2, length, d_head)) for _ in range(3))
    scores = np.where(np.tri(length, dtype=bool), query @ key.swapaxes(2, 3) * 0.5, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = weights / weights.sum(-1, keepdims=True) @ value
    return Attention(
        query, key, value, mixed.swapaxes(1, 2), 0.5, Visible(((Named("causal", length, length),),)), "sdpa"
    )


def test_of_a_long_text_it_says_how_many_rows(monkeypatch):
    monkeypatch.setattr(agreement, "CELLS", 211 * 24)
    monkeypatch.setattr(agreement, "CELLS_AT_ONCE", 211 * 3)
    one = agreement_of(layer(), "L0")
    assert (one.rows, one.of, one.agrees) == (48, 422, True)
    assert "48 of 422 rows compared, evenly spread" in str(Agreement([one]))


@pytest.mark.parametrize("row", [0, 210])
def test_the_first_and_the_last_row_are_among_them(monkeypatch, row):
    monkeypatch.setattr(agreement, "CELLS", 211 * 24)
    monkeypatch.setattr(agreement, "CELLS_AT_ONCE", 211 * 3)
    wrong = layer()
    output = np.array(wrong.output)
    output[0, row, 1, 2] += 1e-9  # far beyond what rounding in float64 does
    assert not agreement_of(replace(wrong, output=output), "L0").agrees


@pytest.mark.parametrize("difference", [0.25, float("nan"), float("inf")])
def test_it_is_written_down_and_read_again(difference):
    one = LayerAgreement("L3", difference, 0.5, False, 2, 3, 1, "float32", "sdpa", "why")
    back = LayerAgreement.from_dict("L3", json.loads(json.dumps(one.to_dict(), allow_nan=False)))
    assert repr(back) == repr(one)


def test_it_is_said_how_many_numbers_of_the_kernel_are_nan():
    whole = layer()
    query, output = np.array(whole.query), np.array(whole.output)
    query[0, 1, 210] = np.nan
    output[0, 210, 1] = np.nan
    one = agreement_of(replace(whole, query=query, output=output), "L0")
    assert (one.agrees, one.nan) == (False, 5)
    assert one.undefined == (
        "5 of the numbers that the kernel returned are NaN, in the model itself: they cannot be compared."
    )
    assert one.undefined[:-1] in str(Agreement([one]))
    assert LayerAgreement.from_dict("L0", json.loads(json.dumps(one.to_dict(), allow_nan=False))).nan == 5
    ours = agreement_of(replace(whole, query=query), "L0")
    assert (ours.agrees, ours.nan, ours.lost) == (False, 0, 5)
    assert ours.undefined.startswith(
        "5 numbers are NaN or infinite here where the kernel returned finite ones"
    )
    same = agreement_of(whole, "L0")
    assert (same.agrees, same.undefined, "nan" in same.to_dict()) == (True, "", False)
