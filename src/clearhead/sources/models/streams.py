"""Which tokens the positions of a layer are: the text's, the decoder's, patches of a picture, or places by number."""

from __future__ import annotations

from typing import Any

import torch

from clearhead.sources.models.inputs import Given, Row
from clearhead.sources.models.tokens import read_tokens
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.token import Token


class Streams:
    """The sequences of tokens of one run, by name.

    Attributes:
        texts: for each name the tokens of every sequence of the batch.
        prompt: how many tokens were given before the model went on by itself.
    """

    def __init__(self, model: Any, tokenizer: Any, given: Given, ids: torch.Tensor | None) -> None:
        self._pair = bool(getattr(getattr(model, "config", None), "is_encoder_decoder", False))
        self.prompt = given.length
        self.texts: dict[str, tuple[Row, ...]] = {}
        if given.tokens:
            self.texts["encoder" if self._pair else "text"] = given.tokens
        if given.decoder:
            self.texts["decoder"] = given.decoder
        if ids is not None:
            # the last token that a model says is never read by it
            spoken = tuple(read_tokens(tokenizer, row[:-1]) for row in ids)
            self.texts["decoder" if self._pair else "text"] = spoken
            self.prompt = 1 if self._pair and not given.decoder else given.length

    def of(self, path: str, cross: bool, attention: Attention) -> tuple[str, str]:
        """The names of the sequences that a layer's queries and keys are."""
        own = ("decoder" if "decoder" in path else "encoder") if self._pair else "text"
        rows = self._fitting(own, path, attention.sequences, attention.queries)
        if not cross:
            return rows, rows
        return rows, self._fitting(
            "encoder" if self._pair else "", path + " keys", attention.sequences, attention.keys
        )

    def _fitting(self, name: str, path: str, sequences: int, length: int) -> str:
        """That name if its tokens fit, or one for positions that have no tokens, made if need be."""
        there = self.texts.get(name, ())
        if len(there) == sequences and all(len(row) == length for row in there):
            return name
        plain = f"{length} positions"
        if len(self.texts.get(plain, ())) < sequences:
            row = tuple(Token(f"#{place}", -1, None, None) for place in range(length))
            self.texts[plain] = (row,) * sequences
        return plain
