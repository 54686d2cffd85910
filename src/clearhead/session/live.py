"""A head that comes into being while a person watches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearhead.core.masks import mask_named
from clearhead.messages import Live
from clearhead.session.remembered import Remembered
from clearhead.session.view import View, flag, one_of, table, whole
from clearhead.sources.worked.training.induction import MOST_STEPS, InductionRun, Setting

RUNS_KEPT = 8
FORMED = 0.8
"""The score from which a head counts as one that looks back."""

FIELDS = ("layers", "positions", "mask", "scale", "seed")


def live(runs: Remembered[InductionRun], message: Mapping[str, Any]) -> View:
    """The model that the setting names, after `step` updates."""
    setting = _setting(message)
    wanted = whole(message, "step", 0, MOST_STEPS)
    run = runs.of(setting, lambda: InductionRun(setting))
    run.advance_to(wanted)
    place = max(place for place, measured in enumerate(run.measured) if measured <= wanted)
    shown, step = run.measured[place], min(wanted, run.step)
    scores = np.array(run.scores[: place + 1])
    best, heads = int(scores[-1].argmax()), scores.shape[1] // setting.layers
    data = Live(
        kind="live",
        step=step,
        finished=run.finished and step == run.step,
        steps_most=MOST_STEPS,
        tokens=[f"t{token}" for token in run.unseen[0].tokens],
        layers=setting.layers,
        heads=heads,
        maps=0,
        targets=list(run.unseen[0].looks),
        losses=1,
        scores=2,
        measured=run.measured[: place + 1],
        best=list(divmod(best, heads)),
        says=_says(setting, shown, float(scores[-1].max()), run),
    )
    return View(data, [_maps(setting, run.maps[place]), np.array(run.losses[:step]), scores])


def _maps(setting: Setting, weights: np.ndarray) -> np.ndarray:
    """The weights (layers · heads, query, key), with −1 where the mask hides them: that is no weight of 0."""
    place = np.arange(weights.shape[-1])
    return np.where(mask_named(setting.mask).allows(place[:, None], place), weights, -1.0)


def _setting(message: Mapping[str, Any]) -> Setting:
    given = table(message, "setting", FIELDS)
    return Setting(
        one_of(given, "layers", (1, 2)),
        one_of(given, "positions", ("rotary", "learned", "none")),
        one_of(given, "mask", ("causal", "none")),
        flag(given, "scale"),
        whole(given, "seed", 0, 2**31 - 1),
    )


def _says(setting: Setting, step: int, best: float, run: InductionRun) -> str:
    """What there is to see at this moment, in a sentence or two."""
    if run.stopped is not None:
        return f"Training stopped: {run.stopped}."
    if best >= FORMED:
        return (
            f"A head has formed: it puts {best:.0%} of its weight on the place after the earlier occurrence of the "
            "token it stands on, in sequences it was never trained on. It continues what it has seen before."
        )
    if step == 0:
        return (
            "Nothing is learned yet. In each sequence of random tokens one segment comes twice; inside the second copy "
            "the next token can be known, by looking back to what followed the first time."
        )
    waits = f"After {step} steps the head that looks back most puts {best:.0%} of its weight where it should."
    if step < MOST_STEPS // 2:
        return waits
    return f"{waits} {LACKS.get(_lacking(setting), '')}".strip()


def _lacking(setting: Setting) -> str:
    """Which of the four things that a head needs is missing, the first of them."""
    if setting.layers == 1:
        return "layers"
    if setting.positions == "none":
        return "positions"
    if setting.mask == "none":
        return "mask"
    return "scale" if not setting.scale else ""


LACKS = {
    "layers": (
        "With one layer it cannot form: to find the place after an earlier occurrence, a token has to know which one "
        "stood before it, and telling it that takes a layer of its own."
    ),
    "positions": (
        "Without positions no token can tell which one stood just before it (the causal mask lets it see only that "
        "something came earlier), so the first layer has nothing to hand on."
    ),
    "mask": (
        "Without the mask it is not needed: the next token stands in plain sight and is copied, so the loss falls to "
        "almost 0 and the model has learned nothing that it could use when the next token is not there yet."
    ),
    "scale": (
        "Without the division by √d_head the softmax starts out nearer to all or nothing; in as many steps the head "
        "did not form from any of the five seeds that were tried."
    ),
}
"""What was found with five seeds each: the best head stayed below 0.21, 0.24, 0.05 and 0.36."""
