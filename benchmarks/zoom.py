"""The deep zoom of a long text in headless Chromium: how soon it is there, how smoothly it moves, how soon a number is.

A capture of one layer of 12 heads on random numbers is kept as a store and opened by `clearhead model`; or one's own
is, with --capture. The mouse is the browser's own: it moves, presses and turns its wheel as a person's does.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from capture_cost import shaped
from page import chromium, running
from playwright.sync_api import Browser, CDPSession, Page
from table import print_table

WIDE, HIGH = 1280, 800

FIRST, SCREEN, FRAME, MEMORY = 500, 50, 1000 / 60, 200
"""Targets: ms to the first screen, ms until what is asked for is on the screen, ms of a frame, MB of the page."""

FRAMED = ".deep-zoom .zoom-frame"

CLOCK = """
(() => {
    const taken = { first: 0, frames: [], hovered: 0, tiles: [], sent: 0, asked: [] };
    window.taken = taken;
    // A task of the highest priority comes right after the layout and paint of the next frame.
    const afterFrame = (run) =>
        requestAnimationFrame(() => scheduler.postTask(run, { priority: 'user-blocking' }));
    // The first screen: the first time that the map is drawn with a picture in it.
    const seen = new WeakSet();
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function (source, ...rest) {
        if (source instanceof HTMLCanvasElement && this.canvas.closest('.zoom-frame') && !seen.has(source)) {
            seen.add(source);
            if (taken.first === 0) {
                taken.first = -1;
                afterFrame(() => { taken.first = performance.now(); });
            } else afterFrame(() => taken.tiles.push(performance.now()));
        }
        return draw.call(this, source, ...rest);
    };
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) {
        if (typeof data === 'string' && data.includes('"ask":"tile"')) taken.asked.push(performance.now());
        return send.call(this, data);
    };
    let from = 0;
    addEventListener('pointermove', (event) => { from = event.timeStamp; taken.hovered = 0; }, { capture: true });
    addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
        const text = document.querySelector('.zoom-readout .map-readout')?.textContent ?? '';
        if (taken.hovered === 0 && /: (weight|hidden)/.test(text)) {
            taken.hovered = -1;
            const began = from;
            afterFrame(() => { if (began === from) taken.hovered = performance.now() - began; });
        }
    }).observe(document.body, { childList: true, characterData: true, subtree: true }));
    window.watchFrames = () => {
        taken.frames = [];
        let before = 0, going = true;
        const next = (now) => {
            if (before > 0) taken.frames.push(now - before);
            before = now;
            if (going) requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
        window.unwatchFrames = () => { going = false; return taken.frames; };
    };
})();
"""


def made(tokens: int, folder: Path) -> Path:
    """A store with one layer of 12 heads."""
    from clearhead.sources.models.capture import capture

    ids = torch.randint(50257, (1, tokens), generator=torch.Generator().manual_seed(7))
    names = [f" w{number}" for number in ids[0].tolist()]
    capture(shaped(tokens, 1), None, ids, tokens=names, store=folder / "store", overview=True, force=True)
    return folder / "store"


def opened(browser: Browser, address: str) -> Page:
    """The page with the deep zoom of one head, drawn."""
    page = browser.new_context(viewport={"width": WIDE, "height": HIGH}).new_page()
    page.add_init_script(CLOCK)
    page.goto(f"{address}&block=0&head=3")
    page.wait_for_function("() => window.taken.first > 0", timeout=60_000)
    return page


def framed(page: Page) -> dict[str, float]:
    """Where the map is, once it is in sight."""
    page.locator(FRAMED).scroll_into_view_if_needed()
    box: Any = page.locator(FRAMED).bounding_box()
    return box


def inside(page: Page, numbers: random.Random) -> tuple[float, float]:
    """A place in the lower left half of the map, where a causal head sees something."""
    box = framed(page)
    left, top = 130, 100  # beside the labels
    across, down = sorted(numbers.random() for _ in range(2))
    return (
        box["x"] + left + across * (box["width"] - left - 20),
        box["y"] + top + down * (box["height"] - top - 20),
    )


def frames(page: Page, moving: Callable[[float], None], seconds: float) -> list[float]:
    """The times between frames while the mouse moves."""
    page.evaluate("window.watchFrames()")
    began = time.perf_counter()
    while (now := time.perf_counter() - began) < seconds:
        moving(now)
        time.sleep(0.008)
    return page.evaluate("window.unwatchFrames()")


def panned(page: Page, seconds: float) -> list[float]:
    """Dragging the map to and fro, where single cells are a few pixels."""
    begin(page, size=6)
    box = framed(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()

    def move(now: float) -> None:
        turn = abs(now % 2 - 1)  # 1 to 0 and back
        page.mouse.move(x + 320 * (turn - 0.5), y + 240 * (turn - 0.5))

    found = frames(page, move, seconds)
    page.mouse.up()
    return found


def zoomed(page: Page, seconds: float) -> list[float]:
    """The wheel from the whole map down to single cells and back."""
    begin(page)
    page.mouse.move(*inside(page, random.Random(3)))
    return frames(page, lambda now: page.mouse.wheel(0, -30 if now % 4 < 2 else 30), seconds)


def begin(page: Page, size: float = 0) -> None:
    """The whole map, or its middle from near; whatever it lacks has come."""
    page.locator(FRAMED).focus()
    page.keyboard.press("Home")
    if size:
        page.keyboard.press("End")
        for _ in range(3):  # from 48 pixels a cell to 6
            page.keyboard.press("-")
    rest(page)


def rest(page: Page) -> None:
    """Until nothing more comes."""
    page.wait_for_timeout(150)
    page.wait_for_function(
        "() => { const { asked, tiles } = window.taken, now = performance.now();"
        " return Math.max(0, ...asked, ...tiles) < now - 400; }"
    )


def hovered(page: Page, times: int) -> list[float]:
    """From a move of the mouse to the number of the cell under it."""
    begin(page)
    numbers, taken = random.Random(5), []
    for _ in range(times):
        page.mouse.move(*inside(page, numbers))
        page.wait_for_function("() => window.taken.hovered > 0", timeout=10_000)
        taken.append(page.evaluate("window.taken.hovered"))
    return taken


def tiled(page: Page, times: int) -> tuple[list[float], list[float]]:
    """From the question for tiles of a new place to the first of them on the screen, and to the last."""
    numbers, first, last = random.Random(11), [], []
    for _ in range(times):
        begin(page)
        page.mouse.click(*inside(page, numbers))  # the whole map: a click moves the cursor
        page.evaluate("window.taken.asked.length = window.taken.tiles.length = 0")
        page.locator(FRAMED).focus()
        page.keyboard.press("End")
        rest(page)
        taken = page.evaluate("window.taken")
        if taken["asked"] and taken["tiles"]:
            first.append(taken["tiles"][0] - taken["asked"][0])
            last.append(taken["tiles"][-1] - taken["asked"][0])
    return first, last


def memory(browser: Browser, page: Page) -> tuple[float, float]:
    """The script's heap after a collection, and the memory of the page's process beyond an empty page's, in MB."""
    session: CDPSession = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    sizes = renderers(browser)
    empty = browser.new_context().new_page()
    blank = [size for number, size in renderers(browser).items() if number not in sizes]
    empty.context.close()
    return metrics["JSHeapUsedSize"] / 1e6, max(sizes.values()) - min(blank, default=0)


def renderers(browser: Browser) -> dict[int, float]:
    """The resident memory of every renderer, in MB."""
    told = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    found = {}
    for one in told:
        if one["type"] == "renderer":
            status = Path(f"/proc/{one['id']}/status").read_text()
            found[int(one["id"])] = int(status.split("VmRSS:")[1].split()[0]) * 1024 / 1e6
    return found


def row(name: str, taken: Iterable[float], target: str, unit: str = "ms") -> list[str]:
    among = sorted(taken)
    if not among:
        return [name, "nothing to measure", "", "0", target]
    slow = among[min(len(among) - 1, int(0.95 * len(among)))]
    return [name, f"{statistics.median(among):.1f} {unit}", f"{slow:.1f} {unit}", str(len(among)), target]


def measure(address: str, asked: argparse.Namespace) -> list[list[str]]:
    rows, opening = [], []
    with chromium() as browser:
        for turn in range(asked.rounds + 1):
            page = opened(browser, address)
            if turn:  # the first one warms up
                opening.append(page.evaluate("window.taken.first"))
            if turn < asked.rounds:
                page.context.close()
        rows.append(row("from the address to the map on the screen", opening, f"under {FIRST} ms"))
        rest(page)
        rows.append(
            row("a frame while dragging", panned(page, asked.seconds), f"{FRAME:.1f} ms: 60 a second")
        )
        rows.append(row("a frame while zooming", zoomed(page, asked.seconds), f"{FRAME:.1f} ms"))
        rows.append(row("from the pointer to the number", hovered(page, asked.times), f"under {SCREEN} ms"))
        first, last = tiled(page, asked.times)
        rows.append(row("from asking for a tile to its picture", first, f"under {SCREEN} ms"))
        rows.append(row("to the last tile of the screen", last, ""))
        heap, process = memory(browser, page)
        rows.append(row("memory of the page: its script", [heap], f"under {MEMORY} MB", "MB"))
        rows.append(row("of its process, over an empty page's", [process], f"under {MEMORY} MB", "MB"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=16384)
    parser.add_argument("--capture", type=Path, help="a saved capture or store to open instead")
    parser.add_argument("--rounds", type=int, default=9, help="how often the page is opened")
    parser.add_argument("--seconds", type=float, default=5, help="of dragging, and of zooming")
    parser.add_argument("--times", type=int, default=30, help="how many cells and places are looked at")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        opens = asked.capture or made(asked.tokens, Path(folder))
        with running("model", str(opens)) as (address, _):
            rows = measure(address, asked)
    what = str(asked.capture) if asked.capture else f"{asked.tokens:,} tokens"
    print_table([f"{what}, {WIDE} × {HIGH}", "median", "95 in 100 within", "times", "target"], rows)


if __name__ == "__main__":
    main()
