"""What a person gives a model, as the model takes it, and the tokens of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.tokens import as_tokens, encode, read_tokens
from clearhead.trace.capture.token import Token

Row = tuple[Token, ...]


@dataclass(frozen=True)
class Given:
    """What one run of a model is given.

    Attributes:
        inputs: the arguments of the model's forward.
        text: the person's text or texts, or None.
        tokens: of `input_ids`, for each sequence; empty if there are none.
        decoder: of `decoder_input_ids`.
    """

    inputs: dict[str, Any]
    text: Any
    tokens: tuple[Row, ...] = ()
    decoder: tuple[Row, ...] = ()

    @property
    def answering(self) -> tuple[Row, ...]:
        """The tokens that the model goes on after."""
        return self.decoder or self.tokens

    @property
    def length(self) -> int:
        """Positions of what the model goes on after."""
        return len(self.answering[0]) if self.answering else 0

    @property
    def last(self) -> tuple[int, ...]:
        """The last position of each sequence that is not padding."""
        return tuple(max(at for at, token in enumerate(row) if not token.padding) for row in self.answering)

    def word(self, tokenizer: Any, number: int) -> str:
        """How a token is shown that has no place in a text."""
        return read_tokens(tokenizer, [number])[0].text


def prepared(
    model: Any,
    tokenizer: Any,
    text: Any,
    decoder: Any,
    tokens: Sequence[str] | None,
    inputs: Mapping[str, Any] | None,
) -> Given:
    """What the model is to be given, checked.

    Raises:
        CaptureError: it cannot be given this.
    """
    device = next(model.parameters()).device
    made = {
        name: value.to(device) if isinstance(value, torch.Tensor) else value
        for name, value in (inputs or {}).items()
    }
    rows = _rows(tokenizer, text, made, "input_ids", "attention_mask", device)
    answer = _rows(tokenizer, decoder, made, "decoder_input_ids", "decoder_attention_mask", device)
    if not made:
        raise CaptureError("text: nothing was given to the model; expected a text, ids, or inputs=")
    if tokens is not None and rows:
        rows = (as_tokens(tokens, [token.id for token in rows[0]]), *rows[1:])
    return Given(made, text if isinstance(text, str | list) else None, rows, answer)


def _rows(
    tokenizer: Any, text: Any, made: dict[str, Any], name: str, mask_name: str, device: torch.device
) -> tuple[Row, ...]:
    """The tokens of one stream of text; its ids and mask are added to what the model is given."""
    if isinstance(text, str) or (isinstance(text, list | tuple) and text and isinstance(text[0], str)):
        encoded = encode(tokenizer, text)
        made[name] = torch.from_numpy(encoded.ids).to(device)
        if not encoded.mask.all() or name == "input_ids":
            made[mask_name] = torch.from_numpy(encoded.mask).to(device)
        return encoded.tokens
    if text is not None:
        ids = torch.as_tensor(text, device=device)
        made[name] = ids[None] if ids.ndim == 1 else ids
    if name not in made:
        return ()
    masks = made.get(mask_name, torch.ones_like(made[name]))
    return tuple(read_tokens(tokenizer, row, mask=mask) for row, mask in zip(made[name], masks, strict=True))
