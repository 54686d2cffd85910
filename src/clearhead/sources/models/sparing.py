"""What a long run leaves out: the logits of all positions but the last, and the model's own cache."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from clearhead.sources.models.inputs import Given
from clearhead.sources.models.usable import accepts, dtype_of, setting

LONG = 2048
"""Tokens of a text up to which a model runs as it always does."""

MOST_BYTES = 2**30
"""Bytes of logits up to which it does."""

KEEP = "logits_to_keep"
"""How the models of transformers call the number of last positions whose logits they make."""

CACHE = "use_cache"
"""How they call it that keys and values are kept for a next pass."""


def sparing(model: torch.nn.Module, given: Given, generate: int) -> Given:
    """What a model is given, so that a single pass over a long text keeps no more than it needs, if it can be told so.

    It keeps no cache, which would hold the keys and values of all its layers, and makes the logits of the last position
    alone: only where that is the last token of each sequence, and nothing needs the others' (`labels`).
    """
    long = given.length > LONG or bytes_of_logits(model, given, generate) > MOST_BYTES
    if generate or not long:
        return given
    told: dict[str, Any] = {}
    notes = []
    # a pair may read otherwise without one (FSMT)
    pair = setting(getattr(model, "config", None), "is_encoder_decoder")
    if not pair and not given.inputs.keys() & {CACHE, "past_key_values"} and accepts(model, CACHE):
        told[CACHE] = False
        notes.append(f"it kept no cache ({CACHE}=False)")
    ends = all(place == given.length - 1 for place in given.last)
    if ends and KEEP not in given.inputs and "labels" not in given.inputs and accepts(model, KEEP):
        told[KEEP] = 1
        notes.append(f"it made the logits of the last of its {given.length} positions alone ({KEEP}=1)")
    if not told:
        return given
    note = f"as the text is long, {' and '.join(notes)}; what its attention computes is the same"
    return replace(given, inputs={**given.inputs, **told}, notes=(*given.notes, note))


def bytes_of_logits(model: torch.nn.Module, given: Given, generate: int) -> int:
    """The memory that the logits of the longest pass take; 0 for a model that makes none."""
    asked = given.inputs.get(KEEP)
    positions = asked if isinstance(asked, int) and asked > 0 else given.length
    if generate and accepts(model, KEEP):
        positions = 1  # `generate` asks for the last alone
    return words_of(model) * len(given.answering) * positions * dtype_of(model).itemsize


def words_of(model: torch.nn.Module) -> int:
    """The words of which a model says how likely each is; 0 where it does not."""
    head = getattr(model, "get_output_embeddings", None)
    try:
        if not callable(head) or head() is None:
            return 0
    except (AttributeError, NotImplementedError):
        return 0
    config: Any = getattr(model, "config", None)
    inner = getattr(config, "get_text_config", None)
    found = setting(config, "vocab_size") or setting(inner() if callable(inner) else config, "vocab_size")
    return int(found or 0)
