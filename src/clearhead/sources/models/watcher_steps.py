"""Follows tensors step by step from the products of two activations on, and remembers plain factors before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from clearhead.sources.models.watcher_arguments import dropped_share
from clearhead.sources.models.watcher_functions import KINDS, again, factor_of, name_of
from clearhead.sources.models.watcher_graph import (
    DEEPEST,
    DROPOUT,
    EXP,
    NUMBER,
    PRODUCT,
    SOFTMAX,
    VIEW,
    Known,
    Node,
    found,
)  # fmt: skip
from clearhead.sources.models.watcher_product import Product


class Steps:
    """What is known of the tensors that are alive.

    Attributes:
        known: how a tensor was made from products.
        factors: the number that a tensor was multiplied with, if by nothing else since it came from an unfollowed step.
    """

    def __init__(self) -> None:
        self.known: Known[Node] = Known()
        self.factors: Known[float] = Known()

    def step(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Call a function that is followed if what it reads is."""
        if "out" in kwargs:
            return func(*args, **kwargs)
        name = name_of(func)
        times = factor_of(name, args)
        if not self.known and times is None and not self.factors:
            return func(*args, **kwargs)
        before = self.factors.get(args[0]) if self.factors and args else None
        parents: list[Node] = []
        if self.known.among(args) or self.known.among(kwargs.values()):
            swapped = self.known.swapped(args, parents)
            named = {key: self.known.swapped(value, parents) for key, value in kwargs.items()}
        result = func(*args, **kwargs)  # only now: it may write over what it reads
        if parents:
            self._follow(func, swapped, named, parents, args[0] if name == "setitem" else result)
        elif times is not None:
            self.factors.put(result, times * (before or 1.0))
        elif before is not None and KINDS[name] == VIEW:
            for one in result if type(result) in (tuple, list) else [result]:
                self.factors.put(one, before)
        return result

    def begin(
        self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], form: Product, result: torch.Tensor,
        factors: tuple[float, float],
    ) -> None:  # fmt: skip
        """A chain begins with a product; that of baddbmm is added to something right away."""
        facts = {"form": form, "factors": factors}
        node = Node(PRODUCT, form.again, (), {}, result.shape, result.dtype, (), facts)
        if name == "baddbmm":
            beta, alpha = kwargs.get("beta", 1), kwargs.get("alpha", 1)
            parents = [node]
            base = self.known.swapped(args[0] if args else kwargs["input"], parents)
            node = Node(
                NUMBER, lambda one, other: (beta * one if beta else 0) + alpha * other, (base, node), {},
                result.shape, result.dtype, tuple(parents), {"depth": 1, "name": name},
            )  # fmt: skip
        self.known.put(result, node)

    def _follow(
        self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], parents: list[Node], result: Any
    ) -> None:
        name = name_of(func)
        if name.endswith("_as"):  # of the other tensor only the shape or format counts
            if not isinstance(args[0], Node):
                return
            args, kwargs, parents = args[:1], {}, [args[0]]
        depth = 1 + max(parent.depth for parent in parents)
        kind, facts = KINDS[name], {"depth": depth, "name": name}
        if depth > DEEPEST or (kind in (SOFTMAX, EXP) and not found(parents[0], PRODUCT)):
            return
        if kind == SOFTMAX:
            facts |= {"scores": parents[0], "axis": kwargs.get("dim", args[1] if len(args) > 1 else -1)}
        elif kind == DROPOUT:
            facts["share"] = dropped_share(args, kwargs)
        elif name == "setitem" and type(args[2]) in (int, float) and isinstance(args[0], Node):
            kind = NUMBER
        run = again(func, result)
        for place, out in enumerate(result) if type(result) in (tuple, list) else [(None, result)]:
            if isinstance(out, torch.Tensor):
                part = run if place is None else _part(run, place)
                self.known.put(
                    out, Node(kind, part, args, kwargs, out.shape, out.dtype, tuple(parents), facts)
                )


def _part(run: Callable[..., Any], place: int) -> Callable[..., Any]:
    return lambda *args, **kwargs: run(*args, **kwargs)[place]
