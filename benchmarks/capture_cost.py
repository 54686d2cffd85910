"""What a capture adds to a model's forward: time in pairs that take turns in one run, memory in processes of their own.

A model of GPT-2 small's shape with random weights reads a text of so many tokens on the sdpa kernel; beside it the
capture, the eager kernel with all weights handed out, and the tools that are installed (TransformerLens, nnsight).
"""

import argparse
import os
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

import torch
from table import print_table

TARGET = 1.05
"""The ratio to stay under at 1,024 tokens."""

WAYS = ("plain", "capture", "eager, weights handed out", "TransformerLens", "nnsight")


def shaped(tokens: int, layers: int = 12) -> Any:
    """GPT-2 small's shape: 12 layers, 12 heads, d_model 768, 50,257 words."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(3)
    return GPT2LMHeadModel(GPT2Config(n_positions=max(1024, tokens), n_layer=layers)).eval()


def ways(tokens: int, wanted: str) -> Callable[[], Any] | None:
    """One way of running the model, made ready; None if its tool is not installed."""
    ids = torch.randint(50257, (1, tokens), generator=torch.Generator().manual_seed(7))
    if wanted == "TransformerLens":
        return lens(ids, tokens) if find_spec("transformer_lens") else None
    if wanted == "nnsight":
        return sight(ids, tokens) if find_spec("nnsight") else None
    model = shaped(tokens)
    if wanted == "capture":
        from clearhead.sources.models.capture import capture

        return lambda: capture(model, None, ids)
    if wanted == "plain":
        return lambda: plain(model, ids)
    model.set_attn_implementation("eager")
    return lambda: plain(model, ids, output_attentions=True)


def plain(model: Any, ids: torch.Tensor, **more: Any) -> Any:
    with torch.no_grad():
        return model(ids, **more)


def lens(ids: torch.Tensor, tokens: int, layers: int = 12) -> Callable[[], Any]:
    """TransformerLens with its cache of everything."""
    from transformer_lens.model_bridge import TransformerBridge

    plain_model = shaped(tokens, layers)
    with tempfile.TemporaryDirectory() as folder:
        plain_model.config.save_pretrained(folder)
        model = TransformerBridge.boot_transformers(folder, hf_model=plain_model)

    def run() -> Any:
        with torch.no_grad():
            return model.run_with_cache(ids)

    return run


def sight(ids: torch.Tensor, tokens: int, layers: int = 12) -> Callable[[], Any]:
    """nnsight keeping every layer's weights on the eager kernel."""
    from nnsight import NNsight

    model = shaped(tokens, layers)
    model.set_attn_implementation("eager")
    watched = NNsight(model)

    def run() -> Any:
        kept: list[Any] = []
        with torch.no_grad(), watched.trace(ids):
            for layer in watched.transformer.h:
                kept.append(layer.attn.output[1].save())  # noqa: PERF401 (nnsight runs this block by itself)
        return kept

    return run


def paired(tokens: int, rounds: int, wanted: str) -> list[float] | None:
    """Ratios of one way's time over the plain forward's, which is run before and after it."""
    run, beside = ways(tokens, wanted), ways(tokens, "plain")
    if run is None:
        return None
    assert beside is not None
    ratios = []
    for number in range(-1, rounds):  # the first round warms up
        before, here, after = timed(beside), timed(run), timed(beside)
        if number >= 0:
            ratios.append(here / ((before + after) / 2))
    return ratios


def timed(run: Callable[[], Any]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def peak(tokens: int, wanted: str) -> float | None:
    """The peak memory of a process that does this once, in MiB."""
    asked = [sys.executable, __file__, "--only", wanted, "--tokens", str(tokens)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return float(done.stdout.split()[-1]) if done.returncode == 0 and done.stdout else None


def high_water() -> float:
    """This process's peak memory in MiB. (`getrusage` knows that of its parent, too.)"""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument(
        "--only", choices=WAYS, help="do this once and print the process's peak memory in MiB"
    )
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ["HF_HUB_OFFLINE"] = "1"
    if asked.only:
        run = ways(asked.tokens, asked.only)
        if run is None:
            sys.exit(f"{asked.only} is not installed")
        kept = run()
        print(high_water())
        del kept
        return
    compare(asked.tokens, asked.rounds)


def compare(tokens: int, rounds: int) -> None:
    operands = 12 * tokens * 768 * 4 * 4 / 2**20
    alone, rows = peak(tokens, "plain"), []
    assert alone is not None
    for wanted in WAYS[1:]:
        try:
            ratios = paired(tokens, rounds, wanted)
        except Exception as error:  # another tool's own fault is a row of the table
            rows.append([wanted, type(error).__name__, "", ""])
            continue
        if ratios is None:
            rows.append([wanted, "not installed", "", ""])
            continue
        ratios.sort()
        took, held = statistics.median(ratios), peak(tokens, wanted)
        more = "failed" if held is None else f"{held - alone:+.0f} MiB"
        rows.append([wanted, f"{took:.3f}", f"{ratios[0]:.3f} to {ratios[-1]:.3f}", more])
    print_table([f"{tokens} tokens, over the plain forward", "time", "of the rounds", "peak memory"], rows)
    print(f"\nplain forward: {alone:.0f} MiB; Q, K, V and output of all layers: {operands:.0f} MiB")
    print(f"capture / plain: {rows[0][1]} (to stay under {TARGET})")


if __name__ == "__main__":
    main()
