"""Examples of whole models: what is read, what is used, whether it goes on to the next word; files with layers."""

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


def test_the_good_examples_are_good():
    one = ch.run(ch.Example(**GOOD))
    assert [one[name].shape for name in ("ffn_in", "hidden", "probabilities", "loss")] == [
        (3, 5),
        (3, 3),
        (3, 2),
        (),
    ]
    assert {name for name, quantity in one.items() if quantity.operation is None} == {
        "E", *ATTENTION, *FEEDS, *NORMS, "gain_final", "bias_final", "W_U",
    }  # fmt: skip
    two = ch.run(ch.Example(**LAYERS))
    assert "layer0.ffn_in" in two
    assert "layer1.ffn_in" not in two
    assert two["layer1.X"].values.tolist() == two["layer0.hidden"].values.tolist()


def test_one_layer_in_a_table_is_the_layer_itself():
    table = {name: value for name, value in GOOD.items() if name in ATTENTION | FEEDS | NORMS}
    rest = {name: value for name, value in GOOD.items() if name not in table}
    alone, within = ch.Example(**GOOD), ch.Example(**rest, layers=[table])
    assert within.layers == ()
    assert {name: v.tolist() for name, v in within.parameters.items()} == {
        name: v.tolist() for name, v in alone.parameters.items()
    }
    assert ch.run(within)["loss"].values == ch.run(alone)["loss"].values


def test_parameters_by_their_full_names():
    example = ch.Example(**LAYERS)
    assert list(example.parameters) == [
        "E", "layer0.W_Q", "layer0.W_K", "layer0.W_V", "layer0.W_O", "layer0.W_1", "layer0.b_1", "layer0.W_2",
        "layer0.b_2", "layer1.W_Q", "layer1.W_K", "layer1.W_V", "layer1.W_O",
    ]  # fmt: skip
    doubled = example.with_parameters({name: 2 * values for name, values in example.parameters.items()})
    for name, values in example.parameters.items():
        assert doubled.parameters[name].tolist() == (2 * values).tolist(), name


UNUSED = {
    "no norm": ({"norm": "none"}, {*NORMS, "gain_final", "bias_final"}),
    "norms after": ({"norm_place": "post"}, {"gain_final", "bias_final"}),
    "a gate": ({"W_G": FEEDS["W_1"]}, {"W_G"}),
    "positions": ({"P": [ONE] * 3}, {"P"}),
    "attention alone": ({"predict": False}, {*FEEDS, *NORMS, "gain_final", "bias_final", "W_U"}),
    "no feed-forward": (dict.fromkeys(FEEDS), {"gain_2", "bias_2"}),
}


@pytest.mark.parametrize("case", UNUSED.values(), ids=UNUSED)
def test_what_a_run_has_no_use_for_is_not_in_its_trace_and_does_not_learn(case):
    changes, unused = case
    example = ch.Example(**GOOD).vary(**changes)
    trace = ch.run(example)
    given = {name for name, quantity in trace.items() if quantity.operation is None}
    assert given == set(example.used_parameters) == set(example.parameters) - unused
    if "loss" in trace:
        moved = trace.backward()
        bare = {
            name.rpartition(".")[2].removeprefix("d") for name in moved if moved[name].operation is not None
        }
        assert given <= bare


def test_whether_it_goes_on():
    narrow = {
        name: value for name, value in GOOD.items() if name not in ("W_1", "W_2", "W_U", "b_1", "b_2", "W_G")
    }
    narrow |= {"W_O": [[1], [1]]}
    assert [ch.Example(**fields).predicts for fields in (GOOD, narrow)] == [True, False]
    assert "logits" not in ch.run(ch.Example(**narrow))
    with pytest.raises(ch.ExampleError, match=r"W_O: has 1 column, but its result is added to X"):
        ch.Example(**GOOD | {"W_O": [[1], [1]]})  # its feed-forward network would never be reached
    assert "losses" not in ch.run(ch.Example(**GOOD), tokens=["fox"])  # no next word
    assert ch.run(ch.Example(**GOOD), tokens=["fox"])["probabilities"].values.sum() == pytest.approx(
        1, abs=1e-15
    )


FILE = """
tokens = ["red", "fox"]
norm = "rms"
activation = "gelu"
W_U = [[1, 0], [0, 1]]
gain_final = [1, 2]
[E]
red = [1, 2]
fox = [3, 2]
[[layer]]
W_Q = [[1, 0], [1, 0]]
W_K = [[0, 1], [0, 1]]
W_V = [[1, 2], [2, 1]]
W_1 = [[1, 2, 3], [0, 1, 0]]
b_1 = [1, 2, 3]
W_2 = [[1, 2], [3, 4], [5, 6]]
[[layer]]
W_Q = [[2, 0], [1, 0]]
W_K = [[0, 2], [0, 1]]
W_V = [[1, 2], [2, 2]]
gain_1 = [3, 4]
"""


def loaded(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    return ch.load(path)


def test_a_file_with_layers(tmp_path):
    example = loaded(tmp_path, FILE)
    assert (example.settings.layers, example.norm, example.activation, example.predicts) == (
        2,
        "rms",
        "gelu",
        True,
    )
    assert example.parameters["layer0.b_1"].tolist() == [1, 2, 3]
    assert example.parameters["layer1.gain_1"].tolist() == [3, 4]
    assert example.parameters["layer1.W_Q"].tolist() == [[2, 0], [1, 0]]
    assert example.gain_final.tolist() == [1, 2]
    assert ch.run(example)["loss"].shape == ()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[[layer]]\nW_Q = [[2", "[[layers]]\nW_Q = [[2", "layers: is not known in a file; expected a [[layer]] table"),
        ("gain_1", "gain", "layer1: 'gain' is not known; did you mean gain_2 or gain_1? Expected only W_Q, W_K"),
        ("b_1 = [1, 2, 3]", "b_1 = [1, 2]", "layer0.b_1: has 2 numbers; expected 3"),
        ("[E]", "W_Q = [[1]]\n[E]", "W_Q: stands beside layers; expected it inside the layer it belongs to"),
        (
            'norm = "rms"',
            "layer_norm = true",
            "layer_norm: is not known; did you mean layers? Expected only tokens, E, W_Q",
        ),
        ('norm = "rms"', "layer = 3", "is not valid TOML"),
        ("W_K = [[0, 2], [0, 1]]", "", "layer1.W_K: is missing"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_file_with_layers(tmp_path, old, new, says):
    assert old in FILE
    with pytest.raises(ch.ExampleError) as caught:
        loaded(tmp_path, FILE.replace(old, new))
    assert str(caught.value).startswith(f"{tmp_path / 'mine.toml'}: {says}")


def test_an_unknown_field_names_the_tables_of_layers(tmp_path):
    with pytest.raises(ch.ExampleError, match=r"\[\[layer\]\]"):
        loaded(tmp_path, f"depth = 2\n{FILE}")
