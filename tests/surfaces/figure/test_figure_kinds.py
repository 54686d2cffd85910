"""Lines, heads, curves and arithmetic."""

import re

import numpy as np
import pytest

import clearhead as ch
from clearhead.core.expression import Symbol
from clearhead.lenses.palette import position_colour
from clearhead.lenses.statistics import SCORES
from clearhead.sources.worked.study.capture import capture_study
from clearhead.surfaces.figure.heads import DOTS
from clearhead.surfaces.figure.lines import MOST, WIDEST
from clearhead.trace.notation import latex, text
from clearhead.trace.notation.numbers import format_number

NUMBER = re.compile(r"\d+\.\d+|\d+")

SENTENCE = "the woman calls bread milk honey ! bread milk"


@pytest.fixture(scope="module")
def cap():
    return capture_study(SENTENCE)


def test_lines_are_as_wide_as_the_weights_and_have_the_query_s_colour(causal):
    (lines,) = causal.figure("lines").collections
    weights = causal["weights"].values[0]
    seen = {
        (row, column): (width, tuple(np.round(np.array(colour[:3]) * 255).astype(int)))
        for ((_, row), (_, column)), width, colour in zip(
            lines.get_segments(), lines.get_linewidths(), lines.get_colors(), strict=True
        )
    }
    assert len(seen) == 6  # none to what is masked
    for (row, column), (width, colour) in seen.items():
        assert width == pytest.approx(WIDEST * weights[int(row), int(column)])
        hue = position_colour(int(row), 3)
        assert colour == tuple(int(hue[at : at + 2], 16) for at in (1, 3, 5))


def test_a_line_that_would_be_too_thin_is_paler_and_what_cannot_be_seen_is_not_drawn(hand_captures):
    """A viewer draws a line of 1e-24 points as wide as one of its dots: it would look like a weight."""
    from clearhead.surfaces.figure.lines import PALEST, THINNEST

    half, barely = 0.5 * THINNEST / WIDEST, 2 * PALEST * THINNEST / WIDEST
    weights = [
        [1, 0, 0, 0],
        [0.75, 0.25, 0, 0],
        [1 - half, half, 0, 0],
        [1 - barely - 1e-24, barely, 1e-24, 0],
    ]
    capture = hand_captures.with_weights([weights], hand_captures.tokens(range(4)))
    (lines,) = ch.figure(capture, "lines", layer=0, head=0).collections
    drawn = {
        (int(row), int(column)): (width, colour[3])
        for ((_, row), (_, column)), width, colour in zip(
            lines.get_segments(), lines.get_linewidths(), lines.get_colors(), strict=True
        )
    }
    assert set(drawn) == {(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)}, "not that of 1e-24"
    for (row, column), (width, opacity) in drawn.items():
        assert width >= THINNEST
        assert width * opacity == pytest.approx(WIDEST * weights[row][column], rel=1e-6), "as much ink"
    assert drawn[2, 1] == (THINNEST, pytest.approx(0.5, rel=1e-6))
    assert drawn[1, 1] == (pytest.approx(WIDEST * 0.25), 1.0)


def test_lines_of_one_query_stand_out(causal):
    (lines,) = causal.figure("lines", query=2).collections
    colours = {
        (row, tuple(colour))
        for ((_, row), _), colour in zip(lines.get_segments(), lines.get_colors(), strict=True)
    }
    assert len({colour for row, colour in colours if row != 2}) == 1
    assert len({colour for _, colour in colours}) == 2


def test_lines_say_which_side_is_which(as_svg, causal):
    assert {"query →", "→ key"} <= set(as_svg(causal.figure("lines")).texts)


def test_a_head_of_a_capture_is_its_worked_trace(as_svg, cap):
    drawn = as_svg(ch.figure(cap, "weights", layer=1, head=0, width=9))
    values = cap.head(1, 0)["weights"].values
    for value in values.ravel().tolist():
        assert format_number(value) in drawn.texts
    assert "L1H0 weights" in drawn.texts or "L1H0" in "".join(drawn.texts)
    assert len(ch.figure(cap, "weights", layer=1)) == cap.heads
    row = ch.figure(cap, "weights", layer=1, head=0, query=7)
    assert row.get_ylim() == (0.5, -0.5)


def test_all_heads_of_a_capture_at_a_glance(cap):
    ax = ch.figure(cap)
    picture = ax.get_images()[0]
    found, block = picture.get_array(), picture.get_array().shape[1] // cap.heads
    tokens = len(cap.tokens)
    each = block - max(2, round(0.1 * tokens * -(-DOTS // tokens)))
    for layer in (0, 1):
        weights = cap.weights(layer)
        for head in range(cap.heads):
            part = found[layer * block : (layer + 1) * block, head * block : (head + 1) * block].compressed()
            dots = each // tokens
            small = part.reshape(each, each)[::dots, ::dots]
            assert np.abs(small - weights[head]).max() <= 0.5 / 253 + 1e-12  # a small picture has 254 steps
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("head", "layer")


def test_a_score_of_every_head(as_svg, cap):
    for score in ("induction", "entropy"):
        texts = as_svg(ch.figure(cap, "heads", score=score, width="page")).texts
        for head in ch.head_statistics(cap):
            assert format_number(getattr(head, score)) in texts
    assert any(
        SCORES["induction"] in " ".join(texts) for texts in [as_svg(ch.figure(cap, score="induction")).texts]
    )


def test_a_score_that_is_not_defined_is_a_dash(as_svg, cap):
    assert as_svg(ch.figure(cap, "heads", score="sink")).texts.count("–") == 2 * cap.heads


def test_all_heads_of_a_trace():
    ax = ch.run("study").figure()
    assert ax.get_images()[0].get_array().shape[0] > 0
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "1"]


def test_a_map_of_a_long_text_is_pooled_and_says_so(monkeypatch, hand_captures):
    """A stand-in for a long text: what counts as many cells is lowered to 3."""
    import clearhead.surfaces.figure.ofcapture as module

    capture = hand_captures.random_capture()
    monkeypatch.setattr(module, "has_many_cells", lambda attention: True)
    pooled = ch.figure(capture, "weights", layer=0, head=0)
    whole = capture.weights(0)[0]
    shown = pooled.collections[0].get_array()
    assert (
        np.abs(np.ma.filled(shown, 0).reshape(whole.shape) - whole).max() < 1e-6
    )  # 7 tokens: a bin for each
    assert "each point the largest of up to 1 × 1" in pooled.get_title(loc="left").replace("\n", " ")


def test_a_loss_curve_is_the_losses():
    run = ch.train("tea-is-hot", steps=7, optimiser="sgd", learning_rate=0.5)
    ax = ch.figure(run, label="η = 0.5")
    (line,) = ax.get_lines()
    assert line.get_ydata().tolist() == [*run.losses, run.final_loss]
    assert line.get_xdata().tolist() == list(range(8)), "updates made"
    assert format_number(run.final_loss) in [one.get_text() for one in ax.texts]
    assert format_number(run.losses[-1]) != format_number(run.final_loss)
    other = ch.train("tea-is-hot", steps=11, optimiser="sgd", learning_rate=0.1)
    assert ch.figure(other, ax=ax, label="η = 0.1") is ax
    assert len(ax.get_lines()) == 2
    assert (
        len({line.get_linestyle() for line in ax.get_lines()} | {str(ax.get_lines()[1]._dash_pattern)}) >= 2
    )
    assert ax.get_xlim()[1] == 11
    assert ax.get_ylim()[1] >= max(run.losses)


def test_a_recording_has_a_curve_and_a_run_its_steps(tmp_path):
    run = ch.train("tea-is-hot", steps=5, optimiser="sgd", learning_rate=0.5)
    run.save(tmp_path / "run")
    again = ch.figure(ch.Recording.open(tmp_path / "run"))  # the folder of a run is that run
    assert again.get_lines()[0].get_ydata().tolist() == [*run.losses, run.final_loss]
    drawn = ch.figure(run, "weights", step=run.recorded[-1])
    assert drawn.collections


def test_a_long_training_is_drawn_as_means():
    from clearhead.surfaces.figure.curve import MOST_POINTS, curve
    from clearhead.surfaces.figure.look import Look

    losses = [1.0, 3.0] * MOST_POINTS
    ax = curve(losses, Look())
    assert set(ax.get_lines()[0].get_ydata().tolist()) == {2.0}
    assert "3.00" in [one.get_text() for one in ax.texts], "the last loss, no mean"
    assert "mean of 2" in ax.get_xlabel()


@pytest.mark.parametrize(
    "cell", [("weights", 0, 2, 1), ("scores", 0, 1, 2), ("masked", 0, 0, 2), ("X", 1, 0), ("output", 2, 1)]
)
@pytest.mark.parametrize("width", ["page", "column", 1.7])
def test_arithmetic_has_the_digits_of_the_explanation(causal, cell, width):
    """The numbers of every line, in reading order, set as formulas or, where it is narrow, as text that wraps."""
    name, *index = cell
    why = causal[name].explain(*index)
    wanted = "".join(number for line in why.lines() for number in NUMBER.findall(text.expression(line.tree)))
    general = why.quantity.formula()
    label, formula = latex.symbol(Symbol(name, tuple(map(str, index)))), latex.equation(general)
    others = (
        label,
        formula.replace(r"\frac", r"\dfrac").replace("'", "′"),
        *text.equation(general).split(" "),
    )
    drawn = [one.get_text() for one in ch.figure(why, width=width).texts]
    arithmetic = [one for one in drawn if one.strip("$") not in others and not one.startswith("(masked")]
    assert wanted in "".join(NUMBER.findall(" ".join(arithmetic)))


def test_arithmetic_says_all_of_it_to_who_cannot_see_it(as_svg, causal):
    why = causal["weights"].explain(0, 2, 1)
    title = as_svg(ch.figure(why)).root.find("{http://www.w3.org/2000/svg}title")
    assert title.text == why.text()


def test_arithmetic_names_the_place(as_svg):
    trace = ch.run("the-dog-chased-the-cat")
    texts = as_svg(trace.figure("weights[0,3,1]")).texts
    assert {"query", "3", "the", "1", "dog"} <= {part for text in texts for part in text.split()}


def test_arithmetic_of_a_long_sum_is_cut_and_says_so(as_svg):
    study = ch.run("study")
    drawn = as_svg(study.figure("layer1.XW_Q[3,5]", width="page"))
    assert "only the largest terms are written" in " ".join(drawn.texts)


def test_lines_end_where_nobody_could_follow_them(strange):
    with pytest.raises(
        ValueError, match=f"between {MOST + 1} tokens cannot be followed; expected at most {MOST}"
    ):
        strange(*(f"w{at}" for at in range(MOST + 1))).figure("lines")


def test_a_small_map_tells_what_is_masked_from_a_weight_of_0(cap):
    """The causal mask: strokes above the diagonal, and none on the weights of 0 below it."""
    for theme in ("light", "dark", "grey"):
        ax = ch.figure(cap, theme=theme)
        picture, strokes = (image.get_array() for image in ax.get_images())
        block = picture.shape[1] // cap.heads
        dots = np.flatnonzero(~np.ma.getmaskarray(picture[block // 2, :block]))
        part = slice(dots[0], dots[-1] + 1)
        hatched = ~np.ma.getmaskarray(strokes[part, part])
        tokens = len(cap.tokens)
        cells = hatched.reshape(tokens, len(hatched) // tokens, tokens, -1).any(axis=(1, 3))
        assert np.array_equal(cells, np.triu(np.ones((tokens, tokens), dtype=bool), 1))
        assert "hatched: masked" in [one.get_text() for one in ax.texts]


def test_where_nothing_is_masked_nothing_is_said_of_it():
    ax = ch.run("two-heads").figure("heads")
    assert len(ax.get_images()) == 1
    assert "hatched: masked" not in [one.get_text() for one in ax.texts]


@pytest.fixture(scope="module")
def report():
    def unscaled(q, k, v):
        scores = q @ k.swapaxes(-1, -2)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ v

    return ch.check(unscaled)


def test_a_report_is_its_smallest_example_yours_beside_what_is_right(report):
    yours, right = ch.figure(report, width="page")
    assert yours.get_label().startswith("yours scaled: ")
    assert right.get_label().startswith("right scaled: ")
    small = report.smallest
    for ax, trace in ((yours, small.known), (right, small.reference)):
        (mesh,) = ax.collections
        assert np.array_equal(mesh.get_array().ravel(), trace["scaled"].values.ravel())
    assert yours.collections[0].norm.vmax == right.collections[0].norm.vmax, "one scale"
    assert len(ch.figure(report, "scaled,weights", width="page")) == 4


def test_a_cell_of_a_report_is_of_a_side(report):
    small = report.smallest
    for kind, trace in (("yours.scaled[1,0]", small.known), ("right.scaled[1,0]", small.reference)):
        assert ch.figure(report, kind).get_label() == trace["scaled"].explain(1, 0).text()
    with pytest.raises(LookupError, match=r"mine\.scaled\[1,0\]': expected yours. or right. before the name"):
        ch.figure(report, "mine.scaled[1,0]")
    with pytest.raises(ValueError, match="query: does nothing for 'scaled'; expected head"):
        ch.figure(report, "scaled", query=1)
    with pytest.raises(LookupError, match="no quantity named 'scald'; did you mean scaled"):
        ch.figure(report, "scald")
    with pytest.raises(ValueError, match=r"figure: this report has no example to draw \(agrees\)"):
        ch.figure(ch.Report(True, "agrees", 0))


def test_an_example_or_its_name_is_run():
    example = ch.load("three-words")
    for x in ("three-words", example):
        mesh = ch.figure(x, "weights").collections[0]
        assert np.array_equal(mesh.get_array().ravel(), ch.run(example)["weights"].values.ravel())
