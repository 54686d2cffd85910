"""The stops: their order, and that nothing they name is unknown."""

import pytest

from clearhead.core.names import taken_apart
from clearhead.core.optimise import Optimiser
from clearhead.core.settings import POSITION_SCHEMES
from clearhead.lenses.compare import difference
from clearhead.lenses.walkthrough import Layer, says, stop_named, stop_views, stops
from clearhead.sources.worked import run
from clearhead.sources.worked.config import Config
from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.run import with_asides
from clearhead.trace.quantity import Quantity


def test_the_stops_in_order():
    assert [stop.id for stop in stops()] == [
        "embeddings", "projections", "scores", "scale", "mask", "softmax", "mix", "output", "residual", "feed-forward",
        "next-layer", "next-word", "loss", "update",
    ]  # fmt: skip


@pytest.mark.parametrize("stop", stops(), ids=lambda stop: stop.id)
def test_a_stop_has_its_words(stop):
    assert stop.title
    assert stop.short
    assert stop.text
    assert stop.each or set(stop.makes) <= set(stop.quantities)
    for name in stop.quantities:
        assert says(name, "contract")
    assert all(paragraph.say[-1] in ".?" for paragraph in stop.text)


def test_a_stop_by_its_name_or_by_a_quantity():
    assert stop_named("scores").id == "scores"
    assert stop_named("Q").id == "projections"
    assert stop_named("weights").id == "softmax"
    with pytest.raises(ValueError, match=r"no step is named 'lost'; expected one of embeddings, .*update"):
        stop_named("lost")


def test_every_quantity_has_its_words(traced):
    for changes in ({}, {"positions": "rotary"}, {"positions": "alibi"}):
        for name in ("the-dog-chased-the-cat", "three-words", "only-looking-back"):
            for quantity in traced(name, **changes).values():
                assert says(quantity.name, quantity.operation.name if quantity.operation else "given")


def test_a_switched_off_step_says_so():
    assert says("scaled", "scale_by_root") == "the scores divided by √d_head"
    assert says("scaled", "copy") == "the scores as they are: scaling is off"


def test_each_stop_shows_the_formula_of_what_it_makes(traced):
    views = {stop["id"]: stop for stop in stop_views(Layer(with_asides(traced("three-words"))))}
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
    layer = Layer(traced(name, **changes))
    for stop in stops():
        if not stop.stands(layer):
            continue
        shown = stop.paragraphs(layer)
        assert shown
        for paragraph in stop.text:
            holds = all(layer.switches[switch] in values for switch, values in paragraph.when.items())
            assert (paragraph.say in shown) == holds


MODELS = [
    {"norm": norm, "norm_place": place, "activation": activation, "tied": tied, "layers": layers, "d_ff": d_ff}
    for norm, place, activation, tied, layers, d_ff in (
        ("layer", "pre", "relu", True, 1, 7), ("rms", "pre", "swiglu", False, 3, 7),
        ("layer", "post", "gelu", True, 2, 7), ("rms", "post", "gelu_tanh", False, 1, 7),
        ("none", "pre", "relu", True, 2, 0), ("layer", "post", "relu", True, 1, 0),
        ("layer", "pre", "swiglu", True, 2, 0),
    )
]  # fmt: skip
BESIDE = {
    "scores_scaled",
    "masked_scaled",
    "masked_unscaled",
    "biased_scaled",
    "biased_unscaled",
    "W_O_heads",
    "VW_O",
}
"""Steps inside the asides that are computed and not shown."""


@pytest.mark.parametrize("sizes", MODELS, ids=lambda sizes: "-".join(map(str, sizes.values())))
@pytest.mark.parametrize(
    ("positions", "kind"), [("rotary", "sgd"), ("learned", "momentum"), ("alibi", "adamw")]
)
def test_every_quantity_has_its_place_and_its_words(sizes, positions, kind):
    """Whatever a model computes, there, back and in the update, stands at a stop or in an aside of its layer."""
    example = Config(d_model=6, heads=1, positions=positions, **sizes).begin(
        ["a", "b", "c"], ["a", "b", "a", "c"]
    )
    trace = run(example).backward().update(Optimiser(kind))
    for number in range(sizes["layers"]):
        layer = Layer(with_asides(trace, number), number)
        views = stop_views(layer)
        placed = {
            name for stop in views for part in (stop, *stop.get("asides", ())) for name in part["quantities"]
        }
        here = ("", f"layer{number}." if sizes["layers"] > 1 else "")
        made = {name for name in layer.trace if taken_apart(name)[0] in here}
        assert made - placed <= {here[1] + name for name in BESIDE}
        assert placed <= made
        for name in made:
            assert says(name, "contract")


def test_a_stop_of_which_nothing_is_there_is_left_out():
    alone = load_example("three-words").vary(predict=False)
    assert [stop["id"] for stop in stop_views(Layer(run(alone)))][-1] == "output"
    without = Config(d_model=6, heads=1, d_ff=0).begin(["a", "b"])
    shown = [stop["id"] for stop in stop_views(Layer(run(without)))]
    assert "feed-forward" not in shown
    assert shown[-2:] == ["next-word", "loss"]  # nothing is updated before there are gradients


def test_no_value_of_a_switch_is_left_without_its_words():
    """Where some values of a switch have a paragraph of their own, the embeddings stop has one for each scheme."""
    (embeddings,) = [stop for stop in stops() if stop.id == "embeddings"]
    told = [value for paragraph in embeddings.text for value in paragraph.when.get("positions", ())]
    assert sorted(told) == sorted(POSITION_SCHEMES)
