"""Matrices: every number, every mask, every name of an axis."""

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import clearhead as ch
from clearhead.lenses.palette import position_colour
from clearhead.surfaces.figure.panels import panels_of
from clearhead.surfaces.figure.themes import THEMES, ink_on, luminance
from clearhead.trace.notation.numbers import format_number


@pytest.mark.parametrize("digits", [2, 3])
@pytest.mark.parametrize(
    "name", ["Q", "K", "V", "scores", "scaled", "masked", "weights", "mixed", "E", "W_Q", "output"]
)
def test_the_numbers_in_the_cells_are_those_of_the_trace(as_svg, causal, name, digits):
    values = causal[name].values.reshape(-1, causal[name].shape[-1])
    drawn = as_svg(causal.figure(name, digits=digits, width="page"))
    for value in set(values.ravel().tolist()):
        text = format_number(value, digits)
        assert drawn.texts.count(text) >= (values == value).sum()


def test_masked_cells_say_minus_infinity_and_zero_and_are_hatched(as_svg, causal):
    """Three of nine cells lie above the diagonal."""
    masked, weights = as_svg(causal.figure("masked")), as_svg(causal.figure("weights"))
    assert masked.texts.count("−∞") == 3
    assert weights.texts.count("0") == 3 + 2  # and the numbers of position 0, at both sides
    assert "<pattern" in masked.raw
    assert "<pattern" in weights.raw
    assert "<pattern" not in as_svg(ch.run("three-words").figure("weights")).raw


def test_axes_are_named_and_words_stand_beside_their_numbers(as_svg, causal):
    texts = as_svg(causal.figure("weights")).texts
    assert {"query", "key", "weights"} <= set(texts)
    for word, number in zip(causal.tokens, "012", strict=True):
        assert texts.count(word) == 2
        assert texts.count(number) >= 2
    assert {"vocabulary", "model", *causal.vocabulary} <= set(as_svg(causal.figure("E")).texts)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_position_has_the_palette_s_colour_wherever_it_appears(as_svg, causal, theme):
    for kind in ("weights", "lines", "X", "weights[0,2,1]"):
        fills = as_svg(causal.figure(kind, theme=theme)).fills
        places = (2, 1) if "[" in kind else range(3)
        for position in places:
            times = 1 if kind == "X" or "[" in kind else 2
            assert fills.count(position_colour(position, 3, theme)) >= times, kind


def test_more_positions_than_colours_take_the_ramp(as_svg, strange):
    count = 13
    fills = as_svg(strange(*(f"w{at}" for at in range(count))).figure("weights", width="page")).fills
    assert all(fills.count(position_colour(at, count)) >= 2 for at in range(count))


def test_in_grey_nothing_has_a_hue(as_svg, causal):
    for kind in ("weights", "masked", "lines", "scores[0,1,2]"):
        drawn = as_svg(causal.figure(kind, theme="grey"))
        colours = {colour.lower() for colour in [*drawn.fills, *drawn.fill_of("cats")]}
        assert all(colour[1:3] == colour[3:5] == colour[5:7] for colour in colours), kind


def test_in_grey_a_number_below_zero_is_hatched_where_it_is_not_written(as_svg):
    """W_Q of this example has a −2 and a −0.5; without numbers grey alone would not tell them from 2 and 0.5."""
    trace = ch.run("the-dog-chased-the-cat")
    assert "<pattern" in as_svg(trace.figure("W_Q", theme="grey", numbers=False)).raw
    assert "<pattern" not in as_svg(trace.figure("W_Q", theme="grey")).raw
    assert "<pattern" not in as_svg(trace.figure("W_Q", numbers=False)).raw


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_numbers_can_be_read_on_every_step_of_every_scale(theme):
    """At least 4.5:1 (WCAG 2.1, 1.4.3), which the better of black and white always has."""
    for scale in (theme.signed_map, theme.weights_map):
        for step in np.linspace(0, 1, 64):
            low, high = sorted(luminance(one) for one in (to_hex(scale(step)), ink_on(to_hex(scale(step)))))
            assert (high + 0.05) / (low + 0.05) >= 4.5


@pytest.mark.parametrize("sight", ["protan", "deutan", "tritan"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_below_and_above_zero_are_told_apart_in_colour_blindness(theme, sight):
    """CIEDE2000 of at least 12, as for the position colours, between numbers of one size and either sign."""
    color = pytest.importorskip("coloraide").Color
    scale = THEMES[theme].signed_map
    for size in (0.3, 0.5, 0.7, 1.0):
        below, above = (color(to_hex(scale(0.5 + sign * size / 2))).filter(sight) for sign in (-1, 1))
        assert below.delta_e(above, method="2000") >= 12, size


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_scales_begin_at_the_paper_and_go_one_way(theme):
    assert to_hex(theme.weights_map(0.0)) == to_hex(theme.paper)
    assert to_hex(theme.signed_map(0.5)) in (to_hex(theme.paper), to_hex(theme.signed_map(0.4999)))
    light = np.array([luminance(to_hex(theme.weights_map(step))) for step in np.linspace(0, 1, 33)])
    assert (np.diff(light) < 0).all() or (np.diff(light) > 0).all()


def test_several_heads_and_several_names_are_an_array_of_axes():
    trace = ch.run("two-heads")
    assert [ax.get_title(loc="left") for ax in trace.figure("weights")] == [
        r"$\text{weights}$, head 0", r"$\text{weights}$, head 1",
    ]  # fmt: skip
    assert trace.figure("weights", head=1).get_title(loc="left").endswith("head 1")
    assert len(trace.figure(["Q", "K"])) == 4
    assert len(trace.figure("Q, K", head=0)) == 2


@pytest.mark.parametrize(("width", "inches"), [("column", 3.35), ("page", 6.9), (5, 5.0)])
@pytest.mark.parametrize("kind", ["weights", "Q,K,V", "lines", "E", "weights[0,2,1]", "losses"])
def test_a_figure_is_as_wide_as_asked_and_nothing_is_cut_off(kind, width, inches):
    trace = ch.run("the-dog-chased-the-cat", mask="causal")
    drawn = trace.figure(kind, width=width)
    figure = np.atleast_1d(drawn)[0].figure
    assert figure.get_size_inches()[0] == pytest.approx(inches)
    assert figure.get_size_inches()[1] <= 9.3
    with matplotlib.rc_context():
        renderer = FigureCanvasAgg(figure).get_renderer()
        for ax in np.atleast_1d(drawn):
            box = ax.get_tightbbox(renderer)
            assert box.x0 >= 0
            assert box.y0 >= 0
            assert box.x1 <= figure.bbox.x1
            assert box.y1 <= figure.bbox.y1


def test_drawn_into_given_axes(causal):
    figure = Figure(figsize=(7, 3))
    axes = figure.subplots(1, 2)
    assert ch.figure(causal, "weights", ax=axes[1]) is axes[1]
    assert axes[1].collections
    assert axes[1].texts
    assert not axes[0].collections
    both = ch.run("two-heads").figure("weights", ax=axes)
    assert list(both) == list(axes)
    for kind in ("lines", "weights[0,2,1]"):
        ax = Figure().subplots()
        assert causal.figure(kind, ax=ax) is ax
        assert ax.texts


def test_labels_that_do_not_fit_are_left_out_and_the_axis_says_so(as_svg, strange):
    trace = strange(*(f"w{at}" for at in range(101)))
    texts = as_svg(trace.figure("weights")).texts
    named = [text for text in texts if text.startswith("query (every ")]
    assert len(named) == 1
    every = int("".join(filter(str.isdigit, named[0])))
    assert [f"w{at}" for at in range(101) if f"w{at}" in texts] == [f"w{at}" for at in range(0, 101, every)]


def test_a_map_too_large_to_see_keeps_its_largest_numbers(causal, monkeypatch):
    """Three rows as two points, {0} and {1, 2}: of the visible cells that of the largest size, with its sign."""
    monkeypatch.setattr("clearhead.surfaces.figure.panels.POINTS", 2)
    (panel,) = panels_of(causal, "masked")
    values = causal["masked"].values[0]
    assert panel.masked.tolist() == [[False, True], [False, False]]
    assert panel.values[0, 0] == values[0, 0]
    for column, cells in ((0, [(1, 0), (2, 0)]), (1, [(1, 1), (2, 1), (2, 2)])):
        assert panel.values[1, column] == max((values[cell] for cell in cells), key=abs)
    assert panel.rows.places == (0, 1)
    assert panel.title.endswith("each point the largest of up to 2 × 2")


def test_vectors_and_single_numbers(as_svg):
    trace = ch.run("the-dog-chased-the-cat")
    texts = as_svg(trace.figure("losses")).texts
    assert all(format_number(loss) in texts for loss in trace["losses"].values.tolist())
    loss = as_svg(trace.figure("loss"))
    assert format_number(float(trace["loss"].values)) in loss.texts
