"""What the decoder of an encoder-decoder is given: the person's text, shifted by its start mark as in training."""

from __future__ import annotations

from collections.abc import MutableMapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.ids import read_ids
from clearhead.sources.models.tokens import encode, read_tokens
from clearhead.sources.models.usable import accepts, device_of, setting
from clearhead.trace.capture.arguments import argument, either
from clearhead.trace.capture.token import Token

Made = tuple[tuple[tuple[Token, ...], ...], tuple[str, ...]]
"""The tokens of each of the decoder's sequences, and notes."""


def answer_of(
    model: torch.nn.Module, tokenizer: Any, decoder: Any, made: MutableMapping[str, Any], generate: int
) -> Made:
    """The decoder's tokens; its ids are added to what the model is given.

    Raises:
        CaptureError: the model has no decoder, or it cannot be given this.
    """
    pair = bool(setting(getattr(model, "config", None), "is_encoder_decoder"))
    device = device_of(model)
    if decoder is not None:
        if not pair and not accepts(model, "decoder_input_ids"):
            raise CaptureError(
                f"decoder: {type(model).__name__} has no decoder beside an encoder; expected a text alone"
            )
        if "decoder_input_ids" in made:
            raise CaptureError(
                "decoder: there are decoder_input_ids in inputs= already; expected one of the two"
            )
        if not _is_text(decoder):
            made["decoder_input_ids"] = read_ids(decoder, "decoder", device)
            return _read(tokenizer, made), ()
        return _of_texts(model, tokenizer, decoder, made)
    if "decoder_input_ids" in made:
        return _read(tokenizer, made), ()
    bare = pair and not generate and accepts(model, "decoder_input_ids") and not _otherwise(made)
    if not bare:
        return (), ()
    start = start_of(model)
    count = next(value.shape[0] for value in made.values() if isinstance(value, torch.Tensor))
    made["decoder_input_ids"] = torch.full((count, 1), start, dtype=torch.int64, device=device)
    note = "no text for the decoder was given, so it was given its start mark alone"
    return _read(tokenizer, made), (note,)


def start_of(model: Any) -> int:
    """The id of the mark with which the decoder begins.

    Raises:
        CaptureError: the model's configuration names none.
    """
    places = (getattr(model, "generation_config", None), getattr(model, "config", None))
    for name in ("decoder_start_token_id", "bos_token_id"):
        for place in places:
            if (found := setting(place, name)) is not None:
                return int(found)
    raise CaptureError(
        "decoder: the model's configuration has no decoder_start_token_id; expected "
        f"{either('ids for the decoder', argument('generate'))}"
    )


def _otherwise(made: MutableMapping[str, Any]) -> bool:
    """Whether the decoder is given something else already."""
    return any(name in made for name in ("decoder_inputs_embeds", "labels"))


def _is_text(decoder: Any) -> bool:
    return isinstance(decoder, str) or (
        isinstance(decoder, list | tuple) and bool(decoder) and isinstance(decoder[0], str)
    )


def _read(tokenizer: Any, made: MutableMapping[str, Any]) -> tuple[tuple[Token, ...], ...]:
    ids = made["decoder_input_ids"]
    mask = made.get("decoder_attention_mask", torch.ones_like(ids))
    return tuple(read_tokens(tokenizer, row, mask=kept) for row, kept in zip(ids, mask, strict=True))


def _of_texts(model: torch.nn.Module, tokenizer: Any, decoder: Any, made: MutableMapping[str, Any]) -> Made:
    """Each text with the start mark before it and without its end mark, padded on the right."""
    start, device = start_of(model), device_of(model)
    texts = [decoder] if isinstance(decoder, str) else list(decoder)
    with _as_target(tokenizer):
        rows = [_shifted(encode(tokenizer, text).ids[0], start, tokenizer) for text in texts]
    longest = max(map(len, rows))
    ids, mask = (np.full((len(rows), longest), value, np.int64) for value in (_filler(tokenizer), 0))
    for at, row in enumerate(rows):
        ids[at, : len(row)], mask[at, : len(row)] = row, 1
    made["decoder_input_ids"] = torch.from_numpy(ids).to(device)
    if not mask.all():
        if not accepts(model, "decoder_attention_mask"):
            raise CaptureError(
                f"decoder: {type(model).__name__} takes no decoder_attention_mask; expected texts of one length"
            )
        made["decoder_attention_mask"] = torch.from_numpy(mask).to(device)
    listed = zip(ids, mask, rows, texts, strict=True)
    return tuple(_tokens(tokenizer, line, kept, row, text) for line, kept, row, text in listed), ()


def _shifted(row: np.ndarray, start: int, tokenizer: Any) -> np.ndarray:
    """As in training: the start mark, then the text up to its end mark, which is not read but said."""
    if len(row) > 1 and row[-1] == tokenizer.eos_token_id:
        row = row[:-1]
    return row if row[0] == start else np.concatenate([[start], row])


def _tokens(
    tokenizer: Any, ids: np.ndarray, mask: np.ndarray, row: np.ndarray, text: str
) -> tuple[Token, ...]:
    """With the places in the text, if what comes after the start mark is that text."""
    try:
        first = read_tokens(tokenizer, ids[:1])
        return (
            first + read_tokens(tokenizer, ids[1:], text, mask=mask[1:])
            if len(row) > 1
            else read_tokens(tokenizer, ids, mask=mask)
        )
    except ValueError:
        return read_tokens(tokenizer, ids, mask=mask)


def _filler(tokenizer: Any) -> int:
    return next(one for one in (tokenizer.pad_token_id, tokenizer.eos_token_id, 0) if one is not None)


@contextmanager
def _as_target(tokenizer: Any) -> Any:
    """Some tokenizers read the language that is translated into by another vocabulary."""
    switch = getattr(tokenizer, "_switch_to_target_mode", None)
    if switch is None:
        yield
        return
    switch()
    try:
        yield
    finally:
        tokenizer._switch_to_input_mode()
