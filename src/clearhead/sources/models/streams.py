"""Which tokens the positions of a layer are: the text's, the decoder's, patches of a picture, or places by number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from clearhead.sources.models.inputs import Given, Row
from clearhead.sources.models.marked import marked
from clearhead.sources.models.patches import patches_of
from clearhead.sources.models.running import Said
from clearhead.sources.models.tokens import read_tokens
from clearhead.sources.models.usable import setting
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.grid import Grid
from clearhead.trace.capture.token import Token

ELSEWHERE = ("vision", "visual", "image", "patch", "video", "audio", "speech", "perceiver", "qformer")
"""Parts of the names of modules that read something else than the text."""


class Streams:
    """The sequences of tokens of one run, by name.

    Attributes:
        texts: for each name the tokens of every sequence of the batch.
        grids: for each name of a picture's patches where they are.
        prompt: how many tokens were given before the model went on by itself.
    """

    def __init__(self, model: torch.nn.Module, tokenizer: Any, given: Given, said: Said) -> None:
        self._model, self._inputs = model, given.inputs
        self._pair = bool(setting(getattr(model, "config", None), "is_encoder_decoder"))
        self.prompt = given.length
        self.texts: dict[str, tuple[Row, ...]] = {}
        self.grids: dict[str, Grid] = {}
        if given.tokens:
            self.texts["encoder" if self._pair else "text"] = given.tokens
        if given.decoder:
            self.texts["decoder"] = given.decoder
        if said.ids is not None:
            before = given.decoder if self._pair else given.tokens
            if (
                embedded := bool(before) and before[0][0].id < 0
            ):  # the ids begin after what was given as vectors
                self.prompt = len(before[0])
            else:
                self.prompt = said.prompt
            spoken = tuple(_spoken(model, tokenizer, before, said, embedded))
            self.texts["decoder" if self._pair else "text"] = spoken

    def of(self, path: str, cross: bool, attention: Attention) -> tuple[str, str]:
        """The names of the sequences that a layer's queries and keys are."""
        own = ("decoder" if "decoder" in path else "encoder") if self._pair else "text"
        if any(part in path.lower() for part in ELSEWHERE):
            own = ""
        rows = self._fitting(own, (path,), attention.sequences, attention.queries)
        if not cross and attention.keys == attention.queries:
            return rows, rows
        if not cross:  # keys of a cache as well, or only its last ones
            return rows, self._fitting("", (), attention.sequences, attention.keys)
        # keys from elsewhere: of the encoder, or of any tower that has so many positions
        towers = [name for name, _ in self._model.named_children()]
        there = "encoder" if self._pair else ""
        return rows, self._fitting(there, (path, *towers), attention.sequences, attention.keys)

    def _fitting(self, name: str, paths: Sequence[str], sequences: int, length: int) -> str:
        """That name if its tokens fit, or one for patches or positions that have no tokens, made if need be."""
        there = self.texts.get(name, ())
        if len(there) == sequences and all(len(row) == length for row in there):
            return name
        of_pictures = (patches_of(self._model, path, self._inputs, length) for path in paths)
        if (found := next(filter(None, of_pictures), None)) is not None:
            self.grids[found.name] = found.grid
            return self._made(found.name, found.row, sequences)
        row = tuple(Token(f"#{place}", -1, None, None) for place in range(length))
        return self._made(f"{length} positions", row, sequences)

    def _made(self, name: str, row: Row, sequences: int) -> str:
        if len(self.texts.get(name, ())) < sequences:
            self.texts[name] = (row,) * sequences
        return name


def _spoken(model: Any, tokenizer: Any, before: tuple[Row, ...], said: Said, embedded: bool) -> Iterator[Row]:
    """The tokens of each sequence, with what the model went on with.

    A sequence that ended before the others of its batch is padding from its end mark on.
    """
    assert said.ids is not None  # it went on
    ends = setting(getattr(model, "generation_config", None), "eos_token_id")
    stops = set(ends if isinstance(ends, list) else [ends])
    for at, numbers in enumerate(said.ids.tolist()):
        row = marked(model, (read_tokens(tokenizer, numbers, mask=[1] * len(numbers)),))[0]
        own = before[at] if at < len(before) else ()
        given = len(own) if embedded else said.prompt
        if embedded or [token.id for token in own] == numbers[:given]:
            row = (*own, *(row if embedded else row[given:]))
        ended = next((place for place in range(given, len(row)) if row[place].id in stops), len(row))
        yield tuple(
            replace(token, padding=True) if place > ended else token for place, token in enumerate(row)
        )
