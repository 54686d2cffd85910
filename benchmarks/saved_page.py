"""Saved pages of all heads of a model: bytes, and seconds until one is drawn and until a chosen head is shown.

GPT-2 small's shape on random words and weights. Beside Clearhead's pages those of the same weights by BertViz,
CircuitsVis, Inspectus and attnview, written by another Python that has them (--peers):

    python3 -m venv peers
    peers/bin/pip install torch bertviz circuitsvis inspectus attnview ipython

One that is not installed is left out by name, and one that did not end at a length is not tried at a longer one. The
scripts that a page asks a network for are fetched by npm into a folder that goes away, and served from there.
"""

import argparse
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saved_pages.opening import Opened, opened
from saved_pages.others import ask, at_hand
from saved_pages.ours import EXACT, PICTURE, WEIGHTS, WORKED, captured, keep, save
from saved_pages.peer import Picture
from saved_pages.peers import PEERS
from saved_pages.scripts import fetched
from table import print_table

PATIENCE = 30
"""Seconds of openings after which a page is not opened again."""


class Measuring:
    """The pages of one length after another, and the rows of the table."""

    def __init__(
        self, asked: argparse.Namespace, tools: list[str], scripts: Mapping[str, Path], folder: Path
    ):
        self.asked, self.tools, self.scripts = asked, tools, scripts
        self.place, self.kept = folder / "page.html", folder / "weights.npz"
        self.rows: list[list[str]] = []

    def length(self, tokens: int) -> None:
        capture = captured(tokens)
        self.ours(capture, tokens)
        keep(capture, self.kept)
        for tool in list(self.tools):
            name, peer = f"{tokens} tokens, {PEERS[tool].name}", PEERS[tool]
            try:
                took = float(ask(self.asked.peers, tool, str(self.kept), str(self.place)))
            except OSError as error:
                ended = self.row([name, "", "", "", "did not end"], str(error))
            else:
                ended = self.page(name, took, peer.picture)
            if not ended:
                self.tools.remove(tool)

    def ours(self, capture: Any, tokens: int) -> None:
        if "ours" not in self.asked.only:
            return
        for way in (WEIGHTS, EXACT, WORKED)[: 3 if tokens <= self.asked.worked else 2]:
            began = time.process_time()  # what else the machine does then is no matter of ours
            save(capture, self.place, way)
            self.page(f"{tokens} tokens, {way.name}", time.process_time() - began, PICTURE)

    def page(self, name: str, took: float, picture: Picture) -> bool:
        """Open the page that lies there, and say whether it ended."""
        began, times = time.perf_counter(), list[Opened]()
        while len(times) < self.asked.rounds and time.perf_counter() - began < PATIENCE:
            times.append(opened(self.place, picture, self.scripts, self.asked.seconds))
            if times[-1].why:
                break
        drawn, answered = fastest([one.drawn for one in times]), fastest([one.answered for one in times])
        size = f"{self.place.stat().st_size / 1e6:.1f} MB"
        return self.row([name, size, drawn, answered, f"{took:.0f} s"], times[-1].why)

    def row(self, cells: list[str], why: str) -> bool:
        self.rows.append(cells)
        print("  ".join(cells), why, flush=True)
        return not why


def fastest(times: list[float | None]) -> str:
    ended = [seconds for seconds in times if seconds is not None]
    return f"{min(ended):.2f} s" if ended else "did not end"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokens", type=int, nargs="+", default=[64, 256, 512])
    parser.add_argument("--worked", type=int, default=256, help="up to so many tokens pages are worked, too")
    parser.add_argument("--rounds", type=int, default=3, help="how often a page is opened; the best counts")
    parser.add_argument("--seconds", type=float, default=120, help="after so many a page did not end")
    parser.add_argument("--peers", type=Path, help="a Python that has the other tools")
    parser.add_argument("--only", nargs="+", choices=["ours", *PEERS], default=["ours", *PEERS])
    asked = parser.parse_args()
    tools = at_hand(asked.peers, [tool for tool in PEERS if tool in asked.only])
    with tempfile.TemporaryDirectory() as folder:
        scripts = fetched([PEERS[tool] for tool in tools], Path(folder))
        measuring = Measuring(asked, tools, scripts, Path(folder))
        for tokens in asked.tokens:
            measuring.length(tokens)
    print_table(
        ["12 × 12 heads", "size", "drawn", "head shown", "written in (ours: processor time)"], measuring.rows
    )


if __name__ == "__main__":
    main()
