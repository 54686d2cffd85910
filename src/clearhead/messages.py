"""The messages between a view and the session, field by field. The front end's types are generated from this file.

A message carries the whole state, so that the session keeps nothing between messages. Numbers travel in buffers beside
the view (see `clearhead.trace.wire`); a view names them by their place.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Digits = Literal[2, 3, 4, "full"]
MaskName = Literal["none", "causal"]
MaskFill = Literal["-inf", "0"]
PositionScheme = Literal["none", "sinusoidal", "learned", "rotary", "alibi"]
EditableMatrix = Literal["E", "P", "W_Q", "W_K", "W_V", "W_O"]
Relation = Literal["=", "≈"]
ScriptFlavour = Literal["numpy", "torch"]
ColourScale = Literal["signed", "weights"]


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


MathML = list[Any]
"""A formula as nested arrays: [tag, attributes?, ...children]; text only as a child. Recursive, hence Any."""


class CellRef(TypedDict):
    """One cell of one quantity."""

    quantity: str
    index: list[int]


class Feed(TypedDict):
    """Cells of one quantity that an opened cell has a part in; null stands for every index along that axis."""

    quantity: str
    cells: list[list[int | None]]


class NumberNode(TypedDict):
    """A number, ready to be shown; `symbol` is what it stands for."""

    kind: Literal["number"]
    text: str
    symbol: NotRequired[str]


class CellNode(TypedDict):
    """A number that is a cell of another quantity."""

    kind: Literal["cell"]
    text: str
    label: str
    quantity: str
    index: list[int]


class SumNode(TypedDict):
    """Terms added up."""

    kind: Literal["sum"]
    terms: list[Arithmetic]


class ProductNode(TypedDict):
    """Factors multiplied."""

    kind: Literal["product"]
    factors: list[Arithmetic]


class DifferenceNode(TypedDict):
    """left − right."""

    kind: Literal["difference"]
    left: Arithmetic
    right: Arithmetic


class QuotientNode(TypedDict):
    """top / bottom."""

    kind: Literal["quotient"]
    top: Arithmetic
    bottom: Arithmetic


class PowerNode(TypedDict):
    """base to the power of exponent."""

    kind: Literal["power"]
    base: Arithmetic
    exponent: Arithmetic


class RootNode(TypedDict):
    """A square root."""

    kind: Literal["root"]
    of: Arithmetic


class ExpNode(TypedDict):
    """e to the power of `of`."""

    kind: Literal["exp"]
    of: Arithmetic


class FunctionNode(TypedDict):
    """A function written by its name."""

    kind: Literal["function"]
    name: Literal["sin", "cos", "max", "abs"]
    arguments: list[Arithmetic]


Arithmetic = (
    NumberNode | CellNode | SumNode | ProductNode | DifferenceNode | QuotientNode | PowerNode | RootNode | ExpNode
    | FunctionNode
)  # fmt: skip
"""A node of worked arithmetic."""


class Term(TypedDict):
    """One term of a sum, worked out."""

    label: str
    arithmetic: Arithmetic
    relation: Relation
    value: str


class Total(TypedDict):
    """What the terms come to."""

    relation: Relation
    text: str


class Line(TypedDict):
    """One line of arithmetic, with its relation to the line before."""

    relation: Relation
    arithmetic: Arithmetic


class Explanation(TypedDict):
    """One cell with its arithmetic, where it came from and where it goes."""

    kind: Literal["explanation"]
    quantity: str
    index: list[int]
    label: str
    place: str
    value: str
    full: str
    formula: MathML | None
    terms: list[Term]
    total: NotRequired[Total]
    lines: list[Line]
    note: NotRequired[str]
    sources: list[CellRef]
    feeds: list[Feed]
    spoken: str
    text: str
    latex: str


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


class Settings(TypedDict):
    """The switches as they stand, and what they can be set to."""

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


class Quantity(TypedDict):
    """One named array of the computation; `values`, `difference` and `forbidden` are places in the reply's buffers."""

    name: str
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


class ExampleTitle(TypedDict):
    """The example a walkthrough is of."""

    name: str
    title: str
    look_for: str


class Walkthrough(TypedDict):
    """The whole walkthrough of one sentence."""

    kind: Literal["walkthrough"]
    example: ExampleTitle
    tokens: list[str]
    vocabulary: list[str]
    settings: Settings
    quantities: list[Quantity]
    stops: list[Stop]
    notices: list[str]


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


class AskExamples(TypedDict):
    """Which examples are there?"""

    ask: Literal["examples"]


class AskWalkthrough(TypedDict):
    """The walkthrough; with `before`, what has changed since that state."""

    ask: Literal["walkthrough"]
    state: State
    before: NotRequired[State]


class AskExplain(TypedDict):
    """How did this cell come about?"""

    ask: Literal["explain"]
    state: State
    quantity: str
    index: list[int]
    digits: Digits


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


ViewData = Examples | Walkthrough | Explanation | Suggestion | Script | TraceFile | Mistake
Message = AskExamples | AskWalkthrough | AskExplain | AskSuggest | AskScript | AskTrace
