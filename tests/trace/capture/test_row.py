"""The trace of one query: every number, name and word of it as in the trace of the whole head, at any length."""

import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from clearhead.lenses.explain import explain
from clearhead.lenses.script import numpy_script
from clearhead.lenses.walkthrough import captured_walk
from clearhead.sources.worked.study.capture import capture_study
from clearhead.trace.capture import head as heads
from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import Named, Runs, Visible
from clearhead.trace.frames import CHECKSUM, frame, sealed
from clearhead.trace.wire import parse_trace, trace_bytes

SENTENCE = "the man saw the woman and he works."
EPS = 2.0**-52
LONG = 16_384


def captures(hand_captures):
    """Captures by name, of every step that a head can have."""
    random = hand_captures.random_capture()
    layer = random.layers[3]
    changed = replace(
        layer.attention, bias=None, off=(1,), weights_set=((1, 2, 0, 0.5), (1, 5, 3, 0.25), (1, 5, 1, 0.0))
    )
    below = replace(random.layers[0], beneath=hand_captures.random_below)
    return {
        "a mask in cells, bias, sink, soft cap": random,
        "weights set, switched off": replace(random, layers=(replace(layer, number=0, attention=changed),)),
        "part of the way below": replace(random, layers=(below,)),
        "scale, weights set and the way below": capture_study(
            SENTENCE,
            changes=[Change("scale", layer=0), Change("weight", layer=0, head=1, query=3, key=1, value=0.5)],
        ),
        "the way below and above": capture_study(SENTENCE),
        "later": masked("causal+5", 3, 11),
        "window": masked("causal & window(4)", 11, 11),
        "distances": masked(
            "none", 7, 5, bias=Bias(np.random.default_rng(3).normal(size=(1, 1, 11)), True, 7)
        ),
        "padding": masked("causal & keys(3:11) | rows(0:3)", 11, 11),
        "blind": masked("causal & keys(3:11)", 11, 11),
    }


NAMES = [
    "a mask in cells, bias, sink, soft cap", "weights set, switched off", "part of the way below",
    "scale, weights set and the way below", "the way below and above", "later", "window", "distances", "padding",
    "blind",
]  # fmt: skip


def masked(mask, queries, keys, **more):
    """A capture of one head with a mask that has a name, or is given as runs."""
    numbers = np.random.default_rng(queries)
    table = Named(mask, queries, keys).table()
    runs = Runs.of_table(np.array(table)) if queries == keys else Named(mask, queries, keys)
    attention = Attention(
        numbers.normal(size=(1, 1, queries, 5)), numbers.normal(size=(1, 1, keys, 5)),
        numbers.normal(size=(1, 1, keys, 3)), np.zeros((1, queries, 1, 3)), 5**-0.5, Visible(((runs,),)), "by hand",
        **more,
    )  # fmt: skip
    words = [named(size) for size in (queries, keys)]
    layer = Layer("", 0, "attention", attention, "", "q", "q" if queries == keys else "k")
    return Capture((layer,), {"q": (words[0],), "k": (words[1],)}, {"model": "by hand"})


def named(count):
    return tuple(Token(f"w{at}", at, None, None, False, False) for at in range(count))


def pairs(capture):
    """Every layer's last head with each of its queries: the whole trace, and that of the query."""
    for layer in capture.attentions():
        for batch in range(layer.attention.sequences):
            head = min(1, layer.heads - 1)
            where = {"batch": batch, "tower": layer.tower}
            whole = capture.head(layer.number, head, **where)
            for query in range(layer.attention.queries):
                yield query, whole, capture.head(layer.number, head, query=query, **where)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_the_row_of_the_whole_head(hand_captures, name):
    """Sums of up to 32 products in another order: a few times EPS of the largest number there is."""
    compared = 0
    for query, whole, row in pairs(captures(hand_captures)[name]):
        assert list(row) == list(whole)
        for quantity in row.values():
            places = [
                range(start, start + size)
                for start, size in zip(quantity.starts, quantity.shape, strict=True)
            ]
            expected = whole[quantity.name].values[np.ix_(*places)] if places else whole[quantity.name].values
            size = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
            np.testing.assert_allclose(quantity.values, expected, rtol=1e-15, atol=16 * EPS * size)
            assert quantity.operation is None or quantity.shape[0] in (1, whole[quantity.name].shape[0])
            compared += quantity.axes[:1] == ("query",) and list(places[0]) == [query]
        assert row["weights"].shape[0] == row["Q"].shape[0] == row["mixed"].shape[0] == 1
        assert row["K"].shape == whole["K"].shape
    assert compared > 10


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_is_told_as_in_the_whole_head(hand_captures, name):
    """Arithmetic, LaTeX, notes, places, sources and feeds, word for word, under the true places."""
    for query, whole, row in list(pairs(captures(hand_captures)[name]))[1::3]:
        for quantity in row.values():
            for local in list(np.ndindex(quantity.shape))[::5]:
                index = quantity.named(local)
                mine, theirs = (dict(explain(trace, quantity.name, index, 2)) for trace in (row, whole))
                if (quantity.axes[:1] == ("position",) and index[0] != query) or not index:
                    # what another position, or the sink, has a part in is not all here
                    assert [one["quantity"] for one in mine["feeds"]] <= [
                        one["quantity"] for one in theirs["feeds"]
                    ]
                    mine["feeds"] = theirs["feeds"]
                if "Q_rounding" in (quantity.name, *(given.name for given in quantity.inputs)):
                    continue  # of numbers captured in float64 it is the last bit, which the order of a sum decides
                del mine["full"], theirs["full"]  # they may differ in their last bit
                assert mine == theirs, (quantity.name, index)
                assert row[quantity.name].explain(*index).label == mine["label"]


@pytest.mark.parametrize("name", NAMES)
def test_every_recipe_gives_its_cell_and_feeds_is_its_inverse(hand_captures, faults, name):
    for _, _, row in list(pairs(captures(hand_captures)[name]))[::4]:
        assert faults(row) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_row_comes_back_from_a_file(hand_captures, name):
    for query, _, row in list(pairs(captures(hand_captures)[name]))[::4]:
        back = parse_trace(trace_bytes(row), "file")
        assert list(back) == list(row)
        for old, new in zip(row.values(), back.values(), strict=True):
            assert (new.axes, new.origin, new.operation) == (old.axes, old.origin, old.operation)
            assert new.values.tobytes() == old.values.tobytes()
            assert [given.origin for given in new.inputs] == [given.origin for given in old.inputs]
        assert str(back["mixed"].explain(query, 1)) == str(row["mixed"].explain(query, 1))


def damaged(raw, change):
    """The file with its header changed and a checksum that fits."""
    (size,) = struct.unpack_from("<I", raw)
    header = json.loads(raw[4 : 4 + size])
    change(header["quantities"])
    return b"".join(sealed([frame(header, []), raw[4 + size : -CHECKSUM.size]]))


def of(name, **changes):
    def change(quantities):
        next(one for one in quantities if one["name"] == name).update(changes)

    return change


@pytest.mark.parametrize(
    "change",
    [
        of("weights", origin=[6, None]), of("weights", origin=[7]), of("weights", origin="x"),
        of("Q", origin=[-1, None]),
        of("Q", origin=[True, None]), of("Q", origin=[6, None]), of("XW_Q", rows=[[-1, 1], None]),
        of("XW_Q", rows=[[5, 1], None]), of("XW_Q", rows=[[7, 99], None]), of("XW_Q", rows=[7, None]),
        of("XW_Q", rows=[None]), of("scores", rows=[[0, 1], None]), of("hidden", origin=[1, None]),
    ],
)  # fmt: skip
def test_a_part_that_does_not_fit_is_refused(change):
    row = capture_study(SENTENCE).head(1, 2, query=7)
    raw = trace_bytes(row)
    assert parse_trace(damaged(raw, lambda _: None), "file")["weights"].origin == (7, None)
    with pytest.raises(ValueError, match="file: the trace is damaged or cut short"):
        parse_trace(damaged(raw, change), "file")


def test_the_program_of_a_row_gives_its_numbers(hand_captures):
    for name in ("weights set, switched off", "window", "the way below and above"):
        for _, _, row in list(pairs(captures(hand_captures)[name]))[::4]:
            made = {}
            exec(numpy_script(row).partition("\nfor name in")[0], made)
            for quantity in row.values():
                np.testing.assert_allclose(made[quantity.name], quantity.values, rtol=1e-12, atol=1e-13)


def test_only_the_cells_that_are_here_can_be_asked_for():
    row = masked("causal", 11, 11).head(0, 0, query=7)
    assert repr(row["weights"]) == "weights(query 7–7, key 11)"
    assert row["weights"].explain(7, -1).index == (7, 10)
    says = "weights: query of which only a part is here, goes from 7 to 7, got "
    for other in (0, 6, 8, -1):
        with pytest.raises(IndexError, match=says + str(other)):
            row["weights"].explain(other, 3)
    with pytest.raises(IndexError, match=r"expected 2 whole numbers \(query 7–7, key 0–10\), got 1"):
        row["weights"].explain(7)
    first = masked("causal", 11, 11).head(0, 0, query=0)
    with pytest.raises(
        IndexError, match="goes from 0 to 0, got -1"
    ):  # of the whole head it is the last query
        first["weights"].explain(-1, 0)


@pytest.mark.parametrize("query", [11, -1, True, 1.0, "1"])
def test_what_is_no_query_is_refused(query):
    with pytest.raises(LookupError, match=r"query: .* is no place; expected one from 0 to 10"):
        masked("causal", 11, 11).head(0, 0, query=query)


def test_the_walk_of_another_query_is_refused():
    row = masked("causal", 37, 37).head(0, 0, query=7)
    for other in (6, 8):
        with pytest.raises(IndexError, match=rf"weights\(query 7–7, key 37\) has no row {other}"):
            captured_walk(row, other)
    with pytest.raises(IndexError, match=r"has no cell \[6, 3\]"):
        row["weights"].number((6, 3))


def test_a_quantity_that_was_made_is_not_cut():
    whole = masked("causal", 11, 11).head(0, 0)
    assert whole["K"].rows(2, 5).explain(3, 1).value == whole["K"].values[3, 1]
    for name, first, after in (("weights", 2, 5), ("K", 5, 2), ("K", 2, 12), ("K", -3, 5)):
        with pytest.raises(ValueError, match="has no part from"):
            whole[name].rows(first, after)


def test_a_head_that_is_too_long_names_the_way_out(monkeypatch):
    monkeypatch.setattr(heads, "MOST_CELLS", 120)
    with pytest.raises(
        ValueError, match="11 queries and 11 keys, more than can be worked out at once; expected the "
    ):
        masked("causal", 11, 11).head(0, 0)
    assert masked("causal", 11, 11).head(0, 0, query=3)["weights"].shape == (1, 11)


@pytest.fixture(scope="module")
def long_row():
    """Query 12000 of a head of 16,384 tokens with few features, whose scores are small whole numbers."""
    numbers = np.random.default_rng(5)
    held = [numbers.integers(-4, 5, (1, 1, LONG, 7)).astype(np.float32) for _ in range(3)]
    attention = Attention(
        *held, np.zeros((1, LONG, 1, 7)), 1.0, Visible(((Named("causal", LONG, LONG),),)), "by hand"
    )
    layer = Layer("", 0, "attention", attention, "", "q", "q")
    return Capture((layer,), {"q": (named(LONG),)}, {"model": "by hand"}).head(0, 0, query=12_000)


def test_a_long_row_is_told_by_its_largest_terms(long_row):
    view = explain(long_row, "weights", (12_000, 3), 2, 16)
    assert view["label"] == "weights[12000,3]"
    assert view["place"] == "query 12000 “w12000”, key 3 “w3”"
    assert "16368 more" in view["note"]
    largest = long_row["masked"].values[0].max()
    assert largest > 20  # so it is subtracted, and the first term is e^0
    assert f"e^({largest:.2f} − {largest:.2f})" in view["text"]
    assert 16 <= len(view["sources"]) <= 17
    why = long_row["weights"].explain(12_000, 3)
    assert abs(why.evaluate() - why.value) <= why.tolerance
    hidden = explain(long_row, "masked", (12_000, 12_001), 2, 16)
    assert "key 12001 comes after query 12000" in hidden["note"]


def test_a_long_sum_lists_no_more_than_is_read(long_row):
    view = explain(long_row, "mixed", (12_000, 3), 2, 16)
    assert (len(view["terms"]), view["more"]["first"], view["more"]["count"]) == (16, 16, LONG - 16)
    weights, values = long_row["weights"].values[0], long_row["V"].values[:, 3]
    order = np.argsort(-np.abs(weights * values), kind="stable")
    assert [term["label"] for term in view["terms"]] == [f"key {at} “w{at}”" for at in order[:16]]
    why = long_row["mixed"].explain(12_000, 3)
    assert abs(why.evaluate() - why.value) <= why.tolerance


def test_a_long_row_has_a_walk(long_row):
    views, stops, buffers = captured_walk(long_row, 12_000)
    shown = {view["name"]: view for view in views}
    rows, columns = shown["weights"]["folds"]
    assert rows == {
        "places": [12_000], "of": LONG,
        "says": "1 of 16384 queries: the one that is looked at; 16383 more are not shown",
    }  # fmt: skip
    assert len(columns["places"]) == 24
    assert 12_000 in columns["places"]
    assert shown["weights"]["shape"] == [1, 24]
    sent = buffers[shown["weights"]["values"]]
    assert np.array_equal(sent, long_row["weights"].values[:, columns["places"]])
    assert shown["K"]["folds"][0] == columns
    assert [stop["id"] for stop in stops] == ["projections", "scores", "scale", "mask", "softmax", "mix"]
    assert sum(buffer.nbytes for buffer in buffers) < 10_000


@pytest.mark.parametrize("name", NAMES)
def test_the_walk_of_a_row_shows_what_that_of_the_head_shows(hand_captures, name):
    for query, whole, row in list(pairs(captures(hand_captures)[name]))[::4]:
        mine, theirs = captured_walk(row, query), captured_walk(whole, query)
        assert mine[1] == theirs[1]  # the stops, their words and formulas
        for one, other in zip(mine[0], theirs[0], strict=True):
            assert one["formula"] == other["formula"]
            quantity = row[one["name"]]
            cut = theirs[2][other["values"]]
            if quantity.origin and quantity.origin[0] is not None and "folds" not in other:
                assert one["folds"][0]["places"] == [query]
                cut = cut[query : query + 1]
                np.testing.assert_allclose(mine[2][one["values"]], cut, rtol=1e-15, atol=1e-13)
