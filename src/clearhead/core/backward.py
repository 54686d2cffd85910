"""Backwards: from the loss to the gradient of everything it was made of, each by an operation like any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from clearhead.core.names import contribution_to, gradient_of
from clearhead.core.ops import Add, One
from clearhead.core.ops.base import GRADIENT, OUTPUT, Pull


class Contribution(NamedTuple):
    """What one consumer sends back to one of its inputs: an operation, and the values it is applied to."""

    consumer: str
    pull: Pull
    operands: tuple[Any, ...]


def backward(step: Callable[..., Any], values: Sequence[Any], loss: Any) -> dict[str, Any]:
    """The gradient of `loss` with respect to every value that it follows from and that was given or made of given ones.

    Reverse-mode differentiation (Rumelhart, Hinton and Williams 1986): each value's gradient is the sum of what its
    consumers send back, and each operation says what that is (`Operation.backward`).

    Args:
        step: makes the gradients: see `core.attention.Step`.
        values: the computation in the order in which it was made, with `name`, `axes`, `operation` and `inputs`.
        loss: the one of them to start from; a single number.

    Returns:
        The gradients by the names of their values. A gradient is called d and the value's name; where several
        consumers send something back, their parts have names of their own and the gradient is their sum.
    """
    moves = _what_moves(values)
    waiting: dict[str, list[Contribution]] = {}
    gradients = {loss.name: step(gradient_of(loss.name), One(loss.axes))}
    for value in reversed(values):
        if value.name in waiting:
            gradients[value.name] = _summed(step, value, waiting.pop(value.name))
        if value.name in gradients and value.operation is not None:
            _send_back(value, gradients[value.name], moves, waiting)
    return gradients


def _what_moves(values: Sequence[Any]) -> set[str]:
    """The values that were given, or made of such: the others (sinusoidal positions) have nothing to learn."""
    moves: set[str] = set()
    for value in values:
        if value.operation is None or any(given.name in moves for given in value.inputs):
            moves.add(value.name)
    return moves


def _send_back(value: Any, gradient: Any, moves: set[str], waiting: dict[str, list[Contribution]]) -> None:
    for slot, given in enumerate(value.inputs):
        if given.name not in moves:
            continue
        pull = value.operation.backward(slot, value.inputs)
        if pull is not None:
            of = {GRADIENT: gradient, OUTPUT: value, **dict(enumerate(value.inputs))}
            operands = tuple(of[which] for which in pull.of)
            waiting.setdefault(given.name, []).append(Contribution(value.name, pull, operands))


def _summed(step: Callable[..., Any], value: Any, contributions: list[Contribution]) -> Any:
    """The gradient of a value from what its consumers send back, the first consumer first."""
    name = gradient_of(value.name)
    if len(contributions) == 1:
        (only,) = contributions
        return step(name, only.pull.operation, *only.operands)
    parts = [
        step(contribution_to(value.name, one.consumer), one.pull.operation, *one.operands)
        for one in reversed(contributions)
    ]
    return step(name, Add(value.axes), *parts)
