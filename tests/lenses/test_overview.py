"""The overview of a captured model: small pictures, layers, and a head in sentences; captures made by hand."""

import json
from dataclasses import replace

import numpy as np
import pytest

from clearhead.lenses.overview import (
    agreement_in_words,
    facts,
    hidden,
    sink_share,
    stream,
    thumbnails,
    towers,
    weights_in,
)
from clearhead.trace.capture.recompute import weights_of

PREVIOUS = [[1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]]
QUARTERS = [
    [0.25, 0.75, 0, 0, 0],
    [0, 1, 0, 0, 0],
    [0, 0, 0.5, 0.5, 0],
    [0, 0, 0, 0, 1],
    [0.75, 0, 0.25, 0, 0],
]


@pytest.fixture
def two(hand_captures):
    """A head that looks at the token before, and one that does not."""
    return hand_captures.with_weights([PREVIOUS, QUARTERS], hand_captures.tokens(range(5)))


def attention_of(capture, place=0):
    attention = capture.layers[place].attention
    assert attention is not None
    return attention


def overview_of(capture, place=0):
    return capture.overview_of(capture.layers[place])


def test_a_short_text_is_shown_cell_by_cell(two):
    pictures = thumbnails(overview_of(two), attention_of(two))
    assert pictures.dtype == np.uint8
    assert pictures.tolist() == (1 + np.rint(np.array([PREVIOUS, QUARTERS]) * 253)).tolist()
    assert np.abs(weights_in(pictures) - [PREVIOUS, QUARTERS]).max() <= 0.5 / 253


def test_the_largest_weight_of_each_part_stands_for_it(two):
    """Five places in two parts: the first two, and the last three."""
    pictures = thumbnails(overview_of(two), attention_of(two), side=2)
    assert pictures.tolist() == [[[254, 1], [254, 254]], [[254, 1], [191, 254]]]


def test_what_is_masked_is_no_weight_of_0(hand_captures):
    """Under the causal mask, with a visible weight of 0 below the diagonal and a row that sees nothing."""
    seen = np.tril(np.ones((3, 3), dtype=bool))
    seen[0] = False
    weights = [[0, 0, 0], [0, 1, 0], [0.5, 0.5, 0]]
    capture = hand_captures.with_weights([weights], hand_captures.tokens(range(3)), visible=seen)
    pictures = thumbnails(overview_of(capture), attention_of(capture))
    assert pictures.tolist() == [[[0, 0, 0], [1, 254, 0], [127, 127, 1]]]
    assert weights_in(pictures)[0, 1].tolist()[:2] == [0.0, 1.0]
    assert np.ma.getmaskarray(weights_in(pictures)).tolist() == (~seen[None]).tolist()
    parts = thumbnails(overview_of(capture), attention_of(capture), side=2)  # the first place, and the others
    assert parts.tolist() == [[[0, 0], [127, 254]]], "a part is masked where all of its cells are"


def test_a_nan_is_no_weight_of_0(two):
    """The first query's scores are NaN in the first head, which therefore has no number in its row."""
    attention = attention_of(two)
    query = np.array(attention.query)
    query[0, 0, 0] = np.nan
    layer = replace(two.layers[0], attention=replace(attention, query=query))
    capture = replace(two, layers=(layer,))
    pictures = thumbnails(overview_of(capture), attention_of(capture))
    known = thumbnails(overview_of(two), attention)
    assert pictures[0, 0].tolist() == [255] * 5
    assert np.array_equal(pictures[0, 1:], known[0, 1:])
    assert np.array_equal(pictures[1], known[1])
    assert np.isnan(weights_in(pictures)[0, 0]).all()
    assert not np.ma.getmaskarray(weights_in(pictures)).any()


@pytest.mark.parametrize("side", [1, 3, 7, 11, 24])
def test_every_weight_is_in_one_part(hand_captures, side):
    """Against a picture made cell by cell; 13 keys for 7 queries, in the second sequence."""
    capture = hand_captures.random_capture(queries=7, keys=13)
    attention = attention_of(capture, 3)
    pictures = thumbnails(overview_of(capture, 3), attention, batch=1, side=side)
    rows, columns = min(side, 7), min(side, 13)
    assert pictures.shape == (5, rows, columns)
    for head in range(5):
        weights, expected = weights_of(attention, 1, head), np.full((rows, columns), np.nan)
        visible = attention.visible.table(1, head)
        row = max_part(7, rows)
        column = max_part(13, columns)
        for (query, key), weight in np.ndenumerate(weights):
            place = row[query], column[key]
            if visible[query, key]:
                expected[place] = np.fmax(expected[place], weight)
        assert np.array_equal(pictures[head], np.where(np.isnan(expected), 0, 1 + np.rint(expected * 253)))


def max_part(length, parts):
    """The part that each place belongs to: part p begins at the whole number below p * length / parts."""
    return [max(part for part in range(parts) if part * length // parts <= place) for place in range(length)]


def test_the_towers_are_data(hand_captures):
    capture = hand_captures.random_capture()
    views, buffers = towers(capture, batch=1)
    json.dumps(views, allow_nan=False)
    (tower,) = views
    assert (tower["name"], tower["rows"], tower["columns"]) == ("", "tokens", "tokens")
    assert [token.get("padding", False) for token in tower["queries"]] == [False] * 6 + [True]
    assert set(tower["queries"][0]) == {"text", "start", "end"}
    assert [layer["heads"] for layer in tower["layers"]] == [5, 5, 5, 5, 0]
    last = tower["layers"][-1]
    assert (last["what"], last["agreement"], last["thumbnails"]) == (
        "Mixer, which is no softmax attention", None, None,
    )  # fmt: skip
    for layer in tower["layers"][:-1]:
        assert buffers[layer["thumbnails"]].shape == (5, 7, 7)
        assert layer["agreement"]["agrees"] is False  # its output was drawn at random


def test_what_fails_is_named(hand_captures):
    capture = hand_captures.random_capture()
    assert agreement_in_words(capture.agreement).startswith("NOT the model's numbers in L0, L1, L2, L3: ")


def test_what_is_nan_in_the_model_itself_is_no_difference(hand_captures, two):
    """One of two layers returns a NaN for every number; the other agrees."""
    attention = attention_of(two)
    mixed = np.stack([weights_of(attention, 0, head) @ attention.value[0, head] for head in range(2)], axis=1)
    good, nothing = (replace(attention, output=one[None]) for one in (mixed, mixed * np.nan))
    layers = tuple(replace(two.layers[0], number=at, attention=one) for at, one in enumerate((good, nothing)))
    said = agreement_in_words(replace(two, layers=layers).agreement)
    assert said.startswith("In 1 of 2 layers, weights times values is what the model's kernel returned: ")
    assert "L1: 20 of the numbers that the kernel returned are NaN, in the model itself" in said
    assert "no number" not in said
    (tower,), _ = towers(replace(two, layers=layers))
    view = tower["layers"][1]["agreement"]
    assert (view["difference"], view["note"].startswith("20 of")) == (None, True)


def test_what_agrees_is_said(hand_captures, two):
    attention = attention_of(two)
    mixed = np.stack([weights_of(attention, 0, head) @ attention.value[0, head] for head in range(2)], axis=1)
    layer = replace(two.layers[0], attention=replace(attention, output=mixed[None]))
    said = agreement_in_words(replace(two, layers=(layer,)).agreement)
    assert said.startswith("In the one layer, weights times values is what the model's kernel returned: ")
    assert "-" not in said, "a minus is written as the page writes it"


def test_how_a_head_computes_is_told(hand_captures):
    attention = attention_of(hand_captures.random_capture(), 3)
    said = facts(attention, 0, 4)
    assert said[:2] == [
        "The model computed it with sdpa, in float32. Here it is worked out again in float64.",
        "The scores are multiplied by the model's own scale, 0.3.",
    ]
    assert "Then they are bent to stay between −13 and 13 (soft cap)." in said
    assert "A bias that depends on the two positions is added to them." in said
    assert any(one.startswith(f"A sink with the score {float(attention.sink[4]):.4g} ") for one in said)
    assert (
        "It reads key and value head 0 of 1, which heads 0 to 4 have in common (grouped-query attention)."
        in said
    )
    assert said[-1] == "a note"


def test_a_mask_is_told_in_words(hand_captures):
    attention = attention_of(hand_captures.random_capture())
    named = next(one for one in facts(attention, 1, 0) if one.startswith("Mask: "))
    assert named == "Mask: a position may look at itself and at what came before, as in a decoder (causal)."
    without = next(one for one in facts(attention, 0, 0) if one.startswith("Mask: "))
    assert without.startswith("Mask: the model's own, which no name describes")


def test_no_mask_is_told_without_an_encoder(two):
    """Cross-attention has none either."""
    assert "Mask: none. Every query may see every key." in facts(attention_of(two), 0, 0)


@pytest.mark.parametrize(
    ("scale", "said"),
    [(11**-0.5, "The scores are divided by √d_head = √11."), (1.0, "The scores are not scaled.")],
)
def test_the_scale_is_told(hand_captures, scale, said):
    assert said in facts(replace(attention_of(hand_captures.random_capture()), scale=scale), 0, 0)


def test_what_is_hidden_and_what_a_sink_takes(hand_captures):
    seen = np.tril(np.ones((3, 3), dtype=bool))
    half = [[0.5, 0, 0], [0.25, 0.5, 0], [0.25, 0.25, 0.25]]
    sinks = [np.log(0.5)]
    capture = hand_captures.with_weights([half], hand_captures.tokens(range(3)), visible=seen, sink=sinks)
    attention = attention_of(capture)
    assert hidden(attention, 0, 0).tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    weights = weights_of(attention, 0, 0)
    # the scores are ln of the numbers above: a row is divided by its sum and the sink's 1/2
    assert weights[1].tolist() == pytest.approx([0.2, 0.4, 0.0], abs=1e-15)
    assert sink_share(attention, weights).tolist() == pytest.approx([0.5, 0.4, 0.4], abs=1e-15)
    assert sink_share(replace(attention, sink=None), weights) is None


def test_positions_have_a_name():
    assert [stream(name) for name in ("text", "decoder", "17 positions")] == [
        "tokens", "decoder tokens", "17 positions",
    ]  # fmt: skip
