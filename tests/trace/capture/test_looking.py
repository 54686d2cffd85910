"""Rows, tiles and links of a head against the whole square of weights, recomputed in float64.

A tile is float32, and takes the log-sum-exp of its rows from the overview: 1e-6 of a weight of 1. A row is worked out
by itself, over the keys that it sees: it is that of the whole square to the last digits of float64.
"""

from dataclasses import replace

import numpy as np
import pytest

from clearhead.trace.capture import links
from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.links import links_of
from clearhead.trace.capture.looking import row_of, strongest, tile_of
from clearhead.trace.capture.positions import Positions
from clearhead.trace.capture.questions import Seen, question_of
from clearhead.trace.capture.recompute import weights_of
from clearhead.trace.capture.streamed import layer_overview
from clearhead.trace.capture.visible import Named, Runs, Visible

SIZE = 547  # more than 2^18 cells, so that the pass is in float32


def layer(mask, *, queries=SIZE, keys=SIZE, heads=2, size=1.0, **more):
    numbers = np.random.default_rng(7)
    query = (numbers.standard_normal((1, heads, queries, 11)) * size).astype(np.float32)
    key = numbers.standard_normal((1, 1, keys, 11)).astype(np.float32)
    pattern = Runs.of_table(mask) if isinstance(mask, np.ndarray) else Named(mask, queries, keys)
    return Attention(
        query, key, np.zeros((1, 1, keys, 2)), np.zeros((1, queries, heads, 2)), 0.5, Visible(((pattern,),)), "by hand",
        **more,
    )  # fmt: skip


def overview_of(attention, bins=53):
    words = np.zeros(attention.keys, dtype=np.int64)
    own = attention.queries == attention.keys
    positions = Positions(np.ones(attention.queries, dtype=bool), 0, own, words)
    return layer_overview(attention, [positions], bins, threads=1)


def gappy(size):
    query, key = np.ogrid[:size, :size]
    return (key <= query) & ((query + key) % 3 > 0) & (query % 13 != 5)


CASES = {
    "causal": ("causal", {}),
    "everywhere, capped": ("none", {"soft_cap": 3.0}),
    "window and sink": ("causal & window(97)", {"sink": np.array([0.5, 1.0])}),
    "padding": ("causal & keys(3:541)", {}),
    "gaps and a bias": (
        gappy(SIZE),
        {"bias": Bias(np.linspace(-1, 1, 2 * SIZE - 1)[None, None], True, SIZE)},
    ),
    "set by hand": (gappy(SIZE), {"weights_set": ((1, 301, 3, 0.5), (1, 301, 400, 0.25), (0, 8, 1, 0.0))}),
    "float64": ("causal", {"queries": 61, "keys": 61}),
    "cross-attention": ("none", {"queries": 401, "keys": 701}),
}


@pytest.fixture(scope="module")
def made():
    return {
        name: (attention := layer(mask, **more), overview_of(attention))
        for name, (mask, more) in CASES.items()
    }


SLICES = [
    (slice(0, 547), slice(0, 547)),
    (slice(17, 19), slice(0, 3)),
    (slice(251, 263), slice(229, 547)),
    (slice(100, 101), slice(100, 101)),
    (slice(None, None), slice(5, None)),
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("pool", ["mean", "largest"])
def test_a_tile_is_the_window_pooled(made, case, pool):
    attention, overview = made[case]
    for head in range(2):
        whole, allowed = weights_of(attention, 0, head), attention.visible.table(0, head)
        set_by_hand = np.zeros_like(allowed)
        for _, query, key, weight in (one for one in attention.weights_set if one[0] == head):
            set_by_hand[query, key] = weight != 0
        for queries, keys in SLICES:
            weights, shown = whole[queries, keys], (allowed | set_by_hand)[queries, keys]
            for step in (1, 2, 3, 8, 512) if weights.size else ():
                found = tile_of(attention, 0, head, queries, keys, overview.lse, step, pool)
                places = [np.arange(0, size, step) for size in weights.shape]
                expected, hidden = weights, shown
                for axis, place in enumerate(places):
                    by = np.add if pool == "mean" else np.maximum
                    expected = by.reduceat(expected, place, axis=axis)
                    hidden = np.logical_or.reduceat(hidden, place, axis=axis)
                if pool == "mean":
                    sides = [
                        np.diff([*place, size]) for place, size in zip(places, weights.shape, strict=True)
                    ]
                    expected = expected / np.outer(*sides)
                assert found.dtype == np.float32
                assert np.array_equal(found == -1, ~hidden)
                np.testing.assert_allclose(found[hidden], expected[hidden], rtol=0, atol=1e-6)


def test_a_tile_where_a_row_is_no_number_is_none_there_and_nowhere_else():
    attention = layer("causal")
    attention.query[0, 0, 301] = np.nan
    attention.key[0, 0, 400, 3] = np.inf
    with np.errstate(invalid="ignore"):
        whole = weights_of(attention, 0, 0)
    found = tile_of(attention, 0, 0, slice(0, SIZE), slice(0, SIZE), overview_of(attention).lse)
    seen = np.tri(SIZE, dtype=bool)
    assert np.array_equal(np.isnan(found), np.isnan(whole) & seen)
    assert (found[~seen] == -1).all()
    finite = seen & ~np.isnan(whole)
    np.testing.assert_allclose(found[finite], whole[finite], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("step", "pool", "message"),
    [(0, "mean", "step: expected a whole number from 1, got 0"), (True, "mean", "step: expected"),
     (2.0, "mean", "step: expected"), (1, "median", "pool: 'median' is not known; expected one of mean, largest")],
)  # fmt: skip
def test_what_a_tile_cannot_be(made, step, pool, message):
    attention, overview = made["float64"]
    with pytest.raises(ValueError, match=message):
        tile_of(attention, 0, 0, slice(0, 5), slice(0, 5), overview.lse, step, pool)


@pytest.mark.parametrize("case", CASES)
def test_a_row_is_that_of_the_whole_square(made, case):
    attention, _ = made[case]
    for query in {0, 8, 57, 300, 301, SIZE - 1} & set(range(attention.queries)):
        row = row_of(attention, 0, 1, query)
        assert row.dtype == np.float64
        one = slice(query, query + 1)
        np.testing.assert_allclose(row, weights_of(attention, 0, 1, one)[0], rtol=1e-14, atol=1e-17)


def test_the_strongest_of_a_row():
    row = np.array([0.25, 0.0, 0.25, 0.5, 0.0])
    assert strongest(row, 3) == [(3, 0.5), (0, 0.25), (2, 0.25)]
    assert strongest(row, 2) == [(3, 0.5), (0, 0.25)]  # of equal ones the first
    assert strongest(row, 99) == [(3, 0.5), (0, 0.25), (2, 0.25), (1, 0.0), (4, 0.0)]
    assert strongest(row, 0) == strongest(row[:0], 3) == []


def in_order(attention, head, count, apart=0, without=None):
    """The largest weights above 0, by sorting all of them."""
    weights = weights_of(attention, 0, head)
    query, key = np.indices(weights.shape)
    allowed = (np.abs(query - key) >= apart) & (key != without) & (weights > 0)
    query, key, weights = query[allowed], key[allowed], weights[allowed]
    order = np.lexsort((key, query, -weights))[:count]
    return list(zip(query[order].tolist(), key[order].tolist(), weights[order].tolist(), strict=True))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("apart", "without"), [(0, None), (0, 0), (59, None), (7, 3)])
def test_links_are_the_largest_weights(made, case, apart, without):
    attention, overview = made[case]
    for head, count in ((0, 1), (1, 37)):
        found = links_of(attention, 0, head, overview, count, apart, without)
        assert [(one.query, one.key) for one in found] == [
            one[:2] for one in in_order(attention, head, count, apart, without)
        ]
        for one in found:
            assert one.weight == row_of(attention, 0, head, one.query)[one.key]


def test_links_where_there_are_few_and_none():
    attention = layer("keys(3:4)", queries=29, keys=29)
    overview = overview_of(attention)
    assert [one[:2] for one in links_of(attention, 0, 0, overview, 31)] == [(row, 3) for row in range(29)]
    assert links_of(attention, 0, 0, overview, 31, without=3) == []
    assert links_of(attention, 0, 0, overview, 31, apart=30) == []
    assert links_of(attention, 0, 0, overview, 0) == []


@pytest.mark.parametrize("mask", ["causal", "causal & window(2)", "none"])
def test_of_equal_weights_the_first_query_and_key_come_first(mask):
    attention = layer(mask, queries=541, keys=541, size=0.0)  # all scores are 0
    found = links_of(attention, 0, 0, overview_of(attention, 7), 19)
    assert found == in_order(attention, 0, 19)


@pytest.fixture
def looked_into(monkeypatch):
    """The places of the bins that were looked into."""
    bins = []

    def watched(attention, batch, head, queries, keys, lse):
        bins.append((queries.start, keys.start))
        return tile_of(attention, batch, head, queries, keys, lse)

    monkeypatch.setattr(links, "tile_of", watched)
    return bins


def tied(kind):
    """Heads in which many weights are exactly the same."""
    attention = layer("none" if kind != "a window" else "causal & window(5)", size=0.0)
    if kind == "some keys weigh twice as much":  # in every row the same
        attention.query[..., 0] = 2 * np.log(2)
        attention.key[..., 0] = np.isin(np.arange(SIZE), (3, 401, 541))
    if kind == "some rows are sharper":
        attention.query[:, :, 307:, 0] = 2 * np.log(2)
        attention.key[..., 0] = np.arange(SIZE) % 2
    return attention


@pytest.mark.parametrize(
    "kind", ["all are alike", "a window", "some keys weigh twice as much", "some rows are sharper"]
)
@pytest.mark.parametrize(("apart", "without"), [(0, None), (301, 0)])
def test_of_equal_weights_few_bins_are_looked_into_and_the_links_are_the_same(
    looked_into, monkeypatch, kind, apart, without
):
    monkeypatch.setattr(links, "MOST_ALIKE", 7)
    attention = tied(kind)
    overview = overview_of(attention, 53)
    for count in (1, 19, 601):
        looked_into.clear()
        found = links_of(attention, 0, 1, overview, count, apart, without)
        assert found == in_order(attention, 1, count, apart, without)
        assert len(set(looked_into)) == len(looked_into)  # none twice
        assert len(looked_into) < 53**2 / 3


def test_a_part_of_a_head_is_asked_as_the_head_is(made):
    """Places count from the first of the part."""
    for case in ("causal", "gaps and a bias", "float64"):
        attention, _ = made[case]
        seen = Seen.of(attention.visible.pattern(0, 1))
        whole = question_of(attention, 0, 1, seen)
        part = question_of(attention, 0, 1, seen, slice(23, 59), slice(11, 47))
        assert (part.queries, part.keys) == (36, 36)
        at, to = (one.ravel() for one in np.indices((36, 36)))
        np.testing.assert_allclose(part.at(at, to), whole.at(at + 23, to + 11), rtol=1e-6, atol=1e-6)
        allowed = attention.visible.table(0, 1)[23:59, 11:47]
        key = np.arange(36)
        found = (part.first[:, None] <= key) & (key < part.after[:, None])
        if part.seen is not None:
            found &= part.seen(slice(0, 36), slice(0, 36))
            assert np.array_equal(part.seen(slice(5, 7), slice(2, 13)), allowed[5:7, 2:13])
        assert np.array_equal(found, allowed)
        assert (
            str(part.query.dtype) == str(whole.query.dtype) == ("float64" if case == "float64" else "float32")
        )


@pytest.mark.parametrize(
    "table", [gappy(31), np.tri(31, dtype=bool), np.zeros((31, 31), bool), gappy(31) & (np.arange(31) > 7)]
)
def test_what_is_seen_lies_between_the_first_and_the_last(table):
    seen = Seen.of(Runs.of_table(table))
    assert seen.gaps == any(np.count_nonzero(np.diff(row.astype(int), prepend=0) == 1) > 1 for row in table)
    for row, first, after in zip(table, seen.first, seen.after, strict=True):
        places = np.flatnonzero(row)
        assert (first, after) == ((places[0], places[-1] + 1) if len(places) else (first, first))


def test_a_capture_answers_for_its_layers(hand_captures):
    capture = hand_captures.random_capture(queries=17, keys=17)
    whole = capture.window(3, 2, slice(0, 17), slice(0, 17), batch=1)
    allowed = capture.layer(3).attention.visible.table(1, 2)
    tile = capture.tile(3, 2, slice(3, 11), slice(0, 13), step=4, pool="largest", batch=1)
    assert tile.shape == (2, 4)
    assert tile[1, 0] == pytest.approx(whole[7:11, 0:4].max(), abs=1e-6)
    one = capture.tile(3, 2, slice(0, 17), slice(0, 17), batch=1)
    np.testing.assert_allclose(one, np.where(allowed, whole, -1), rtol=0, atol=1e-6)
    row = capture.row(3, 2, 13, batch=1)
    assert np.array_equal(row, whole[13])
    assert capture.top(3, 2, 13, 3, batch=1) == [(int(key), row[key]) for key in np.argsort(-row)[:3]]
    links = capture.links(3, 2, 7, apart=2, first=False)
    plain = in_order(capture.layer(3).attention, 2, 7, apart=2, without=0)
    assert [one[:2] for one in links] == [one[:2] for one in plain]
    assert [one.weight for one in links] == pytest.approx([weight for *_, weight in plain], rel=1e-14)
    assert {type(number) for one in links for number in one} == {int, float}
    assert capture.overview(bins=5).layer(3).mean.shape == (2, 5, 5, 5)
    assert capture.overview(bins=5) is capture.overview(bins=5)
    told = []
    capture.overview(bins=3, progress=lambda *done: told.append(done))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_what_a_capture_refuses(hand_captures):
    capture = hand_captures.random_capture()
    for bins in (0, -1, True, 2.5, "many"):
        with pytest.raises(ValueError, match=r"^bins: expected a whole number from 1, got"):
            capture.overview(bins=bins)
    with pytest.raises(LookupError, match=r"^key: nothing lies at 7:9; expected places from 0 to 6$"):
        capture.tile(0, 0, slice(0, 3), slice(7, 9))
    with pytest.raises(LookupError, match=r"^query: expected a slice such as slice\(0, 7\), got 3$"):
        capture.tile(0, 0, 3, slice(0, 3))
    with pytest.raises(LookupError, match=r"^query: 7 is no place; expected one from 0 to 6$"):
        capture.top(0, 0, 7)
    with pytest.raises(LookupError, match=r"^head: 5 is none of layer 0's; expected 0 to 4$"):
        capture.links(0, 5)
    for ask, count in ((capture.top, (0, 0, 3)), (capture.links, (0, 0))):
        for wrong in (0, -1, 1.5, True):
            with pytest.raises(ValueError, match=r"^count: expected a whole number from 1, got"):
                ask(*count, wrong)
    with pytest.raises(ValueError, match=r"^count: expected at most 10000, got 10001$"):
        capture.links(0, 0, 10001)
    with pytest.raises(ValueError, match=r"^apart: expected a whole number from 0, got -1$"):
        capture.links(0, 0, apart=-1)
    for wrong in (1.0, True):
        with pytest.raises(LookupError, match=r"^layer: "):
            capture.row(wrong, 0, 3)
        with pytest.raises(LookupError, match=r"^head: "):
            capture.row(0, wrong, 3)
    assert capture.tile(0, 0, slice(0, 3), slice(0, 3), step=np.int64(2)).shape == (2, 2)


def test_weights_that_are_no_numbers_have_no_largest(hand_captures):
    capture = hand_captures.random_capture()
    attention = capture.layer(0).attention
    broken = replace(attention, query=np.full_like(np.asarray(attention.query[...]), np.nan))
    capture = replace(capture, layers=(replace(capture.layer(0), attention=broken), *capture.layers[1:]))
    with pytest.raises(ValueError, match=r"^query 3 of layer 0, head 0: its weights are not finite numbers"):
        capture.top(0, 0, 3)
    with pytest.raises(ValueError, match=r"^layer 0, head 0: its weights are not finite numbers"):
        capture.links(0, 0)


def test_overviews_that_came_with_a_capture_are_those_that_are_given(hand_captures):
    capture = hand_captures.random_capture()
    made = {layer.label: capture.overview(3).of(layer) for layer in capture.attentions()}
    kept = replace(capture, overviews=made)
    assert kept.overview().of(kept.layer(0)) is made[kept.layer(0).label]
    assert repr(kept.overview()).startswith("Overview of Capture of")
    assert "5 heads" in repr(made[kept.layer(0).label])
