"""The stops: their order, and that nothing they name is unknown."""

import pytest

from clearhead.core.attention import POSITION_SCHEMES
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
    assert all(paragraph.say[-1] == "." for paragraph in stop.text)


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


def test_what_a_stop_says_follows_the_switches(variation, traced):
    """Every switch that a paragraph names is one of the trace's, and exactly the paragraphs that hold are shown."""
    name, changes = variation
    trace = traced(name, **changes)
    switches = trace.provenance["settings"] | {"W_O": "W_O" in trace}
    for stop in stops():
        shown = stop.paragraphs(trace)
        assert shown
        for paragraph in stop.text:
            holds = all(switches[switch] in values for switch, values in paragraph.when.items())
            assert (paragraph.say in shown) == holds


def test_no_value_of_a_switch_is_left_without_its_words():
    """Where some values of a switch have a paragraph of their own, the embeddings stop has one for each scheme."""
    (embeddings,) = [stop for stop in stops() if stop.id == "embeddings"]
    told = [value for paragraph in embeddings.text for value in paragraph.when.get("positions", ())]
    assert sorted(told) == sorted(POSITION_SCHEMES)
