"""`quantity[...]`: the number of one cell, by the name that the cell has everywhere."""

import numpy as np
import pytest

import clearhead as ch
from clearhead.sources.worked.study.capture import capture_study


@pytest.fixture(scope="module")
def trace():
    """Words "a" = [2, 3] and "b" = [5, 7] with W_V = [[11], [13]]: V is 2·11 + 3·13 = 61 and 5·11 + 7·13 = 146."""
    return ch.run(
        ch.Example(
            tokens=["a", "b"], E={"a": [2, 3], "b": [5, 7]}, W_Q=[[0], [0]], W_K=[[0], [0]], W_V=[[11], [13]],
            positions="none",
        )
    )  # fmt: skip


def test_a_cell_is_a_number(trace):
    assert trace["V"][0, 0, 0] == 61
    assert trace["V"][0, 1, 0] == trace["V"][-1, -1, -1] == trace["V"][np.int64(0), np.int64(1), 0] == 146
    assert isinstance(trace["V"][0, 0, 0], float)
    assert trace["weights"][0, 1, 0] == trace["weights"].explain(0, 1, 0).value == 0.5
    one = ch.run("three-words")["loss"]
    assert one[()] == one.values


def test_a_part_of_a_long_text_is_named_by_its_true_places():
    whole = capture_study("the woman calls bread milk honey ! bread milk").head(1, 2)["weights"]
    part = capture_study("the woman calls bread milk honey ! bread milk").head(1, 2, query=5)["weights"]
    assert part[5, 3] == pytest.approx(whole[5, 3], rel=1e-12)


@pytest.mark.parametrize("index", [0, (0, 1), (0, slice(None), 1), (0, 1, None), "a", ([0], [1], [0])])
def test_a_part_of_the_array_is_a_sentence_that_names_values(trace, index):
    with pytest.raises(TypeError) as error:
        trace["weights"][index]
    assert str(error.value) == (
        "weights[...] is the number of one cell; expected 3 whole numbers (head, query, key), or .values[...] for a "
        "part of the array, such as a row"
    )


def test_what_is_outside_is_an_index_error(trace):
    with pytest.raises(IndexError, match="weights: query goes from 0 to 1, got 2"):
        trace["weights"][0, 2, 0]
    with pytest.raises(IndexError, match="weights: expected 3 whole numbers"):
        trace["weights"][0, 1, 0, 0]


def test_it_is_nothing_to_go_through(trace):
    """Else Python would ask for [0], [1] ... up to the first IndexError, and give a list that is too short."""
    for go_through in (list, sum, lambda quantity: 0.5 in quantity):
        with pytest.raises(TypeError, match="not iterable"):
            go_through(trace["weights"])
