"""Golden pictures: a figure of every kind, small, in the font that Matplotlib brings, so the machine does not matter.

A picture may differ from the one that is kept by TOLERANCE, the mean over all points and channels, of 255. One version
of Matplotlib draws the same on one kind of processor to the last bit; between kinds the last bits of coordinates move
the shades at edges. A wrong number, mark or colour changes whole letters or cells: `test_pictures_notice`.

To renew them: CLEARHEAD_RENEW_PICTURES=1 .venv/bin/python -m pytest tests/surfaces/figure/test_figure_pictures.py,
and look at what changed.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import clearhead as ch
from clearhead.sources.worked.study.capture import capture_study
from clearhead.surfaces.figure.look import drawn_alike

Image = pytest.importorskip("PIL.Image")

GOLDEN = Path(__file__).parent / "golden"
DOTS = 72
TOLERANCE = 0.1

MASKED = {"mask": "causal"}
EXAMPLE = "the-dog-chased-the-cat"
SENTENCE = "the woman calls bread milk honey ! bread milk"

PICTURES = {
    "weights-light": lambda: ch.run(EXAMPLE, **MASKED).figure("weights"),
    "masked-dark": lambda: ch.run(EXAMPLE, **MASKED).figure("masked", theme="dark"),
    "scores-grey": lambda: ch.run(EXAMPLE).figure("scores", theme="grey", numbers=False),
    "several-light": lambda: ch.run("two-heads").figure("Q,K,V", width="page"),
    "lines-light": lambda: ch.run(EXAMPLE, **MASKED).figure("lines"),
    "lines-grey": lambda: ch.run(EXAMPLE, **MASKED).figure("lines", theme="grey"),
    "heads-light": lambda: ch.figure(capture_study(SENTENCE)),
    "induction-dark": lambda: ch.figure(capture_study(SENTENCE), score="induction", theme="dark"),
    "cell-light": lambda: ch.run(EXAMPLE, **MASKED).figure("weights[0,3,1]"),
    "loss-grey": lambda: ch.figure(
        ch.train("tea-is-hot", steps=31, optimiser="sgd", learning_rate=0.5), theme="grey"
    ),
}


def drawn(figure, path):
    """The figure as a small picture, (rows, columns, 3) of 0 to 255."""
    root = np.atleast_1d(figure)[0].figure
    with drawn_alike():
        root.savefig(path, dpi=DOTS, facecolor=root.get_facecolor())
    return points(path)


def points(path):
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"), dtype=np.float64)


def difference(one, other):
    return np.inf if one.shape != other.shape else np.abs(one - other).mean()


@pytest.mark.parametrize("name", PICTURES)
def test_a_figure_looks_as_it_did(name, tmp_path):
    kept = GOLDEN / f"{name}.png"
    found = drawn(PICTURES[name](), tmp_path / "found.png")
    if os.environ.get("CLEARHEAD_RENEW_PICTURES"):
        with Image.open(tmp_path / "found.png") as picture:
            picture.convert("RGB").save(kept, optimize=True)
    assert difference(found, points(kept)) <= TOLERANCE


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("weights-light", lambda: ch.run(EXAMPLE).figure("weights")),  # no mask
        ("weights-light", lambda: ch.run(EXAMPLE, **MASKED).figure("weights", digits=3)),
        ("masked-dark", lambda: ch.run(EXAMPLE, **MASKED).figure("scaled", theme="dark")),
        ("scores-grey", lambda: ch.run(EXAMPLE).figure("scaled", theme="grey", numbers=False)),
        ("lines-light", lambda: ch.run(EXAMPLE, **MASKED).figure("lines", query=4)),
        ("cell-light", lambda: ch.run(EXAMPLE, **MASKED).figure("weights[0,3,2]")),
    ],
)
def test_pictures_notice(name, wrong, tmp_path):
    """A fault in what is drawn is several times the tolerance."""
    assert difference(drawn(wrong(), tmp_path / "found.png"), points(GOLDEN / f"{name}.png")) > 2 * TOLERANCE


def test_there_is_no_picture_of_nothing():
    assert {path.stem for path in GOLDEN.glob("*.png")} == set(PICTURES)
