"""A person's changes to whole models: entries of any parameter of any layer, new words, switches."""

import math

import numpy as np
import pytest

import clearhead as ch
from clearhead.sources.worked.edits import example_of

ONE = [1, 0, 2]
ATTENTION = {"W_Q": [[1, 0]] * 3, "W_K": [[0, 1]] * 3, "W_V": [[1, 1]] * 3, "W_O": [ONE, ONE]}
FEEDS = {"W_1": [[1, -1, 0, 2, 1]] * 3, "b_1": [0, 1, 2, 3, 4], "W_2": [ONE] * 5, "b_2": ONE}
NORMS = {"gain_1": ONE, "bias_1": ONE, "gain_2": ONE, "bias_2": ONE}
GOOD = (
    {"tokens": ["red", "fox", "red"], "E": {"red": [1, 2, 3], "fox": [3, 2, 1]}} | ATTENTION | FEEDS | NORMS
)
GOOD |= {
    "W_U": [[1, 0], [0, 1], [1, 1]],
    "gain_final": ONE,
    "bias_final": ONE,
    "norm": "layer",
    "temperature": 2,
}
"""One layer with everything: d_model 3, two joined, d_ff 5, two words."""

LAYERS = {"tokens": ["red", "fox"], "E": GOOD["E"], "layers": [ATTENTION | FEEDS, ATTENTION]}


def changed(base, *edits, **state):
    parts = [dict(zip(("matrix", "row", "column", "value"), edit, strict=True)) for edit in edits]
    return example_of({"example": "x", "edits": parts} | state, ch.Example(**base))


def test_one_entry_of_any_parameter():
    example = changed(
        GOOD, ("b_1", 4, 0, 9.5), ("gain_final", 1, 0, -2), ("W_U", 2, 1, 7), ("E", "fox", 2, 8)
    )
    assert example.b_1.tolist() == [0, 1, 2, 3, 9.5]
    assert example.gain_final.tolist() == [1, -2, 2]
    assert example.W_U.tolist() == [[1, 0], [0, 1], [1, 7]]
    assert example.E["fox"].tolist() == [3, 2, 8]


def test_one_entry_of_a_layer():
    example = changed(LAYERS, ("layer1.W_Q", 2, 1, 5), ("layer0.b_2", 0, 0, 6))
    assert example.parameters["layer1.W_Q"].tolist() == [[1, 0], [1, 0], [1, 5]]
    assert example.parameters["layer0.W_Q"].tolist() == ATTENTION["W_Q"]
    assert example.parameters["layer0.b_2"].tolist() == [6, 0, 2]
    assert ch.Example(**LAYERS).parameters["layer0.b_2"].tolist() == ONE


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (("b_1", 5, 0, 1),
         "edits, b_1[5,0]: there is no such entry; expected a row from 0 to 4 and a column from 0 to 0"),
        (("b_1", 0, 1, 1), "edits, b_1[0,1]: there is no such entry; expected a row from 0 to 4"),
        (("b_1", 0, None, 1), "edits, b_1[0,None]: there is no such entry; expected"),
        (("b_1", "red", 0, 1), "edits, b_1['red',0]: there is no such entry; expected"),
        (("b_1", -1, 0, 1), "edits, b_1[-1,0]: there is no such entry; expected"),
        (("W_U", 0, 2, 1),
         "edits, W_U[0,2]: there is no such entry; expected a row from 0 to 2 and a column from 0 to 1"),
        (("b_1", 0, 0, math.nan), "edits, b_1[0,0]: entry 0: expected a finite number, got nan"),
        (("layer0.W_Q", 0, 0, 1), "edits: no matrix is named 'layer0.W_Q' here; expected one of E, W_Q"),
        (("W_G", 0, 0, 1), "edits: no matrix is named 'W_G' here; expected one of E, W_Q"),
    ],
)  # fmt: skip
def test_an_edit_of_an_entry_that_is_not_there(edit, says):
    with pytest.raises(ch.ExampleError) as caught:
        changed(GOOD, edit)
    assert str(caught.value).startswith(says)


def test_a_bare_name_in_a_model_of_several_layers():
    with pytest.raises(
        ch.ExampleError, match=r"no matrix is named 'W_Q' here; expected one of E, layer0.W_Q"
    ):
        changed(LAYERS, ("W_Q", 0, 0, 1))


def test_a_new_word_gets_a_column_of_the_unembedding():
    """Its row of E, as in a tied model; the columns of the others stay, and every entry can be edited."""
    example = changed(GOOD, ("W_U", 1, 2, 9), tokens=["owl", "red"], rows={"owl": [4, 5, 6]})
    assert example.vocabulary == ("red", "fox", "owl")
    assert example.W_U.tolist() == [[1, 0, 4], [0, 1, 9], [1, 1, 6]]
    assert example.E["owl"].tolist() == [4, 5, 6]
    assert ch.run(example)["logits"].shape == (2, 3)


def test_a_row_of_a_word_that_is_there_adds_no_column():
    example = changed(GOOD, rows={"fox": [7, 7, 7]})
    assert example.W_U.tolist() == GOOD["W_U"]
    assert example.E["fox"].tolist() == [7, 7, 7]


def test_switches_of_the_whole_model():
    state = {
        "norm": "rms",
        "norm_place": "post",
        "activation": "gelu_tanh",
        "temperature": 0.5,
        "predict": True,
    }
    example = changed(GOOD, **state)
    assert {name: getattr(example, name) for name in state} == state
    assert np.isfinite(ch.run(example)["loss"].values)
