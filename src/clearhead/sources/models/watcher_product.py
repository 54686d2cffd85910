"""Products of two tensors, all written as one: labelled axes, those in both and not in the result are summed over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from clearhead.sources.models.watcher_graph import NotUnderstoodError


@dataclass(frozen=True, eq=False)
class Product:
    """left times right, as in an einsum of two operands.

    Attributes:
        left, right: the operands; an axis of size 1 that was stretched is left out.
        left_axes, right_axes, axes: the labels of their axes, and of the result's.
    """

    left: torch.Tensor
    right: torch.Tensor
    left_axes: tuple[str, ...]
    right_axes: tuple[str, ...]
    axes: tuple[str, ...]

    @property
    def summed(self) -> tuple[str, ...]:
        """The axes that are summed over."""
        return tuple(axis for axis in self.left_axes if axis not in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis of the result; 1 for one that neither operand has."""
        sizes = dict(zip(self.right_axes, self.right.shape, strict=True))
        sizes |= dict(zip(self.left_axes, self.left.shape, strict=True))
        return tuple(sizes.get(axis, 1) for axis in self.axes)

    def side(self, left: bool) -> tuple[torch.Tensor, tuple[str, ...]]:
        """One operand and its labels."""
        return (self.left, self.left_axes) if left else (self.right, self.right_axes)

    def rows(self, left: bool) -> torch.Tensor:
        """(rows, summed) an operand as one row for each of its places in the result."""
        tensor, axes = self.side(left)
        kept = [axis for axis in self.axes if axis in axes]
        order = [axes.index(axis) for axis in (*kept, *self.summed)]
        width = math.prod(tensor.shape[axes.index(axis)] for axis in self.summed)
        return tensor.permute(order).reshape(-1, width)

    def places(self, left: bool) -> torch.Tensor:
        """For each cell of the result the row of the operand that it was made from."""
        tensor, axes = self.side(left)
        sizes = [tensor.shape[axes.index(axis)] if axis in axes else 1 for axis in self.axes]
        return torch.arange(math.prod(sizes), device=tensor.device).reshape(sizes).expand(self.shape)

    def again(self) -> torch.Tensor:
        """The result, in float64."""
        letters = {
            axis: chr(97 + place)
            for place, axis in enumerate(dict.fromkeys(self.left_axes + self.right_axes))
        }
        written = [
            "".join(letters.get(axis, "") for axis in axes)
            for axes in (self.left_axes, self.right_axes, self.axes)
        ]
        result = torch.einsum(
            f"{written[0]},{written[1]}->{written[2]}", self.left.double(), self.right.double()
        )
        return result.reshape(self.shape)


def matmul(left: torch.Tensor, right: torch.Tensor) -> Product:
    """left @ right."""
    if left.ndim < 2 or right.ndim < 2:
        raise NotUnderstoodError("a product with a vector")
    batch = max(left.ndim, right.ndim) - 2
    names = [f"batch {place}" for place in range(batch)]
    sides = []
    for tensor, last in ((left, ["row", "sum"]), (right, ["sum", "column"])):
        axes = [*names[batch - (tensor.ndim - 2) :], *last]
        sides.append(_without_ones(tensor, axes))
    return Product(sides[0][0], sides[1][0], sides[0][1], sides[1][1], (*names, "row", "column"))


def einsum(equation: str, left: torch.Tensor, right: torch.Tensor) -> Product:
    """An einsum of two operands, with "..." or without."""
    given, _, result = equation.replace(" ", "").partition("->")
    first, second = given.split(",")
    if "->" not in equation:
        counts = first + second
        result = "".join(sorted(letter for letter in set(counts) - {"."} if counts.count(letter) == 1))
        result = ("..." if "..." in counts else "") + result
    rest = max(
        tensor.ndim - len(text.replace("...", "")) for tensor, text in ((left, first), (right, second))
    )
    sides = [
        _without_ones(tensor, _spelled(text, rest, tensor.ndim))
        for tensor, text in ((left, first), (right, second))
    ]
    return Product(sides[0][0], sides[1][0], sides[0][1], sides[1][1], tuple(_spelled(result, rest, None)))


def _spelled(text: str, rest: int, ndim: int | None) -> list[str]:
    before, dots, after = text.partition("...")
    if not dots:
        return list(text)
    count = rest if ndim is None else ndim - len(before) - len(after)
    return [*before, *(f"rest {place}" for place in range(rest - count, rest)), *after]


def _without_ones(tensor: torch.Tensor, axes: Sequence[str]) -> tuple[torch.Tensor, tuple[str, ...]]:
    """Without the batch axes of size 1, which may have been stretched to the other operand's."""
    ones = [
        place
        for place, axis in enumerate(axes)
        if tensor.shape[place] == 1 and axis.startswith(("batch", "rest"))
    ]
    kept = tuple(axis for place, axis in enumerate(axes) if place not in ones)
    return tensor.squeeze(ones) if ones else tensor, kept


def product_of(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Product | None:
    """The product that a call computes, or None if it is none of two tensors."""
    given = [one for one in (*args, *kwargs.values()) if isinstance(one, torch.Tensor)]
    try:
        if name == "einsum":
            listed = args[1] if len(args) > 1 and type(args[1]) in (tuple, list) else args[1:]
            if not isinstance(args[0], str) or len(listed) != 2:
                return None
            return einsum(args[0], *listed)
        if name == "baddbmm":
            return matmul(*given[-2:]) if len(given) == 3 else None
        left, right = given[:2] if name != "rmatmul" else given[1::-1]
        return matmul(left, right)
    except (NotUnderstoodError, ValueError):
        return None
