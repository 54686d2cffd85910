"""The messages that can be asked, and the smaller answers."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from clearhead.messages.explanation import Explanation
from clearhead.messages.model import (
    AskHead,
    AskHeadWalk,
    AskModel,
    AskModels,
    AskRollout,
    Head,
    HeadWalk,
    Model,
    Models,
    ModelState,
    Rollout,
)
from clearhead.messages.practice import AskPractice, Practice
from clearhead.messages.recipes import AskRecipes, Recipes
from clearhead.messages.report import AskReport, CheckReport
from clearhead.messages.state import State
from clearhead.messages.study import AskStudy, Study
from clearhead.messages.training import AskLive, AskRecording, AskTraining, Live, Recorded, Training
from clearhead.messages.values import Digits, ScriptFlavour
from clearhead.messages.walkthrough import Walkthrough
from clearhead.messages.zoom import AskLinks, AskLook, AskTile, AskZoom, Links, Look, Tile, Working, Zoom


class ExampleSummary(TypedDict):
    """An example to choose."""

    name: str
    title: str
    look_for: str
    tokens: list[str]


class Examples(TypedDict):
    """The examples there are."""

    kind: Literal["examples"]
    examples: list[ExampleSummary]


class Suggestion(TypedDict):
    """A row of E for a word the example does not know, and how it was found."""

    kind: Literal["suggestion"]
    word: str
    row: list[float]
    how: str


class Script(TypedDict):
    """A program that prints the same numbers."""

    kind: Literal["script"]
    flavour: ScriptFlavour
    filename: str
    text: str


class TraceFile(TypedDict):
    """A file to keep; its bytes are buffer 0."""

    kind: Literal["trace"]
    filename: str
    media_type: str


class Mistake(TypedDict):
    """What is wrong with a message, in one sentence, and the field it is in."""

    kind: Literal["error"]
    message: str
    where: str


ViewData = (
    Examples | Walkthrough | Explanation | Suggestion | Script | TraceFile | Training | Live | Study | Mistake
    | Recipes | Practice | Models | Model | Head | HeadWalk | Rollout | Working | Zoom | Tile | Look | Links
    | Recorded | CheckReport
)  # fmt: skip


class AskExamples(TypedDict):
    """Which examples are there?"""

    ask: Literal["examples"]


class AskWalkthrough(TypedDict):
    """The walkthrough of a layer (the first, if none is named); with `before`, what has changed since that state."""

    ask: Literal["walkthrough"]
    state: State
    before: NotRequired[State]
    layer: NotRequired[int]


class AskExplain(TypedDict):
    """How did this cell come about, of an example or of the chosen head of a model?

    Of a long text only one row of a head is worked out: that of `query`, or if it is not given the index's first
    number, which is the query of Q, scores, weights and all that is made of them. Cells keep their true places.
    """

    ask: Literal["explain"]
    state: State | ModelState
    quantity: str
    index: list[int]
    digits: Digits
    query: NotRequired[int]


class AskSuggest(TypedDict):
    """A row of E for a new word."""

    ask: Literal["suggest"]
    state: State
    word: str


class AskScript(TypedDict):
    """A program that prints the same numbers."""

    ask: Literal["script"]
    state: State
    flavour: ScriptFlavour


class AskTrace(TypedDict):
    """The trace as a file."""

    ask: Literal["trace"]
    state: State


Message = (
    AskExamples
    | AskWalkthrough
    | AskExplain
    | AskSuggest
    | AskScript
    | AskTrace
    | AskPractice
    | AskRecipes
    | AskTraining
    | AskRecording
    | AskReport
    | AskLive
    | AskStudy
    | AskModels
    | AskModel
    | AskHead
    | AskHeadWalk
    | AskRollout
    | AskZoom
    | AskTile
    | AskLook
    | AskLinks
)
