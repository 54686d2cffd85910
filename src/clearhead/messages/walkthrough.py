"""The view of a whole walkthrough."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from clearhead.messages.explanation import MathML
from clearhead.messages.values import (
    Activation,
    ColourScale,
    MaskFill,
    MaskName,
    Norm,
    NormPlace,
    PositionScheme,
)


class ExampleTitle(TypedDict):
    """The example a walkthrough is of."""

    name: str
    title: str
    look_for: str


class Settings(TypedDict):
    """The switches as they stand, and what they can be set to.

    Without a feed-forward network `activation_choices` is empty; `predicts` says whether the model goes on to the next
    word, which is where a temperature has a meaning.
    """

    heads: int
    head_choices: list[int]
    mask: MaskName
    mask_fill: MaskFill
    scale: bool
    positions: PositionScheme
    position_choices: list[PositionScheme]
    scale_embeddings: bool
    d_model: int
    d_head: int
    norm: Norm
    norm_place: NormPlace
    activation: Activation
    activation_choices: list[Activation]
    temperature: float
    predicts: bool


class Fold(TypedDict):
    """Which places of a long axis are sent: `places` of `of`, in order; `says` why these, in words.

    Rows and columns of what is sent belong to these places, and a cell is asked for by them.
    """

    places: list[int]
    of: int
    says: str


class Quantity(TypedDict):
    """One named array of the computation; `values`, `difference` and `forbidden` are places in the reply's buffers.

    `latex` is its name. `shape` is that of the values that are sent. With `folds`, one for each axis, some of them are
    parts of longer ones.
    """

    name: str
    latex: str
    axes: list[str]
    shape: list[int]
    values: int
    difference: NotRequired[int]
    reshaped: NotRequired[bool]
    operation: str
    inputs: list[str]
    formula: MathML | None
    editable: bool
    says: str
    scale: ColourScale
    forbidden: NotRequired[int]
    folds: NotRequired[list[Fold | None]]


class Aside(TypedDict):
    """A question beside a stop."""

    id: str
    title: str
    text: list[str]
    quantities: list[str]


class Stop(TypedDict):
    """One step of the walkthrough."""

    id: str
    title: str
    short: str
    text: list[str]
    formulas: list[MathML]
    quantities: list[str]
    asides: NotRequired[list[Aside]]


class Walkthrough(TypedDict):
    """The walkthrough of one sentence through one layer: its quantities and those that belong to no layer."""

    kind: Literal["walkthrough"]
    example: ExampleTitle
    tokens: list[str]
    vocabulary: list[str]
    layers: int
    layer: int
    settings: Settings
    quantities: list[Quantity]
    stops: list[Stop]
    notices: list[str]
