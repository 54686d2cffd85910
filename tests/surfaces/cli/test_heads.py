"""`clearhead heads`: what every head does, as a picture and as a table."""

import json
import re

import pytest

import clearhead as ch


def table_of(text):
    """The rows after the last blank line, as lists of words."""
    return [line.split() for line in text[text.rindex("\n\n") :].strip().splitlines()]


def test_every_head_has_a_row_in_the_order_of_the_layers(run, saved_capture):
    text = run("heads", saved_capture).stdout
    titles, *rows = table_of(text)
    assert titles == ["head", "entropy", "spread", "first", "previous", "distance", "sink"]
    assert [row[0] for row in rows] == [f"L{layer}H{head}" for layer in range(4) for head in range(5)]
    found = ch.head_statistics(ch.load_capture(saved_capture))
    assert [row[3] for row in rows[:5]] == [f"{head.first:.2f}" for head in found[:5]]
    assert [row[6] for row in rows[:5]] == ["–"] * 5


def test_there_is_a_picture_with_a_cell_for_each_head(run, saved_capture):
    text = run("heads", saved_capture).stdout
    assert "first: share on the first token; ▁▂▃▄▅▆▇█ up to 1.00" in text
    picture = re.findall(r"^  (L\d)  (.*)$", text, re.MULTILINE)
    found = ch.head_statistics(ch.load_capture(saved_capture))
    for number, (label, cells) in enumerate(picture):
        assert label == f"L{number}"
        eighths = [int(head.first * 8) for head in found if head.layer == number]
        assert cells.split() == [".▁▂▃▄▅▆▇█"[eighth] for eighth in eighths]
    assert len(picture) == 4


def test_sorted_by_a_score_the_largest_come_first(run, saved_capture):
    text = run("heads", saved_capture, "--sort", "entropy", "--top", "3").stdout
    best = ch.head_statistics(ch.load_capture(saved_capture)).by("entropy")[:3]
    assert [row[0] for row in table_of(text)[1:]] == [head.label for head in best]
    says = "entropy: bits: log2 of the number of keys that it is spread over, if evenly; ▁▂▃▄▅▆▇█ up to"
    assert f"{says} {best[0].entropy:.2f}" in " ".join(text.split())


def test_one_layer_and_one_sequence(run, saved_capture):
    text = run("heads", saved_capture, "--layer", "2", "--batch", "1").stdout
    found = ch.head_statistics(ch.load_capture(saved_capture), batch=1)[10:15]
    rows = table_of(text)[1:]
    assert [row[0] for row in rows] == [head.label for head in found]
    assert [row[3] for row in rows] == [f"{head.first:.2f}" for head in found]


def test_a_score_that_no_head_has_is_said(run, saved_capture):
    text = run("heads", saved_capture, "--sort", "induction").stdout
    assert "no head has this score" in text


def test_json_is_the_numbers_in_full(run, saved_capture):
    data = json.loads(run("heads", saved_capture, "--json").stdout)
    found = ch.head_statistics(ch.load_capture(saved_capture))
    assert [entry["head"] for entry in data] == [head.label for head in found]
    assert [entry["first"] for entry in data] == [head.first for head in found]
    assert data[7]["number"] == found[7].head
    assert data[0]["sink"] is None


def test_an_ascii_terminal_gets_digits_for_blocks(command, saved_capture):
    done = command("heads", saved_capture, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "12345678 up to 1.00" in done.stdout


def test_in_a_terminal_the_cells_are_tinted(run, saved_capture):
    done = run("heads", saved_capture, FORCE_COLOR="1", COLORTERM="truecolor", TERM="xterm-256color")
    assert "\x1b[" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["heads", "no-such"],
            "no-such: there is no such file or folder; expected a capture (see ",
        ),
        (["heads", "CAP", "--layer", "9"], "layer: 9 is none of this model's; expected one of 0 to 3"),
        (
            ["heads", "CAP", "--layer", "4"],
            "layer 4 has no attention to show: Mixer, which is no softmax attention",
        ),
        (
            ["heads", "CAP", "--tower", "encoder"],
            "tower: 'encoder' is none of this model's; expected no name",
        ),
        (["heads", "CAP", "--batch", "2"], "batch: 2 is none of this capture's; expected 0 to 1"),
    ],
)
def test_bad_input_is_one_sentence(run, saved_capture, one_sentence, arguments, says):
    given = [saved_capture if word == "CAP" else word for word in arguments]
    assert one_sentence(run(*given)).startswith(f"clearhead: {says}")


def test_an_unknown_score_is_wrong_usage(run, saved_capture):
    done = run("heads", saved_capture, "--sort", "beauty")
    assert done.exit_code == 2
