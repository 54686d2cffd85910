"""The statistics of heads: by hand on weights that are fractions, and against the plain formulas on random ones.

1e-12 is far above the rounding of the logarithms that the weights by hand go through, and far below any mistake.
"""

import math
import subprocess
import sys

import numpy as np
import pytest

import clearhead as ch
from clearhead.lenses.statistics import SCORES, HeadTable

EXACT = {"rel": 1e-12, "abs": 1e-12}


def only(capture, **how):
    table = ch.head_statistics(capture, **how)
    assert len(table) == 1
    return table[0]


def test_every_score_by_hand(hand_captures):
    """The words are a b a b: rows 2 and 3 had their word before, and b and a followed it."""
    weights = [
        [1, 0, 0, 0],
        [1 / 2, 1 / 2, 0, 0],
        [1 / 4, 1 / 2, 1 / 4, 0],
        [0, 1 / 8, 3 / 4, 1 / 8],
    ]
    causal = np.tril(np.ones((4, 4)))
    found = only(hand_captures.with_weights([weights], hand_captures.tokens([5, 7, 5, 7]), visible=causal))
    row_3 = 2 * 3 / 8 + 3 / 4 * math.log2(4 / 3)  # −Σ p log2 p of 1/8, 3/4, 1/8
    assert found.entropy == pytest.approx((0 + 1 + 1.5 + row_3) / 4, **EXACT)
    assert found.spread == pytest.approx((1 + 1.5 / math.log2(3) + row_3 / 2) / 3, **EXACT)
    assert found.first == pytest.approx((1 + 1 / 2 + 1 / 4 + 0) / 4, **EXACT)
    assert found.previous == pytest.approx((1 / 2 + 1 / 2 + 3 / 4) / 3, **EXACT)
    assert found.induction == pytest.approx((1 / 2 + 3 / 4) / 2, **EXACT)
    assert found.duplicate == pytest.approx((1 / 4 + 1 / 8) / 2, **EXACT)
    assert found.distance == pytest.approx(
        (0 + 1 / 2 + (1 / 4 * 2 + 1 / 2) + (1 / 8 * 2 + 3 / 4)) / 4, **EXACT
    )
    assert (found.next, found.sink) == (None, None)
    assert found.label == "L0H0"


def test_without_a_mask_there_is_a_token_after(hand_captures):
    weights = [[1 / 4, 3 / 4, 0], [1 / 2, 0, 1 / 2], [1, 0, 0]]
    found = only(hand_captures.with_weights([weights], hand_captures.tokens([2, 3, 5])))
    assert found.next == pytest.approx((3 / 4 + 1 / 2) / 2, **EXACT)
    assert found.previous == pytest.approx((1 / 2 + 0) / 2, **EXACT)
    assert (found.induction, found.duplicate) == (None, None)  # no word stands there twice


def test_of_a_word_that_stood_there_more_than_once_all_places_count(hand_captures):
    """a b a c a: the last a had b and c after it, and two a before it."""
    row = [1 / 2, 1 / 8, 1 / 16, 1 / 4, 1 / 16]
    weights = [[1, 0, 0, 0, 0]] * 4 + [row]
    found = only(hand_captures.with_weights([weights], hand_captures.tokens([2, 3, 2, 5, 2])))
    assert found.induction == pytest.approx((0 + 3 / 8) / 2, **EXACT)
    assert found.duplicate == pytest.approx((1 + 9 / 16) / 2, **EXACT)


def test_a_word_that_follows_itself_does_not_count_as_its_own_follower(hand_captures):
    weights = [[1, 0], [1 / 4, 3 / 4]]
    found = only(hand_captures.with_weights([weights], hand_captures.tokens([3, 3])))
    assert found.induction is None
    assert found.duplicate == pytest.approx(1 / 4, **EXACT)


def test_padding_is_left_out_and_the_first_token_is_the_first_that_is_none(hand_captures):
    weights = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1 / 2, 1 / 2, 0], [0, 1 / 4, 1 / 4, 1 / 2]]
    visible = np.tril(np.ones((4, 4)))
    visible[1:, 0] = 0
    words = hand_captures.tokens([9, 2, 3, 9], padding=[0])
    found = only(hand_captures.with_weights([weights], words, visible=visible))
    assert found.first == pytest.approx((1 + 1 / 2 + 1 / 4) / 3, **EXACT)
    assert found.previous == pytest.approx((1 / 2 + 1 / 4) / 2, **EXACT)  # row 1 may not see the padding
    assert found.duplicate is None  # the 9 at the beginning is padding
    assert found.entropy == pytest.approx((0 + 1 + 1.5) / 3, **EXACT)


def test_marks_are_never_the_same_token(hand_captures):
    words = hand_captures.tokens([7, 7, 7], special=[0, 1, 2])
    found = only(hand_captures.with_weights([np.full((3, 3), 1 / 3)], words))
    assert (found.induction, found.duplicate) == (None, None)


def test_positions_without_a_known_number_are_never_the_same(hand_captures):
    found = only(hand_captures.with_weights([np.full((3, 3), 1 / 3)], hand_captures.tokens([-1, -1, -1])))
    assert (found.induction, found.duplicate) == (None, None)
    assert found.first == pytest.approx(1 / 3, **EXACT)


def test_blind_rows_are_left_out(hand_captures):
    visible = [[0, 0], [1, 1]]
    found = only(
        hand_captures.with_weights([[[1, 0], [1 / 4, 3 / 4]]], hand_captures.tokens([2, 3]), visible=visible)
    )
    assert found.first == pytest.approx(1 / 4, **EXACT)
    nothing = only(
        hand_captures.with_weights([[[1, 0], [1, 0]]], hand_captures.tokens([2, 3]), visible=[[0, 0]] * 2)
    )
    assert all(getattr(nothing, name) is None for name in SCORES)


def test_a_sink_takes_a_share_and_is_one_more_place(hand_captures):
    """Scores log 1/4, log 1/4 and a sink of log 1/2: they add up to 1, so these are the weights."""
    words = hand_captures.tokens([2, 3])
    found = only(hand_captures.with_weights([np.full((2, 2), 1 / 4)], words, sink=[math.log(1 / 2)]))
    assert found.sink == pytest.approx(1 / 2, **EXACT)
    assert found.entropy == pytest.approx(1.5, **EXACT)
    assert found.spread == pytest.approx(1.5 / math.log2(3), **EXACT)
    assert found.first == pytest.approx(1 / 4, **EXACT)
    assert found.distance == pytest.approx(1 / 2, **EXACT)  # of what is not the sink's, half lies one away


def test_of_another_text_nothing_stands_before(hand_captures):
    capture = hand_captures.with_weights(
        [[[1 / 2, 1 / 4, 1 / 4]] * 2], hand_captures.tokens([2, 3]), columns=hand_captures.tokens([2, 3, 2])
    )
    found = only(capture)
    assert (found.first, found.entropy) == (pytest.approx(1 / 2, **EXACT), pytest.approx(1.5, **EXACT))
    for name in ("previous", "next", "induction", "duplicate", "distance"):
        assert getattr(found, name) is None


def plain(weights, visible, ids):
    """The formulas again, cell by cell."""
    found = {
        name: [] for name in ("entropy", "first", "previous", "next", "induction", "duplicate", "distance")
    }
    for i, row in enumerate(weights):
        found["entropy"].append(sum(-w * math.log2(w) for w in row if w > 0))
        found["distance"].append(sum(w * abs(i - j) for j, w in enumerate(row)))
        places = {
            "first": [0],
            "previous": [i - 1],
            "next": [i + 1],
            "induction": [j for j in range(1, i) if ids[j - 1] == ids[i]],
            "duplicate": [j for j in range(i) if ids[j] == ids[i]],
        }
        for name, where in places.items():
            seen = [j for j in where if 0 <= j < len(row) and visible[i, j]]
            if seen:
                found[name].append(sum(row[j] for j in seen))
    return {name: float(np.mean(values)) if values else None for name, values in found.items()}


@pytest.mark.parametrize("mask", ["causal", "none", "window"])
def test_against_the_plain_formulas(hand_captures, mask):
    numbers = np.random.default_rng(13)
    size, count = 19, 3
    ids = numbers.integers(0, 5, size)
    query, key = np.indices((size, size))
    visible = {"causal": key <= query, "none": key >= 0, "window": (key <= query) & (key > query - 5)}[mask]
    weights = np.where(visible, numbers.random((count, size, size)) ** 3, 0)
    weights /= weights.sum(axis=-1, keepdims=True)
    table = ch.head_statistics(
        hand_captures.with_weights(weights, hand_captures.tokens(ids.tolist()), visible=visible)
    )
    for head, found in enumerate(table):
        for name, value in plain(weights[head], visible, ids).items():
            assert getattr(found, name) == (None if value is None else pytest.approx(value, **EXACT)), name


def test_heads_come_layer_by_layer_and_can_be_sorted(hand_captures):
    table = ch.head_statistics(hand_captures.random_capture())
    assert [head.label for head in table[:6]] == ["L0H0", "L0H1", "L0H2", "L0H3", "L0H4", "L1H0"]
    assert len(table) == 4 * 5
    firsts = [head.first for head in table.by("first")]
    assert firsts == sorted(firsts, reverse=True)
    assert [head.sink is None for head in table.by("sink")] == [False] * 5 + [True] * 15
    assert isinstance(table.by("first")[:3], HeadTable)
    assert [head.first for head in table.by("first", descending=False)] == firsts[::-1]
    with pytest.raises(ValueError, match="score: 'beauty' is none; expected one of entropy, "):
        table.by("beauty")


def test_a_table_is_printed(hand_captures):
    table = ch.head_statistics(hand_captures.with_weights([[[1, 0], [1, 0]]], hand_captures.tokens([2, 2])))
    assert str(table).splitlines() == [
        "head  entropy  spread  first  previous  next  duplicate  distance",
        "L0H0     0.00    0.00   1.00      1.00  0.00       1.00      0.50",
    ]


def test_one_tower_and_one_sequence(hand_captures):
    capture = hand_captures.with_weights([[[1.0]]], hand_captures.tokens([2]), tower="encoder")
    assert only(capture, tower="encoder").label == "encoder.L0H0"
    with pytest.raises(
        LookupError, match="tower: 'decoder' is none of this model's; expected one of encoder"
    ):
        ch.head_statistics(capture, tower="decoder")
    with pytest.raises(LookupError, match="batch: 1 is none of this capture's; expected 0 to 0"):
        ch.head_statistics(capture, batch=1)
    random = hand_captures.random_capture()
    with pytest.raises(LookupError, match="tower: 'x' is none of this model's; expected no name"):
        ch.head_statistics(random, tower="x")
    assert ch.head_statistics(random, batch=1) != ch.head_statistics(random)


def test_how_far_it_is_is_told(hand_captures):
    told = []
    ch.head_statistics(hand_captures.random_capture(), progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_it_needs_no_torch():
    program = "import sys; sys.modules['torch'] = None; import clearhead; clearhead.head_statistics; clearhead.Capture"
    subprocess.run([sys.executable, "-c", program], check=True)
