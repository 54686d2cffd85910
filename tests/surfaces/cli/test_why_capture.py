"""`clearhead why` on a capture: the arithmetic of a cell of a real model's head."""

import json
from pathlib import Path

import numpy as np
import pytest

import clearhead as ch
from clearhead.trace.capture import head as heads
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import Named, Visible


@pytest.mark.parametrize(
    "cell",
    [["L3H1.weights[6,4]"], [" L3H1.weights [ 6 , 4 ] "], ["L3H1.weights", "6", "4"], ["L3H1.weights", "-1", "4"]],
)  # fmt: skip
def test_the_arithmetic_is_that_of_python(run, saved_capture, cell):
    done = run("why", saved_capture, *cell)
    assert done.exit_code == 0, done.stderr
    printed = [line.strip() for line in done.stdout.splitlines()]
    assert printed[0] == "L3H1.weights[6,4]  query 6 w6 · key 4 w4"
    worked = str(ch.load_capture(saved_capture).head(3, 1)["weights"].explain(6, 4))
    flat = " ".join(done.stdout.split())
    for line in worked.splitlines():
        assert " ".join(line.split()) in flat


def test_the_cells_around_it_are_named_so_that_they_can_be_asked_for(run, saved_capture):
    text = run("why", saved_capture, "L0H2.scores[6,4]").stdout
    assert "\n  L0H2.Q[6,0] " in text
    assert "\n  L0H2.scaled[6,4]  query 6 w6 · key 4 w4" in text
    again = run("why", saved_capture, "L0H2.Q[6,0]")
    assert again.stdout.startswith("L0H2.Q[6,0]  query 6 w6 · feature 0")


def test_a_wide_sum_is_sorted_by_size_and_folded(run, tmp_path, hand_captures):
    """Query 19 has the weight 1/2 for the last key, less for each before it, and 3 of its 19 terms are folded."""
    row = [2.0**-19, *(2.0 ** -(19 - place) for place in range(18))]
    weights = [[1.0] + [0.0] * 18] * 18 + [row]
    path = str(tmp_path / "wide.safetensors")
    hand_captures.with_weights([weights], hand_captures.tokens(range(19))).save(path)
    text = run("why", path, "L0H0.mixed[18,0]").stdout
    came = text[text.index("Came from") : text.index("Goes")].splitlines()
    assert [line.split()[0] for line in came[1:6]] == [
        "L0H0.weights[18,18]", "L0H0.V[18,0]", "L0H0.weights[18,17]", "L0H0.V[17,0]", "L0H0.weights[18,16]",
    ]  # fmt: skip
    assert came[-2] == "  and 6 more"
    assert "3 more" in text[: text.index("Came from")]
    data = json.loads(run("why", path, "L0H0.mixed[18,0]", "--json").stdout)
    assert (len(data["terms"]), len(data["sources"])) == (19, 38)


def test_the_tower_stands_before_it_and_keys_have_their_own_words(run, tmp_path, hand_captures):
    path = str(tmp_path / "cross.safetensors")
    words, others = hand_captures.tokens([2, 3]), hand_captures.tokens([5, 7, 11])
    capture = hand_captures.with_weights([[[1 / 2, 1 / 4, 1 / 4]] * 2], words, columns=others, tower="cross")
    capture.save(path)
    for cell in ("cross.L0H0.weights[1,2]", "L0H0.weights[1,2]"):
        done = run("why", path, cell)
        assert done.stdout.splitlines()[0] == "cross.L0H0.weights[1,2]  query 1 w3 · key 2 w11", done.stderr


def test_json_and_latex(run, saved_capture):
    quantity = ch.load_capture(saved_capture).head(1, 2, batch=1)["scores"]
    data = json.loads(run("why", saved_capture, "L1H2.scores[5,3]", "--batch", "1", "--json").stdout)
    assert (data["head"], data["label"]) == ("L1H2", "scores[5,3]")
    assert data["number"] == quantity.values[5, 3]
    done = run("why", saved_capture, "L1H2.scores[5,3]", "--batch", "1", "--as", "latex")
    assert done.stdout == quantity.explain(5, 3).latex() + "\n"


def test_a_capture_is_known_by_its_content_whatever_it_is_called(run, saved_capture, tmp_path):
    other = Path(saved_capture).rename(tmp_path / "cap")
    assert run("why", str(other), "L1H2.scores[5,3]").exit_code == 0


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("L9H0.weights[0,0]", "layer: 9 is none of this model's; expected one of 0 to 3"),
        ("L4H0.weights[0,0]", "layer 4 has no attention to show: Mixer"),
        ("L0H5.weights[0,0]", "head: 5 is none of layer 0's; expected 0 to 4"),
        ("L0H0.beauty[0,0]", "no quantity named 'beauty'; this trace has Q, K, V, "),
        ("L0H0.weights[0]", "weights: expected 2 whole numbers (query 0–6, key 0–6), got 1"),
        ("L0H0.weights[0,7]", "weights: key goes from 0 to 6, got 7"),
        ("encoder.L0H0.weights[0,0]", "tower: 'encoder' is none of this model's; expected no name"),
        (
            "weights[0,0]",
            "cell: 'weights[0,0]' is no cell of a capture; expected layer, head, a quantity and its ",
        ),
        ("L0H0.weights[0,0", "cell: 'L0H0.weights[0,0' is no cell of a capture"),
        ("L0.weights[0,0]", "cell: 'L0.weights[0,0]' is no cell of a capture"),
        ("", "cell: '' is no cell of a capture"),
    ],
)
def test_a_wrong_address_is_one_sentence_that_says_what_there_is(
    run, saved_capture, one_sentence, cell, says
):
    assert one_sentence(run("why", saved_capture, cell)).startswith(f"clearhead: {says}")


def test_a_file_that_is_not_there_is_one_sentence(run, one_sentence):
    done = run("why", "no-such.safetensors", "L0H0.weights[0,0]")
    assert "no-such.safetensors: there is no such file or folder; expected an example " in one_sentence(done)


def test_the_switches_of_examples_are_not_for_captures_and_batch_is(run, saved_capture):
    for switch in (["--mask", "causal"], ["--learning-rate", "1"], ["--optimiser", "sgd"]):
        done = run("why", saved_capture, "L0H0.weights[0,0]", *switch)
        assert done.exit_code == 2
        assert "a capture is what was" in " ".join(done.stderr.split())
    done = run("why", "three-words", "weights[0,0,0]", "--batch", "0")
    assert done.exit_code == 2


@pytest.fixture(scope="module")
def long_capture(tmp_path_factory):
    """The file of a capture of 1,031 tokens: more cells than are worked out for one of them."""
    numbers, size = np.random.default_rng(3), 1031
    held = [numbers.integers(-2, 3, (1, 1, size, 3)).astype(np.float32) for _ in range(3)]
    attention = Attention(
        *held, np.zeros((1, size, 1, 3)), 1.0, Visible(((Named("causal", size, size),),)), "by hand"
    )
    words = tuple(Token(f"w{at}", at, None, None, False, False) for at in range(size))
    path = tmp_path_factory.mktemp("long") / "long.safetensors"
    layer = Layer("", 0, "attention", attention, "", "text", "text")
    Capture((layer,), {"text": (words,)}, {"model": "by hand"}).save(path)
    return str(path)


@pytest.mark.parametrize("first", ["1030", "-1"])
def test_of_a_long_text_the_row_of_the_query_is_worked_out(run, long_capture, first, monkeypatch):
    monkeypatch.setattr(heads, "MOST_CELLS", 10**6)  # the whole head is out of reach
    done = run("why", long_capture, "L0H0.weights", first, "3")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("L0H0.weights[1030,3]  query 1030 w1030 · key 3 w3")
    assert "\n  L0H0.mixed[1030,:] " in done.stdout
    assert "1015 more" in done.stdout
    hidden = run("why", long_capture, "L0H0.masked[700,701]").stdout
    assert "key 701 comes after query 700" in hidden
    data = json.loads(run("why", long_capture, "L0H0.mixed[700,1]", "--json").stdout)
    assert (len(data["terms"]), len(data["sources"])) == (1031, 2062)
    row = ch.load_capture(long_capture).head(0, 0, query=700)
    assert data["number"] == row["mixed"].explain(700, 1).value
    assert run("why", long_capture, "L0H0.K[1000,2]").stdout.startswith("L0H0.K[1000,2]  key 1000 w1000")


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("L0H0.weights[1031,3]", "weights: query goes from 0 to 1030, got 1031"),
        ("L0H0.weights[2062,3]", "weights: query goes from 0 to 1030, got 2062"),
        ("L0H0.weights[-1032,3]", "weights: query goes from 0 to 1030, got -1032"),
        ("L0H0.weights[5,1031]", "weights: key goes from 0 to 1030, got 1031"),
        ("L0H0.beauty[5,3]", "no quantity named 'beauty'; this trace has Q, K, V, "),
        ("L0H0.weights[5]", "weights: expected 2 whole numbers (query 5–5, key 0–1030), got 1"),
    ],
)
def test_a_wrong_cell_of_a_long_text_is_one_sentence(run, long_capture, one_sentence, cell, says):
    assert one_sentence(run("why", long_capture, cell)).startswith(f"clearhead: {says}")
