"""Train the study model, measure it, and write what ships: its weights and the measured table.

python scripts/train_study.py              write src/clearhead/sources/study/weights.npz and measured.json
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

from clearhead.sources.study.language import sentences, unseen
from clearhead.sources.study.measure import HeldOut, quality
from clearhead.sources.study.model import MEASURED, WEIGHTS, Model
from studying.alike import drift
from studying.failing import at_the_start, compared, without_mask, without_scaling
from studying.network import settings
from studying.page import renewed
from studying.table import claims, heads_at_work
from studying.training import Recipe, Trained, train

SEED = 2
SENTENCES, SENTENCES_SEED = 30_000, 1
HELD_OUT, HELD_OUT_SEED = 1009, 2
FOR_THE_FAILING = 211
"""How many of the held-out sentences are used where every beginning of a sentence needs a run of its own."""

ROOT = Path(__file__).resolve().parent.parent
HOME, PAGE = ROOT / "src" / "clearhead" / "sources" / "study", ROOT / "docs" / "study.md"


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
    trainings = {}
    for name, how, pressed in [
        ("as it ships", settings(), recipe),
        ("without scaling", settings(scale=False), recipe),
        ("without the mask", settings(mask=False), recipe),
        ("without the pressure", settings(), recipe.unpressed()),
    ]:
        print(f"training {name} ...", flush=True)
        trainings[name] = train(seen, how, pressed, given.seed)
    table = _measured(trainings, held_out, given.seed)
    table["trained"] = {
        "command": "python scripts/train_study.py", "seed": given.seed, "sentences": SENTENCES, "threads": 1,
        "recipe": vars(recipe), "torch": torch.__version__.split("+")[0], "machine": platform.machine(),
    }  # fmt: skip
    given.out.mkdir(parents=True, exist_ok=True)
    _write(given.out / WEIGHTS, _packed(trainings["as it ships"].models))
    _write(given.out / MEASURED, (json.dumps(table, indent=1, ensure_ascii=False) + "\n").encode())
    if given.out == HOME:
        _write(PAGE, renewed(PAGE.read_text("utf-8"), table).encode())
    print(f"written to {given.out} after {time.perf_counter() - began:.0f} s")


def _measured(trainings: dict[str, Trained], held_out: HeldOut, seed: int) -> dict[str, Any]:
    """All that was found, as docs/study.md and the page show it."""
    models = trainings["as it ships"].models
    found, at_work = quality(models[-1], held_out), heads_at_work(models[-1], held_out)
    fewer = HeldOut.of(held_out.sentences[:FOR_THE_FAILING])
    whole = compared(trainings["as it ships"], held_out)
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
            without_scaling(
                whole, compared(trainings["without scaling"], held_out), at_the_start(fewer, seed)
            ),
            without_mask(whole, compared(trainings["without the mask"], fewer)),
        ],
        "without the pressure": {
            **compared(trainings["without the pressure"], held_out).as_row(),
            "heads": heads_at_work(trainings["without the pressure"].models[-1], held_out),
        },
        "alike": drift(models[0], models[-1]),
        "history": [
            {"step": model.step, "share": after.accuracy / after.best_accuracy, "loss": after.loss, **scored}
            for model in models
            for after in [quality(model, fewer)]
            for scored in [{"heads": [head["scores"] for head in heads_at_work(model, fewer)]}]
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
