"""Pictures of the gallery, reduced to a quarter, and how two of them are compared.

What is stored is `pictures/<theme>-<width>/<exhibit>.png`, one point for every 4 × 4 pixels. A point counts as another
one only if no point of the other picture within one point of it (4 px) is like it: what moved by less than 4 px, as an
edge rounded to another pixel does, is forgiven, and so is a slightly different ink.
"""

import base64
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Page

STORED = Path(__file__).with_name("pictures")

REDUCTION = 4
"""Pixels of the page for one point of a picture, in each direction."""

TOLERANCE = 12
"""Steps of 255 in the worst of red, green and blue. The weakest mark, the hatching, makes 16; another Chromium makes 5."""

SPOTS = 3
"""Points that may be another one; the smallest mark, the corner of a changed cell, has four."""

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
        math { font-family: "Blocks Math" !important; }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    await Promise.all([...document.fonts].map((font) => font.load()));
    // On whole pixels, so that no exhibit is drawn otherwise because of what stands above it.
    for (const one of document.querySelectorAll(exhibits)) {
        const { x, y } = one.getBoundingClientRect();
        one.style.position = "relative";
        one.style.left = `${Math.round(x) - x}px`;
        one.style.top = `${Math.round(y + scrollY) - y - scrollY}px`;
    }
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
}
"""

PLACES = """
(exhibits) => [...document.querySelectorAll(exhibits)].map((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return [one.dataset.exhibit ?? one.className, x, y + scrollY, width, height];
})
"""


def arrange(page: Page, fonts: dict[str, bytes]) -> None:
    """Set the gallery in the typefaces of `lettering`, with every exhibit on whole pixels."""
    encoded = {family: base64.b64encode(data).decode() for family, data in fonts.items()}
    page.evaluate(ARRANGE, {"fonts": encoded, "exhibits": EXHIBITS})


def places(page: Page) -> dict[str, dict[str, float]]:
    """Where every exhibit is on the page, by its name in file names."""
    found = {}
    for name, x, y, width, height in page.evaluate(PLACES, EXHIBITS):
        found[_slug(name)] = {"x": round(x), "y": round(y), "width": round(width), "height": round(height)}
    return found


def pictures(page: Page) -> Iterator[tuple[str, Image.Image]]:
    """Every exhibit, cut out of one picture of the page, and the whole page at a quarter of their size."""
    whole = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
    for name, box in places(page).items():
        left, top = int(box["x"]), int(box["y"])
        yield name, _reduced(whole.crop((left, top, left + int(box["width"]), top + int(box["height"]))))
    yield "the-page", _reduced(_reduced(whole))


def picture(page: Page, name: str) -> Image.Image:
    """One exhibit as it is now, at the place where it is now."""
    box: Any = places(page)[name]
    return _reduced(Image.open(io.BytesIO(page.screenshot(full_page=True, clip=box))).convert("RGB"))


def _reduced(whole: Image.Image, factor: int = REDUCTION) -> Image.Image:
    return whole.reduce(factor)


def coarse(picture: Image.Image) -> Image.Image:
    """The picture as it is stored: every colour in the middle of its step."""
    return picture.point([value - value % COARSENESS + COARSENESS // 2 for value in range(256)] * 3)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.replace("−∞", "minus infinity").lower()).strip("-")


def otherness(stored: Image.Image, new: Image.Image) -> np.ndarray:
    """By how many steps each point is another one; on what both pictures cover."""
    height, width = min(stored.height, new.height), min(stored.width, new.width)
    one, two = (np.asarray(picture, dtype=np.int16)[:height, :width] for picture in (stored, new))
    return np.maximum(_outside(one, two), _outside(two, one)).max(axis=2)


def _outside(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """How far each point is outside the range that the nine points around its place span in the other picture."""
    around = np.pad(others, ((1, 1), (1, 1), (0, 0)), mode="edge")
    nine = np.lib.stride_tricks.sliding_window_view(around, (3, 3), axis=(0, 1))
    return np.maximum(np.maximum(nine.min(axis=(3, 4)) - points, points - nine.max(axis=(3, 4))), 0)


def unlike(stored: Image.Image, new: Image.Image) -> str:
    """One sentence on what differs, or nothing. The size may differ by one point."""
    if max(abs(stored.width - new.width), abs(stored.height - new.height)) > 1:
        return f"is {new.width} × {new.height} points, not {stored.width} × {stored.height}"
    steps = otherness(stored, new)
    spots = int((steps > TOLERANCE).sum())
    if spots <= SPOTS:
        return ""
    down, across = np.unravel_index(int(steps.argmax()), steps.shape)
    return (
        f"differs in {spots} points of {steps.size}, by up to {steps.max()} of 255 steps, "
        f"most at {across * REDUCTION}, {down * REDUCTION} px"
    )


def store(new: dict[str, Image.Image], folder: str) -> None:
    """Put these pictures, and no others, into a folder of the stored ones."""
    target = STORED / folder
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.png"):
        old.unlink()
    for name, picture in new.items():
        coarse(picture).save(target / f"{name}.png", optimize=True)


def leave(stored: Image.Image | None, new: Image.Image, folder: Path, name: str) -> None:
    """For whoever looks into a failure: the new picture, and the stored one with the points that differ in red."""
    folder.mkdir(parents=True, exist_ok=True)
    new.save(folder / f"{name}.png")
    if stored is None:
        return
    differing = np.zeros((stored.height, stored.width), dtype=bool)
    steps = otherness(stored, new)
    differing[: steps.shape[0], : steps.shape[1]] = steps > TOLERANCE
    marked = np.asarray(stored.convert("L").convert("RGB")).copy()
    marked[differing] = (255, 0, 0)
    Image.fromarray(marked).save(folder / f"{name}-difference.png")
