"""`clearhead walk` past attention: norm and feed-forward, several layers, the next word, large vocabularies."""

import json
import math
import re

import numpy as np
import pytest

import clearhead as ch
from clearhead.sources.worked.config import Config
from clearhead.surfaces.cli.vocabulary import CAME, MOST_WORDS
from clearhead.trace.notation.numbers import format_number

WORDS = ["the", "cat", "saw", "a", "dog"]
SMALL = Config(d_model=4, heads=2, d_ff=7, layers=3)
LAYERED = [
    "projections",
    "scores",
    "scale",
    "mask",
    "softmax",
    "mix",
    "output",
    "residual",
    "feed-forward",
    "next-layer",
]


@pytest.fixture
def layered(model_file):
    return model_file(SMALL, WORDS[:3], WORDS)


def stops_of(run, *arguments):
    data = json.loads(run("walk", *arguments, "--json").stdout, parse_constant=pytest.fail)
    return [(stop["layer"], stop["id"]) for stop in data["stops"]]


def test_every_layer_is_walked_and_what_a_model_has_once_is_said_once(run, layered):
    expected = [(0, "embeddings"), *((layer, stop) for layer in range(3) for stop in LAYERED)]
    assert stops_of(run, layered) == [*expected, (2, "next-word"), (2, "loss")]


def test_one_layer_is_walked_as_the_page_shows_it(run, layered):
    assert stops_of(run, layered, "--layer", "1") == [
        (1, stop) for stop in ["embeddings", *LAYERED, "next-word", "loss"]
    ]


def test_one_step_is_shown_of_every_layer(run, layered):
    text = run("walk", layered, "--step", "feed-forward").stdout
    assert re.findall(r"^── (layer \d · \d+  .+?) ─", text, re.MULTILINE) == [
        f"layer {layer} · 10  Feed-forward" for layer in range(3)
    ]
    assert re.search(r"^layer2\.W_1  asks d_ff questions", text, re.MULTILINE)
    assert "4 columns × 7 hidden columns" in text


def test_every_quantity_of_every_layer_is_printed_once(run, layered):
    text = run("walk", layered).stdout
    for name, quantity in ch.run(layered).items():
        assert len(re.findall(rf"^{re.escape(name)}  \S", text, re.MULTILINE)) == 1, name
        formula = quantity.formula()
        assert formula is None or f"  {name}" in text


def test_a_vector_is_one_row(run, layered):
    text = run("walk", layered, "--step", "loss").stdout
    losses = ch.run(layered)["losses"].values
    block = text[text.index("\nlosses  ") :].splitlines()
    assert block[3] == "  3 positions"
    assert block[4].split("→")[1].split() == ["0", "the", "1", "cat", "2", "saw"]
    assert block[5].split() == [format_number(value) for value in losses.tolist()]
    ends = [[match.end() for match in re.finditer(pattern, line)][-3:]
            for pattern, line in ((r"\d [a-z]+", block[4]), (r"\S+", block[5]))]  # fmt: skip
    assert ends[0] == ends[1]


def test_a_single_number_stands_alone(run, layered):
    text = run("walk", layered, "--step", "loss", "--digits", "full").stdout
    block = text[text.index("\nloss  ") :].splitlines()
    assert block[3] == "  one number"
    assert float(block[4]) == float(ch.run(layered)["loss"].values)
    assert block[5] == ""


def test_the_loss_is_worked_from_the_probabilities(run, layered):
    text = run("walk", layered, "--step", "loss", "--digits", "full").stdout
    trace = ch.run(layered)
    worked = text[text.index("The loss, worked") :]
    for position, word in enumerate((1, 2)):
        probability = float(trace["probabilities"].values[position, word])
        loss = -math.log(probability)
        (line,) = re.findall(rf"^  losses\[{position}\] .*$", worked, re.MULTILINE)
        assert f"ln({probability!r})" in line
        assert float(line.split()[-1]) == pytest.approx(loss, abs=1e-15)
    assert "  losses[2] = 0  (no word follows" in worked


@pytest.mark.parametrize(
    ("switches", "says"),
    [
        (["--norm", "rms"], "norm rms (pre)"),
        (["--norm-place", "post"], "norm layer (post)"),
        (["--activation", "gelu"], "activation gelu"),
        (["--temperature", "0.5"], "temperature 0.5"),
    ],
)
def test_switches_are_applied_and_said(run, layered, switches, says):
    assert says in run("walk", layered, *switches).stdout
    field = switches[0].lstrip("-").replace("-", "_")
    value = float(switches[1]) if field == "temperature" else switches[1]
    data = json.loads(run("walk", layered, *switches, "--json").stdout)
    (found,) = [quantity for quantity in data["quantities"] if quantity["name"] == "probabilities"]
    np.testing.assert_array_equal(found["values"], ch.run(layered, **{field: value})["probabilities"].values)


def test_json_has_every_quantity_of_every_layer(run, layered):
    data = json.loads(run("walk", layered, "--json").stdout, parse_constant=pytest.fail)
    found = {quantity["name"]: quantity for quantity in data["quantities"]}
    for name, quantity in ch.run(layered).items():
        values = np.array(found[name]["values"], dtype=object).astype(float)
        np.testing.assert_array_equal(values, quantity.values)
        assert found[name]["shape"] == list(quantity.shape)
    assert found["loss"]["shape"] == []


def table(text):
    """The rows of the next-word table: for each position its entries, and whether the word is the one that came."""
    lines = text[text.index("What each position expects next") :].splitlines()[1:]
    rows = []
    for line in lines[: lines.index("")]:
        entry = r"(✓)? *([a-z]\w*) (\d\S*)(?: \((\d+)(?:st|nd|rd|th)\))?"
        rows.append(re.findall(entry, line.partition(" ")[2].strip().split(" ", 2)[2]))
    return rows


def test_the_next_words_are_the_likeliest_and_the_one_that_came_is_marked(run, layered):
    rows = table(run("walk", layered, "--step", "next-word").stdout)
    probabilities = ch.run(layered)["probabilities"].values
    for position, (row, came) in enumerate(zip(rows, ["cat", "saw", None], strict=True)):
        assert [word for _, word, _, _ in row] == [WORDS[at] for at in np.argsort(-probabilities[position])]
        assert [word for mark, word, _, _ in row if mark == CAME] == ([came] if came else [])
        for _, word, shown, _ in row:
            assert shown == format_number(probabilities[position, WORDS.index(word)])


@pytest.fixture
def large(model_file):
    words = [f"w{number}" for number in range(211)]
    return model_file(Config(d_model=4, heads=1, d_ff=5, tied=False), ["w3", "w150", "w7", "w3"], words)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_large_vocabulary_shows_the_words_that_matter_and_keeps_the_width(run, large, width):
    text = run("walk", large, COLUMNS=str(width)).stdout
    assert max(map(len, text.splitlines())) <= width
    block = text[text.index("\nE  one row") :].split("\n\n")[0]
    shown = [int(row) for row in re.findall(r"^  (\d+) w\d+ ", block, re.MULTILINE)]
    assert len(shown) == MOST_WORDS
    assert shown == sorted(shown)
    assert {3, 7, 150} <= set(shown)
    assert set(np.argmax(ch.run(large)["probabilities"].values, axis=1)) <= set(shown)
    assert "--all-words" in block


def test_a_word_that_is_not_among_the_likeliest_is_added_with_its_place(run, large):
    probabilities = ch.run(large)["probabilities"].values
    rows = table(run("walk", large, "--step", "next-word").stdout)
    for position, came in enumerate([150, 7, 3]):
        place = 1 + int((probabilities[position] > probabilities[position, came]).sum())
        assert place > 5
        assert rows[position][-1][:2] == (CAME, f"w{came}")
        assert int(rows[position][-1][3]) == place


def test_all_words_are_printed_on_request_and_in_json(run, large):
    text = run("walk", large, "--step", "embeddings", "--all-words").stdout
    block = text[text.index("\nE  one row") :].split("\n\n")[0]
    assert len(re.findall(r"^  \d+ w\d+ ", block, re.MULTILINE)) == 211
    assert "words shown" not in text
    data = json.loads(run("walk", large, "--json").stdout)
    assert {len(one["values"]) for one in data["quantities"] if one["name"] == "E"} == {211}


@pytest.mark.parametrize(
    ("cell", "place"),
    [
        (["layer1.weights", "1", "2", "0"], "head 1 · query 2 saw · key 0 the"),
        (["layer2.ffn_act[2,6]"], "position 2 saw · column 6"),
        (["logits", "0", "4"], "position 0 the · word dog"),
        (["layer2.contribution_share", "0", "0"], "query 0 the · key 0 the"),
    ],
)
def test_cells_of_any_layer_unfold(run, layered, cell, place):
    done = run("why", layered, *cell)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].endswith(f"  {place}")
    assert "Came from\n" in done.stdout


def test_a_layer_that_is_not_there_is_one_sentence(run, layered):
    for arguments, says in (
        (
            ["walk", layered, "--layer", "3"],
            "layer: this model has 3, counted from 0; expected at most 2, got 3",
        ),
        (["why", layered, "layer3.Q", "0", "0", "0"], "no quantity named 'layer3.Q'"),
        (["why", layered, "Q", "0", "0", "0"], "no quantity named 'Q'"),
    ):
        done = run(*arguments)
        assert (done.exit_code, done.stdout) == (1, "")
        assert says in done.stderr
        assert done.stderr.count("\n") == 1
