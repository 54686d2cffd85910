"""From a softmax back to the rows of queries and keys: which axis of the scores is which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from clearhead.sources.models.watcher_graph import Node, NotUnderstoodError, moved
from clearhead.sources.models.watcher_product import Product

Folded = Callable[[int], int]
"""The number of heads in an axis that holds sequences and heads together."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Scores as (sequences, heads, queries, keys).

    Attributes:
        order: the axes of the scores in that order; sequences and heads may be one axis, or absent.
        shape: sequences, heads, queries, keys.
        query: (sequences, heads, queries) the row of the query's operand.
        key: (sequences, heads, keys) the row of the key's.
        query_left: whether the query is the left operand of the product.
    """

    order: tuple[int, ...]
    shape: tuple[int, int, int, int]
    query: torch.Tensor
    key: torch.Tensor
    query_left: bool

    def __call__(self, scores: torch.Tensor) -> torch.Tensor:
        """A tensor that lies as the scores do, in our order."""
        return scores.permute(self.order).reshape(self.shape)

    def places(self) -> torch.Tensor:
        """The scores' own shape, filled with the number of each cell in our order."""
        there = torch.arange(
            self.shape[0] * self.shape[1] * self.shape[2] * self.shape[3], device=self.query.device
        )
        sizes = self._sizes
        back = [self.order.index(axis) for axis in range(len(self.order))]
        return there.reshape(sizes).permute(back)

    @property
    def _sizes(self) -> tuple[int, ...]:
        sequences, heads, queries, keys = self.shape
        batch = {2: (), 3: (sequences * heads,), 4: (sequences, heads)}[len(self.order)]
        return (*batch, queries, keys)


def layout_of(scores: Node, product: Node, axis: int, heads: set[int], folded: Folded) -> Layout:
    """How the cells of the scores were made from the rows of a product's two operands.

    Raises:
        NotUnderstoodError: they are not the products of queries with keys, one pair a cell.
    """
    form: Product = product.facts["form"]
    axis %= len(scores.shape)
    left, right = (moved(scores, product, form.places(side)) for side in (True, False))
    for query_left, query, key in ((True, left, right), (False, right, left)):
        if _same_along(query, axis):
            asking = _asking(key, axis, heads)
            if asking is not None and not (query.shape[axis] > 1 and _same_along(key, axis)):
                return _laid_out(query, key, asking, axis, query_left, heads, folded)
    raise NotUnderstoodError("its scores are shifted or gathered, so that a key is another for each query")


def _same_along(places: torch.Tensor, axis: int) -> bool:
    return bool((places == places.narrow(axis, 0, 1)).all())


def _asking(key: torch.Tensor, axis: int, heads: set[int]) -> int | None:
    """The axis of the queries: the one along which the keys stay the same.

    With one key head for all heads that is so for the heads' axis too: then it is the nearest to the softmax's that
    does not have the size of the heads, if any, though that be 1.
    """
    others = [place for place in range(key.ndim) if place != axis]
    same = [place for place in others if _same_along(key, place)]
    several = [place for place in same if key.shape[place] > 1]
    if not same:
        return None
    several.sort(key=lambda place: (place != axis - 1, abs(place - axis)))
    if len(several) > 1:
        return next((place for place in several if key.shape[place] not in heads), several[0])
    single = sorted(set(same) - set(several), key=lambda place: (place != axis - 1, abs(place - axis)))
    if not several:
        return single[0]
    own = any(key.shape[place] in heads for place in others if place not in same)
    if single and key.shape[several[0]] in heads and not own and key.ndim > 3:
        return single[0]  # one query, and one key head for all heads
    return several[0]


def _laid_out(
    query: torch.Tensor,
    key: torch.Tensor,
    asking: int,
    axis: int,
    query_left: bool,
    heads: set[int],
    folded: Folded,
) -> Layout:
    batch = [place for place in range(query.ndim) if place not in (asking, axis)]
    if len(batch) > 2:
        raise NotUnderstoodError(
            "its scores have another axis beside sequences, heads, queries and keys: it attends in blocks or streams"
        )
    if len(batch) == 2 and query.shape[batch[0]] in heads and query.shape[batch[1]] not in heads:
        batch.reverse()
    sizes = [query.shape[place] for place in batch]
    if len(batch) == 1:
        count = folded(sizes[0])
        sizes = [sizes[0] // count, count]
    sequences, head_count = sizes or (1, 1)
    order = (*batch, asking, axis)
    shape = (sequences, head_count, query.shape[asking], query.shape[axis])
    cells = [one.permute(order).reshape(shape) for one in (query, key)]
    return Layout(order, shape, cells[0][..., 0], cells[1][:, :, 0], query_left)


def rows_at(rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """The rows at these places, as (*places, width), without a copy where they lie in that order."""
    flat = places.reshape(-1)
    if len(flat) == len(rows) and bool((flat == torch.arange(len(flat), device=flat.device)).all()):
        return rows.reshape(*places.shape, -1)
    return rows[flat].reshape(*places.shape, -1)


def fewest_heads(places: torch.Tensor) -> torch.Tensor:
    """(sequences, key heads, keys) with each head once, where groups of heads read the same rows."""
    heads = places.shape[1]
    for count in range(1, heads + 1):
        if heads % count == 0:
            group = places[:, :: heads // count]
            if bool((group.repeat_interleave(heads // count, 1) == places).all()):
                return group
    return places
