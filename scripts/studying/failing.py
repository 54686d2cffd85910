"""The same model trained without the scaling, without the mask and without the pressure: what then goes wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from clearhead.core.settings import Settings
from clearhead.sources.study.measure import HeldOut, quality
from clearhead.sources.study.model import Model
from studying.network import as_config, fresh, settings
from studying.table import quality_in_use, sharpest
from studying.training import Trained, first_gradient

WIDTHS = (6, 24, 96)
"""Widths of a head for which the start of a training is compared with and without scaling."""

WITHIN = 0.1
"""A training has arrived when its loss is this near to the best possible."""


@dataclass(frozen=True)
class Compared:
    """One training beside the others, in numbers for the table."""

    accuracy: float
    share: float
    loss: float
    training_loss: float
    arrived: int | None

    def as_row(self) -> dict[str, Any]:
        """For the JSON file."""
        return dict(vars(self))


def compared(trained: Trained, held_out: HeldOut) -> Compared:
    """How the training ended, and after how many steps it had nearly arrived."""
    model = trained.models[-1]
    found = quality_in_use(model, held_out) if model.config["mask"] == "none" else quality(model, held_out)
    return Compared(
        accuracy=found.accuracy,
        share=found.accuracy / found.best_accuracy,
        loss=found.loss,
        training_loss=float(np.mean(trained.losses[-100:])),
        arrived=_arrived(trained.losses, found.best_loss + WITHIN),
    )


def _arrived(losses: list[float], enough: float) -> int | None:
    """The first step at which the mean loss of the 50 steps up to it is low enough."""
    smooth = np.convolve(losses, np.ones(50) / 50, "valid")
    return int(np.argmax(smooth <= enough)) + 50 if (smooth <= enough).any() else None


def at_the_start(held_out: HeldOut, seed: int) -> list[dict[str, float]]:
    """The first step of an untrained model, with and without scaling, for heads of several widths."""
    return [
        {"d_head": d_head, "scaled": scale, **_start(settings(scale=scale), held_out, seed, d_head)}
        for d_head in WIDTHS
        for scale in (True, False)
    ]


def _start(how: Settings, held_out: HeldOut, seed: int, d_head: int) -> dict[str, float]:
    parameters = fresh(how, seed, d_head)
    gradient = first_gradient(parameters, how, held_out.sentences)
    with torch.no_grad():
        arrays = {name: values.numpy() for name, values in parameters.items()}
    return {"largest weight": sharpest(Model(arrays, as_config(how), 0), held_out), "gradient": gradient}


def without_scaling(scaled: Compared, unscaled: Compared, starts: list[dict[str, float]]) -> dict[str, Any]:
    """The claim of the text beside what was found."""
    of = {(start["d_head"], bool(start["scaled"])): start for start in starts}
    narrow, wide = WIDTHS[0], WIDTHS[-1]
    held = unscaled.share < 0.95 or (unscaled.arrived or 10**6) >= 1.25 * (scaled.arrived or 10**6)
    return {
        "id": "no-scaling",
        "says": "Without 1/√d_head the softmax starts out saturated, and the model learns slowly or badly.",
        "found": (
            f"{'It did.' if held else 'Not in this model.'} "
            f"Accuracy {unscaled.share:.1%} of the best possible (with scaling {scaled.share:.1%}); "
            f"within {WITHIN} of the best loss after {unscaled.arrived} steps (with {scaled.arrived}). Before training "
            f"the largest weight is {_pair(of, narrow, 'largest weight')} on average with heads {narrow} wide and "
            f"{_pair(of, wide, 'largest weight')} with heads {wide} wide, and the gradient by W_Q and W_K "
            f"{_pair(of, narrow, 'gradient')} and {_pair(of, wide, 'gradient')} long (with → without scaling)."
        ),
        "held": held,
        "trained": unscaled.as_row(),
        "starts": starts,
    }


def _pair(of: dict[tuple[float, bool], dict[str, float]], width: int, what: str) -> str:
    return f"{of[width, True][what]:.2g} → {of[width, False][what]:.2g}"


def without_mask(masked: Compared, unmasked: Compared) -> dict[str, Any]:
    """The claim of the text beside what was found."""
    held = unmasked.training_loss < masked.training_loss / 2 and unmasked.share < 0.8
    return {
        "id": "no-mask",
        "says": "Without the mask the model copies the next word: nearly no training loss, and no use at predicting.",
        "found": (
            f"{'It did.' if held else 'Not as said.'} Training loss {unmasked.training_loss:.3f} (with the mask "
            f"{masked.training_loss:.3f}); given only the words so far, accuracy {unmasked.share:.1%} of the best "
            f"possible (with the mask {masked.share:.1%}) and loss {unmasked.loss:.2f} ({masked.loss:.2f})."
        ),
        "held": held,
        "trained": unmasked.as_row(),
    }
