"""A long text read by a model with capture, overview and store, over the same model's plain forward.

Every run is a process of its own, and the two ways take turns: a plain run before and after each. Both keep the logits
of the last position alone. The peak memory above the plain run's is set against what may be held at a time: queries,
keys, values and output of one layer, and 64 MB.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from capture_cost import high_water, shaped
from table import print_table

TARGET = 2.0
"""The ratio to stay under at 16,384 tokens."""

WARM = 600
"""Tokens of the run that warms up: a text of 512 or fewer is worked out in float64, by other code."""

WAYS = ("plain", "store")


def read(wanted: str, model: Any, ids: torch.Tensor, folder: Path) -> None:
    """One run of the model."""
    if wanted == "plain":
        with torch.no_grad():
            model(ids, logits_to_keep=1, use_cache=False)
        return
    from clearhead.sources.models.capture import capture

    capture(model, None, ids, inputs={"logits_to_keep": 1}, store=folder, overview=True, force=True)


def resident() -> float:
    """This process's memory now, in MiB."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def once(wanted: str, tokens: int, layers: int, folder: Path) -> dict[str, float]:
    """Seconds of one run, this process's peak memory and what loading took of it in MiB, and the bytes of the store."""
    model = shaped(max(tokens, WARM), layers)
    ids = torch.randint(50257, (1, max(tokens, WARM)), generator=torch.Generator().manual_seed(7))
    before = resident()
    read(wanted, model, ids[:, :WARM], folder / "warm")
    loaded = resident() - before
    started = time.perf_counter()
    read(wanted, model, ids[:, :tokens], folder / "store")
    seconds = time.perf_counter() - started
    kept = sum(file.stat().st_size for file in folder.glob("store/*"))
    return {"seconds": seconds, "peak": high_water(), "bytes": kept, "loaded": loaded}


def alone(wanted: str, tokens: int, layers: int) -> dict[str, float]:
    """The same in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        asked = ["--only", wanted, "--folder", folder, "--tokens", str(tokens), "--layers", str(layers)]
        done = subprocess.run([sys.executable, __file__, *asked], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{wanted}, {tokens} tokens: ended with {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(tokens: int, layers: int, rounds: int) -> None:
    operands = 4 * tokens * 768 * 4 / 2**20
    ratios, more, plain, stored = [], [], [alone("plain", tokens, layers)], []
    for _ in range(rounds):
        stored.append(alone("store", tokens, layers))
        plain.append(alone("plain", tokens, layers))
        beside = plain[-2:]
        ratios.append(2 * stored[-1]["seconds"] / sum(one["seconds"] for one in beside))
        more.append(stored[-1]["peak"] - max(one["peak"] for one in beside))
    head = [f"{tokens:,} tokens, {layers} layers of 12 heads", "time", "peak memory", "bytes on disk"]
    rows = [
        [
            name,
            f"{statistics.median(one['seconds'] for one in taken):.1f} s",
            f"{statistics.median(one['peak'] for one in taken):.0f} MiB",
            f"{taken[0]['bytes'] / 1e6:.0f} MB" if taken[0]["bytes"] else "",
        ]
        for name, taken in (("plain forward", plain), ("capture, overview and store", stored))
    ]
    print_table(head, rows)
    spread = f"rounds {min(ratios):.2f} to {max(ratios):.2f}"
    print(
        f"\ntime over the plain forward: {statistics.median(ratios):.2f} ({spread}; to stay under {TARGET} at 16,384)"
    )
    allowed = operands + 64e6 / 2**20
    print(
        f"peak memory above it: {statistics.median(more):+.0f} MiB "
        f"(rounds {min(more):+.0f} to {max(more):+.0f}; to stay under one layer's {operands:.0f} MiB "
        f"and 64 MB: {allowed:.0f} MiB)"
    )
    loaded = [statistics.median(one["loaded"] for one in taken) for taken in (plain, stored)]
    code = loaded[1] - loaded[0]
    print(
        f"without what Clearhead and Numba take by being loaded (about {code:.0f} MiB): "
        f"{statistics.median(more) - code:+.0f} MiB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=WAYS, help="do this once and print what it took, as JSON")
    parser.add_argument("--folder", type=Path, help="with --only: where the store goes")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ["HF_HUB_OFFLINE"] = "1"
    if asked.only is None:
        compare(asked.tokens, asked.layers, asked.rounds)
        return
    if asked.folder is None:
        parser.error("--only goes with --folder")
    print(json.dumps(once(asked.only, asked.tokens, asked.layers, asked.folder)))


if __name__ == "__main__":
    main()
