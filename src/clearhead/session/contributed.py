"""How much each position added, and attention followed through the layers, for the Model part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearhead.lenses.contribution import CONTRIBUTION_IS, ROLLOUT_IS, contribution, rollout
from clearhead.messages import Rollout
from clearhead.session.modelstate import Chosen, chosen
from clearhead.session.view import View, sentence, whole
from clearhead.trace.capture.capture import Capture


def contributed(one: Chosen) -> tuple[np.ndarray | None, str]:
    """(query, key) how much each position added through this head, and what that is; None: why it is not known."""
    layer = one.layer
    try:
        found = contribution(one.capture, layer.number, one.head, batch=one.batch, tower=layer.tower)
    except ValueError as error:
        return None, sentence(str(error).split(": ", 1)[-1])
    return found, CONTRIBUTION_IS


def rolled_out(message: Mapping[str, Any], capture: Capture) -> View:
    """Where the attention of all layers leads from one position, or why it cannot be followed."""
    one = chosen(message, capture)
    attention = one.layer.attention
    assert attention is not None  # only such layers are chosen
    position = whole(message, "position", 0, attention.queries - 1)
    layers = [layer.label for layer in capture.attentions() if layer.tower == one.layer.tower]
    try:
        shares = rollout(capture, position, batch=one.batch, tower=one.layer.tower)
    except ValueError as error:
        why = sentence(str(error).split(": ", 1)[-1])
        return View(Rollout(kind="rollout", position=position, layers=layers, shares=None, caveat=why))
    data = Rollout(kind="rollout", position=position, layers=layers, shares=0, caveat=ROLLOUT_IS)
    return View(data, [shares])
