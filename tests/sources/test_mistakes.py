"""A person's mistakes: each is one sentence that names the file, the field and what was expected."""

import numpy as np
import pytest

import clearhead as ch
from clearhead.sources.worked.matrices import ExampleError
from clearhead.sources.worked.run import with_asides
from clearhead.sources.worked.study.capture import capture_study

GOOD = {
    "tokens": ["red", "fox"], "E": {"red": [1, 2, 3], "fox": [3, 2, 1]},
    "W_Q": [[1, 0]] * 3, "W_K": [[0, 1]] * 3, "W_V": [[1, 1, 0, 0]] * 3,
}  # fmt: skip
"""d_model 3, d_head 2, d_value 4."""

NAN, INF = float("nan"), float("inf")
EXPECTED_NUMBER = "expected a number"

# changes, the field, and what the sentence must say
MISTAKES = {
    "no words": ({"tokens": []}, "tokens", "the sentence is empty; expected at least one word"),
    "a sentence as text": ({"tokens": "red fox"}, "tokens", "expected a list of words, got 'red fox'"),
    "a sentence as a number": ({"tokens": 3}, "tokens", "expected a list of words"),
    "a sentence as a table": ({"tokens": {"red": 1}}, "tokens", "expected a list of words"),
    "a word that is a number": ({"tokens": ["red", 5]}, "tokens", "word 1: expected text, got 5"),
    "an empty word": ({"tokens": ["red", ""]}, "tokens", "word 1: expected text, got ''"),
    "an unknown word": ({"tokens": ["red", "owl", "owl"]}, "E",
        "has no row for 'owl'; expected one for every word of tokens"),
    "E as a list": ({"E": [[1, 2, 3]]}, "E", "expected a row of numbers for each word"),
    "E empty": ({"E": {}}, "E", "expected a row of numbers for each word"),
    "E's row as a number": ({"E": {"red": 1, "fox": 2}}, "E, row 'red'", "expected a list of numbers, got 1"),
    "E ragged": ({"E": {"red": [1, 2, 3], "fox": [1]}}, "E",
        "the row of 'fox' has 1 number and that of 'red' has 3"),
    "E with text": ({"E": {"red": [1, "2", 3], "fox": [1, 2, 3]}}, "E, row 'red'",
        "entry 1: expected a number, got '2'"),
    "E with NaN": ({"E": {"red": [1, 2, 3], "fox": [1, NAN, 3]}}, "E, row 'fox'",
        "entry 1: expected a finite number, got nan"),
    "no matrix": ({"W_Q": []}, "W_Q", "expected a list of rows of numbers, got []"),
    "a matrix as text": ({"W_Q": "1 0"}, "W_Q", "expected a list of rows of numbers, got '1 0'"),
    "a matrix as a number": ({"W_K": 1}, "W_K", "expected a list of rows of numbers"),
    "a flat matrix": ({"W_V": [1, 2, 3]}, "W_V, row 0", "expected a list of numbers, got 1"),
    "a matrix too deep": ({"W_V": [[[1]]] * 3}, "W_V, row 0",
        "entry 0: expected a number, got a list; a matrix has two axes"),
    "an empty row": ({"W_V": [[]] * 3}, "W_V, row 0", "expected a list of numbers, got []"),
    "a ragged matrix": ({"W_Q": [[1, 0], [1], [1, 0]]}, "W_Q",
        "row 1 has 1 number and row 0 has 2; expected rows of one length"),
    "a matrix with text": ({"W_Q": [[1, 0], ["x", 0], [1, 0]]}, "W_Q, row 1",
        "entry 0: expected a number, got 'x'"),
    "a matrix with true": ({"W_Q": [[True, 0]] * 3}, "W_Q, row 0", "entry 0: expected a number, got True"),
    "a matrix with nothing": ({"W_Q": [[None, 0]] * 3}, "W_Q, row 0", "entry 0: expected a number, got None"),
    "a matrix with infinity": ({"W_O": [[INF]] * 4}, "W_O, row 0",
        "entry 0: expected a finite number, got inf"),
    "minus infinity": ({"W_K": [[0, -INF]] * 3}, "W_K, row 0", "entry 1: expected a finite number, got -inf"),
    "beyond float64": ({"W_K": [[0, 10**400]] * 3}, "W_K, row 0", "entry 1: expected a finite number"),
    "thousands of digits": ({"W_K": [[0, 10**5000]] * 3}, "W_K, row 0", "entry 1: expected a finite number"),
    "a complex number": ({"W_K": [[0, 1j]] * 3}, "W_K, row 0", "entry 1: expected a number"),
    "NumPy's complex number": ({"W_K": [[0, np.complex128(1)]] * 3}, "W_K, row 0",
        "entry 1: expected a number"),
    "rows of W_Q": ({"W_Q": [[1, 0]] * 2}, "W_Q",
        "has 2 rows, but the rows of E have 3 numbers; expected the same"),
    "rows of W_V": ({"W_V": [[1, 0]] * 5}, "W_V",
        "has 5 rows, but the rows of E have 3 numbers; expected the same"),
    "columns of W_K": ({"W_K": [[1, 0, 0]] * 3}, "W_K", "is 3 × 3, but W_Q is 3 × 2; expected the same size"),
    "rows of W_O": ({"W_O": [[1]] * 3}, "W_O", "has 3 rows, but W_V has 4 columns; expected the same"),
    "heads": ({"heads": 3}, "heads", "3 does not divide the 2 columns of W_Q; expected a divisor"),
    "heads and values": ({"heads": 2, "W_V": [[1, 2, 3]] * 3}, "heads",
        "2 does not divide the 3 columns of W_V"),
    "no heads": ({"heads": 0}, "heads", "expected a whole number from 1, got 0"),
    "fewer than no heads": ({"heads": -1}, "heads", "expected a whole number from 1, got -1"),
    "half a head": ({"heads": 1.5}, "heads", "expected a whole number from 1, got 1.5"),
    "heads as text": ({"heads": "1"}, "heads", "expected a whole number from 1, got '1'"),
    "heads as truth": ({"heads": True}, "heads", "expected a whole number from 1, got True"),
    "a mask": ({"mask": "backwards"}, "mask", "'backwards' is not known; expected one of none, causal"),
    "a mask as truth": ({"mask": True}, "mask", 'True is no text; expected one of "none", "causal"'),
    "a mask as a list": ({"mask": ["causal"]}, "mask",
        "['causal'] is no text; expected one of \"none\", \"causal\""),
    "a fill": ({"mask_fill": "-100"}, "mask_fill", "'-100' is not known; expected one of -inf, 0"),
    "a fill as a number": ({"mask_fill": 0}, "mask_fill", '0 is no text; expected one of "-inf", "0"'),
    "a scale": ({"scale": "yes"}, "scale", "expected true or false, got 'yes'"),
    "a scale as a number": ({"scale": 1}, "scale", "expected true or false, got 1"),
    "a scale as nothing": ({"scale": None}, "scale", "expected true or false, got None"),
    "scaled embeddings": ({"scale_embeddings": 0}, "scale_embeddings", "expected true or false, got 0"),
    "positions": ({"positions": "relative"}, "positions",
        "'relative' is not known; expected one of none, sinusoidal, learned, rotary, alibi"),
    "odd rotary": ({"positions": "rotary", "heads": 2}, "positions",
        "rotary turns pairs of features, but d_head is 1; expected an even d_head"),
    "P missing": ({"positions": "learned"}, "P",
        "is missing; expected one row per position, because positions is 'learned'"),
    "P too short": ({"positions": "learned", "P": [[0, 0, 0]]}, "P",
        "has 1 row, but the sentence has 2 words; expected a row for each position"),
    "P too narrow": ({"positions": "learned", "P": [[0, 0]] * 2}, "P",
        "has 2 columns, but the rows of E have 3 numbers; expected the same"),
    "P ragged": ({"P": [[0, 0, 0], [0]]}, "P", "row 1 has 1 number and row 0 has 3"),
    "a title": ({"title": 5}, "title", "expected text, got 5"),
    "what to look for": ({"look_for": ["x"]}, "look_for", "expected text, got ['x']"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_python(mistake):
    changes, field, problem = mistake
    with pytest.raises(ExampleError) as caught:
        ch.Example(**(GOOD | changes))
    assert caught.value.field == field
    assert problem in caught.value.problem
    assert str(caught.value) == f"{field}: {caught.value.problem}"
    assert "\n" not in str(caught.value)


def test_the_good_example_is_good():
    assert ch.run(ch.Example(**GOOD))["output"].shape == (2, 4)


def test_arrays_of_other_kinds():
    for matrix in (
        np.ones((3, 2), dtype=int),
        np.ones((3, 2), dtype=np.float16),
        [np.ones(2)] * 3,
        ((1, 1),) * 3,
    ):
        trace = ch.run(ch.Example(**(GOOD | {"W_Q": matrix})))
        assert trace["W_Q"].values.tolist() == [[1, 1]] * 3
    for matrix in (np.ones(3), np.ones((3, 2, 1)), np.array(1.0), np.full((3, 2), None)):
        with pytest.raises(ExampleError, match=r"^W_Q"):
            ch.Example(**(GOOD | {"W_Q": matrix}))


def test_an_array_that_is_changed_later_does_not_change_the_example():
    matrix = np.ones((3, 2))
    example = ch.Example(**(GOOD | {"W_Q": matrix}))
    matrix[:] = 7
    assert example.W_Q.tolist() == [[1, 1]] * 3


def test_an_unknown_variation_names_the_fields():
    with pytest.raises(
        TypeError,
        match=r"'masc' is no field of an example; did you mean mask\? Expected one of tokens, E, .*mask",
    ):
        ch.run(ch.Example(**GOOD), masc="causal")


@pytest.mark.parametrize("large", ["W_V", "W_Q", "E"])
def test_numbers_near_the_end_of_float64_name_the_cell(large):
    """1e308 alone is a number; three of them summed, or multiplied, are not. Warnings are errors here."""
    values = {"red": [1e308] * 3, "fox": [1e308] * 3} if large == "E" else [[1e308] * 2] * 3
    changes = {large: values} | ({} if large == "E" else {"positions": "none"})
    with pytest.raises(OverflowError) as caught:
        ch.run(ch.Example(**(GOOD | changes)))
    # E: 1e308 times √3 is 1.73e308 and still fits, three of them in the first projection do not.
    # A matrix: 1·1e308 + 2·1e308 + 3·1e308 in its own projection.
    cell = "XW_Q[0,0]" if large == "E" else f"X{large}[0,0]"
    assert str(caught.value) == (
        f"{cell}: a number in its arithmetic is too large for float64 (about 1.8e308); "
        "expected smaller numbers in the matrices that are given, and no division by almost nothing"
    )


def test_a_single_1e308_that_fits_is_computed():
    one = {
        "tokens": ["a"],
        "E": {"a": [1e308]},
        "W_Q": [[0]],
        "W_K": [[0]],
        "W_V": [[1]],
        "positions": "none",
        "predict": False,  # X + output would be twice as much
    }
    assert ch.run(ch.Example(**one))["output"].values.tolist() == [[1e308]]


def test_a_score_of_minus_infinity_that_is_no_mask_is_an_overflow():
    one = {
        "tokens": ["a"],
        "E": {"a": [1e200]},
        "W_Q": [[-1]],
        "W_K": [[1]],
        "W_V": [[1]],
        "positions": "none",
    }
    with pytest.raises(OverflowError, match=r"^scores\[0,0,0\]: a number in its arithmetic is too large"):
        ch.run(ch.Example(**one), mask="causal")


def test_one_word():
    trace = ch.run(ch.Example(**(GOOD | {"tokens": ["fox"]})), mask="causal")
    assert trace["weights"].values.tolist() == [[[1]]]
    # W_V sums nothing but X: 3√3 + sin 0 + 2√3 + cos 0 + √3 + sin 0 = 6√3 + 1, in columns 0 and 1
    assert trace["output"].values[0] == pytest.approx([6 * 3**0.5 + 1] * 2 + [0, 0], rel=1e-15)


def test_two_hundred_words():
    words = ["red", "fox"] * 100
    trace = ch.run(ch.Example(**(GOOD | {"tokens": words})), mask="causal")
    assert trace["weights"].shape == (1, 200, 200)
    assert np.abs(trace["weights"].values.sum(-1) - 1).max() < 1e-13  # 200 terms: at most 200 ulps of 1


# --- files ---

FILE = """
tokens = ["red", "fox"]
W_Q = [[1, 0], [1, 0]]
W_K = [[0, 1], [0, 1]]
W_V = [[1], [2]]
[E]
red = [1, 2]
fox = [3, 2]
"""


def loaded(tmp_path, text, name="mine.toml"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return ch.load(path)


def sentence(tmp_path, text, name="mine.toml"):
    """The one sentence about the file; it begins with the file's path."""
    with pytest.raises(ExampleError) as caught:
        loaded(tmp_path, text, name)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / name}: ")
    assert "\n" not in message
    assert caught.value.source == str(tmp_path / name)
    return message.removeprefix(f"{tmp_path / name}: ")


def test_a_person_s_own_file_runs(tmp_path):
    example = loaded(tmp_path, FILE)
    assert (example.name, example.title, example.heads, example.mask) == ("mine", "", 1, "none")
    assert example.settings.scale_embeddings
    assert ch.run(example)["X"].shape == (2, 2)
    assert ch.run(ch.load(str(tmp_path / "mine.toml"))).tokens == ("red", "fox")
    assert loaded(tmp_path, FILE.replace("\n", "\r\n")).tokens == ("red", "fox")
    assert loaded(tmp_path, b"\xef\xbb\xbf" + FILE.encode()).tokens == ("red", "fox")  # as some editors save


def toml(value):
    """A small TOML writer, for the mistakes above that a file can hold."""
    match value:
        case bool():
            return str(value).lower()
        case dict():
            return "{" + ", ".join(f'"{key}" = {toml(entry)}' for key, entry in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(toml, value)) + "]"
        case str():
            return f'"{value}"'
        case int() | float():
            return repr(value)
    raise TypeError


IN_PYTHON_ONLY = {
    "a matrix with nothing", "a complex number", "NumPy's complex number", "a scale as nothing", "thousands of digits",
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in MISTAKES if name not in IN_PYTHON_ONLY])
def test_a_mistake_in_a_file(tmp_path, name):
    changes, field, problem = MISTAKES[name]
    text = "\n".join(f"{key} = {toml(value)}" for key, value in (GOOD | changes).items())
    assert sentence(tmp_path, text).startswith(f"{field}: ")
    assert problem in sentence(tmp_path, text)


@pytest.mark.parametrize("field", ["tokens", "E", "W_Q", "W_K", "W_V"])
def test_a_missing_field(tmp_path, field):
    text = "\n".join(f"{key} = {toml(value)}" for key, value in GOOD.items() if key != field)
    assert sentence(tmp_path, text) == f"{field}: is missing"


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("W_q", "did you mean W_Q, W_V or W_U? Expected"),
        ("token", "did you mean tokens? Expected"),
        ("name", "expected"),
        ("d_model", "expected"),
    ],
)
def test_an_unknown_field(tmp_path, field, meant):
    message = sentence(tmp_path, f"{field} = 5\n{FILE}")
    assert message.startswith(
        f"{field}: is not known; {meant} only tokens, E, W_Q, W_K, W_V, W_O, gain_1, bias_1, W_G, W_1"
    )


@pytest.mark.parametrize(
    "text",
    [
        "tokens = [",
        "tokens = red",
        "= 5",
        "a = 1\na = 2",
        "[E]\n[E]",
        "tokens = ['a'",
        "\0",
        "a = 1_",
        "x = 2020-13-40",
    ],
)
def test_a_broken_file(tmp_path, text):
    assert sentence(tmp_path, text).startswith("is not valid TOML: ")


@pytest.mark.parametrize(
    "text", [f"heads = 1{'0' * 5000}", f"W_Q = {'[' * 5000}{']' * 5000}"], ids=["digits", "depth"]
)
def test_a_file_that_is_too_much_for_the_reader(tmp_path, text):
    assert "expected" in sentence(tmp_path, text) or "not valid TOML" in sentence(tmp_path, text)


def test_a_file_that_is_not_text(tmp_path):
    assert sentence(tmp_path, b"\xff\xfe\x00tokens") == "is not text in UTF-8; expected a TOML file"


def test_a_folder_instead_of_a_file(tmp_path):
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ExampleError) as caught:
        ch.load(tmp_path / "folder.toml")
    assert str(caught.value) == f"{tmp_path / 'folder.toml'}: cannot be read (is a directory)"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ExampleError) as caught:
        ch.load(tmp_path / "none.toml")
    assert str(caught.value) == f"{tmp_path / 'none.toml'}: cannot be read (no such file or directory)"


@pytest.mark.parametrize(
    "name",
    ["the-dog", "", "../no-such-example", "a\0.toml", "a\0", "x" * 5000 + ".toml", "x" * 5000],
    ids=lambda n: repr(n)[:9],
)
def test_a_name_that_is_none(name):
    with pytest.raises(ExampleError) as caught:
        ch.load(name)
    assert ("expected one of" in str(caught.value)) or ("cannot be read" in str(caught.value))
    assert "\n" not in str(caught.value)


def test_an_aside_that_overflows_is_left_out_and_the_layer_stays():
    """The output is 1e200, its square is none; by hand: one word, weight 1, so output = E W_V = 1e200."""
    example = ch.Example(
        tokens=["a"], E={"a": [1.0]}, W_Q=[[1.0]], W_K=[[1.0]], W_V=[[1e200]], positions="none"
    )
    trace = with_asides(ch.run(example))
    assert trace["output"].values.tolist() == [[1e200]]
    assert "contribution_size" not in trace
    assert "weights_unscaled" in trace
    (sentence,) = trace.provenance["left_out"]
    assert sentence.startswith(
        "A comparison beside the main line is left out: contribution_size[0,0]: a number in its"
    )


@pytest.mark.parametrize("word", ["a" * 10_000, "🐈" * 5_003])
def test_a_very_long_word_is_shortened_in_the_sentence(word):
    with pytest.raises(ch.ExampleError) as error:
        ch.run("three-words", tokens=[word])
    assert len(str(error.value)) < 200
    with pytest.raises(ch.ExampleError) as error:
        capture_study(word)
    assert len(str(error.value)) < 300
