"""An object that holds its own weights: other weights are put into a copy of it, which is asked in its place."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from clearhead.sources.function.arrays import Found, arrays_in
from clearhead.sources.function.lying import from_reference, to_reference
from clearhead.sources.function.weights import Places, read


class Held:
    """A callable with the weights inside it.

    Attributes:
        owner: a copy of the object; the object itself where it cannot be copied; None where the weights were told.
        found: its arrays.
        places: which of them are which weights.
        own: the weights as they are, (in, out), where they cannot be exchanged; otherwise None.
    """

    def __init__(
        self, call: Callable[..., Any], owner: Any, found: Mapping[str, Found], places: Places,
        own: Mapping[str, np.ndarray] | None,
    ) -> None:  # fmt: skip
        self.call, self.owner, self.found, self.places, self.own = call, owner, found, places, own
        self.dtype = own_type(found, places)
        self._cast = self.dtype

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """As they are now, each as the reference has it."""
        return dict(self.own) if self.own is not None else read(self.found, self.places)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of each weight, as the reference has it."""
        return {role: value.shape for role, value in self.weights.items()}

    @property
    def apart(self) -> int | None:
        """How many heads the weights have by their own shape, where each has an array or an axis of its own."""
        pieces = self.places.get("W_Q", ())
        if len(pieces) > 1:
            return len(pieces)
        if len(pieces) == 1 and pieces[0].order == "by head":
            return int(self.found[pieces[0].path].value.shape[0])
        return None

    def __call__(self, weights: Mapping[str, np.ndarray], dtype: str, *placed: Any, **values: Any) -> Any:
        """Ask it, with these weights in it and everything in this type."""
        if self.own is None:
            if dtype != self._cast:
                cast(self.owner, dtype)
                self._cast = dtype
            self.write(weights, dtype)
        with evaluating(self.owner):
            return self.call(*placed, **values)

    def write(self, weights: Mapping[str, np.ndarray], dtype: str) -> None:
        """Put the weights where they belong."""
        changed: dict[str, np.ndarray] = {}
        for role, pieces in self.places.items():
            if role not in weights:
                continue
            start = 0
            for piece in pieces:
                if piece.columns is None and len(pieces) == 1:
                    changed[piece.path] = weights[role]
                    continue
                if piece.path not in changed:
                    changed[piece.path] = self._ground(piece.path, role, weights)
                flat = changed[piece.path]
                columns = range(flat.shape[-1]) if piece.columns is None else piece.columns
                flat[..., _as_slice(columns)] = weights[role][..., start : start + len(columns)]
                start += len(columns)
        of = {piece.path: (role, piece.order) for role, pieces in self.places.items() for piece in pieces}
        for path, flat in changed.items():
            role, order = of[path]
            one = self.found[path]
            heads = one.value.shape[0] if order == "by head" else 1
            one.put(from_reference(flat, order, role, heads).reshape(one.value.shape), dtype, None)

    def _ground(self, path: str, role: str, weights: Mapping[str, np.ndarray]) -> np.ndarray:
        """What parts of an array are written over: its own numbers, where it keeps any of them."""
        one = self.found[path]
        parts = [
            (name, piece) for name, all_of in self.places.items() for piece in all_of if piece.path == path
        ]
        width = to_reference(np.empty(one.value.shape), parts[0][1].order, role).shape[-1]
        if all(name in weights and piece.columns is not None for name, piece in parts) and width == sum(
            len(piece.columns or ()) for _, piece in parts
        ):
            return np.empty((*weights[role].shape[:-1], width))
        return to_reference(one.numbers(), parts[0][1].order, role).copy()


def _as_slice(columns: Sequence[int]) -> slice | list[int]:
    """A slice, where they are next to each other: a list of many is slow."""
    first = columns[0]
    together = list(columns) == list(range(first, first + len(columns)))
    return slice(first, first + len(columns)) if together else list(columns)


def copied(function: Callable[..., Any]) -> tuple[Callable[..., Any], Any, bool]:
    """A copy that can be called, the object with the weights in it, and whether it is a copy.

    A method's object is copied, and its method asked. A plain function has no object.
    """
    owner = getattr(function, "__self__", None)
    method = getattr(function, "__name__", "") if owner is not None else ""
    if owner is None:
        if not holds(function):
            return function, None, False
        owner = function
    try:
        twin = copy.deepcopy(owner)
    except Exception:  # whatever a person's object says to being copied
        return function, owner, False
    return (getattr(twin, method) if method else twin), twin, True


def holds(function: Callable[..., Any]) -> bool:
    """Whether it is an object that may have weights in it, and not a function."""
    return (
        not hasattr(function, "__code__")
        and not hasattr(function, "__wrapped__")
        and bool(arrays_in(function))
    )


def cast(owner: Any, dtype: str) -> None:
    """Every PyTorch module in the object in this type."""
    for module in _modules(owner):
        import torch

        module.to(getattr(torch, dtype))


@contextmanager
def evaluating(owner: Any) -> Iterator[None]:
    """Every PyTorch module in the object drops nothing meanwhile."""
    training = [(part, part.training) for module in _modules(owner) for part in module.modules()]
    for part, _ in training:
        part.training = False
    try:
        yield
    finally:
        for part, was in training:
            part.training = was


def moded(owner: Any) -> bool:
    """Whether it has a training and an evaluation mode."""
    return any(hasattr(one, "training") for one in _modules(owner))


def dropping(owner: Any) -> float | None:
    """The rate at which a module that is in training mode drops weights out; None where it drops none."""
    rates: list[float] = []
    for module in _modules(owner):
        for part in module.modules():
            rate = getattr(part, "p" if "Dropout" in type(part).__name__ else "dropout", None)
            if part.training and isinstance(rate, float) and 0 < rate <= 1:
                rates.append(rate)
    return max(rates, default=None)


def _modules(owner: Any) -> list[Any]:
    """The object if it is a module, otherwise the modules it has as attributes."""
    if hasattr(owner, "named_parameters"):
        return [owner]
    return [one for one in getattr(owner, "__dict__", {}).values() if hasattr(one, "named_parameters")]


def own_type(found: Mapping[str, Found], places: Places) -> str | None:
    """The type in which the object has its weights."""
    for pieces in places.values():
        return str(found[pieces[0].path].value.dtype).rpartition(".")[2]
    return None


__all__ = ["Held", "copied", "dropping", "evaluating", "holds", "moded"]
