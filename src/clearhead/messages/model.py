"""A real model: the overview of its heads, one head, its walkthrough, and attention through the layers."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from clearhead.messages.values import ChangeKind
from clearhead.messages.walkthrough import Quantity, Stop


class Change(TypedDict):
    """A switch on the model: "mask", "scale" or "off" of some heads, or one "weight" set by hand.

    Without `layer` every layer is meant, of the tower or of all; without `tower` a layer is one of the main tower;
    without `head` every head. `query`, `key` and
    `value` belong to a weight; the other weights of its row are left as they are. A mask and a scale are a layer's.
    """

    kind: ChangeKind
    tower: NotRequired[str]
    layer: NotRequired[int]
    head: NotRequired[int]
    query: NotRequired[int]
    key: NotRequired[int]
    value: NotRequired[float]


class ModelState(TypedDict):
    """What the Model part shows: a model, what it reads, what was changed of it, and the head that was chosen.

    `model` is one of the names of `Models`. Without `text` it is the model's own first sentence. `generate` is how many
    tokens it goes on by itself.
    """

    model: str
    text: NotRequired[str]
    decoder: NotRequired[str]
    generate: NotRequired[int]
    tower: NotRequired[str]
    layer: NotRequired[int]
    head: NotRequired[int]
    batch: NotRequired[int]
    changes: NotRequired[list[Change]]


class AskModels(TypedDict):
    """Which models are there?"""

    ask: Literal["models"]


class ModelTitle(TypedDict):
    """A model to choose. `needs` is what has to be done before it opens, "" if nothing; `text` what it reads first.

    `decoder` says whether it takes a second text, `generates` whether it can go on by itself. `fixed`: it is a saved
    capture, to which no other text and no switch can be given.
    """

    name: str
    title: str
    about: str
    needs: str
    text: str
    decoder: bool
    generates: bool
    fixed: bool


class Models(TypedDict):
    """The models that this server was started with, the study model first.

    A text of more than `longest` tokens is read as a long one: see `Model.long`.
    """

    kind: Literal["models"]
    models: list[ModelTitle]
    longest: int


class AskModel(TypedDict):
    """What does the model make of the text?"""

    ask: Literal["model"]
    state: ModelState


class ModelToken(TypedDict):
    """One token: the characters of the text from `start` to before `end`, or null where it covers none.

    `special`: it is a mark. `part`: it is only part of a character. `padding`: it only fills up its sequence. These
    three are there only where they are true: a long text has many tokens.
    """

    text: str
    start: int | None
    end: int | None
    special: NotRequired[bool]
    padding: NotRequired[bool]
    part: NotRequired[bool]


class LayerAgreement(TypedDict):
    """Whether the recomputed weights times V is what the kernel returned. Without a comparison the numbers are null."""

    agrees: bool
    difference: float | None
    tolerance: float | None
    note: str


class ModelLayer(TypedDict):
    """One layer. `heads` is 0 where it is no attention, and `what` says what it is.

    `thumbnails` is a place in the reply's buffers: (head, row, column), 0 where all of a part is masked, 255
    where a weight of it is NaN, else 1 + 253 times its largest weight.
    """

    number: int
    label: str
    heads: int
    what: str
    agreement: LayerAgreement | None
    thumbnails: int | None


class Tower(TypedDict):
    """A part of the model with layers of its own. `rows` and `columns` say what its queries and keys are.

    `keys` are null where they are the queries: a long text has many tokens.
    """

    name: str
    title: str
    rows: str
    columns: str
    queries: list[ModelToken]
    keys: list[ModelToken] | None
    layers: list[ModelLayer]


class HeadStatistics(TypedDict):
    """What one head does, in numbers; null where it does not apply.

    `entropy` in bits, the mean over the queries; `first` the share of the first key, `previous` of the one before,
    `duplicate` of earlier copies of the query's token, `induction` of what followed them; `distance` in tokens.
    """

    tower: str
    layer: int
    head: int
    entropy: float | None
    first: float | None
    previous: float | None
    induction: float | None
    duplicate: float | None
    distance: float | None


class NextToken(TypedDict):
    """A token that may come next."""

    text: str
    id: int
    probability: float


class Grid(TypedDict):
    """How patches of a picture lie, row by row; the first is the position `offset`."""

    rows: int
    columns: int
    offset: int


class Model(TypedDict):
    """A model on a text, with all its heads.

    `text` is the one it read; tokens cover it. `main` is the tower that is meant where none is named. `prompt` is how
    many tokens were given before it went on by itself. `before` is what came next without the changes; it is empty if
    there are none. `sequences` is how many texts there are. `long`: it has more tokens than whose every weight a page
    draws, so that its heads are asked for with `AskZoom`, not `AskHead`; and it takes no switches. `fixed`: a saved
    capture, to which no other text and no switch can be given. `rollout_note` and `walk_note` say why attention is not
    followed through the layers, and no head walked through, where that is not to be had; else they are "".
    """

    kind: Literal["model"]
    name: str
    long: bool
    fixed: bool
    about: str
    notes: list[str]
    text: str
    decoder: str
    sequences: int
    main: str
    towers: list[Tower]
    statistics: list[HeadStatistics]
    statistics_note: str
    rollout_note: str
    walk_note: str
    prompt: int | None
    grid: Grid | None
    next: list[NextToken]
    before: list[NextToken]
    agreement: str


class AskHead(TypedDict):
    """What does one head do?"""

    ask: Literal["head"]
    state: ModelState


class Head(TypedDict):
    """One head. `weights`, `hidden`, `contribution` and `sink_share` are places in the reply's buffers.

    `title` is its heading. `weights` and `contribution` are (query, key), `hidden` is 1 where a query may not see a
    key, `sink_share` is (query,). `blind` are the queries that see nothing. `facts` are sentences on how it computes.
    `query_written` and `key_written` are the first that the model wrote itself, if it wrote any.
    """

    kind: Literal["head"]
    tower: str
    layer: int
    head: int
    title: str
    label: str
    facts: list[str]
    rows: str
    columns: str
    queries: list[ModelToken]
    keys: list[ModelToken]
    query_written: int | None
    key_written: int | None
    weights: int
    hidden: int
    contribution: int | None
    contribution_note: str
    sink_share: int | None
    blind: list[int]
    agreement: LayerAgreement
    statistics: HeadStatistics | None


class AskHeadWalk(TypedDict):
    """The walkthrough of one head; `query` is the row that is looked at, the last if none is named.

    Of a long text that row alone is worked out.
    """

    ask: Literal["headwalk"]
    state: ModelState
    query: NotRequired[int]


class HeadWalk(TypedDict):
    """The walkthrough of one head on its own numbers. Its quantities may be folded: see `Fold`."""

    kind: Literal["headwalk"]
    label: str
    query: int
    queries: list[str]
    keys: list[str]
    quantities: list[Quantity]
    stops: list[Stop]
    notices: list[str]


class AskRollout(TypedDict):
    """From how far away did this position gather, through all layers?"""

    ask: Literal["rollout"]
    state: ModelState
    position: int


class Rollout(TypedDict):
    """Attention followed through the layers; `shares` is a place in the reply's buffers: (layer, position).

    `layers` are their labels. `shares` is null, and `caveat` says why, where it cannot be worked out.
    """

    kind: Literal["rollout"]
    position: int
    layers: list[str]
    shares: int | None
    caveat: str
