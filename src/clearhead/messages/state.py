"""What a person has made of an example: everything a view is computed from."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from clearhead.messages.values import (
    Activation,
    MaskFill,
    MaskName,
    Norm,
    NormPlace,
    Optimizer,
    PositionScheme,
)


class Edit(TypedDict):
    """One entry that a person changed of a parameter: "E", "W_1", or of several layers "layer1.W_Q".

    The row is a word for E and an index for every other parameter; a vector such as b_1 has its entries in column 0.
    """

    matrix: str
    row: str | int
    column: int
    value: float


class TrainingPlan(TypedDict):
    """How the example is trained on its own sentence."""

    optimizer: Optimizer
    learning_rate: float
    steps: int


class State(TypedDict):
    """Everything a view is computed from: an example, and what a person changed of it.

    With `training` and `step` the parameters are those after that many updates; step 0 is as they were given. The
    example "study" has a training of its own: there `step` alone names one of the steps that were kept of it.
    """

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
    norm: NotRequired[Norm]
    norm_place: NotRequired[NormPlace]
    activation: NotRequired[Activation]
    temperature: NotRequired[float]
    training: NotRequired[TrainingPlan]
    step: NotRequired[int]
