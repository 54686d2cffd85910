"""The study model: what was measured on it, and where each finding can be seen."""

from __future__ import annotations

from typing import Literal, TypedDict


class AskStudy(TypedDict):
    """What was found in the study model?"""

    ask: Literal["study"]


class StudyClaim(TypedDict):
    """What the text says a head learns, and what was found.

    `score` is how much the head does its job on `measured_on` held-out sentences; `drop` is what switching it off costs
    the predictions it serves, `drop_elsewhere` what it costs the others. `tokens` is a sentence to see it in, where
    `query` looks at `key`.
    """

    id: str
    says: str
    found: str
    held: bool
    layer: int
    head: int
    score: float
    measured_on: int
    drop: float
    drop_elsewhere: float
    tokens: list[str]
    query: int
    key: int


class StudyFailure(TypedDict):
    """The same model trained with something taken away."""

    id: str
    says: str
    found: str
    held: bool


class StudyPair(TypedDict):
    """Two words: whether they are used alike, and the cosine of their vectors before and after training."""

    words: list[str]
    alike: bool
    before: float
    after: float


class Study(TypedDict):
    """The study model and its findings; accuracies are shares of held-out next words.

    `kept` are the steps of its training at which its parameters were kept: a state of the example "study" can name one
    of them as its `step`.
    """

    kind: Literal["study"]
    vocabulary: list[str]
    sentences: list[list[str]]
    parameters: int
    trained: str
    accuracy: float
    best_possible: float
    held_out: int
    kept: list[int]
    claims: list[StudyClaim]
    failures: list[StudyFailure]
    alike: list[StudyPair]
