"""The trace of one query of a real model's head is the row of the whole head's trace, whatever the family computes."""

import numpy as np
import pytest
import torch

import clearhead as ch

FAMILIES = [
    "gpt2", "llama", "mistral", "qwen3", "gptj", "gemma2", "gpt_oss", "bloom", "t5", "bart", "bert-left", "llama4_text",
]  # fmt: skip
"""Plain, turned, in windows, normed, neighbours turned, capped, with a sink, with distances, in two towers, padded."""

ROUNDING = 64 * 2.0**-52
"""Sums of up to 40 products, a few in a row, in another order."""


@pytest.fixture
def captured(zoo):
    """A capture of a model of the zoo."""

    def captured(name, **inputs):
        tiny = zoo.ROWS[name]
        if zoo.why_missing(tiny):
            pytest.skip(zoo.why_missing(tiny))
        return ch.capture(zoo.build(tiny), inputs=inputs or tiny.inputs())

    return captured


@pytest.mark.parametrize("name", FAMILIES)
def test_a_row_has_the_numbers_of_the_whole_head(captured, name):
    capture = captured(name)
    for layer in capture.attentions():
        head, last = layer.heads - 1, layer.attention.queries - 1
        whole = capture.head(layer.number, head, tower=layer.tower)
        for query in (0, last // 2, last):
            row = capture.head(layer.number, head, query=query, tower=layer.tower)
            assert list(row) == list(whole)
            for quantity in row.values():
                part = quantity.origin and quantity.origin[0] is not None
                expected = (
                    whole[quantity.name].values[query : query + 1] if part else whole[quantity.name].values
                )
                size = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
                np.testing.assert_allclose(quantity.values, expected, rtol=0, atol=ROUNDING * size)
            assert row["Q"].origin == row["weights"].origin == row["mixed"].origin == (query, None)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_row_says_of_its_cells_what_the_whole_head_says(captured, name):
    capture = captured(name)
    for layer in capture.attentions():
        head, query = layer.heads - 1, layer.attention.queries // 2
        whole = capture.head(layer.number, head, tower=layer.tower)
        row = capture.head(layer.number, head, query=query, tower=layer.tower)
        for key in range(layer.attention.keys):
            for quantity in ("scores", "scaled", "masked", "weights"):
                mine, theirs = (trace[quantity].explain(query, key) for trace in (row, whole))
                assert str(mine) == str(theirs)
                assert mine.latex() == theirs.latex()
                assert mine.note == theirs.note


@pytest.mark.parametrize("name", ["qwen3", "gptj", "bart", "gpt_oss"])
def test_every_recipe_of_a_row_holds(captured, faults, name):
    inputs = {"input_ids": torch.arange(3, 8)[None]}
    if name == "bart":
        inputs["decoder_input_ids"] = torch.arange(3, 10)[None]
    capture = captured(name, **inputs)
    for layer in list(capture.attentions())[-2:]:
        row = capture.head(layer.number, 1, query=3, tower=layer.tower)
        assert faults(row) == []
        if name != "bart":  # queries and keys are made of the same, of which a query takes its own row
            assert row["hidden"].shape[0] == 5
            assert row["XW_Q"].inputs[0].origin == (3, None)
        elif layer.tower == "cross":
            assert row["hidden"].origin == (3, None)
            assert row["hidden_K"].origin == ()
