"""The view of one cell, for every kind of cell: consistent with the trace, and its table adds up or says so."""

import json
from decimal import Decimal
from itertools import product

import numpy as np
import pytest

import clearhead as ch
from clearhead.lenses.explain import describe_place, explain
from clearhead.trace.notation.numbers import format_number

VARIATIONS = [
    ("the-dog-chased-the-cat", {"mask": "causal"}), ("two-heads", {"positions": "rotary"}),
    ("only-looking-back", {"positions": "alibi", "mask_fill": "0"}),
    ("three-words", {"positions": "none", "scale": False}),
]  # fmt: skip

FIELDS = {
    "kind", "quantity", "index", "label", "place", "value", "full", "formula", "terms", "lines", "sources", "feeds",
    "spoken", "text", "latex",
}  # fmt: skip

CHILDREN = {
    "sum": "terms", "product": "factors", "difference": ("left", "right"), "quotient": ("top", "bottom"),
    "power": ("base", "exponent"), "root": ("of",), "exp": ("of",), "function": "arguments",
}  # fmt: skip


def nodes(node):
    """All nodes of the arithmetic, by the message format: any other kind is a mistake."""
    yield node
    if node["kind"] in ("number", "cell"):
        return
    parts = CHILDREN[node["kind"]]
    children = node[parts] if isinstance(parts, str) else [node[part] for part in parts]
    for child in children:
        yield from nodes(child)


def number(text):
    return Decimal(text.replace("−", "-").replace("∞", "Infinity"))


@pytest.mark.parametrize(("name", "changes"), VARIATIONS, ids=str)
def test_every_view_is_json_and_agrees_with_the_trace(traced, name, changes):
    trace = traced(name, **changes)
    for quantity in trace.values():
        for at, index in enumerate(np.ndindex(quantity.shape)):
            if at % 5:
                continue
            digits = [2, 3, 4, "full"][at // 5 % 4]
            view = explain(trace, quantity.name, index, digits)
            json.dumps(view, allow_nan=False)
            assert set(view) >= FIELDS
            assert set(view) - FIELDS <= {"note", "total"}
            assert view["value"] == format_number(quantity.values[index], digits)
            assert (view["quantity"], view["index"]) == (quantity.name, list(index))
            assert ("total" in view) == bool(view["terms"])
            assert view["spoken"].startswith(quantity.name)
            assert view["spoken"].endswith(".")
            assert "\n" not in view["spoken"]
            for line in view["lines"]:
                for node in nodes(line["arithmetic"]):
                    if node["kind"] == "cell":
                        stored = trace[node["quantity"]].values[tuple(node["index"])]
                        assert node["text"] == format_number(stored, digits)
                        assert node["label"] == f"{node['quantity']}[{','.join(map(str, node['index']))}]"
            cells = [n for n in nodes(view["lines"][0]["arithmetic"]) if n["kind"] == "cell"]
            assert {(n["quantity"], *n["index"]) for n in cells} == {
                (s["quantity"], *s["index"]) for s in view["sources"]
            }


def test_every_operation_by_itself_can_be_explained(operation_case):
    """Its cells as data: every node of a kind the page draws, and one sentence without the formula in it."""
    trace = operation_case.trace
    for index in np.ndindex(trace["out"].shape):
        view = explain(trace, "out", index, 2)
        json.dumps(view, allow_nan=False)
        assert all(list(nodes(line["arithmetic"])) for line in view["lines"])
        assert view["label"] == (f"out[{','.join(map(str, index))}]" if index else "out")
        assert view["spoken"].startswith("out, " if index else "out: ")
        assert "Σ" not in view["spoken"]


def test_terms_are_counted_by_the_places_they_come_from(traced):
    """The gradient of a row of E that was taken at 0 and 3 has terms of those positions, not of 0 and 1."""
    trace = traced("the-dog-chased-the-cat").backward()
    [collected] = [
        q for q in trace.values() if q.operation and q.operation.name == "collect" and "dE" in q.name
    ]
    view = explain(trace, collected.name, (0, 0), 2)
    assert [term["label"] for term in view["terms"]] == ["position 0 “the”", "position 3 “the”"]


@pytest.mark.parametrize(("name", "changes"), VARIATIONS, ids=str)
def test_where_it_goes_is_where_the_recipes_say(traced, name, changes):
    """Every feed of a cell, written out, against every quantity's own list of sources."""
    trace = traced(name, **changes)
    taken = {}
    for quantity in trace.values():
        for index in np.ndindex(quantity.shape):
            for source, place in quantity.sources(index):
                taken.setdefault((source.name, place), set()).add((quantity.name, index))
    for quantity in trace.values():
        for index in list(np.ndindex(quantity.shape))[::7]:
            fed = set()
            for feed in explain(trace, quantity.name, index, 2)["feeds"]:
                shape = trace[feed["quantity"]].shape
                for pattern in feed["cells"]:
                    ranges = [range(n) if at is None else [at] for at, n in zip(pattern, shape, strict=True)]
                    fed |= {(feed["quantity"], place) for place in product(*ranges)}
            assert fed == taken.get((quantity.name, index), set()), (quantity.name, index)


def test_a_product_of_the_table_says_equal_only_where_its_digits_multiply(traced):
    """Checked with exact decimals: factors as they are shown against the value as it is shown."""
    trace = traced("the-dog-chased-the-cat", mask="causal")
    relations = set()
    for name in ("XW_Q", "scores", "mixed", "output", "contribution"):
        for index in np.ndindex(trace[name].shape):
            view = explain(trace, name, index, 2)
            assert len(view["terms"]) == trace[name].inputs[0].shape[-1 if name != "contribution" else 0]
            for term in view["terms"]:
                left, right = (number(factor["text"]) for factor in term["arithmetic"]["factors"])
                assert term["relation"] == ("=" if left * right == number(term["value"]) else "≈"), term
                relations.add(term["relation"])
            total = sum(number(term["value"]) for term in view["terms"])
            assert view["total"]["text"] == view["value"]
            assert view["total"]["relation"] == ("=" if total == number(view["value"]) else "≈"), view[
                "terms"
            ]
    assert relations == {"=", "≈"}


def test_terms_are_named_by_what_is_counted(traced):
    trace = traced("the-dog-chased-the-cat")

    def labels(name, *index):
        return [term["label"] for term in explain(trace, name, index, 2)["terms"]]

    assert labels("XW_Q", 0, 0) == ["model 0", "model 1", "model 2", "model 3"]
    assert labels("scores", 0, 0, 0) == ["feature 0", "feature 1", "feature 2", "feature 3"]
    assert labels("mixed", 0, 0, 0) == [
        "key 0 “the”",
        "key 1 “dog”",
        "key 2 “chased”",
        "key 3 “the”",
        "key 4 “cat”",
    ]
    assert labels("X", 0, 0) == ["embeddings_scaled", "positions"]
    assert labels("weights", 0, 0, 0) == []


def test_places_in_words(traced):
    trace = traced("two-heads")
    assert describe_place(trace, trace["weights"], (1, 0, 4)) == "head 1, query 0 “small”, key 4 “berries”"
    assert describe_place(trace, trace["E"], (0, 2)) == "row “small”, column 2"
    assert describe_place(trace, trace["W_Q"], (3, 1)) == "column 3, column 1"
    assert describe_place(trace, trace["V"], (1, 2, 0)) == "head 1, key 2 “eat”, feature 0"


def test_notes_on_masked_cells(traced):
    trace = traced("three-words", mask="causal")
    assert explain(trace, "masked", (0, 0, 2), 2)["note"].startswith("masked: key 2 comes after query 0")
    assert "e^−∞ is exactly 0" in explain(trace, "weights", (0, 0, 2), 2)["note"]
    assert "note" not in explain(trace, "weights", (0, 2, 0), 2)
    leak = traced("three-words", mask="causal", mask_fill="0")
    assert "mistake" in explain(leak, "masked", (0, 0, 2), 2)["note"]


def test_wrong_names_and_places_are_the_caller_s_errors():
    trace = ch.run(ch.load("three-words"))
    with pytest.raises(KeyError, match="no quantity named"):
        explain(trace, "score", (0, 0, 0), 2)
    with pytest.raises(IndexError, match="expected 3 whole numbers"):
        explain(trace, "scores", (0, 0), 2)
