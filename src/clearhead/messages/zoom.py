"""A head at any length: its map as far as one comes near, one cell, the strongest links; and how far a reading is."""

from __future__ import annotations

from typing import Literal, TypedDict

from clearhead.messages.model import HeadStatistics, LayerAgreement, ModelState
from clearhead.messages.values import Pool, Unit


class WorkingLayer(TypedDict):
    """A layer that is finished while others are not. `thumbnails` is as that of a `ModelLayer`."""

    label: str
    tower: str
    number: int
    heads: int
    thumbnails: int | None


class Working(TypedDict):
    """A reading that is not done; ask again. `done` of `total` are finished, `total` is 0 if not known yet.

    Any message about such a reading is answered with this. `what` is a sentence about what is going on, `unit` says
    what is counted, the heads of all layers or the tokens that the model goes on by itself, `seconds` how long since it
    began. `layers` are those that are finished, in their order.
    """

    kind: Literal["working"]
    name: str
    what: str
    done: int
    total: int
    unit: Unit
    seconds: float
    layers: list[WorkingLayer]


class AskZoom(TypedDict):
    """What does one head do, at any length?"""

    ask: Literal["zoom"]
    state: ModelState


class Tops(TypedDict):
    """The largest number of each pooled map, at which its colours end."""

    mean: float
    largest: float


class Zoom(TypedDict):
    """One head as a whole, at any length; what is nearer is asked for by `AskTile`.

    `mean` and `largest` are places in the reply's buffers: float32 (rows, columns), the weights pooled by their mean
    and by their maximum. Of r rows, row i stands for the queries from floor(i * queries / r) to before
    floor((i + 1) * queries / r); the columns stand for keys likewise. −1 where the mask hides all
    of a bin; NaN where the model's numbers were none.

    `histogram[d]` is the mean share of a query's weights that lies on keys which stand `edges[d]` to before
    `edges[d + 1]` positions before it; a negative distance is a key that comes after it.
    """

    kind: Literal["zoom"]
    label: str
    tower: str
    layer: int
    head: int
    queries: int
    keys: int
    rows: str
    columns: str
    facts: list[str]
    statistics: HeadStatistics | None
    agreement: LayerAgreement
    mean: int
    largest: int
    edges: list[int]
    histogram: list[float]
    tops: Tops


class AskTile(TypedDict):
    """The weights of a part of the map: queries and keys from the first to before the last, in bins of `step`.

    `step` is a power of two. At most 256 by 256 bins.
    """

    ask: Literal["tile"]
    state: ModelState
    rows: list[int]
    columns: list[int]
    step: int
    pool: Pool


class Tile(TypedDict):
    """`values` is a place in the reply's buffers: float32 (rows, columns) of bins; −1 where all of a bin is hidden.

    In the mean of any other bin a hidden cell counts as 0, as in `Zoom`.
    """

    kind: Literal["tile"]
    rows: list[int]
    columns: list[int]
    step: int
    pool: Pool
    values: int


class AskLook(TypedDict):
    """One cell of the map, and where else its query looks."""

    ask: Literal["look"]
    state: ModelState
    query: int
    key: int


class KeyWeight(TypedDict):
    """A key, and the weight that a query gives it."""

    key: int
    weight: float


class Look(TypedDict):
    """One cell: weight = exp(score − lse). What is no finite number is null.

    `score` is the number before the softmax, scaled; null where the mask hides the key, and `hidden` says so. `lse` is
    the natural logarithm of the sum of exp(score) over what the query sees. `entropy` of the row is in bits. `top` are
    the eight keys with the largest weights.
    """

    kind: Literal["look"]
    query: int
    key: int
    weight: float | None
    score: float | None
    lse: float | None
    hidden: str
    entropy: float | None
    top: list[KeyWeight]


class AskLinks(TypedDict):
    """The strongest links of a head, up to 100: only those that reach `apart` tokens or more.

    Without `first` the first key, on which many heads rest, is left out.
    """

    ask: Literal["links"]
    state: ModelState
    count: int
    apart: int
    first: bool


class Link(TypedDict):
    """A cell of the map."""

    query: int
    key: int
    weight: float


class Links(TypedDict):
    """The strongest links, the strongest first. `note` says why there are fewer than were asked for, or is ""."""

    kind: Literal["links"]
    links: list[Link]
    note: str
