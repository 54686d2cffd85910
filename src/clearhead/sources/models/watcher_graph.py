"""How a tensor was computed from products of two activations: followed as it happens, and worked out again later."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import torch

from clearhead.sources.models.held import version_of

PRODUCT, SOFTMAX, VIEW, NUMBER, DROPOUT, PUT, EXP = (
    "product", "softmax", "view", "number", "dropout", "put", "exp",
)  # fmt: skip
"""Kinds of steps: a product of two activations, a softmax, cells moved about, arithmetic cell by cell, dropout, cells
put together from several tensors, and an exponential."""

Fact = TypeVar("Fact")

DEEPEST = 60
"""Steps after which a chain is not followed any more."""

IN_PARTS = (
    "its scores are put together from parts (attention in blocks, or with other keys beside), so that no single "
    "product of queries and keys gives them"
)


class NotUnderstoodError(Exception):
    """A chain cannot be taken for attention; the message is the reason, as a part of a sentence."""


@dataclass(eq=False)
class Node:
    """One step. What it read that was itself followed stands in its arguments as a node, so no such tensor is held.

    Attributes:
        kind: see above.
        run: what computes it again from its arguments.
        args: nodes, tensors, numbers.
        shape: of what came out.
        dtype: of what came out.
        parents: the nodes among the arguments.
        facts: what belongs to the kind alone.
    """

    kind: str
    run: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    shape: torch.Size
    dtype: torch.dtype
    parents: tuple[Node, ...]
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """The longest way to a beginning, as counted when it was made."""
        return int(self.facts.get("depth", 0))


class Known(Generic[Fact]):
    """What is known of each followed tensor, for as long as the tensor lives."""

    def __init__(self) -> None:
        self._nodes: dict[int, tuple[weakref.ref[torch.Tensor], Fact, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._nodes)

    def get(self, value: Any) -> Fact | None:
        """What is known of a tensor; None if it is not followed, or was written to in a way that is not."""
        entry = self._nodes.get(id(value))
        if entry is None or not isinstance(value, torch.Tensor) or entry[0]() is not value:
            return None
        return entry[1] if entry[2] == version_of(value) else None

    def put(self, tensor: torch.Tensor, fact: Fact) -> None:
        """From now on this is the tensor's."""
        place = id(tensor)
        nodes = self._nodes

        def gone(reference: weakref.ref[torch.Tensor]) -> None:
            if place in nodes and nodes[place][0] is reference:
                del nodes[place]

        nodes[place] = weakref.ref(tensor, gone), fact, version_of(tensor)

    def among(self, values: Iterable[Any]) -> bool:
        """Whether one of these values, or of those within, may be followed: soon told, since most are not."""
        return any(
            id(value) in self._nodes or (type(value) in (tuple, list) and self.among(value))
            for value in values
        )

    def swapped(self, value: Any, found: list[Fact]) -> Any:
        """Arguments with what is known in place of the tensors that are followed; it is added to `found`."""
        if isinstance(value, torch.Tensor):
            node = self.get(value)
            if node is None:
                return value
            found.append(node)
            return node
        if type(value) in (tuple, list):
            return type(value)(self.swapped(one, found) for one in value)
        return value


def ancestors(node: Node, until: tuple[str, ...]) -> Iterator[Node]:
    """The node and what it was made from, each once; not beyond nodes of the kinds `until`."""
    seen, waiting = {node}, [node]
    while waiting:
        one = waiting.pop()
        yield one
        if one.kind in until:
            continue
        for parent in one.parents:
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)


def found(node: Node | None, kind: str) -> list[Node]:
    """The nodes of a kind that a node was made from, without going through products and softmaxes."""
    if node is None:
        return []
    return [one for one in ancestors(node, (PRODUCT, SOFTMAX)) if one.kind == kind]


def worked_out(node: Node, given: Mapping[Node, torch.Tensor]) -> torch.Tensor:
    """What a node gives in float64, if the nodes of `given` gave these numbers."""
    done = dict(given)

    def value(one: Any) -> Any:
        if isinstance(one, Node):
            if one not in done:
                arguments = [value(part) for part in one.args]
                named = {name: value(part) for name, part in one.kwargs.items()}
                done[one] = one.run(*arguments, **named)
            return done[one]
        if isinstance(one, torch.Tensor):
            return one.detach().double() if one.is_floating_point() else one
        if type(one) in (tuple, list):
            return type(one)(value(part) for part in one)
        return one

    result: torch.Tensor = value(node)
    return result


def moved(node: Node, origin: Node, cells: torch.Tensor) -> torch.Tensor:
    """Where the cells of `origin` lie in `node`: its shape, filled with the numbers that `cells` has for them.

    Raises:
        NotUnderstoodError: some of its cells are not cells of `origin`, or are made from two of them.
    """
    if node is origin:
        return cells
    ways = [
        parent
        for parent in node.parents
        if parent is origin or origin in ancestors(parent, (PRODUCT, SOFTMAX))
    ]
    if len(set(ways)) != 1 or len(ways) != 1:
        raise NotUnderstoodError("it uses its scores twice before the softmax")
    before = moved(ways[0], origin, cells)
    if node.kind == NUMBER:
        return before.expand(node.shape)
    if node.kind == DROPOUT:
        return before
    if node.kind != VIEW:
        raise NotUnderstoodError(IN_PARTS)
    args = [before if one is ways[0] else one for one in node.args]
    result: torch.Tensor = node.run(*args, **node.kwargs)
    return result
