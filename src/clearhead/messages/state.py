"""What a person has made of an example: everything a view is computed from."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from clearhead.messages.values import EditableMatrix, MaskFill, MaskName, PositionScheme


class Edit(TypedDict):
    """One entry that a person changed; the row is a word for E and an index for every other matrix."""

    matrix: EditableMatrix
    row: str | int
    column: int
    value: float


class State(TypedDict):
    """Everything a view is computed from: an example, and what a person changed of it."""

    example: str
    tokens: NotRequired[list[str]]
    rows: NotRequired[dict[str, list[float]]]
    edits: NotRequired[list[Edit]]
    mask: NotRequired[MaskName]
    mask_fill: NotRequired[MaskFill]
    scale: NotRequired[bool]
    heads: NotRequired[int]
    positions: NotRequired[PositionScheme]
    scale_embeddings: NotRequired[bool]
