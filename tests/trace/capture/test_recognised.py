"""Masks by name: guessed from their runs, and exact in every cell."""

import numpy as np
import pytest

from clearhead.core.masks import mask_named
from clearhead.trace.capture.recognised import recognised
from clearhead.trace.capture.visible import Named, Runs

NAMES = [
    "none",
    "causal",
    "causal & window(5)",
    "causal & chunk(4)",
    "band(3)",
    "causal | prefix(7)",
    "causal & documents(0,4,11)",
    "documents(0,4,11)",
    "keys(0:13)",
    "keys(5:19)",
    "causal & keys(0:13)",
    "causal & keys(5:19)",
    "causal & window(3) & keys(0:17)",
]


def table_of(name, queries=19, keys=19):
    query, key = np.arange(queries)[:, None], np.arange(keys)[None, :]
    return np.broadcast_to(mask_named(name).allows(query, key), (queries, keys))


@pytest.mark.parametrize("name", NAMES)
def test_a_named_mask_is_recognised_from_its_cells(name):
    found = recognised(Runs.of_table(table_of(name)))
    assert isinstance(found, Named)
    assert np.array_equal(found.table(), table_of(name))


def test_rows_that_may_see_nothing_and_rows_that_see_everything():
    """Padding on the left: PyTorch lets the rows of padding see everything, or they see nothing."""
    table = table_of("causal & keys(5:19)").copy()
    assert isinstance(recognised(Runs.of_table(table)), Named)
    table[:5] = True
    found = recognised(Runs.of_table(table))
    assert isinstance(found, Named)
    assert np.array_equal(found.table(), table)


@pytest.mark.parametrize("seed", range(7))
def test_one_wrong_cell_has_no_name_or_another(seed):
    rng = np.random.default_rng(seed)
    name = NAMES[int(rng.integers(len(NAMES)))]
    table = table_of(name).copy()
    query, key = rng.integers(19, size=2)
    table[query, key] = ~table[query, key]
    found = recognised(Runs.of_table(table))
    assert np.array_equal(found.table(), table)


def test_no_mask_at_random_is_described_wrongly():
    rng = np.random.default_rng(3)
    for _ in range(23):
        table = rng.random((11, 13)) < rng.random()
        assert np.array_equal(recognised(Runs.of_table(table)).table(), table)


def test_what_is_recognised_is_remembered():
    runs = Runs.of_table(table_of("causal"))
    assert recognised(runs) is recognised(runs)
