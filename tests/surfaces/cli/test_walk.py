"""`clearhead walk`: every step, every number, at any width."""

import json
import re
from itertools import pairwise

import numpy as np
import pytest

import clearhead as ch
from clearhead.lenses.walkthrough import stops
from clearhead.surfaces.cli.marks import position_colour, theme
from clearhead.trace.notation.numbers import format_number

WIDE = """
title = "Wide"
look_for = "Thirteen words and thirteen columns."
tokens = [%s]
positions = "none"
W_Q = [%s]
W_K = [%s]
W_V = [%s]
[E]
%s
"""


def wide_example(tmp_path, width=13):
    words = [f"word{number}" for number in range(13)]
    rows = [[(row * 7 + column * 3) % 11 - 5 for column in range(width)] for row in range(13)]
    matrix = ", ".join(map(str, rows[:width]))
    table = "\n".join(f"{word} = {row}" for word, row in zip(words, rows, strict=True))
    path = tmp_path / "wide.toml"
    path.write_text(
        WIDE % (", ".join(f'"{word}"' for word in words), matrix, matrix, matrix, table), encoding="utf-8"
    )
    return str(path)


def test_all_steps_are_printed_in_order(run):
    done = run("walk")
    assert done.exit_code == 0
    titles = re.findall(r"^── (\d+)  (.+?) ─", done.stdout, re.MULTILINE)
    assert [int(number) for number, _ in titles] == list(range(1, len(titles) + 1))
    order = [stop.title for stop in stops()]
    places = [order.index(title) for _, title in titles]
    assert places == sorted(places)
    assert (titles[0][1], titles[-1][1]) == ("Input embeddings", "Loss: how wrong was that?")


NOUNS = {
    "vocabulary": "words", "position": "positions", "query": "queries", "key": "keys", "head": "heads",
    "feature": "features", "model": "columns", "joined": "columns",
    "hidden": "hidden columns",
}  # fmt: skip
"""What two or more places along each axis are called."""


def test_every_quantity_is_named_with_its_sizes_and_its_formula(run):
    text = run("walk", "two-heads").stdout
    trace = ch.run(ch.load("two-heads"))
    for name, quantity in trace.items():
        assert re.search(rf"^{name}  \S", text, re.MULTILINE), name
        counted = [f"{size} {NOUNS[axis]}" for axis, size in zip(quantity.axes, quantity.shape, strict=True)]
        assert " × ".join(counted) in text
    assert "\n  one number\n" in text  # the loss
    assert "scores[h,i,j] = Σ_k Q[h,i,k]·K[h,j,k]" in text


@pytest.mark.parametrize("digits", [2, 3, 4, "full"])
def test_every_number_of_the_scores_is_printed(run, digits):
    text = run("walk", "--step", "scores", "--digits", str(digits)).stdout
    block = text[text.index("\nscores  ") :]
    values = ch.run(ch.load("the-dog-chased-the-cat"))["scores"].values[0]
    for position, (word, row) in enumerate(zip(["the", "dog", "chased", "the", "cat"], values, strict=True)):
        (line,) = [line for line in block.splitlines() if line.startswith(f"  {position} {word} ")]
        assert line.split()[2:] == [format_number(value, digits) for value in row.tolist()]


def test_numbers_stand_right_aligned_with_a_true_minus(run):
    text = run("walk", "--step", "scores").stdout
    block = text[text.index("\nscores  ") :].splitlines()
    rows = [line for line in block if re.match(r"  \d (the|dog|chased|cat) ", line)]
    ends = [[match.end() for match in re.finditer(r"\S+", row)][2:] for row in rows]
    assert len(rows) == 5
    assert all(row_ends == ends[0] for row_ends in ends)
    assert "−" in text
    assert not re.search(r"-\d", text)


def test_a_masked_score_is_minus_infinity_and_its_weight_is_a_marked_zero(run):
    text = run("walk", "--mask", "causal", "--step", "softmax").stdout
    masked, weights = text[text.index("\nmasked  ") :].split("\nweights  ")
    first_of = {name: next(line for line in part.splitlines() if line.startswith("  0 the"))
                for name, part in (("masked", masked), ("weights", weights))}  # fmt: skip
    assert first_of["masked"].split()[3:] == ["╱−∞"] * 4
    assert first_of["weights"].split()[2:] == ["1.00", "╱0", "╱0", "╱0", "╱0"]
    assert "╱ masked" in masked
    assert "╱" not in run("walk", "--step", "softmax").stdout


def test_masking_with_0_is_marked_and_leaks(run):
    text = run("walk", "--mask", "causal", "--mask-fill", "0", "--step", "softmax").stdout
    first = [line for line in text.splitlines() if line.startswith("  0 the")]
    assert first[1].split()[3:] == ["╱0"] * 4
    assert all(re.fullmatch(r"╱0\.\d\d", weight) for weight in first[2].split()[3:])


def test_a_matrix_that_was_printed_above_is_only_named(run):
    text = run("walk").stdout
    assert len(re.findall(r"^Q  what", text, re.MULTILINE)) == 1
    assert "Printed above: Q, K" in text
    assert "Printed above" not in run("walk", "--step", "scores").stdout


@pytest.mark.parametrize(
    ("switches", "says"),
    [
        (["--no-scale"], "scaling off"),
        (["--scale"], "scaling on"),
        (["--heads", "2"], "heads 2"),
        (["--positions", "alibi"], "positions alibi"),
        (["--positions", "rotary"], "positions rotary"),
        (["--positions", "none"], "positions none"),
        (["--mask", "causal"], "mask causal (filled with −∞)"),
        (["--mask", "causal", "--mask-fill", "-inf"], "mask causal (filled with −∞)"),
        (["--mask", "causal", "--mask-fill", "0"], "mask causal (filled with 0)"),
    ],
)
def test_switches_are_applied_and_said(run, switches, says):
    done = run("walk", *switches)
    assert done.exit_code == 0
    assert says in done.stdout


def test_switches_compute_what_the_package_computes(run):
    data = json.loads(run("walk", "--json", "--no-scale", "--heads", "2", "--no-scale-embeddings").stdout)
    trace = ch.run(ch.load("the-dog-chased-the-cat"), scale=False, heads=2, scale_embeddings=False)
    (weights,) = [quantity for quantity in data["quantities"] if quantity["name"] == "weights"]
    np.testing.assert_array_equal(weights["values"], trace["weights"].values)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("step", [stop.id for stop in stops() if stop.id != "feed-forward"])
def test_a_wide_matrix_is_folded_to_the_terminal_and_loses_nothing(run, tmp_path, width, step):
    path = wide_example(tmp_path)
    folded = run("walk", path, "--step", step, COLUMNS=str(width))
    piped = run("walk", path, "--step", step)
    assert max(map(len, folded.stdout.splitlines())) <= width
    assert max(map(len, piped.stdout.splitlines())) > 80

    def numbers(text):  # of the matrices; how many words the table after them has depends on the width
        return sorted(re.findall(r"−?\d+\.\d+|╱", text.split("What each position expects")[0]))

    assert numbers(folded.stdout) == numbers(piped.stdout)
    assert numbers(folded.stdout)


def test_folded_columns_say_which_they_are(run, tmp_path):
    text = run("walk", wide_example(tmp_path), "--step", "scores", COLUMNS="80").stdout
    parts = [tuple(map(int, part)) for part in re.findall(r"^  key (\d+)–(\d+) of 0–12$", text, re.MULTILINE)]
    assert parts[0][0] == 0
    assert parts[-1][1] == 12
    assert all(before[1] + 1 == after[0] for before, after in pairwise(parts))


def test_a_terminal_narrower_than_a_column_still_gets_every_number(run):
    done = run("walk", "--step", "softmax", COLUMNS="20")
    assert done.exit_code == 0
    assert done.stdout.count("key 4–4 of 0–4") == 2


def test_prose_is_folded_in_a_terminal_only(run):
    assert max(map(len, run("walk", COLUMNS="80").stdout.splitlines())) <= 80
    assert stops()[0].text[0].say in run("walk").stdout


def test_no_line_ends_in_blanks(run):
    assert not re.search(r" $", run("walk").stdout, re.MULTILINE)


def test_colours_are_used_in_a_terminal(run):
    text = run(
        "walk", "--step", "scores", FORCE_COLOR="1", COLORTERM="truecolor", TERM="xterm-256color"
    ).stdout
    for position in range(5):
        red, green, blue = bytes.fromhex(position_colour(position, 5, theme())[1:])
        assert re.search(rf"48;2;{red};{green};{blue}m{position}\x1b", text), position


def test_no_color_is_honoured(run):
    coloured = {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}
    assert "\x1b[" in run("walk", **coloured).stdout
    assert not re.search(r"\x1b\[[\d;]*[34]8;", run("walk", NO_COLOR="1", **coloured).stdout)


def test_nothing_but_text_goes_through_a_pipe(run):
    assert "\x1b" not in run("walk").stdout


def test_json_holds_every_number_in_full(run):
    data = json.loads(run("walk", "--json", "--mask", "causal").stdout, parse_constant=pytest.fail)
    trace = ch.run(ch.load("the-dog-chased-the-cat"), mask="causal")
    assert data["tokens"] == list(trace.tokens)
    assert data["settings"]["mask"] == "causal"
    found = {quantity["name"]: quantity for quantity in data["quantities"]}
    for name, quantity in trace.items():
        np.testing.assert_array_equal(
            np.array(found[name]["values"], dtype=object).astype(float), quantity.values
        )
        assert found[name]["axes"] == list(quantity.axes)
        assert found[name]["shape"] == list(quantity.shape)
        assert found[name]["inputs"] == [given.name for given in quantity.inputs]
    assert found["masked"]["values"][0][0][1] == "-inf"
    assert (data["stops"][0]["id"], data["stops"][-1]["id"]) == ("embeddings", "loss")
    assert {name for stop in data["stops"] for name in stop["quantities"]} <= set(found)


def test_json_of_one_step_holds_that_step(run):
    data = json.loads(run("walk", "--json", "--step", "mask").stdout)
    assert [stop["id"] for stop in data["stops"]] == ["mask"]
    assert {quantity["name"] for quantity in data["quantities"]} == {"scaled", "masked"}


@pytest.mark.parametrize("name", ch.examples())
def test_every_example_can_be_walked(run, name):
    for arguments in (["walk", name], ["walk", name, "--json"]):
        assert run(*arguments).exit_code == 0
