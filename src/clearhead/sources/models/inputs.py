"""What a person gives a model, as the model takes it, and the tokens of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from clearhead.sources.models.answers import answer_of
from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.fitting import fitting
from clearhead.sources.models.ids import check_ids, read_ids, vocabulary_of
from clearhead.sources.models.marked import marked
from clearhead.sources.models.numbered import numbered, side_of_padding
from clearhead.sources.models.pictures import through
from clearhead.sources.models.tokens import as_tokens, encode, read_tokens
from clearhead.sources.models.usable import accepts, device_of, dtype_of, takes_anything
from clearhead.trace.capture.arguments import argument, either
from clearhead.trace.capture.failing import refuse_empty
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
        answer: the person's text or texts for the decoder, or None.
        notes: what was done to make the inputs, as sentences.
        name: what the model was asked for by, or nothing.
    """

    inputs: dict[str, Any]
    text: Any
    tokens: tuple[Row, ...] = ()
    decoder: tuple[Row, ...] = ()
    answer: Any = None
    notes: tuple[str, ...] = ()
    name: str = ""

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
        return tuple(
            max((at for at, token in enumerate(row) if not token.padding), default=len(row) - 1)
            for row in self.answering
        )


@dataclass(frozen=True)
class Asked:
    """What a person asked for, as it came; see `clearhead.capture`."""

    tokenizer: Any = None
    text: Any = None
    decoder: Any = None
    tokens: Any = None
    inputs: Mapping[str, Any] | None = None
    images: Any = None
    processor: Any = None
    generate: int = 0
    name: str = ""
    notes: tuple[str, ...] = ()


def prepared(model: torch.nn.Module, asked: Asked) -> Given:
    """What the model is to be given, checked.

    Raises:
        CaptureError: it cannot be given this.
        ValueError: the text or the tokens are none; see `clearhead.sources.models.tokens`.
    """
    device = device_of(model)
    made = _own(asked.inputs, device)
    notes = asked.notes
    text = asked.text
    if asked.images is not None:
        made |= _placed(through(asked.processor, asked.images, _words(text), dtype_of(model)), device)
        text = None if "input_ids" in made else text
    rows = _rows(model, asked.tokenizer, text, made, side_of_padding(model, asked.generate))
    if _words(text) is not None:
        notes += numbered(model, made, asked.generate)
    if not made:
        expected = either("a text", "ids", argument("images"), argument("inputs"))
        raise CaptureError(f"text: nothing was given to the model; expected {expected}")
    answer, more = answer_of(model, asked.tokenizer, asked.decoder, made, asked.generate)
    rows = marked(model, _named(asked.tokens, rows, made))
    given = Given(made, _words(asked.text), rows, answer, _words(asked.decoder), notes + more, asked.name)
    return replace(given, notes=given.notes + fitting(model, given, asked.generate))


def _own(inputs: Mapping[str, Any] | None, device: torch.device) -> dict[str, Any]:
    """The person's own inputs, where the model is."""
    if inputs is not None and not isinstance(inputs, Mapping):
        raise CaptureError(
            f"inputs: expected the arguments of the model's forward by name, got {type(inputs).__name__}"
        )
    return _placed(inputs or {}, device)


def _placed(inputs: Mapping[str, Any], device: torch.device) -> dict[str, Any]:
    return {
        name: value.to(device) if isinstance(value, torch.Tensor) else value for name, value in inputs.items()
    }


def _words(text: Any) -> Any:
    """The text or the list of texts, or None if it is something else, such as ids."""
    several = isinstance(text, list | tuple) and bool(text) and all(isinstance(one, str) for one in text)
    return list(text) if several else text if isinstance(text, str) else None


def _rows(
    model: torch.nn.Module, tokenizer: Any, text: Any, made: dict[str, Any], side: str | None
) -> tuple[Row, ...]:
    """The tokens of the text; its ids and its mask are added to what the model is given."""
    device = device_of(model)
    if text is not None and "input_ids" in made:
        raise CaptureError("text: there are input_ids in inputs= already; expected one of the two")
    if isinstance(text, list | tuple) and not text:
        raise CaptureError("text: got an empty list; expected at least one text or token")
    if isinstance(text, str) or _words(text) is not None:
        for one in [text] if isinstance(text, str) else text:
            refuse_empty(one)
        encoded = encode(tokenizer, text, padding_side=side)
        made["input_ids"] = torch.from_numpy(encoded.ids).to(device)
        mask = torch.from_numpy(encoded.mask).to(device)
        if accepts(model, "attention_mask") or takes_anything(model):
            made["attention_mask"] = mask
        elif not bool(mask.all()):
            raise CaptureError(
                f"text: {type(model).__name__} takes no attention_mask, so it cannot be given texts of different "
                "lengths; expected one text"
            )
        check_ids(made["input_ids"], vocabulary_of(model), "text")
        return encoded.tokens
    if text is not None:
        made["input_ids"] = read_ids(text, "text", device)
        check_ids(made["input_ids"], vocabulary_of(model), "text")
    return rows_of(tokenizer, made, "input_ids", "attention_mask")


def rows_of(tokenizer: Any, made: Mapping[str, Any], name: str, mask_name: str) -> tuple[Row, ...]:
    """The tokens of ids that are among the inputs, those hidden by a plain mask as padding."""
    ids = made.get(name)
    if not isinstance(ids, torch.Tensor) or ids.ndim != 2:
        return ()
    masks = made.get(mask_name)
    if not isinstance(masks, torch.Tensor) or masks.shape != ids.shape:
        masks = torch.ones_like(ids)
    return tuple(read_tokens(tokenizer, row, mask=mask) for row, mask in zip(ids, masks.long(), strict=True))


def _named(tokens: Any, rows: tuple[Row, ...], made: Mapping[str, Any]) -> tuple[Row, ...]:
    """The rows under the person's own names: a list for the first sequence, or one for each."""
    embedded = made.get("inputs_embeds")
    if not rows and isinstance(embedded, torch.Tensor) and embedded.ndim == 3:
        plain = tuple(Token(f"#{at}", -1, None, None) for at in range(embedded.shape[1]))
        rows = (plain,) * embedded.shape[0]
    if tokens is None:
        return rows
    if not rows:
        raise CaptureError("tokens: this model is given no ids that could have names; expected no tokens=")
    lists: Sequence[Any] = [tokens]
    if isinstance(tokens, Sequence) and tokens and isinstance(tokens[0], list | tuple):
        lists = tokens
    if len(lists) > len(rows):
        raise CaptureError(f"tokens: {len(lists)} lists for {len(rows)} sequences; expected one for each")
    renamed = (
        tuple(
            replace(old, text=new.text)
            for old, new in zip(row, as_tokens(names, length=len(row)), strict=True)
        )
        for row, names in zip(rows, lists, strict=False)
    )
    return (*renamed, *rows[len(lists) :])
