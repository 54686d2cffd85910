"""How cost grows with the length of the text: time, memory and bytes, ours and the peers' as far as they go.

Every measurement is a process of its own with a limit on its memory and its time, and the table says which died of it.
The model has GPT-2 small's shape and random weights: 12 layers, and one layer of the same 12 heads for the lengths
where all would take too long. Finished measurements are kept in a file, so a run that was broken off goes on.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import long_text
import torch
from capture_cost import high_water, lens, shaped, sight, timed
from plot import plot

SIZES = (1024, 2048, 4096, 8192, 16384, 32768, 65536)

WHOLE = 16384
"""Up to this length the model has all of its layers."""

PEERS = {
    "transformers eager, all weights": "transformers",
    "TransformerLens, cache of everything": "transformer_lens",
    "nnsight, all weights": "nnsight",
    "BertViz head view": "bertviz",
}
"""What is measured beside ours, and the package that it needs."""

Told = dict[str, float]

QUANTITIES = {
    "seconds": ("Time", "in seconds", "{:.3g} s"),
    "peak": ("Peak memory of the process", "in MiB", "{:.0f} MiB"),
    "bytes": ("What is kept or handed out", "in bytes", "{:.3g}"),
}


def words(tokens: int) -> torch.Tensor:
    return torch.randint(50257, (1, tokens), generator=torch.Generator().manual_seed(7))


def plain(tokens: int, layers: int, folder: Path) -> Told:
    told = long_text.once("plain", tokens, layers, folder)
    return {"seconds": told["seconds"], "peak": told["peak"]}


def captured(tokens: int, layers: int, folder: Path) -> Told:
    """Capture alone, in memory, and the file that it is saved to."""
    from clearhead.sources.models.capture import capture

    model, path = shaped(tokens, layers), folder / "saved.safetensors"
    started = time.perf_counter()
    found = capture(model, None, words(tokens), below=False, force=True)
    told = {"seconds": time.perf_counter() - started, "peak": high_water()}
    saving = timed(lambda: found.save(path, below=False))
    return told | {"bytes": path.stat().st_size, "saving": saving}


def overview(tokens: int, layers: int, folder: Path) -> Told:
    """The overview of one layer of 12 heads that is captured already."""
    from overview_cost import layer

    found = layer(tokens)
    layer(600).overview()  # loads what it needs
    taken = timed(found.overview)
    made = found.overview_of(found.layers[0])
    return {"seconds": taken, "bytes": sum(held[...].nbytes for held in made.arrays().values())}


def looked(kind: str) -> Callable[[int, int, Path], Told]:
    def run(tokens: int, layers: int, folder: Path) -> Told:
        from overview_cost import layer

        found = layer(tokens)
        found.overview()
        half = tokens // 2
        if kind == "row":
            asked = lambda: found.row(0, 3, tokens - 1)  # noqa: E731
        else:
            asked = lambda: found.tile(0, 3, slice(half, half + 256), slice(half // 2, half // 2 + 256))  # noqa: E731
        return {"seconds": statistics.median(timed(asked) for _ in range(25)), "bytes": asked().nbytes}

    return run


def stored(tokens: int, layers: int, folder: Path) -> Told:
    """Capture and overview together, into a store."""
    return long_text.once("store", tokens, layers, folder)


def eager(tokens: int, layers: int, folder: Path) -> Told:
    model, kept = shaped(tokens, layers), []
    model.set_attn_implementation("eager")

    def run() -> None:
        with torch.no_grad():
            kept.extend(
                model(words(tokens), output_attentions=True, logits_to_keep=1, use_cache=False).attentions
            )

    return {"seconds": timed(run), "bytes": sum(one.nbytes for one in kept)}


def bertviz(tokens: int, layers: int, folder: Path) -> Told:
    from bertviz import head_view

    model, pages = shaped(tokens, layers), []
    model.set_attn_implementation("eager")

    def run() -> None:
        with torch.no_grad():
            found = model(words(tokens), output_attentions=True, logits_to_keep=1, use_cache=False)
        pages.append(head_view(found.attentions, [f"w{at}" for at in range(tokens)], html_action="return"))

    return {"seconds": timed(run), "bytes": len(pages[0].data.encode())}


def other(made: Callable[[torch.Tensor, int, int], Callable[[], Any]]) -> Callable[[int, int, Path], Told]:
    return lambda tokens, layers, folder: {"seconds": timed(made(words(tokens), tokens, layers))}


WAYS: dict[str, Callable[[int, int, Path], Told]] = {
    "plain forward": plain,
    "capture": captured,
    "capture, overview and store": stored,
    "overview of one layer": overview,
    "row": looked("row"),
    "tile of 256 × 256": looked("tile"),
    **dict(zip(PEERS, (eager, other(lens), other(sight), bertviz), strict=True)),
}


def once(way: str, tokens: int, layers: int, gigabytes: float) -> None:
    """Measure one thing in this process, and print it as JSON."""
    warnings.simplefilter("ignore")
    most = int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))  # what it writes to; not files that are mapped
    with tempfile.TemporaryDirectory() as folder:
        told = WAYS[way](tokens, layers, Path(folder))
    print(json.dumps({"peak": high_water()} | told))


def measured(way: str, tokens: int, layers: int, gigabytes: float, seconds: float) -> dict[str, Any]:
    """What a process of its own says, or how it ended."""
    if way in PEERS and not find_spec(PEERS[way]):
        return {"ended": "not installed"}
    asked = ["--only", way, "--layers", str(layers), "--gigabytes", str(gigabytes), str(tokens)]
    try:
        done = subprocess.run(
            [sys.executable, __file__, *asked], capture_output=True, text=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return {"ended": f"more than {seconds:.0f} s"}
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    said = (done.stderr.strip().splitlines() or [""])[-1]
    if done.returncode == -9 or "allocate memory" in done.stderr or "MemoryError" in done.stderr:
        return {"ended": "out of memory"}
    return {"ended": f"died ({said[:120] or done.returncode})"}


def measure(asked: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """All measurements, each kept as soon as it is there; a peer that died is not asked for more."""
    found: dict[str, dict[str, Any]] = {}
    if asked.results.exists():
        found = json.loads(asked.results.read_text())
    for way in asked.ways:
        died = 0
        for tokens in sorted(asked.tokens):
            key, layers = f"{way} @ {tokens}", asked.layers or (12 if tokens <= WHOLE else 1)
            if key not in found and layers != died:  # with fewer layers it may live again
                found[key] = measured(way, tokens, layers, asked.gigabytes, asked.seconds) | {
                    "layers": layers
                }
                asked.results.write_text(json.dumps(found, indent=1))
                print(f"{key}: {found[key]}", file=sys.stderr)
            if "ended" in found.get(key, {}):
                died = layers
    return found


def table(found: dict[str, dict[str, Any]], ways: list[str], sizes: list[int], quantity: str) -> str:
    """One quantity as a Markdown table."""
    title, _, form = QUANTITIES[quantity]
    lines = [f"### {title}", "", f"| tokens | {' | '.join(ways)} |", f"|{'---|' * (len(ways) + 1)}"]
    for tokens in sorted(sizes):
        one_layer = any(found.get(f"{way} @ {tokens}", {}).get("layers") == 1 for way in ways)
        cells = [f"{tokens:,}{' (one layer)' if one_layer else ''}"]
        for way in ways:
            told = found.get(f"{way} @ {tokens}", {})
            cells.append(told.get("ended") or (form.format(told[quantity]) if quantity in told else ""))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def picture(found: dict[str, dict[str, Any]], ways: list[str], sizes: list[int], quantity: str) -> str:
    title, unit, _ = QUANTITIES[quantity]
    lines: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    ended = {}
    for way in ways:
        for tokens in sorted(sizes):
            told = found.get(f"{way} @ {tokens}", {})
            if told.get(quantity):
                lines[way].append((tokens, told[quantity]))
            if "ended" in told:
                ended.setdefault(way, told["ended"])
    fewer = [tokens for tokens in sizes if found.get(f"{ways[0]} @ {tokens}", {}).get("layers") == 1]
    said = "tokens" if not fewer else "tokens, one layer"
    if fewer and min(fewer) > min(sizes):
        said += f" from {min(fewer):,} on"
    return plot(title, said, unit, lines, ended)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tokens", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--layers", type=int, help=f"of the model; 12 up to {WHOLE} tokens and 1 beyond")
    parser.add_argument("--gigabytes", type=float, default=16, help="of memory that a process may have")
    parser.add_argument("--seconds", type=float, default=1800, help="that a process may take")
    parser.add_argument(
        "--results", type=Path, default=Path("growth.json"), help="what is measured is kept here"
    )
    parser.add_argument("--svg", type=Path, help="a folder for the pictures")
    parser.add_argument("--only", choices=WAYS, help="measure this once, and print it as JSON")
    asked = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    if asked.only:
        once(asked.only, asked.tokens[0], asked.layers or 12, asked.gigabytes)
        return
    found = measure(asked)
    print("\n\n".join(table(found, asked.ways, asked.tokens, quantity) for quantity in QUANTITIES))
    for quantity in QUANTITIES if asked.svg else ():
        asked.svg.mkdir(exist_ok=True)
        there = [way for way in asked.ways if quantity in found.get(f"{way} @ {min(asked.tokens)}", {})]
        (asked.svg / f"growth-{quantity}.svg").write_text(picture(found, there, asked.tokens, quantity))


if __name__ == "__main__":
    main()
