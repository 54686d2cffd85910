"""`clearhead why`: the arithmetic of a cell, where it came from, where it goes."""

import json
import re

import pytest

import clearhead as ch

EXAMPLE = "the-dog-chased-the-cat"


def trace_of(**variation):
    return ch.run(ch.load(EXAMPLE), **variation)


@pytest.mark.parametrize(
    "cell",
    [["weights[0,3,1]"], [" weights [ 0 , 3 , 1 ] "], ["weights[-1,3,-4]"], ["weights", "0", "3", "1"],
     ["weights", "-1", "3", "-4"], ["weights 0 3 1"], ["weights[0,", "3,", "1]"],
     ["--digits", "2", "weights", "0", "3", "1"],
     ["weights", "0", "--digits", "2", "3", "1"]],
)  # fmt: skip
def test_the_arithmetic_is_that_of_python(run, cell):
    done = run("why", EXAMPLE, *cell)
    assert done.exit_code == 0
    printed = [line.strip() for line in done.stdout.splitlines()]
    for line in str(trace_of()["weights"].explain(0, 3, 1)).splitlines():
        assert line.strip() in printed


@pytest.mark.parametrize("digits", ["3", "4", "full"])
def test_digits_are_a_choice(run, digits):
    text = trace_of()["scores"].explain(0, 3, 1).text(digits if digits == "full" else int(digits))
    printed = run("why", EXAMPLE, "scores[0,3,1]", "--digits", digits).stdout
    assert text.splitlines()[1] in printed


def test_the_place_is_told_in_words(run):
    assert run("why", EXAMPLE, "weights[0,3,1]").stdout.splitlines()[0] == (
        "weights[0,3,1]  head 0 · query 3 the · key 1 dog"
    )


def test_the_cells_it_came_from_are_listed_with_their_values(run):
    text = run("why", EXAMPLE, "scores[0,3,1]").stdout
    came = text[text.index("Came from") : text.index("Goes to")]
    trace = trace_of()
    for source, index in trace["scores"].sources((0, 3, 1)):
        label = f"{source.name}[{','.join(map(str, index))}]"
        assert re.search(rf"^  {re.escape(label)} +\S+  head 0 · ", came, re.MULTILINE)
    assert len(came.splitlines()) == 1 + 8 + 1


def test_the_cells_it_goes_to_are_listed(run):
    text = run("why", EXAMPLE, "weights[0,3,1]").stdout
    assert re.search(r"^  mixed\[0,3,:\] +head 0 · query 3 the · every feature$", text, re.MULTILINE)


def test_a_cell_that_was_given_came_from_nowhere(run):
    text = run("why", EXAMPLE, "E[0,1]").stdout
    assert "Came from" not in text
    assert text.startswith(f"E[0,1]  row {trace_of().vocabulary[0]} · column 1")


def test_the_output_goes_to_what_is_made_of_it(run):
    text = run("why", EXAMPLE, "output[1,1]").stdout
    goes = text[text.index("Goes to") :]
    assert re.search(r"^  residual\[1,1\] ", goes, re.MULTILINE)
    assert re.search(r"^  contribution_share\[1,:\] ", goes, re.MULTILINE)


def test_a_cell_of_the_last_quantity_goes_nowhere(run):
    assert (
        "Goes nowhere: nothing is made from this cell"
        in run("why", EXAMPLE, "contribution_share[1,1]").stdout
    )


def test_a_masked_cell_says_why(run):
    text = run("why", EXAMPLE, "masked[0,1,3]", "--mask", "causal").stdout
    assert "= −∞" in text
    assert "key 3 comes after query 1" in text


def test_latex_is_that_of_python(run):
    done = run("why", EXAMPLE, "weights[0,3,1]", "--as", "latex")
    assert done.stdout == trace_of()["weights"].explain(0, 3, 1).latex() + "\n"


def test_json_is_what_the_page_gets_and_the_numbers(run):
    done = run("why", EXAMPLE, "masked[0,1,3]", "--mask", "causal", "--json")
    data = json.loads(done.stdout, parse_constant=pytest.fail)
    assert data["number"] == "-inf"
    data = json.loads(run("why", EXAMPLE, "scores[0,3,1]", "--json").stdout, parse_constant=pytest.fail)
    assert data["number"] == trace_of()["scores"].values[0, 3, 1]
    trace = trace_of()
    for source in data["sources"]:
        assert source["number"] == trace[source["quantity"]].values[tuple(source["index"])]
    assert data["label"] == "scores[0,3,1]"
    assert data["feeds"]


@pytest.mark.parametrize("width", [80, 120])
def test_long_arithmetic_is_folded_under_its_numbers(run, width):
    text = run("why", "he-finds-the-man", "weights[0,6,1]", "--digits", "4", COLUMNS=str(width)).stdout
    arithmetic = text[: text.index("Came from")].splitlines()
    assert max(map(len, arithmetic)) <= width
    flat = " ".join(text.split())
    for line in ch.run(ch.load("he-finds-the-man"))["weights"].explain(0, 6, 1).text(4).splitlines():
        assert " ".join(line.split()) in flat


@pytest.mark.parametrize(
    "cell",
    ["", "weights[0,3", "weights 0,3,1", "weights[0;3;1]", "weights[0,3,1", "weights[0,3,1]]",
     "weights[0.5,3,1]", "weights[a,b,c]", "[0,3,1]", "weights[0,,1]", "weights[" + "9" * 50 + "]",
     "weights[٣,0,0]", "a.b.c 0 0", "layer1. 0", "weights 0 3 x"],
)  # fmt: skip
def test_a_malformed_cell_is_one_sentence(run, cell):
    done = run("why", EXAMPLE, cell)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == (
        f"clearhead: cell: {cell!r} is no cell; expected a quantity and its indices, such as 'weights[0,3,1]' or "
        "weights 0 3 1\n"
    )
