"""Pictures of the gallery, reduced to a quarter, and how two of them are compared.

What is stored is `pictures/<theme>-<width>/<exhibit>.png`, one point for every 4 × 4 pixels. A new picture is reduced
nine times, moved by up to one pixel in each direction. A stored point must lie within what those nine make of it, give
or take the tolerance. So an edge that another Chromium rounds to the next pixel is forgiven, and a slightly different
ink; a line that came, went or moved further is not.
"""

import base64
import io
import itertools
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image
from playwright.sync_api import Page

STORED = Path(__file__).with_name("pictures")

REDUCTION = 4
"""Pixels of the page for one point of a picture, in each direction."""

TOLERANCE = 12
"""Steps of 255 in the worst of red, green and blue: storing takes 4, and the weakest mark, the hatching, makes 16."""

SPOTS = 3
"""Of 10,000 points or fewer, how many may be another one: fewer than a missing mark on one or two cells changes."""

COARSENESS = 8
"""Steps of 255 that are stored as one, so that the pictures stay small."""

EXHIBITS = ".exhibit, .gallery-head, .legends"

ARRANGE = """
async ({fonts, exhibits}) => {
    for (const [family, data] of Object.entries(fonts)) {
        const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
        for (const known of document.fonts) if (known.family.includes(family)) document.fonts.delete(known);
        document.fonts.add(new FontFace(family, bytes.buffer));
    }
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
        :root, .clearhead {
            --serif: "Blocks Serif" !important; --sans: "Blocks Sans" !important; --math: "Blocks Math" !important;
        }
        /* Widths as the font has them, whether or not the machine fits letters to its pixels. */
        .clearhead, .clearhead * { text-rendering: geometricPrecision !important; }
        math { font-family: "Blocks Math" !important; }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    await Promise.all([...document.fonts].map((font) => font.load()));
    // Pictures drawn by script have letters, too; fonts made of bytes are there at once, and no event says so.
    document.fonts.dispatchEvent(new Event("loadingdone"));
    // Such a picture may fit itself to its new letters in several frames, and move what stands below.
    for (let frame = 0; frame < 20; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
    for (const one of document.querySelectorAll(exhibits))
        one.dataset.picture = (one.dataset.exhibit ?? one.className).toLowerCase()
            .replace("−∞", "minus infinity").replaceAll(/[^a-z0-9]+/g, "-");
    // On whole pixels, so that no exhibit is drawn otherwise because of what stands above it.
    for (const one of document.querySelectorAll(exhibits)) {
        one.style.position = "relative";
        one.style.left = one.style.top = "0";
        const { x, y } = one.getBoundingClientRect();
        one.style.left = `${Math.round(x) - x}px`;
        one.style.top = `${Math.round(y + scrollY) - y - scrollY}px`;
    }
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
}
"""

PLACES = """
(exhibits) => [...document.querySelectorAll(exhibits)].map((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return [one.dataset.picture, x, y + scrollY, width, height];
})
"""


def arrange(page: Page, fonts: dict[str, bytes]) -> None:
    """Set the gallery in the typefaces of `lettering`, with every exhibit on whole pixels."""
    encoded = {family: base64.b64encode(data).decode() for family, data in fonts.items()}
    page.evaluate(ARRANGE, {"fonts": encoded, "exhibits": EXHIBITS})


def places(page: Page) -> dict[str, tuple[int, int, int, int]]:
    """Left, top, right and bottom of every exhibit on the page, by its name in file names."""
    found = {}
    for name, x, y, width, height in page.evaluate(PLACES, EXHIBITS):
        found[name] = (round(x), round(y), round(x) + round(width), round(y) + round(height))
    return found


class Sight(NamedTuple):
    """A picture as it is, and the least and most that a pixel more or less makes of each point."""

    picture: Image.Image
    least: np.ndarray
    most: np.ndarray


def sights(page: Page) -> dict[str, Sight]:
    """Every exhibit, cut out of one picture of the page, and the whole page at a quarter of their size."""
    whole = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
    found = {name: _sight(whole, box) for name, box in places(page).items()}
    smaller = whole.reduce(REDUCTION)
    return {**found, "the-page": _sight(smaller, (0, 0, *smaller.size))}


def _sight(whole: Image.Image, box: tuple[int, int, int, int]) -> Sight:
    left, top, right, bottom = box
    moved = [
        whole.crop((left + x, top + y, right + x, bottom + y)).reduce(REDUCTION)
        for x, y in [(0, 0), *itertools.product((-1, 0, 1), repeat=2)]
    ]
    points = np.stack([np.asarray(one, dtype=np.int16) for one in moved])
    return Sight(moved[0], points.min(axis=0), points.max(axis=0))


def coarse(picture: Image.Image) -> Image.Image:
    """The picture as it is stored: every colour in the middle of its step."""
    return picture.point([value - value % COARSENESS + COARSENESS // 2 for value in range(256)] * 3)


def unlike(known: Image.Image, new: Sight) -> str:
    """One sentence on what differs, or nothing. The size may differ by one point."""
    (width, height), (wide, high) = known.size, new.picture.size
    if max(abs(width - wide), abs(height - high)) > 1:
        return f"is {wide} × {high} points, not {width} × {height}"
    steps = _otherness(known, new)
    spots = int((steps > TOLERANCE).sum())
    if spots <= SPOTS * max(1, steps.size / 10_000):
        return ""
    down, across = np.unravel_index(int(steps.argmax()), steps.shape)
    return (
        f"differs in {spots} points of {steps.size}, by up to {steps.max()} of 255 steps, "
        f"most at point {across}, {down}"
    )


def _otherness(known: Image.Image, new: Sight) -> np.ndarray:
    """By how many steps each point is another one; on what both pictures cover."""
    height, width = min(known.height, new.picture.height), min(known.width, new.picture.width)
    points, least, most = (
        np.asarray(one, dtype=np.int16)[:height, :width] for one in (known, new.least, new.most)
    )
    return np.maximum(np.maximum(least - points, points - most), 0).max(axis=2)


def store(new: dict[str, Sight], folder: str) -> None:
    """Put these pictures, and no others, into a folder of the stored ones."""
    target = STORED / folder
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.png"):
        old.unlink()
    for name, sight in new.items():
        coarse(sight.picture).save(target / f"{name}.png", optimize=True)


def stored(folder: str) -> dict[str, Image.Image]:
    """The stored pictures of one theme and width, by exhibit."""
    files = (STORED / folder).glob("*.png")
    return {file.stem: Image.open(io.BytesIO(file.read_bytes())) for file in files}


def leave(known: Image.Image | None, new: Sight, folder: Path, name: str) -> None:
    """For whoever looks into a failure: the new picture, and the stored one with the points that differ in red."""
    folder.mkdir(parents=True, exist_ok=True)
    new.picture.save(folder / f"{name}.png")
    if known is None:
        return
    differing = np.zeros((known.height, known.width), dtype=bool)
    steps = _otherness(known, new)
    differing[: steps.shape[0], : steps.shape[1]] = steps > TOLERANCE
    marked = np.asarray(known.convert("L").convert("RGB")).copy()
    marked[differing] = (255, 0, 0)
    Image.fromarray(marked).save(folder / f"{name}-difference.png")
