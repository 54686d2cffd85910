"""A head by itself as a capture: the same trace, the same weights, and what is no head refused by name."""

import numpy as np
import pytest

import clearhead as ch
from clearhead.sources.worked.study.capture import capture_study
from clearhead.trace.capture.alone import alone
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.recompute import rows_of
from clearhead.trace.trace import Recorder, Trace


def weights(capture):
    """All weights of the only head."""
    [layer] = capture.layers
    return rows_of(layer.attention, 0, 0).weights


@pytest.mark.parametrize("layer", [0, 3])
@pytest.mark.parametrize("batch", [0, 1])
def test_it_has_the_weights_of_the_head(hand_captures, layer, batch):
    """The last layer has a soft cap, a bias and a sink; the masks of the two sequences differ."""
    trace = hand_captures.random_capture("float64").head(layer, 2, batch=batch)
    made = alone(trace)
    assert made.head(0, 0) is trace
    np.testing.assert_allclose(weights(made), trace["weights"].values, atol=1e-15)
    assert made.layers[0].named == f"head L{layer}H2"
    assert [token.text for token in made.tokens] == list(trace.tokens)
    assert "text" not in made.provenance  # of a batch it is not known which


def test_weights_set_by_hand_and_a_head_that_is_off():
    changes = (Change("weight", layer=1, head=2, query=3, key=1, value=0.5), Change("off", layer=1, head=2))
    trace = capture_study("the man saw the woman", 0, changes).head(1, 2)
    made = alone(trace)
    assert weights(made)[3, 1] == 0.5
    assert made.layers[0].attention.off == (0,)


def test_a_head_that_was_saved_before_its_place_was_kept_is_one_head(hand_captures):
    trace = hand_captures.random_capture().head(0, 1)
    known = {name: value for name, value in trace.provenance.items() if name != "head"}
    made = alone(Trace(trace.values(), trace.tokens, (), known))
    assert (made.layers[0].named, made.provenance["title"]) == ("one head", "One head of random")


def test_keys_of_another_text_keep_their_words(hand_captures):
    table = np.full((1, 3, 5), 0.2)
    words = hand_captures.tokens(range(3)), hand_captures.tokens(range(10, 15))
    made = alone(hand_captures.with_weights(table, words[0], columns=words[1]).head(0, 0))
    [layer] = made.layers
    assert [[one.text for one in row] for row in made.tokens_of(layer)] == [
        ["w0", "w1", "w2"], ["w10", "w11", "w12", "w13", "w14"],
    ]  # fmt: skip


def test_what_is_no_head_is_refused_by_name(hand_captures):
    with pytest.raises(ValueError, match=r"it has several matrices of Q; expected the trace of one head"):
        alone(ch.run("two-heads"))
    trace = hand_captures.random_capture().head(0, 1)
    without = Trace([one for one in trace.values() if one.name != "V"], trace.tokens)
    with pytest.raises(ValueError, match="it has no V; expected"):
        alone(without)
    step = Recorder()
    others = step.given("weights", trace["weights"].axes, trace["weights"].values[:, ::-1])
    other = Trace([others if one.name == "weights" else one for one in trace.values()], trace.tokens)
    with pytest.raises(ValueError, match="its weights are made in another way"):
        alone(other)
