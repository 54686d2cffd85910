"""One sentence for each way in which the parts of a whole model do not fit together."""

import math

import pytest

import clearhead as ch

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


MISTAKES = {
    "a norm": ({"norm": "batch"}, "norm", "'batch' is not known; expected one of none, layer, rms"),
    "a place": ({"norm_place": "sandwich"}, "norm_place", "'sandwich' is not known; expected one of pre, post"),
    "an activation": ({"activation": "tanh"}, "activation",
        "'tanh' is not known; expected one of relu, gelu, gelu_tanh, swiglu"),
    "an activation as a number": ({"activation": 1}, "activation", '1 is no text; expected one of "relu", '),
    **{f"a temperature {heat!r:.9}": ({"temperature": heat}, "temperature", "expected a number above 0, got ")
       for heat in (0, -1.5, math.nan, math.inf, True, "hot", None, 10**400)},
    "whether to predict": ({"predict": 1}, "predict", "expected true or false, got 1"),
    "W_1 alone": ({"W_2": None, "b_2": None}, "W_2", "is missing; expected one, because there is W_1"),
    "W_2 alone": ({"W_1": None, "b_1": None}, "W_1", "is missing; expected one, because there is W_2"),
    "a bias alone": ({"W_1": None, "W_2": None, "b_1": None}, "W_1", "is missing; expected one, because there is b_2"),
    "a gate alone": (dict.fromkeys(FEEDS) | {"W_G": [[1]] * 3}, "W_1",
        "is missing; expected one, because there is W_G"),
    "rows of W_1": ({"W_1": [[1] * 5] * 2}, "W_1", "has 2 rows, but the rows of E have 3 numbers; expected the same"),
    "size of W_2": ({"W_2": [ONE] * 4}, "W_2", "is 4 × 3, but W_1 is 3 × 5; expected 5 × 3"),
    "length of b_1": ({"b_1": [1, 2]}, "b_1", "has 2 numbers; expected 5, one for each column it meets"),
    "length of b_2": ({"b_2": [1]}, "b_2", "has 1 number; expected 3, one for each column it meets"),
    "no gate": ({"activation": "swiglu"}, "W_G",
        "is missing; expected the gate's matrix, because activation is 'swiglu'"),
    "size of W_G": ({"W_G": [[1] * 4] * 3}, "W_G", "is 3 × 4, but W_1 is 3 × 5; expected the same size"),
    **{f"length of {name}": ({name: [1, 2, 3, 4]}, name, "has 4 numbers; expected 3, one for each column it meets")
       for name in (*NORMS, "gain_final", "bias_final")},
    "a bias as a matrix": ({"b_1": [[1] * 5]}, "b_1", "entry 0: expected a number, got a list; a matrix has two axes"),
    "a gain with NaN": ({"gain_1": [1, math.nan, 1]}, "gain_1", "entry 1: expected a finite number, got nan"),
    "an empty bias": ({"bias_2": []}, "bias_2", "expected a list of numbers, got []"),
    "rows of W_U": ({"W_U": [[1, 1]] * 2}, "W_U", "is 2 × 2; expected 3 × 2: a column for each word of E"),
    "columns of W_U": ({"W_U": [[1]] * 3}, "W_U", "is 3 × 1; expected 3 × 2: a column for each word of E"),
    "an output that cannot be added": ({"predict": True, "W_O": [[1], [1]]}, "W_O",
        "has 1 column, but its result is added to X, whose rows have 3 numbers; expected the same (or predict = false: "
        "attention alone)"),
    "values that cannot be added": ({"predict": True, "W_O": None}, "W_V",
        "has 2 columns, but its result is added to X, whose rows have 3 numbers; expected the same"),
    "a layer beside layers": ({"layers": [ATTENTION]}, "W_Q",
        "stands beside layers; expected it inside the layer it belongs to"),
}  # fmt: skip

IN_LAYERS = {
    "no list": ({"layers": 5}, "layers", "expected a list of layers, got 5"),
    "a layer as a list": ({"layers": [ATTENTION, [1]]}, "layer1", "expected a table of matrices, got [1]"),
    "an unknown matrix": ({"layers": [ATTENTION, ATTENTION | {"W_q": 1}]}, "layer1",
        "'W_q' is not known; did you mean W_Q, W_V or W_O? Expected only W_Q, W_K, W_V, W_O, gain_1"),
    "a missing matrix": ({"layers": [{"W_Q": [[1]] * 3}, ATTENTION]}, "layer0.W_K", "is missing"),
    "an only layer without W_V": ({"layers": [{"W_Q": [[1]] * 3, "W_K": [[1]] * 3}]}, "W_V", "is missing"),
    "a ragged matrix": ({"layers": [ATTENTION, ATTENTION | {"W_V": [[1], [1, 2]]}]}, "layer1.W_V",
        "row 1 has 2 numbers and row 0 has 1"),
    "rows": ({"layers": [ATTENTION, ATTENTION | {"W_K": [[1, 2]]}]}, "layer1.W_K",
        "has 1 row, but the rows of E have 3 numbers"),
    "sizes": ({"layers": [ATTENTION | {"W_K": [[1]] * 3}, ATTENTION]}, "layer0.W_K",
        "is 3 × 1, but layer0.W_Q is 3 × 2; expected the same size"),
    "heads": ({"heads": 2, "layers": [ATTENTION, ATTENTION | {"W_V": [ONE] * 3, "W_O": [ONE] * 3}]}, "heads",
        "2 does not divide the 3 columns of layer1.W_V; expected a divisor"),
    "an inner layer that cannot be added": ({"layers": [ATTENTION | {"W_O": [[1], [1]]}, ATTENTION]}, "layer0.W_O",
        "has 1 column, but its result is added to X"),
    "attention alone": ({"predict": False}, "predict",
        "is false, but there are several layers; expected true, or one layer"),
    "an odd head": ({"positions": "rotary", "heads": 2}, "positions",
        "rotary turns pairs of features, but d_head is 1; expected an even d_head"),
    "a bias": ({"layers": [ATTENTION, ATTENTION | FEEDS | {"b_1": [1]}]}, "layer1.b_1", "has 1 number; expected 5"),
    "a gain": ({"layers": [ATTENTION | {"gain_2": [1, 2]}, ATTENTION]}, "layer0.gain_2", "has 2 numbers; expected 3"),
    "no gate": ({"activation": "swiglu"}, "layer0.W_G", "is missing; expected the gate's matrix"),
}  # fmt: skip

CASES = {f"one: {name}": (GOOD, *case) for name, case in MISTAKES.items()}
CASES |= {f"several: {name}": (LAYERS, *case) for name, case in IN_LAYERS.items()}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_mistake_is_one_sentence(case):
    good, changes, field, problem = case
    with pytest.raises(ch.ExampleError) as caught:
        ch.Example(**(good | changes))
    assert caught.value.field == field
    assert problem in caught.value.problem
    assert "\n" not in str(caught.value)
