"""Saved pages of all heads of a model: bytes, and seconds until one is drawn and until a click is answered.

GPT-2 small's shape on random words and weights. Beside it BertViz's model view of the same weights, made by another
Python that has it (--peers) and opened with its scripts from a folder (--scripts: require.min.js, d3.min.js,
jquery.min.js) instead of the network; what is missing is left out, and said.
"""

import argparse
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from capture_cost import shaped
from page import chromium
from playwright.sync_api import Browser, Error, Page, Route
from table import print_table

LIMIT = 60
"""Seconds after which a page is said never to answer."""

MOST_OF_BERTVIZ = 256
"""Tokens up to which BertViz's page is made: beyond, it is a gigabyte that does not open."""

CLOCK = """
window.whenTrue = (name, condition) => {
    const look = () => condition()
        ? requestAnimationFrame(() => requestAnimationFrame(() => { window[name] = performance.now(); }))
        : requestAnimationFrame(look);
    look();
};
"""

BERTVIZ = """
import sys, numpy, torch
from bertviz import model_view
weights = [torch.from_numpy(layer)[None] for layer in numpy.load(sys.argv[1])]
words = [f" w{number}" for number in range(weights[0].shape[-1])]
page = model_view(weights, words, html_action="return").data
open(sys.argv[2], "w").write("<!doctype html><meta charset='utf-8'><body>" + page + "</body>")
"""

DRAWN = {
    "ours": "() => document.querySelector('.head-place .weight-map canvas')",
    "bertviz": "() => document.querySelectorAll('#vis svg, [id^=bertviz] svg').length > 0",
}
ANSWERED = {
    "ours": "() => document.querySelector('.model-head h3')?.textContent === 'Layer 5, head 7'",
    "bertviz": "() => document.querySelector('#vis .detail, [id^=bertviz] .detail')",
}
INSIDE = {"ours": {"x": 12, "y": 12}, "bertviz": {"x": 100, "y": 100}}
"""Where to click on what is clicked: of BertViz's page, which is one drawing, into one of its small maps."""


def captured(tokens: int) -> Any:
    """All heads on random words."""
    from clearhead.sources.models.capture import capture

    ids = torch.randint(50257, (1, tokens), generator=torch.Generator().manual_seed(7))
    names = [f" w{number}" for number in ids[0].tolist()]
    return capture(shaped(tokens), None, ids, tokens=names, force=True)


def weights_of_all(capture: Any) -> np.ndarray:
    """(layers, heads, queries, keys) float32."""
    from clearhead.trace.capture.recompute import weights_of

    layers = list(capture.attentions())
    return np.array(
        [[weights_of(layer.attention, 0, head) for head in range(layer.heads)] for layer in layers],
        np.float32,
    )


def from_folder(scripts: Path | None) -> Callable[[Route], None]:
    """Answers what a page asks of the network with a script of the same name."""

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2].partition("?")[0]
        if scripts is not None and (scripts / name).is_file():
            route.fulfill(path=scripts / name, content_type="text/javascript")
        else:
            route.abort()

    return answer


def opened(browser: Browser, place: Path, kind: str, scripts: Path | None) -> tuple[str, str]:
    """Seconds until it is drawn, and from a click to its answer."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.add_init_script(CLOCK)
    page.route(re.compile("^https?:"), from_folder(scripts))
    try:
        page.goto(place.as_uri(), wait_until="commit", timeout=LIMIT * 1000)
        drawn = noted(page, "drawn", DRAWN[kind])
        if kind == "bertviz":
            target = page.locator("#vis svg, [id^=bertviz] svg").first
        else:
            target = page.locator(".head-cell").nth(5 * 12 + 7)
        target.scroll_into_view_if_needed(timeout=LIMIT * 1000)
        before = page.evaluate("performance.now()")
        target.click(timeout=LIMIT * 1000, position=INSIDE[kind])
        answered = noted(page, "answered", ANSWERED[kind]) - before
    except Error:
        return ("never" if "drawn" not in locals() else f"{drawn / 1000:.2f} s"), "never"
    finally:
        context.close()
    return f"{drawn / 1000:.2f} s", f"{answered / 1000:.2f} s"


def noted(page: Page, name: str, condition: str) -> float:
    """The page's clock, two frames after something is true, in milliseconds."""
    page.evaluate(f"whenTrue({name!r}, {condition})")
    page.wait_for_function(f"() => window.{name} !== undefined", timeout=LIMIT * 1000)
    return float(page.evaluate(f"window.{name}"))


def bertviz(peers: Path, capture: Any, folder: Path) -> Path | None:
    """BertViz's page of the same weights; None where it cannot be made."""
    np.save(folder / "weights.npy", weights_of_all(capture))
    place = folder / "bertviz.html"
    done = subprocess.run(
        [str(peers), "-c", BERTVIZ, str(folder / "weights.npy"), str(place)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        print(f"BertViz is left out: {done.stderr.strip().splitlines()[-1]}")
        return None
    return place


def measure(browser: Browser, tokens: int, asked: argparse.Namespace, folder: Path) -> list[list[str]]:
    from clearhead import save_html

    capture = captured(tokens)
    rows = []
    kinds = [("weights only", False), ("worked", True)][: 1 if tokens > asked.worked else 2]
    for name, worked in kinds:
        began = time.perf_counter()
        saved = save_html(capture, folder / "page.html", worked=worked)
        took = time.perf_counter() - began
        drawn = min(opened(browser, saved.path, "ours", None) for _ in range(asked.rounds))
        rows.append([f"{tokens} tokens, {name}", f"{saved.size / 1e6:.2f} MB", *drawn, f"{took:.0f} s"])
        print(f"{tokens} tokens, {name}: {saved.says}")
    if asked.peers is None or tokens > MOST_OF_BERTVIZ:
        return rows
    place = bertviz(asked.peers, capture, folder)
    if place is not None:
        drawn = opened(browser, place, "bertviz", asked.scripts)
        rows.append([f"{tokens} tokens, BertViz", f"{place.stat().st_size / 1e6:.1f} MB", *drawn, ""])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, nargs="+", default=[64, 256, 512])
    parser.add_argument("--worked", type=int, default=256, help="up to so many tokens pages are worked, too")
    parser.add_argument(
        "--rounds", type=int, default=3, help="how often a page of ours is opened; the best counts"
    )
    parser.add_argument("--peers", type=Path, help="a Python that has BertViz")
    parser.add_argument("--scripts", type=Path, help="a folder with the scripts that BertViz's page asks for")
    asked = parser.parse_args()
    if asked.peers is None:
        print("BertViz is left out: no Python that has it was named (--peers)")
    rows = []
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        for tokens in asked.tokens:
            rows += measure(browser, tokens, asked, Path(folder))
    print_table(["12 × 12 heads", "size", "drawn", "click answered", "saved in"], rows)


if __name__ == "__main__":
    main()
