"""What the overview of a layer takes, over torch's own attention on the same numbers, and over the floor.

The floor is what nothing can be faster than that looks at every weight once: the products of all visible pairs at the
speed of a large matrix product here, and one exponential for each. Then what a look afterwards takes: a row, a tile,
the largest weights of a row. All of it is timed in rounds in which the ways take turns.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from table import print_table

from clearhead.core.stream import head as stream
from clearhead.trace.capture import streamed
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import Named, Visible

HEADS, D_HEAD, WORDS = 12, 64, 50257

TARGETS = {8192: 1.25, 16384: 1.1, 32768: 1.1}
"""The ratios to stay under."""

LOOK = 2.0
"""Milliseconds that a look is to stay under at 16,384 tokens."""

WAYS = ("compiled", "NumPy arrays", "torch arrays")

SIDE = 256
"""Values along each side of a tile."""


def layer(tokens: int) -> Capture:
    """A causal layer of random numbers; words come as often as they do in language, so that many came before."""
    numbers = np.random.default_rng(tokens)
    query, key, value = numbers.standard_normal((3, 1, HEADS, tokens, D_HEAD), dtype=np.float32)
    share = 1 / np.arange(1, WORDS + 1)
    ids = numbers.choice(WORDS, tokens, p=share / share.sum())
    attention = Attention(
        query, key, value, np.zeros((1, tokens, HEADS, D_HEAD), np.float32), D_HEAD**-0.5,
        Visible(((Named("causal", tokens, tokens),),)), "sdpa",
    )  # fmt: skip
    text = tuple(Token(str(number), int(number), None, None) for number in ids)
    return Capture(
        (Layer("", 0, "layer", attention, "", "", ""),), {"": (text,)}, {"model": "random numbers"}
    )


@contextmanager
def going(way: str) -> Iterator[None]:
    """The pass goes one way while this lasts."""
    swept, asked = stream.compiled_ways, streamed.question_of

    def of_torch(*given: Any, **more: Any) -> Any:
        question = asked(*given, **more)
        query, key = (torch.from_numpy(one) for one in (question.query, question.key))
        return replace(question, query=query, key=key)

    try:
        if way != "compiled":
            stream.compiled_ways = lambda: None  # type: ignore[assignment]
        if way == "torch arrays":
            streamed.question_of = of_torch  # type: ignore[assignment]
        yield
    finally:
        stream.compiled_ways, streamed.question_of = swept, asked  # type: ignore[assignment]


def overview(capture: Capture, way: str, threads: int) -> None:
    """The overview of the layer with all statistics."""
    one = capture.layers[0]
    torch.set_num_threads(1)  # heads are what is shared out
    with going(way):
        streamed.layer_overview(one.attention, capture.positions(one), threads=threads)  # type: ignore[arg-type]


def sdpa(capture: Capture, threads: int) -> Callable[[], Any]:
    """Torch's attention on the same numbers."""
    attention: Any = capture.layers[0].attention
    given = [torch.from_numpy(one) for one in (attention.query, attention.key, attention.value)]

    def run() -> Any:
        torch.set_num_threads(threads)
        with torch.inference_mode():
            return torch.nn.functional.scaled_dot_product_attention(*given, is_causal=True)

    return run


def floor(tokens: int, threads: int) -> float:
    """Seconds that the products and exponentials of all visible pairs take at this machine's best."""
    torch.set_num_threads(threads)
    size, pairs = 2048, HEADS * tokens * (tokens + 1) / 2
    left, right, product = torch.rand(3, size, size)
    cells = torch.rand(1024 if threads == 1 else 1024 * threads, 256)  # what stays in the cache of each
    out = torch.empty_like(cells)
    multiplied = min(timed(lambda: torch.mm(left, right, out=product)) for _ in range(5))
    powers = min(timed(lambda: [torch.exp2(cells, out=out) for _ in range(20)]) for _ in range(5)) / 20
    return pairs * (D_HEAD * multiplied / size**3 + powers / cells.numel())


def timed(run: Callable[[], Any]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def compare(capture: Capture, tokens: int, threads: int, rounds: int, ways: list[str]) -> list[list[str]]:
    """Each way's time over the mean of the torch runs before and after it, and over the floor of the same round."""
    beside = sdpa(capture, threads)
    over: dict[str, list[tuple[float, float, float]]] = {way: [] for way in ("sdpa", *ways)}
    beside()
    for way in ways:
        overview(layer(2048), way, threads)  # compiles, and warms up
    for _ in range(rounds):
        least, before = floor(tokens, threads), timed(beside)
        over["sdpa"].append((1.0, before / least, before))
        for way in ways:
            here, after = timed(lambda way=way: overview(capture, way, threads)), timed(beside)  # type: ignore[misc]
            over[way].append((2 * here / (before + after), here / least, here))
            before = after
    rows = []
    for way, taken in over.items():
        ratios, floors, seconds = (sorted(one) for one in zip(*taken, strict=True))
        spread = "" if way == "sdpa" else f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
        wanted = TARGETS.get(tokens) if way == "compiled" else None
        rows.append([
            f"{tokens:,}", str(threads), way, f"{statistics.median(seconds):.2f} s",
            f"{statistics.median(ratios):.2f}", spread, f"{statistics.median(floors):.2f}",
            f"at most {wanted}" if wanted else "",
        ])  # fmt: skip
    return rows


def looks(capture: Capture, tokens: int, times: int) -> list[list[str]]:
    """What a look at the layer takes once its overview is there; at random places."""
    capture.overview()
    numbers = np.random.default_rng(7)

    def place(length: int) -> int:
        return int(numbers.integers(0, max(1, tokens - length)))

    def row() -> Callable[[], Any]:
        at = place(0)
        return lambda: capture.row(0, 3, at)

    def top() -> Callable[[], Any]:
        at = place(0)
        return lambda: capture.top(0, 3, at)

    def tile(step: int) -> Callable[[], Any]:
        column, query = sorted(place(SIDE * step) for _ in range(2))
        rows, columns = (slice(begin, begin + SIDE * step) for begin in (query, column))
        return lambda: capture.tile(0, 3, rows, columns, step=step)

    asked: dict[str, Callable[[], Callable[[], Any]]] = {
        "row": row,
        "last row": lambda: lambda: capture.row(0, 3, tokens - 1),
        "ten largest weights of a row": top,
        f"tile of {SIDE} × {SIDE} cells": lambda: tile(1),
        f"tile of {SIDE} × {SIDE} means of 4 × 4 cells": lambda: tile(4),
    }
    taken: dict[str, list[float]] = {name: [] for name in asked}
    for turn in range(times + 3):
        for name, made in asked.items():
            took = 1000 * timed(made())
            if turn >= 3:  # warm
                taken[name].append(took)
    rows = []
    for name, took in taken.items():
        slow = sorted(took)[min(len(took) - 1, int(0.95 * len(took)))]
        rows.append([f"{tokens:,}", name, f"{statistics.median(took):.2f} ms", f"{slow:.2f} ms"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tokens", type=int, nargs="*", default=[8192, 16384])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--ways", choices=WAYS, nargs="+", default=list(WAYS))
    parser.add_argument("--looks", type=int, default=100, help="how often each look is timed")
    asked = parser.parse_args()
    if stream.compiled_ways() is None and "compiled" in asked.ways:
        parser.error("Numba is not installed, so there is no compiled sweep; expected --ways without it")
    rows, seen = [], []
    for tokens in asked.tokens:
        capture = layer(tokens)
        for threads in asked.threads:
            rows += compare(capture, tokens, threads, asked.rounds, asked.ways)
        seen += looks(capture, tokens, asked.looks)
    print_table(["tokens", "threads", "way", "time", "/ sdpa", "of the rounds", "/ floor", "target"], rows)
    print()
    print_table(["tokens", "afterwards", "median", "95 in 100 within"], seen)
    print(f"\na look at 16,384 tokens: to stay under {LOOK:.0f} ms")


if __name__ == "__main__":
    main()
