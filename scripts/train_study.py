"""Train the study model, measure it, and write what ships: its weights and the measured table.

python scripts/train_study.py              write src/clearhead/sources/worked/study/weights.npz and measured.json
python scripts/train_study.py --out DIR    write them elsewhere

The first renews the tables of docs/study.md as well. Everything is fixed by seeds, and PyTorch computes on one thread,
so the same machine and version of PyTorch give the same files. Other processors add in another order: there the figures
differ a little, and a head may take up other work.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from clearhead.core.settings import Settings
from clearhead.sources.worked.study.language import Sentence, sentences, unseen
from clearhead.sources.worked.study.measure import HeldOut, quality
from clearhead.sources.worked.study.model import MEASURED, WEIGHTS, Model
from studying.alike import drift
from studying.failing import compared, saturated_start, without_mask, without_scaling
from studying.network import settings
from studying.page import renewed
from studying.table import claims, heads_at_work
from studying.training import Recipe, Trained, train

SEED = 2
SENTENCES, SENTENCES_SEED = 30_000, 1
HELD_OUT, HELD_OUT_SEED = 1009, 2
FEWER = 211
"""How many of the held-out sentences are used where every beginning of a sentence, or every step, needs a run."""

SEEDS_OF_PLAIN = (1, SEED, 3, 4, 5)
"""The seeds with which the trainings with and without scaling are compared, without the pressure."""

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "src" / "clearhead" / "sources" / "worked" / "study"
PAGE = ROOT / "docs" / "study.md"


def main() -> None:
    """Do it all, and say how it goes."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--out", type=Path, default=HOME, help="the folder to write to")
    options.add_argument("--seed", type=int, default=SEED, help=f"of the parameters and the batches ({SEED})")
    given = options.parse_args()
    torch.set_num_threads(1)
    began = time.perf_counter()
    seen = sentences(SENTENCES, SENTENCES_SEED)
    held_out = HeldOut.of(unseen(HELD_OUT, HELD_OUT_SEED, seen))
    recipe = Recipe()
    shipped = _trained("as it ships", seen, settings(), recipe, given.seed)
    unmasked = _trained("without the mask", seen, settings(mask=False), recipe, given.seed)
    plain = {
        scale: [
            _trained("without the pressure" + ("" if scale else " and scaling"), seen, settings(scale=scale),
                     recipe.unpressed(), seed)
            for seed in SEEDS_OF_PLAIN
        ]
        for scale in (True, False)
    }  # fmt: skip
    table = _measured(shipped, unmasked, plain, held_out, given.seed)
    table["trained"] = {
        "command": "python scripts/train_study.py", "seed": given.seed, "sentences": SENTENCES, "threads": 1,
        "recipe": vars(recipe), "torch": torch.__version__.split("+")[0], "machine": platform.machine(),
    }  # fmt: skip
    given.out.mkdir(parents=True, exist_ok=True)
    _write(given.out / WEIGHTS, _packed(shipped.models))
    _write(given.out / MEASURED, (json.dumps(table, indent=1, ensure_ascii=False) + "\n").encode())
    if given.out == HOME:
        _write(PAGE, renewed(PAGE.read_text("utf-8"), table).encode())
    print(f"written to {given.out} after {time.perf_counter() - began:.0f} s")


def _trained(name: str, seen: list[Sentence], how: Settings, recipe: Recipe, seed: int) -> Trained:
    print(f"training {name}, seed {seed} ...", flush=True)
    return train(seen, how, recipe, seed)


def _measured(
    shipped: Trained, unmasked: Trained, plain: dict[bool, list[Trained]], held_out: HeldOut, seed: int
) -> dict[str, Any]:
    """All that was found, as docs/study.md and the page show it."""
    models = shipped.models
    found, at_work = quality(models[-1], held_out), heads_at_work(models[-1], held_out)
    fewer = HeldOut.of(held_out.sentences[:FEWER])
    ends = {scale: [compared(each, held_out) for each in several] for scale, several in plain.items()}
    unpressed = plain[True][SEEDS_OF_PLAIN.index(SEED)].models[-1]
    return {
        "parameters": models[-1].size,
        "held_out": {"sentences": HELD_OUT, "seed": HELD_OUT_SEED, "seen": [SENTENCES, SENTENCES_SEED]},
        "accuracy": found.accuracy,
        "best_possible": found.best_accuracy,
        "loss": found.loss,
        "best_loss": found.best_loss,
        "shares": found.shares,
        "heads": at_work,
        "claims": claims(models[-1], held_out, at_work),
        "failures": [
            without_scaling(ends[True], ends[False]),
            saturated_start(fewer, seed),
            without_mask(compared(shipped, held_out), compared(unmasked, fewer)),
        ],
        "without the pressure": {
            **ends[True][SEEDS_OF_PLAIN.index(SEED)].as_row(),
            "heads": heads_at_work(unpressed, held_out),
        },
        "alike": drift(models[0], models[-1]),
        "history": [_point(model, fewer) for model in models],
    }


def _point(model: Model, held_out: HeldOut) -> dict[str, Any]:
    """How far the model was after some of its training."""
    found = quality(model, held_out)
    return {
        "step": model.step,
        "share": found.accuracy / found.best_accuracy,
        "loss": found.loss,
        "heads": [
            {"layer": head["layer"], "head": head["head"], **head["scores"]}
            for head in heads_at_work(model, held_out)
        ],
    }


def _packed(models: list[Model]) -> bytes:
    """The kept parameters as one .npz file: "5000/layer0.W_Q" and so on, "config" as JSON, and "steps"."""
    arrays: dict[str, Any] = {
        "config": np.array(json.dumps(models[-1].config)),
        "steps": np.array([model.step for model in models]),
    }
    for model in models:
        arrays |= {f"{model.step}/{name}": values for name, values in model.parameters.items()}
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _write(path: Path, content: bytes) -> None:
    """Write the whole file or nothing: a run that is stopped leaves the old one as it was."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
