"""How a square is cut, and where the same word stood before: against what is counted one by one."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearhead.core.stream import Words, distance_edges, starts
from clearhead.core.stream.layout import KEYS_AT_ONCE, SUMMED_AT_ONCE, chunks, cuts_of


@given(st.integers(0, 401), st.integers(1, 300))
def test_bins_are_as_equal_as_can_be(length, parts):
    edges = starts(length, parts)
    assert len(edges) == min(parts, length) + 1
    assert (edges[0], edges[-1]) == (0, length)
    sizes = np.diff(edges)
    if length:
        assert sizes.min() >= 1
        assert sizes.max() - sizes.min() <= 1
        assert edges.tolist() == [part * length // len(sizes) for part in range(len(sizes) + 1)]


@pytest.mark.parametrize("length", [1, 2, 13, 16, 17, 19, 20, 31, 32, 33, 1009, 100_003, 2**20 + 7])
def test_every_distance_lies_in_one_class(length):
    back, both = distance_edges(length, length, True), distance_edges(length, length, False)
    for edges in (back, both):
        assert edges.dtype == np.int64
        assert (np.diff(edges) > 0).all()
        assert edges[-1] >= length  # the furthest distance is length − 1
    assert back[0] == 0
    assert both[0] <= 1 - length
    assert np.array_equal(both[both >= 0], back)
    assert len(both) < 180  # of the order of the logarithm
    near = np.arange(max(-15, 1 - length), min(16, length))
    classes = np.searchsorted(both, near, side="right")
    assert len(set(classes.tolist())) == len(near)  # a class for each
    # ahead and back the classes are the same
    assert [(1 - high, 1 - low) for low, high in pairwise(both) if high <= 0] == [
        (low, high) for low, high in pairwise(back) if low >= 1
    ][::-1]


@given(
    st.lists(st.tuples(st.integers(0, 5003), st.integers(0, 5003)), min_size=1, max_size=17),
    st.integers(1, 300),
    st.booleans(),
)
def test_chunks_cover_what_is_seen_once(spans, bins, gaps):
    first, after = np.array(spans).T
    after = np.maximum(first, after)
    edges = starts(5003, bins)
    found = list(chunks(first, after, edges, cuts_of(edges), gaps))
    sees = after > first
    if not sees.any():
        assert found == []
        return
    assert (found[0].begin, found[-1].end) == (first[sees].min(), after.max())
    assert [one.end for one in found[:-1]] == [one.begin for one in found[1:]]
    for one in found:
        assert 0 < one.end - one.begin <= KEYS_AT_ONCE
        assert (one.edges[0], one.edges[-1]) == (one.begin, one.end)
        assert 0 < np.diff(one.edges).min() <= np.diff(one.edges).max() <= SUMMED_AT_ONCE
        assert (edges[one.bins] <= one.edges[:-1]).all()
        assert (one.edges[1:] <= edges[one.bins + 1]).all()
        assert one.whole == (not gaps and bool(((first <= one.begin) & (one.end <= after)).all()))


words_of = st.lists(st.integers(-1, 4), min_size=1, max_size=23)


@given(words_of, st.data())
def test_the_same_word_before(words, data):
    words = np.array(words)
    length = len(words)
    first = np.array(data.draw(st.lists(st.integers(0, length), min_size=length, max_size=length)))
    after = np.array(data.draw(st.lists(st.integers(0, length), min_size=length, max_size=length)))
    after = np.maximum(first, after)
    known = Words.of(words)
    begin, end = sorted(data.draw(st.tuples(st.integers(0, length), st.integers(0, length))))
    for step in (0, 1):
        cells = {
            (query, before + step)
            for query in range(length)
            for before in range(query)
            if words[before] == words[query] >= 0 and before + step < query
        }
        query, key = known.pairs(slice(0, length), slice(0, length), step)
        assert sorted(zip(query.tolist(), key.tolist(), strict=True)) == sorted(cells)
        query, key = known.pairs(slice(begin, end), slice(begin, length), step)
        assert set(zip(query.tolist(), key.tolist(), strict=True)) == {
            (q, k) for q, k in cells if begin <= q < end and begin <= k
        }
        counts = [sum(q == query and first[q] <= k < after[q] for q, k in cells) for query in range(length)]
        assert known.visible(first, after, step).tolist() == counts


def test_nothing_compiles_or_loads_pytorch_before_a_head_is_streamed():
    for statement in ("import clearhead", "import clearhead.core.stream, clearhead.trace.capture.capture"):
        probe = f"import sys; {statement}; print(sorted({{'numba', 'llvmlite', 'torch'}} & set(sys.modules)))"
        done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"
