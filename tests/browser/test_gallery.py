"""The gallery looks as its stored pictures: every component in every state, in light and dark.

CLEARHEAD_RENEW_PICTURES=1 stores new pictures first. What differed is left in test-results/pictures/.
"""

import os
import shutil
from pathlib import Path

import pytest

RENEW = os.environ.get("CLEARHEAD_RENEW_PICTURES") == "1"
LEFT = Path(__file__).parents[2] / "test-results" / "pictures"

NARROW = {
    "changed-with-the-difference",
    "findings",
    "a-map-with-both-axes-named",
    "a-long-map-as-a-whole",
    "all-heads-of-a-model",
    "full-precision",
    "gallery-head",
    "how-far-back-weights-lie",
    "lines-from-token-to-token",
    "the-next-word-before-and-after",
    "notices",
    "pipeline-bar",
    "softmax-three-steps-deep",
    "switches-and-buttons",
    "the-choice-of-a-layer",
    "the-next-word",
    "the-sentence-and-a-word-being-edited",
    "the-training-loop",
    "wide",
}
"""What arranges itself otherwise in a narrow window; the rest is there too, but only gets smaller."""

TD = "& .matrix td"
FAULTS = {
    "not-computed-yet": (
        "no dashed edge",
        "& td.pending { border-color: transparent !important; outline: none !important }",
    ),
    "signed-numbers": (
        "no colour behind the numbers",
        f"{TD} {{ background-color: transparent !important }}",
    ),
    "weights": (
        "one cell without its colour",
        "& tr:nth-child(2) td:nth-of-type(2) { background-color: transparent !important }",
    ),
    "masked-with-minus-infinity": ("no hatching", f"{TD} {{ --hatching: none !important }}"),
    "masked-with-0": ("no hatching", f"{TD} {{ --hatching: none !important }}"),
    "masked-weights": ("positions without colour", "& .at-position { border-color: transparent !important }"),
    "changed": ("no corners", f"{TD} {{ --corner: none !important }}"),
    "changed-with-the-difference": ("no difference", "& .difference { visibility: hidden !important }"),
    "of-another-shape-than-before": ("numbers at the left", f"{TD} {{ text-align: start !important }}"),
    "full-precision": ("wrong corners", f"{TD} {{ border-radius: 12px !important }}"),
    "legends": ("small print in the size of text", "& * { font-size: var(--size-3) !important }"),
    "it-came-from": ("no frames", "& .source::after { border: 0 !important }"),
    "open": ("a light frame, not a heavy one", "& .opened::after { border-width: 1px !important }"),
    "it-goes-into": ("whole frames, not dashed ones", "& .feeds::after { border-style: solid !important }"),
    "editable": ("rows that are 2 px higher", f"{TD} {{ block-size: 2.05rem !important }}"),
    "editing": ("no field", "& input { visibility: hidden !important }"),
    "not-a-number": ("no sentence under it", "& .cell-message { visibility: hidden !important }"),
    "a-sum-of-rounded-numbers": (
        "no frame around it",
        "& .arithmetic { border-color: transparent !important }",
    ),
    "softmax-three-steps-deep": (
        "no frames around the cells",
        "& .arithmetic button { border-color: transparent !important; box-shadow: none !important }",
    ),
    "formulas": ("formulas in the wrong size", "& math { font-size: var(--size-2) !important }"),
    "switches-and-buttons": (
        "what is pressed is not filled",
        "& input:checked + span { background: none !important; color: inherit !important }",
    ),
    "notices": ("an error with a lighter frame", "& .error { border-color: var(--edge) !important }"),
    "the-sentence-and-a-word-being-edited": ("no chips", "& .chip { border-color: transparent !important }"),
    "dialog": ("the other theme", "& { color-scheme: OTHER !important }"),
    "pipeline-bar": ("4 px to the right", "& .pipeline ol { transform: translateX(4px) }"),
    "gallery-head": ("a title in the wrong family", "& h1 { font-family: var(--sans) !important }"),
    "more-than-twelve-positions": ("3 px to the right", "& .matrix { margin-inline: 3px -3px !important }"),
    "the-choice-of-a-layer": (
        "the chosen layer is not filled",
        "& input:checked + span { background: none !important; color: inherit !important }",
    ),
    "the-next-word": ("no bars", "& .bar { visibility: hidden !important }"),
    "the-training-loop": (
        "no frames around the steps",
        "& .loop-step { border-color: transparent !important }",
    ),
    "curves": ("no curve in ink", "& .curve.strong { stroke: transparent !important }"),
    "words-as-points": ("no dots", "& .dot { fill: transparent !important; stroke: transparent !important }"),
    "maps-of-heads": ("no frames around the targets", "& .heatmap-target { stroke: transparent !important }"),
    "findings": (
        "what held looks like what did not",
        "& .verdict { background: none !important; color: inherit !important; border-style: dashed !important }",
    ),
    "a-map-with-both-axes-named": ("no picture", "& canvas { visibility: hidden !important }"),
    "a-map-with-more-tokens-than-labels": (
        "no rule on the labels",
        "& .map-rule { visibility: hidden !important }",
    ),
    "lines-from-token-to-token": ("no lines", "& canvas { visibility: hidden !important }"),
    "all-heads-of-a-model": ("a chosen head without a frame", "& .head-cell::after { border: 0 !important }"),
    "heads-coloured-by-a-number": ("no colour", "& .head-cell { background: none !important }"),
    "a-table-that-sorts": ("numbers at the left", "& .sortable td { text-align: start !important }"),
    "patches-of-a-picture": ("smoothed", "& canvas { image-rendering: auto !important }"),
    "the-next-word-before-and-after": ("no numbers before", "& .before { visibility: hidden !important }"),
    "many-terms-with-the-small-ones-folded": (
        "the small ones unfolded",
        "& tbody[hidden] { display: table-row-group !important }",
    ),
    "a-long-map-as-a-whole": ("no pictures", "& canvas { visibility: hidden !important }"),
    "a-long-map-from-near": (
        "no small map",
        "& .zoom-minimap canvas { visibility: hidden !important }",
    ),
    "how-far-back-weights-lie": ("no bars", "& rect { fill: transparent !important }"),
    "wide": ("no shadow where it is cut off", "& .matrix-frame::after { background: none !important }"),
}
"""One fault for an exhibit: what it is, and the rule that makes it (& is the exhibit)."""

REPLACE_RULES = """
(rules) => {
    window.faults ??= new CSSStyleSheet();
    window.faults.replaceSync(rules);
    if (!document.adoptedStyleSheets.includes(window.faults))
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, window.faults];
}
"""

OTHER_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <match target="pattern">
    <edit name="family" mode="assign" binding="strong"><string>monospace</string></edit>
  </match>
  <match target="pattern"><edit name="hinting" mode="assign"><bool>false</bool></edit></match>
  <match target="font"><edit name="hinting" mode="assign"><bool>false</bool></edit></match>
</fontconfig>
"""


@pytest.fixture
def open_gallery(open_walk, lettering, likeness):
    """Opens the gallery in a theme and a width, set in typefaces that every machine has."""

    def opened(theme, width=1400):
        page = open_walk(path="gallery", color_scheme=theme, viewport={"width": width, "height": 900}).page
        page.locator("figure.matrix").first.wait_for()
        likeness.arrange(page, lettering.typefaces())
        return page

    return opened


@pytest.mark.parametrize(("theme", "width"), [("light", 1400), ("dark", 1400), ("light", 375)])
def test_every_exhibit_looks_as_stored(open_gallery, likeness, theme, width):
    page = open_gallery(theme, width)
    new = {name: sight for name, sight in likeness.sights(page).items() if width > 1000 or name in NARROW}
    folder = f"{theme}-{width}"
    if RENEW:
        likeness.store(new, folder)
    stored = likeness.stored(folder)
    shutil.rmtree(LEFT / folder, ignore_errors=True)
    differences = []
    for name, sight in new.items():
        told = likeness.unlike(stored[name], sight) if name in stored else "has no stored picture"
        if told:
            likeness.leave(stored.get(name), sight, LEFT / folder, name)
            differences.append(f"{name} {told}")
    assert not differences, "\n".join(differences)
    assert sorted(stored) == sorted(new), "a stored picture has no exhibit any more"


def test_no_exhibit_is_empty(open_gallery, likeness):
    """A blank component would be stored as faithfully as any other."""
    page = open_gallery("light")
    assert len(likeness.places(page)) == page.locator(likeness.EXHIBITS).count(), "two exhibits have one name"
    empty = page.locator(".exhibit").evaluate_all(
        """(exhibits) => exhibits.filter((exhibit) => exhibit.getBoundingClientRect().height < 30
            || exhibit.children.length < 2).map((exhibit) => exhibit.dataset.exhibit)"""
    )
    assert empty == []


@pytest.mark.parametrize(("theme", "other"), [("light", "dark"), ("dark", "light")])
def test_faults_in_the_drawing_are_noticed(open_gallery, likeness, lettering, theme, other):
    page = open_gallery(theme)
    good = _stored_now(likeness, page)
    rules = [f'[data-picture="{exhibit}"] {{ {rule} }}' for exhibit, (_, rule) in FAULTS.items()]
    page.evaluate(REPLACE_RULES, "\n".join(rules).replace("OTHER", other))
    likeness.arrange(page, lettering.typefaces())
    faulty = likeness.sights(page)
    noticed = {name for name in good if likeness.unlike(good[name], faulty[name])}
    assert {name: fault for name, (fault, _) in FAULTS.items() if name not in noticed} == {}
    assert noticed == {*FAULTS, "the-page"}, "what has no fault is like itself"


def test_edges_that_fall_on_the_next_pixel_are_forgiven(open_gallery, likeness):
    page = open_gallery("dark")
    good = _stored_now(likeness, page)
    page.evaluate(REPLACE_RULES, ".exhibit > * { position: relative; left: 1px; top: -1px }")
    moved = likeness.sights(page)
    # The corner of a matrix that scrolls is drawn by itself, and its letters may go to another pixel than it does.
    others = good.keys() - {"wide"}
    assert [name for name in sorted(others) if likeness.unlike(good[name], moved[name])] == []


def test_the_fonts_of_a_machine_do_not_matter(open_gallery, launch, address, likeness, lettering, tmp_path):
    """Another Chromium, with other fonts, whose letters are not fitted to pixels."""
    good = _stored_now(likeness, open_gallery("light"))
    settings = tmp_path / "fonts.conf"
    settings.write_text(OTHER_FONTS)
    with launch({"FONTCONFIG_FILE": str(settings)}) as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(address + "gallery")
        page.locator("figure.matrix").first.wait_for()
        likeness.arrange(page, lettering.typefaces())
        elsewhere = likeness.sights(page)
    assert [name for name in good if likeness.unlike(good[name], elsewhere[name])] == []


def _stored_now(likeness, page):
    return {name: likeness.coarse(sight.picture) for name, sight in likeness.sights(page).items()}
