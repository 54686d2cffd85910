"""Masks by name: what each lets through, written out by hand, as numbers, as code and as a reason."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clearhead.core import ops
from clearhead.core.masks import MASKS, mask_named
from clearhead.trace.capture.visible import Named, Runs

MAP = ("query", "key")

TABLES = {
    "none": ["111", "111"],
    "causal": ["1000", "1100", "1110"],
    "window(2)": ["11111", "11111", "01111", "00111"],
    "causal & window(2)": ["1000", "1100", "0110", "0011"],
    "band(1)": ["11000", "11100", "01110", "00111"],
    "band(0)": ["100", "010", "001"],
    "chunk(2)": ["11000", "11000", "00110", "00110", "00001"],
    "causal & chunk(2)": ["10000", "11000", "00100", "00110", "00001"],
    "keys(1:3)": ["01100", "01100"],
    "keys(2:2)": ["000"],
    "keys( 1 : 3 )&causal": ["0000", "0100", "0110"],
    "prefix(2)": ["11000", "11000"],
    "causal | prefix(2)": ["1100", "1100", "1110", "1111"],
    "causal & keys(1:4) | prefix(2) & keys(1:4)": ["01000", "01000", "01100", "01110", "01110"],
    "documents(0,2,3)": ["11000", "11000", "00100", "00011", "00011"],
    "documents(2, 4)": ["11000", "11000", "00110", "00110", "00001"],
    "causal & documents(0,2)": ["1000", "1100", "0010", "0011"],
    "causal+2": ["11100", "11110"],
    "causal+2 & window(2)+2": ["01100", "00110"],
    "band(1)+1": ["11100", "01110"],
    "chunk(2)+1": ["11000", "00110"],
    "documents(0,2)+1": ["1100", "0011"],
}


def drawn(table):
    return ["".join("01"[int(cell)] for cell in row) for row in np.asarray(table)]


@pytest.mark.parametrize(("name", "rows"), TABLES.items(), ids=TABLES)
def test_what_may_be_seen(name, rows):
    mask, shape = mask_named(name), (len(rows), len(rows[0]))
    assert drawn(mask.table(*shape)) == rows
    assert [["01"[mask.sees(q, k)] for k in range(shape[1])] for q in range(shape[0])] == list(
        map(list, rows)
    )
    for module in (np, torch):
        names = {
            "np": np,
            "torch": torch,
            "query": module.arange(shape[0])[:, None],
            "key": module.arange(shape[1]),
        }
        assert drawn(np.broadcast_to(eval(mask.program, names), shape)) == rows
    assert mask.says
    assert mask.rule


@pytest.mark.parametrize("name", TABLES)
def test_every_forbidden_cell_has_a_reason_and_every_other_none(name):
    scores = np.ones((len(TABLES[name]), len(TABLES[name][0])))
    masked = ops.Masked(MAP, name, "-inf")
    for index in np.ndindex(scores.shape):
        note = masked.note(index, scores)
        assert (note is None) == (TABLES[name][index[0]][index[1]] == "1")
        assert note is None or note.startswith(f"masked: key {index[1]} ")


REASONS = {
    ("causal", 2, 3): "key 3 comes after query 2",
    ("causal & window(8)", 15, 3): "key 3 lies outside the window of 8 positions before query 15",
    ("keys(3:19) & causal", 0, 1): "key 1 is padding",
    ("causal & keys(3:19)", 0, 1): "key 1 comes after query 0",
    ("causal & keys(3:19)", 1, 0): "key 0 is padding",
    ("band(4)", 2, 7): "key 7 lies more than 4 positions from query 2",
    ("chunk(8)", 8, 7): "key 7 lies in another chunk of 8 positions than query 8",
    ("documents(0,5,12)", 5, 4): "key 4 lies in another document than query 5",
    ("causal | prefix(7)", 3, 9): "key 9 comes after query 3, and key 9 is none of the first 7 positions",
    ("causal+5", 0, 6): "key 6 comes after query 0 (which stands at position 5)",
}


@pytest.mark.parametrize(("cell", "reason"), REASONS.items(), ids=map(str, REASONS))
def test_the_first_that_forbids_is_the_reason(cell, reason):
    name, query, key = cell
    assert mask_named(name).forbids(query, key) == reason


def test_names_rules_and_words_follow_the_parts():
    mask = mask_named(" causal+5&window( 8 )+5 |prefix(3)")
    assert mask.name == "causal+5 & window(8)+5 | prefix(3)"
    assert mask.rule == "j ≤ (i + 5) and j > (i + 5) − 8 or j < 3"
    assert mask.program == "((key <= (query + 5)) & (key > (query + 5) - 8)) | (key < 3)"
    assert mask_named(mask.name).table(7, 12).tolist() == mask.table(7, 12).tolist()
    assert set(MASKS) == {"none", "causal"}


WRONG = {
    "sideways": "'sideways' is not known; expected one of none, causal, window(N), band(N), chunk(N), keys(A:B), "
    "rows(A:B), prefix(N), documents(A,B,...), or several with & and |",
    "": "'' is not known; expected one of none, causal",
    "causal &": "'' in 'causal &' is not known",
    "causal & sideways(3)": "'sideways(3)' in 'causal & sideways(3)' is not known",
    "causal-5": "'causal-5' is not known",
    "window": "'window' has not the right numbers; expected window(N) with N from 1",
    "window(0)": "'window(0)' has not the right numbers",
    "window(-1)": "'window(-1)' has not the right numbers",
    "window(2.5)": "'window(2.5)' has not the right numbers",
    "chunk(0)": "'chunk(0)' has not the right numbers; expected chunk(N) with N from 1",
    "causal(3)": "'causal(3)' has not the right numbers; expected causal",
    "keys(3)": "'keys(3)' has not the right numbers; expected keys(A:B) with A up to B",
    "keys(5:3)": "'keys(5:3)' has not the right numbers",
    "documents()": "'documents()' has not the right numbers; expected documents(A,B,...) with growing numbers",
    "documents(0,5,5)": "'documents(0,5,5)' has not the right numbers",
    "keys(0:3)+5": "'keys(0:3)+5' is the same wherever the query stands; expected it without +5",
}


@pytest.mark.parametrize(("name", "message"), WRONG.items(), ids=map(repr, WRONG))
def test_a_name_that_cannot_be_read_is_refused_in_one_sentence(name, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole message is compared)
        mask_named(name)
    assert str(caught.value).startswith(f"mask: {message}")
    assert "\n" not in str(caught.value)


class OneCell(np.ndarray):
    """An array that may be asked for single cells only."""

    def __getitem__(self, index):
        assert len(index) == self.ndim
        assert all(isinstance(number, int) for number in index)
        return super().__getitem__(index)


def test_one_cell_looks_at_no_other():
    """With 10^10 cells, a table of them would not fit; and of a given mask one cell is read."""
    scores = np.broadcast_to(1.0, (100_000, 100_000))
    masked = ops.Masked(MAP, "causal & window(8) & documents(0,500)", "-inf")
    assert masked.recipe((70_000, 69_999), scores) == ops.Copy(MAP).recipe((70_000, 69_999), scores)
    assert "window of 8" in masked.note((70_000, 5), scores)
    assert masked.feeds(0, (70_000, 5), scores) == []
    allowed = np.ones((3, 3)).view(OneCell)
    np.ndarray.__setitem__(allowed, (2, 1), 0.0)
    given = ops.Masked(MAP, "causal", "-inf")
    assert given.note((2, 1), np.ones((3, 3)), allowed) == (
        "masked: the model's own mask forbids it; its score is replaced by −∞"
    )
    assert given.note((0, 1), np.ones((3, 3)), allowed).startswith("masked: key 1 comes after query 0")
    assert given.note((2, 0), np.ones((3, 3)), allowed) is None


def test_a_given_mask_and_a_named_one_both_count():
    allowed = np.array([[0.0, 1, 1], [1, 1, 1]])
    masked = ops.Masked(("head", *MAP), "causal", "0").forward(np.full((2, 2, 3), 7.0), allowed)
    assert masked.tolist() == [[[0, 0, 0], [7, 7, 0]]] * 2


def kinds():
    """The name of a mask of one kind, with numbers that make sense."""
    number = st.integers(0, 17)
    pair = st.tuples(number, number).map(sorted)
    moving = st.one_of(
        st.just("causal"),
        st.builds("window({})".format, st.integers(1, 17)),
        st.builds("band({})".format, number),
        st.builds("chunk({})".format, st.integers(1, 17)),
        st.sets(number, min_size=1).map(lambda some: f"documents({','.join(map(str, sorted(some)))})"),
        pair.map(lambda ends: "rows({}:{})".format(*ends)),
    )  # fmt: skip
    still = st.one_of(
        st.just("none"),
        pair.map(lambda ends: "keys({}:{})".format(*ends)),
        st.builds("prefix({})".format, number),
    )
    return st.one_of(moving, still, st.builds("{}+{}".format, moving, st.integers(1, 13)))


together = st.lists(kinds(), min_size=1, max_size=3).map(" & ".join)


@settings(max_examples=200)
@given(together, st.integers(1, 19), st.integers(1, 23))
def test_what_is_seen_together_is_what_the_table_says(name, queries, keys):
    """Each kind says of a query where what it sees begins and ends; so do all of them at once."""
    mask = mask_named(name)
    table, span = mask.table(queries, keys), mask.span(queries, keys)
    first, after = span
    assert first.dtype == after.dtype == np.int32
    assert (first >= 0).all()
    assert (after <= keys).all()
    key = np.arange(keys)
    assert np.array_equal((first[:, None] <= key) & (key < after[:, None]), table)
    assert np.array_equal(first == after, ~table.any(1))


@settings(max_examples=100)
@given(st.lists(together, min_size=1, max_size=3).map(" | ".join), st.integers(1, 19), st.integers(1, 23))
def test_a_named_pattern_is_its_table(name, queries, keys):
    """Counts, spans and runs, also of masks that leave gaps."""
    table = mask_named(name).table(queries, keys)
    pattern, runs = Named(name, queries, keys), Runs.of_table(table)
    assert pattern.runs().same_as(runs)
    assert np.array_equal(runs.table(), table)
    assert pattern.counts().tolist() == runs.counts().tolist() == table.sum(1).tolist()
    if "|" in name:
        assert pattern.spans() is None  # though there may be no gap
    for spans in (pattern.spans(), runs.spans()):
        if spans is not None:
            key = np.arange(keys)
            assert np.array_equal((spans[0][:, None] <= key) & (key < spans[1][:, None]), table)
    gaps = any((np.diff(row.astype(int), prepend=0) == 1).sum() > 1 for row in table)
    assert (runs.spans() is None) == gaps
