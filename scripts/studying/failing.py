"""The same model trained without the scaling and without the mask: what then goes wrong, and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import torch

from clearhead.core.settings import Settings
from clearhead.sources.worked.study.measure import HeldOut, quality
from clearhead.sources.worked.study.model import Model, run
from studying.network import as_config, fresh, settings
from studying.table import quality_in_use
from studying.training import Trained, first_gradient

WIDTHS = (6, 24, 96)
"""Widths of a head for which the start of a training is compared with and without scaling."""

WITHIN = 0.1
"""A training has arrived when its loss is this near to the best possible."""

SLOWER = 1.25
"""How many times the steps count as slower."""


@dataclass(frozen=True)
class Compared:
    """One training beside the others, in numbers for the table.

    Attributes:
        accuracy: on held-out sentences, given only the words so far.
        share: that as a share of the best possible.
        loss: on the same.
        training_loss: the mean of the last hundred batches.
        arrived: the steps until the training loss was `WITHIN` of the best possible; None: never.
    """

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


def without_scaling(scaled: Sequence[Compared], unscaled: Sequence[Compared]) -> dict[str, Any]:
    """Whether the model learns more slowly or worse: over several seeds, with and without scaling."""
    usual, slow = _typical(scaled), _typical(unscaled)
    worst = min(each.share for each in unscaled)
    return {
        "id": "no-scaling",
        "says": "Without 1/√d_head the model learns more slowly, or not at all.",
        "found": (
            f"Within {WITHIN} nats of the best possible loss after {slow:.0f} steps, with scaling after {usual:.0f} "
            f"(medians of {len(scaled)} seeds; {_steps(unscaled)} and {_steps(scaled)}). But it does learn: in the "
            f"end the worst of them reaches {worst:.1%} of the best possible accuracy. Heads are only {WIDTHS[0]} "
            f"wide here."
        ),
        "held": slow >= SLOWER * usual or worst < 0.95,
        "trained": [each.as_row() for each in unscaled],
        "with scaling": [each.as_row() for each in scaled],
    }  # fmt: skip


def _typical(several: Sequence[Compared]) -> float:
    return median(float("inf") if each.arrived is None else each.arrived for each in several)


def _steps(several: Sequence[Compared]) -> str:
    return ", ".join("never" if each.arrived is None else str(each.arrived) for each in several)


def saturated_start(held_out: HeldOut, seed: int) -> dict[str, Any]:
    """Whether, before training, the softmax is saturated without scaling, and gradients are small because of it."""
    starts = [
        {"d_head": d_head, "scaled": scale, **_start(settings(scale=scale), held_out, seed, d_head)}
        for d_head in WIDTHS
        for scale in (True, False)
    ]
    of = {(start["d_head"], start["scaled"]): start for start in starts}

    def said(what: str) -> str:
        return ", ".join(f"{of[d, True][what]:.2f} → {of[d, False][what]:.2f}" for d in WIDTHS)

    return {
        "id": "saturated-start",
        "says": "Without 1/√d_head the softmax starts out saturated, and gradients are very small.",
        "found": (
            f"Before training, with → without scaling, for heads {', '.join(map(str, WIDTHS))} wide: the largest "
            f"weight is {said('largest')} on average, and what the softmax lets through, Σ w(1 − w), is "
            f"{said('through')}: it saturates, the more the wider the head. But the gradient by W_Q "
            f"and W_K is not small: its length is {said('gradient')}, for the scores are not divided either."
        ),
        "held": all(of[d, False]["gradient"] < of[d, True]["gradient"] for d in WIDTHS),
        "starts": starts,
    }


def _start(how: Settings, held_out: HeldOut, seed: int, d_head: int) -> dict[str, float]:
    parameters = fresh(how, seed, d_head)
    gradient = first_gradient(parameters, how, held_out.sentences)
    with torch.no_grad():
        arrays = {name: values.numpy() for name, values in parameters.items()}
    weights = run(Model(arrays, as_config(how), 0), held_out.sentences).weights
    counted = np.broadcast_to((held_out.said >= 0)[None, :, None], weights.shape[:-1])
    return {
        "largest": float(weights.max(-1)[counted].mean()),
        "through": float((weights * (1 - weights)).sum(-1)[counted].mean()),
        "gradient": gradient,
    }


def without_mask(masked: Compared, unmasked: Compared) -> dict[str, Any]:
    """Whether the model copies the word it should predict, and is of no use when that word is not there."""
    return {
        "id": "no-mask",
        "says": "Without the mask the model copies the next word: hardly any training loss, and no use at predicting.",
        "found": (
            f"Training loss {unmasked.training_loss:.1g} (with the mask {masked.training_loss:.2f}); given only the "
            f"words so far, accuracy {unmasked.share:.1%} of the best possible (with the mask {masked.share:.1%}) "
            f"and loss {unmasked.loss:.1f} ({masked.loss:.2f})."
        ),
        "held": unmasked.training_loss < masked.training_loss / 10 and unmasked.share < 0.5,
        "trained": unmasked.as_row(),
    }  # fmt: skip
