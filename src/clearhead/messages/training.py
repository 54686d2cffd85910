"""Training as it can be watched: the example on its own sentence, and a head that comes into being."""

from __future__ import annotations

from typing import Literal, TypedDict

from clearhead.messages.state import State
from clearhead.messages.values import LivePositions, MaskName


class AskTraining(TypedDict):
    """What comes of training as the state's `training` says?"""

    ask: Literal["training"]
    state: State


class Training(TypedDict):
    """A whole training. `losses`, `points` and `cosines` are places in the reply's buffers.

    `losses` has one number for each step, and one before the first. At each step in `recorded`, `points` has (x, y) of
    each word and `cosines` the cosine of each pair of words. `explained` is the share of the spread along x and y.
    `stopped` says why it ended early.
    """

    kind: Literal["training"]
    words: list[str]
    losses: int
    recorded: list[int]
    points: int
    explained: list[float]
    cosines: int
    sentences: list[str]
    stopped: str | None


class AskRecording(TypedDict):
    """What was recorded of a person's own training, at the state's `step`, or at the last saved one before it?"""

    ask: Literal["recording"]
    state: State


class ParameterSize(TypedDict):
    """One parameter at a step: `size` is its root mean square, `moved` how far it is from the first saved step.

    The latter is the length of the difference over the length of what it was; both are null where they are not known.
    """

    name: str
    shape: list[int]
    size: float | None
    moved: float | None


class Recorded(TypedDict):
    """A recorded training at one of its saved steps.

    `losses` is a place in the reply's buffers: one for each update, of the parameters before it. `facts` are sentences
    on how it was made.
    """

    kind: Literal["recording"]
    title: str
    facts: list[str]
    losses: int
    saved: list[int]
    step: int
    parameters: list[ParameterSize]


class LiveSetting(TypedDict):
    """The small model that is trained while a person watches."""

    layers: Literal[1, 2]
    positions: LivePositions
    mask: MaskName
    scale: bool
    seed: int


class AskLive(TypedDict):
    """The small model after `step` updates; at 0 it has only been drawn at random."""

    ask: Literal["live"]
    setting: LiveSetting
    step: int


class Live(TypedDict):
    """A model in training. `maps`, `losses` and `scores` are places in the reply's buffers.

    `maps` has the weights (layers · heads, query, key) of one sequence that is not trained on, −1 where they are
    masked, `targets` the key where an induction head looks from each query (−1: nowhere), `scores` how much each head
    does so at the steps in `measured`, and `best` the layer and the head that do it most.
    """

    kind: Literal["live"]
    step: int
    finished: bool
    steps_most: int
    tokens: list[str]
    layers: int
    heads: int
    maps: int
    targets: list[int]
    losses: int
    scores: int
    measured: list[int]
    best: list[int]
    says: str
