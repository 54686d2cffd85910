"""Files: real text with its fonts, the same bytes each time, no display, nothing half-written, settings left alone."""

import base64
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pypdf
import pytest
from fontTools.ttLib import TTFont
from matplotlib.figure import Figure

import clearhead as ch

KINDS = ("weights", "lines", "weights[0,2,1]")
FONT_FACE = re.compile(
    r"@font-face\{font-family:'([^']+)';font-style:(\w+);font-weight:(\d+);src:url\(data:font/woff;base64,([^)]+)\)"
)


@pytest.mark.parametrize("kind", KINDS)
def test_text_in_an_svg_is_text_and_its_fonts_are_in_it(as_svg, causal, kind):
    drawn = as_svg(causal.figure(kind))
    fonts = {
        (name, style, weight): TTFont(io.BytesIO(base64.b64decode(data)))
        for name, style, weight, data in FONT_FACE.findall(drawn.raw)
    }
    for node in drawn.root.iter():
        style = node.get("style", "")
        if node.text and node.text.strip() and "font-family" in style:
            slant, weight = re.search(r"font-style: (\w+)", style), re.search(r"font-weight: (\w+)", style)
            family = re.search(r"font-family: '([^']+)'", style)[1]
            font = fonts[family, slant[1] if slant else "normal", weight[1] if weight else "400"]
            assert set(map(ord, node.text)) <= set(font.getBestCmap())
    assert "DejaVu Sans" in {name for name, _, _ in fonts}
    assert not re.search(r"(href|src)=\"(?!#|data:)", drawn.raw)  # it asks nobody for anything


@pytest.mark.parametrize("kind", KINDS)
def test_text_in_a_pdf_is_text_and_its_fonts_are_in_it(tmp_path, causal, kind):
    ch.save_figure(causal.figure(kind), tmp_path / "figure.pdf")
    (page,) = pypdf.PdfReader(tmp_path / "figure.pdf").pages
    said = page.extract_text()
    assert all(
        word in said for word in (causal.tokens if kind != "weights[0,2,1]" else ("mice", "chase", "query"))
    )
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
    assert fonts
    for font in fonts:
        below = font["/DescendantFonts"][0].get_object() if "/DescendantFonts" in font else font
        assert "/FontFile2" in below["/FontDescriptor"].get_object()  # TrueType, as a whole font is


def test_a_png_has_three_hundred_dots_an_inch(tmp_path, causal):
    image = pytest.importorskip("PIL.Image")
    ch.save_figure(causal.figure("weights", width=3), tmp_path / "figure.png")
    with image.open(tmp_path / "figure.png") as picture:
        assert picture.size[0] == 900
        assert picture.getpixel((0, 0))[:3] == (255, 255, 255)


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_the_same_figure_gives_the_same_bytes(tmp_path, ending):
    """In processes whose sets and dictionaries are in other orders."""
    program = (
        "import clearhead as ch, sys; trace = ch.run('three-words', mask='causal');"
        "ch.save_figure(trace.figure('weights[0,2,1]'), sys.argv[1])"
    )
    contents = []
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.{ending}"
        subprocess.run(
            [sys.executable, "-c", program, str(path)], check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
    assert not re.search(rb"20\d\d-\d\d-\d\d|D:20\d\d", contents[0])


def test_neither_a_display_nor_pyplot_is_needed(tmp_path):
    program = (
        "import sys, clearhead as ch; ch.save_figure(ch.run('three-words').figure(), sys.argv[1]);"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "MPLBACKEND")
    }
    for backend in ({}, {"MPLBACKEND": "TkAgg"}):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program, str(tmp_path / "figure.svg")],
            check=True, env={**clean, **backend}, capture_output=True, text=True,
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("False\n", "")


def test_a_person_s_settings_stay_and_do_not_matter(tmp_path, causal):
    own = {
        "font.size": 31, "text.usetex": True, "axes.facecolor": "red", "svg.fonttype": "path",
        "savefig.bbox": "tight", "font.family": ["monospace"], "figure.dpi": 31,
    }  # fmt: skip
    ch.save_figure(causal.figure("weights"), tmp_path / "plain.svg")
    with matplotlib.rc_context(own):
        before = dict(matplotlib.rcParams)
        ch.save_figure(causal.figure("weights"), tmp_path / "own.svg")
        assert dict(matplotlib.rcParams) == before
    assert (tmp_path / "own.svg").read_bytes() == (tmp_path / "plain.svg").read_bytes()


def test_settings_are_put_back_after_a_mistake_too(causal):
    before = dict(matplotlib.rcParams)
    with pytest.raises(KeyError):
        causal.figure("nothing", theme="dark")
    assert dict(matplotlib.rcParams) == before


def test_what_a_person_goes_on_with_is_saved_as_well(as_svg, causal):
    ax = causal.figure("weights")
    ax.set_title("Who looks at whom")
    assert "Who looks at whom" in as_svg(ax).texts
    figure = Figure()
    figure.subplots().set_title("one's own")
    assert "one's own" in as_svg(figure).texts
    several = ch.run("two-heads").figure("weights")
    assert as_svg(several).raw == as_svg(several[0].figure).raw


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, causal, monkeypatch):
    path = tmp_path / "figure.svg"
    path.write_text("before")

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("clearhead.trace.frames.os.replace", fails)
        with pytest.raises(OSError, match="No space left") as raised:
            ch.save_figure(causal.figure("weights"), path)
    assert raised.value.filename == str(path)
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["figure.svg"]
    ch.save_figure(causal.figure("weights"), path)
    assert path.read_text().startswith("<?xml")


def test_places_that_cannot_be_written(tmp_path, causal):
    ax = causal.figure("weights")
    with pytest.raises(OSError, match=r"missing/figure.svg"):
        ch.save_figure(ax, tmp_path / "missing" / "figure.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(OSError, match="expected the path of a file"):
        ch.save_figure(ax, tmp_path / "folder.svg")


def test_other_endings_and_other_objects_are_refused(tmp_path, causal):
    for name, said in (
        ("figure.jpg", "ends in .jpg"),
        ("figure", "has no ending"),
        ("figure.svg.gz", "ends in .gz"),
    ):
        with pytest.raises(ValueError, match=rf"{said}; expected a name that ends in .svg, .pdf or .png"):
            ch.save_figure(causal.figure("weights"), tmp_path / name)
    for wrong in (causal, None, [], np.zeros(3)):
        with pytest.raises(ValueError, match=r"expected the axes that clearhead\.figure gave"):
            ch.save_figure(wrong, tmp_path / "figure.svg")
    with pytest.raises(ValueError, match="axes of several figures"):
        ch.save_figure([causal.figure("weights"), causal.figure("scores")], tmp_path / "figure.svg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "kind"), [("figure-weights", "weights"), ("figure-cell", "weights[0,3,1]")])
def test_the_figures_of_the_documentation_are_made_by_the_code_shown(as_svg, name, kind):
    kept = (Path(__file__).parents[3] / "docs" / "images" / f"{name}.svg").read_text("utf-8")
    drawn = as_svg(ch.run("the-dog-chased-the-cat", mask="causal").figure(kind))
    assert _without_fonts(kept) == _without_fonts(drawn.raw)


def _without_fonts(svg: str) -> str:
    return FONT_FACE.sub("", svg)
