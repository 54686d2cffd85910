"""The stops: their order, and that nothing they name is unknown."""

import pytest

from clearhead.lenses.compare import difference
from clearhead.lenses.walkthrough import says, stop_named, stop_views, stops
from clearhead.trace.quantity import Quantity


def test_the_stops_in_order():
    assert [stop.id for stop in stops()] == [
        "embeddings", "projections", "scores", "scale", "mask", "softmax", "mix", "output",
    ]  # fmt: skip


@pytest.mark.parametrize("stop", stops(), ids=lambda stop: stop.id)
def test_a_stop_has_its_words(stop):
    assert stop.title
    assert stop.short
    assert stop.text
    assert set(stop.makes) <= set(stop.quantities)
    for name in stop.quantities:
        assert says(name, "contract")
    assert all(text[-1] in ".:" for text in stop.text)


def test_a_stop_by_its_name_or_by_a_quantity():
    assert stop_named("scores").id == "scores"
    assert stop_named("Q").id == "projections"
    assert stop_named("weights").id == "softmax"
    with pytest.raises(ValueError, match=r"no step is named 'loss'; expected one of embeddings, .*output"):
        stop_named("loss")


def test_every_quantity_has_its_words(traced):
    for changes in ({}, {"positions": "rotary"}, {"positions": "alibi"}):
        for name in ("the-dog-chased-the-cat", "three-words", "only-looking-back"):
            for quantity in traced(name, **changes).values():
                assert says(quantity.name, quantity.operation.name if quantity.operation else "given")


def test_a_switched_off_step_says_so():
    assert says("scaled", "scale_by_root") == "the scores divided by √d_head"
    assert says("scaled", "copy") == "the scores as they are: scaling is off"


def test_each_stop_shows_the_formula_of_what_it_makes(traced):
    views = {stop["id"]: stop for stop in stop_views(traced("three-words"))}
    assert "P" not in views["embeddings"]["quantities"]
    assert views["softmax"]["quantities"] == ["masked", "weights"]
    assert len(views["softmax"]["formulas"]) == 1
    assert [aside["id"] for aside in views["scale"]["asides"]] == ["scaling"]
    assert [aside["id"] for aside in views["output"]["asides"]] == ["contribution"]


def test_difference_by_hand():
    import numpy as np

    def quantity(*values):
        return Quantity("masked", ("key",), np.array(values))

    inf = float("inf")
    assert difference(quantity(3.0, -inf, -inf, 2.0), quantity(1.0, -inf, 5.0, -inf)).tolist() == [
        2,
        0,
        -inf,
        inf,
    ]
    assert difference(quantity(3.0), None) is None
    assert difference(quantity(3.0), quantity(3.0, 4.0)) is None
