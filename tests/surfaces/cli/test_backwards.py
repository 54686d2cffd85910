"""The loop in the terminal: gradients beside their steps, updates worked, and cells of both."""

import json
import re

import numpy as np
import pytest

import clearhead as ch
from clearhead.core.optimise import Optimiser
from clearhead.sources.worked.config import Config
from clearhead.trace.notation.numbers import format_number

WORDS = ["the", "cat", "saw", "a", "dog"]
EXAMPLE = "the-dog-chased-the-cat"


@pytest.fixture
def layered(model_file):
    return model_file(Config(d_model=4, heads=2, d_ff=7, layers=2), ["the", "cat", "the"], WORDS)


def looped(example, *how):
    return ch.run(example).backward().update(Optimiser(*(how or ("sgd",))))


def test_every_gradient_and_every_update_is_printed_once(run, layered):
    text = run("walk", layered, "--backwards").stdout
    for name in looped(layered):
        assert len(re.findall(rf"^{re.escape(name)}  \S", text, re.MULTILINE)) == 1, name


def test_without_it_there_are_no_gradients(run, layered):
    text = run("walk", layered).stdout
    assert "Backwards" not in text
    assert "dlogits" not in text


def test_gradients_stand_beside_the_step_they_belong_to(run):
    text = run("walk", EXAMPLE, "--step", "softmax", "--backwards").stdout
    names = re.findall(r"^(\w+)  \S", text, re.MULTILINE)
    assert names[-2:] == ["dweights", "dmasked"]


def test_the_way_back_has_each_gradient_with_its_largest_number(run, layered):
    text = run("walk", layered, "--backwards").stdout
    rows = text[text.index("The way back, at a glance") :].splitlines()
    trace = looped(layered)
    gradients = [name for name in trace if name.rpartition(".")[2].startswith("d")]
    found = [line.split() for line in rows if line.startswith("  ")]
    assert [row[0] for row in found] == gradients
    assert gradients[0] == "dloss"
    assert gradients[-1] == "dE"
    for name, value, *place in found:
        values = trace[name].values
        index = tuple(map(int, re.findall(r"\d+", place[0]))) if values.ndim else ()
        assert value == format_number(float(values[index]))
        assert abs(values[index]) == np.abs(values).max()


def test_the_update_is_worked_at_the_number_that_moves_most(run):
    text = run("walk", EXAMPLE, "--backwards", "--learning-rate", "0.25", "--digits", "full").stdout
    trace = looped(EXAMPLE, "sgd", 0.25)
    lines = text[text.index("The number of each matrix that moves most") :].splitlines()[1:6]
    for line, name in zip(lines, ["E", "W_Q", "W_K", "W_V", "W_O"], strict=True):
        found = re.match(rf"  {name}_next\[(\d),(\d)\] = ", line)
        place = int(found[1]), int(found[2])
        before, slope = (float(trace[of].values[place]) for of in (name, f"d{name}"))
        assert abs(slope) == np.abs(trace[f"d{name}"].values).max()
        assert float(line.split()[-1].replace("−", "-")) == before - 0.25 * slope


def test_a_matrix_that_stays_as_it_is_is_said_to(run, tmp_path):
    path = tmp_path / "still.toml"  # W_V is 0, so what the weights are makes no difference to anything
    path.write_text(
        "tokens = ['a', 'b', 'a']\npositions = 'none'\nW_Q = [[1, 0], [2, 1]]\nW_K = [[1, 1], [0, 2]]\n"
        "W_V = [[0, 0], [0, 0]]\nE = {a = [1, 2], b = [3, 1]}\n"
    )
    text = run("walk", str(path), "--step", "update").stdout
    assert "\n  W_Q: no number moves\n  W_K: no number moves\n  W_V_next[" in text


@pytest.mark.parametrize(
    ("kind", "parts"), [("sgd", ()), ("momentum", ("velocity_next",)), ("adamw", ("m_next", "v_hat"))]
)
def test_each_optimiser_is_worked(run, kind, parts):
    text = run("walk", EXAMPLE, "--step", "update", "--optimiser", kind).stdout
    for name in ("E", "W_Q", "W_K", "W_V", "W_O"):
        assert re.search(rf"^{name}_next  {name} after the update$", text, re.MULTILINE)
        for part in parts:
            assert re.search(rf"^{name}_{part}  the ", text, re.MULTILINE)


def test_a_step_of_the_loop_needs_no_switch(run):
    assert (
        run("walk", EXAMPLE, "--step", "update").stdout
        == run("walk", EXAMPLE, "--step", "update", "--backwards").stdout
    )


def test_json_has_the_gradients(run, layered):
    data = json.loads(run("walk", layered, "--backwards", "--json").stdout, parse_constant=pytest.fail)
    found = {one["name"]: one["values"] for one in data["quantities"]}
    for name, quantity in looped(layered).items():
        np.testing.assert_array_equal(np.array(found[name], dtype=object).astype(float), quantity.values)
    assert data["stops"][-1]["id"] == "update"


@pytest.mark.parametrize(
    ("cell", "options"),
    [
        ("dW_Q 0 1", []),
        ("dX_from_XW_K 3 2", []),
        ("dE 0 3", []),
        ("E_next 2 0", []),
        ("E_velocity_next 0 1", ["--optimiser", "momentum"]),
        ("E_m_hat 0 1", ["--optimiser", "adamw"]),
        ("W_Q_v_next 1 1", ["--optimiser", "adamw", "--learning-rate", "0.5"]),
        ("dloss", []),
    ],
)
def test_cells_of_gradients_and_updates_unfold(run, cell, options):
    done = run("why", EXAMPLE, *cell.split(), *options)
    name, *index = cell.split()
    trace = looped(EXAMPLE, *(float(word) if "." in word else word for word in options[1::2]))
    why = trace[name].explain(*map(int, index))
    printed = [line.strip() for line in done.stdout.splitlines()]
    for line in why.text().splitlines():
        assert line.strip() in printed
    for source, place in trace[name].sources(why.index):
        label = f"{source.name}[{','.join(map(str, place))}]" if place else source.name
        assert any(line.startswith(f"{label} ") for line in printed)


def test_a_cell_of_another_layer_goes_back_into_this_one(run, layered):
    text = run("why", layered, "layer1.dX", "0", "1").stdout
    assert re.search(r"^  layer0\.dhidden\[0,1\] ", text[text.index("Goes to") :], re.MULTILINE)


def test_what_goes_forwards_goes_on_forwards(run):
    text = run("why", EXAMPLE, "weights", "0", "3", "1").stdout
    goes = text[text.index("Goes to") :]
    assert re.search(r"^  mixed\[", goes, re.MULTILINE)
    assert not re.search(r"^  d[A-Zm]", goes, re.MULTILINE)
