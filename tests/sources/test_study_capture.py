"""The study model captured: against the same model computed by its other way, `study.model.run`."""

import numpy as np
import pytest

from clearhead.sources.worked import ExampleError
from clearhead.sources.worked.study import START, VOCABULARY, load
from clearhead.sources.worked.study.capture import capture_study
from clearhead.sources.worked.study.model import run
from clearhead.trace.capture.change import Change

WORDS = ("the", "man", "saw", "the", "woman", "and", "he", "works", ".")
TEXT = "the man saw the woman and he works."


@pytest.fixture(scope="module")
def capture():
    return capture_study(TEXT)


def test_it_has_the_weights_and_next_words_of_the_model(capture):
    """The same arithmetic in another order of sentences: a few roundings of float64, 1e-12."""
    found = run(load(), [WORDS])
    for layer in range(2):
        assert np.allclose(capture.weights(layer), found.weights[layer, 0], rtol=0, atol=1e-12)
    (words,) = capture.next_words
    last = found.probabilities[0, -1]
    assert [word["id"] for word in words] == np.argsort(-last, kind="stable")[:10].tolist()
    assert words[0]["text"] == VOCABULARY[words[0]["id"]]
    assert words[0]["probability"] == pytest.approx(last.max(), abs=1e-12)


def test_it_agrees_with_itself(capture):
    assert capture.agreement.agrees
    assert [layer.kernel for layer in capture.agreement] == ["Clearhead's own"] * 2


def test_its_tokens_have_their_places(capture):
    assert [token.text for token in capture.tokens] == [START, *WORDS]
    assert capture.tokens[0].special
    assert all(TEXT[token.start : token.end] == token.text for token in capture.tokens[1:])


def test_a_head_goes_from_the_layer_s_input_to_what_it_adds(capture, faults):
    trace = capture.head(1, 3)
    assert list(trace)[:2] == ["hidden", "W_Q"]
    assert list(trace)[-1] == "output"
    assert np.all(trace["Q_rounding"].values == 0) or np.abs(trace["Q_rounding"].values).max() < 1e-12
    assert faults(trace) == []


def test_the_heads_add_up_to_the_layer_s_output(capture, traced):
    total = sum(capture.head(0, head)["output"].values for head in range(4))
    assert np.allclose(total, traced("study")["layer0.output"].values, rtol=0, atol=1e-12)


def test_it_goes_on_by_itself():
    capture = capture_study("the man saw", 5)
    assert capture.prompt == 4
    assert len(capture.tokens) == 8  # the last of the five is said and not read
    words = [token.text for token in capture.tokens]
    for place in range(4, 8):
        found = run(load(), [words[1:place]]).probabilities[0, -1]
        assert words[place] == VOCABULARY[int(found.argmax())]


def test_it_stops_where_its_positions_end():
    assert len(capture_study("the " * 20, 17).tokens) == 25


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "the Man",
            "text: the study model does not know the word 'Man'; it knows 69 words, such as the, that, ",
        ),
        ("the " * 25, "text: the text has 26 words with <start>; the study model has positions for 25"),
    ],
)
def test_what_it_cannot_read_is_one_sentence(text, sentence):
    with pytest.raises(ExampleError) as caught:
        capture_study(text)
    assert str(caught.value).startswith(sentence)
    assert caught.value.field == "text"


def test_heads_are_switched_off():
    """Against the switch that the measurements of the study model are made with."""
    capture = capture_study(TEXT, changes=[Change("off", layer=0, head=1)])
    found = run(load(), [WORDS], off=[(0, 1)])
    assert np.allclose(capture.weights(1), found.weights[1, 0], rtol=0, atol=1e-12)
    assert capture.next_words[0][0]["probability"] == pytest.approx(
        found.probabilities[0, -1].max(), abs=1e-12
    )
    assert capture.before == capture_study(TEXT).next_words
    assert capture.agreement.agrees


@pytest.mark.parametrize(
    "change", ["no mask", "L1 no scale", "L0H2 off", "L1 off", "L0H1.weights[3,1] = 0.5"]
)
def test_a_changed_run_agrees_with_itself(change):
    capture = capture_study(TEXT, changes=[Change.read(change)])
    assert capture.agreement.agrees
    assert capture.changes == (Change.read(change),)
    assert capture.next_words != capture.before


def test_a_mask_is_lifted_and_a_scale_left_out_where_it_is_asked():
    lifted = capture_study(TEXT, changes=[Change("mask", layer=1)])
    assert (lifted.weights(1)[:, 0, 1:] > 0).all()
    assert (lifted.weights(0)[:, 0, 1:] == 0).all()
    unscaled = capture_study(TEXT, changes=[Change("scale", layer=0)]).head(0, 2)
    assert np.array_equal(unscaled["scaled"].values, unscaled["scores"].values)


def test_a_weight_is_set_and_the_rest_of_its_row_left():
    capture = capture_study(TEXT, changes=[Change("weight", 0, 1, 3, 1, 0.5)])
    plain = capture_study(TEXT)
    expected = plain.weights(0)
    expected[1, 3, 1] = 0.5
    assert np.array_equal(capture.weights(0), expected)
    assert capture.head(0, 1)["changed"].values[3, 1] == 0.5


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("L2 off", "changes: 'L2 off': there is no layer 2; expected 0 to 1"),
        ("L0H4 off", "changes: 'L0H4 off': there is no head 4; expected 0 to 3"),
        (
            "L0H0.weights[10,0] = 1",
            "changes: 'L0H0.weights[10,0] = 1.0': there is no query 10; expected 0 to 9",
        ),
        ("encoder.L0 off", "changes: 'encoder.L0 off': the study model has one tower, which has no name"),
    ],
)
def test_a_change_of_what_is_not_there_is_one_sentence(change, sentence):
    with pytest.raises(ExampleError) as caught:
        capture_study(TEXT, changes=[Change.read(change)])
    assert str(caught.value) == sentence
