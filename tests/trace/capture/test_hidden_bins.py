"""Which bins of a pooled map the mask hides, against the mask as a square, whose bins are cut out one by one."""

import numpy as np
import pytest

from clearhead.trace.capture.hidden_bins import hidden_bins
from clearhead.trace.capture.visible import Named, Runs

QUERIES, KEYS = 47, 61
SPREAD = np.random.default_rng(3).random((QUERIES, KEYS)) < 0.04
NAMES = [
    "none", "causal", "window(5)", "causal & window(3)", "band(2)", "chunk(7) & causal", "keys(11:43)",
    "causal & keys(3:29)", "documents(0,13,31) & causal", "causal | prefix(5)", "causal & window(3) | prefix(2)",
]  # fmt: skip


def masks():
    for name in NAMES:
        yield name, Named(name, QUERIES, KEYS)
    query, key = np.ogrid[:QUERIES, :KEYS]
    tables = {
        "few cells": SPREAD,
        "every other block": (query // 5 + key // 3) % 2 == 0,
        "blind queries": (key <= query) & (query % 13 > 5),
        "nothing": np.zeros((QUERIES, KEYS), dtype=bool),
    }
    for name, table in tables.items():
        yield name, Runs.of_table(table)


@pytest.mark.parametrize("bins", [1, 7, 23, 47])
@pytest.mark.parametrize(("name", "pattern"), [pytest.param(*one, id=one[0]) for one in masks()])
def test_a_bin_is_hidden_where_all_of_its_cells_are(name, pattern, bins):
    table, across = pattern.table(), min(KEYS, bins + 5)
    expected = np.empty((bins, across), dtype=bool)
    for row, column in np.ndindex(expected.shape):
        queries = slice(row * QUERIES // bins, (row + 1) * QUERIES // bins)
        keys = slice(column * KEYS // across, (column + 1) * KEYS // across)
        expected[row, column] = not table[queries, keys].any()
    np.testing.assert_array_equal(hidden_bins(pattern, KEYS, bins, across), expected)
