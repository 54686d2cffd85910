"""What an operation is: arrays in, array out, and for every cell of the result the recipe that made it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from clearhead.core import axes as ax
from clearhead.core.expression import Expression, Symbol

Index = tuple[int, ...]
Pattern = tuple[int | None, ...]
"""Cells of an array: one number per axis, None for every place along that axis."""

LETTERS = {
    ax.VOCABULARY: "w", ax.POSITION: "i", ax.QUERY: "i", ax.KEY: "j", ax.HEAD: "h", ax.MODEL: "m", ax.FEATURE: "k",
    ax.JOINED: "c", ax.HIDDEN: "f", ax.BATCH: "b",
    ax.PAIR: "p",
}  # fmt: skip
"""The index letter each axis has in formulas."""


@dataclass(frozen=True)
class Equation:
    """A general formula: left = right."""

    left: Symbol
    right: Expression


@dataclass(frozen=True)
class Program:
    """An operation as a line of a NumPy or PyTorch program.

    Attributes:
        line: an expression over the names of the inputs.
        helper: a function definition the line needs, or nothing.
    """

    line: str
    helper: str = ""


class Made(Protocol):
    """What `backward` may know of an input: its axes and its sizes, not its numbers."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The name of each axis."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""


GRADIENT, OUTPUT = -1, -2
"""What a gradient can be made of beside the inputs 0, 1, ...: the gradient of the result, and the result itself."""


@dataclass(frozen=True)
class Pull:
    """How the gradient of one input is made from the gradient of the result: an operation, and what it is applied to.

    Attributes:
        operation: makes the gradient; its axes are those of the input.
        of: its inputs, each `GRADIENT`, `OUTPUT`, or the number of an input of the operation that is gone through.
    """

    operation: Operation
    of: tuple[int, ...]


@dataclass(frozen=True)
class Operation(ABC):
    """One step of a computation. Its fields are JSON-able parameters and nothing else.

    Everything that knows the step's arithmetic stands in its one file: `forward` computes it, `recipe` says it cell
    by cell, `formula` says it in general, `feeds` says where an input cell goes, `program` writes it as code, and
    `backward` says which operation makes the gradient of an input, so that a gradient is made of operations again.

    Arrays may have further axes in front (a batch of sentences): an operation works on the last ones.

    Attributes:
        name: the operation's name, unique among operations.
        axes: the names of the result's axes.
    """

    name: ClassVar[str]
    axes: tuple[str, ...]

    @abstractmethod
    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """The result, float64, with the axes `self.axes`."""

    @abstractmethod
    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """How the cell at `index` of the result comes about; the `Cell` leaves refer to `inputs` by slot."""

    @abstractmethod
    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cells of the result that cell `index` of input `slot` has a part in."""

    @abstractmethod
    def formula(self, output: str, *inputs: str) -> Equation:
        """The general formula, with the given names for the result and the inputs."""

    @abstractmethod
    def program(self, module: str, *inputs: str) -> Program:
        """The operation as code over the named inputs; `module` is "np" or "torch"."""

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull | None:
        """How the gradient of input `slot` comes about; None: nothing flows there.

        Raises:
            NotImplementedError: the operation is beside the main line and is not gone through backwards.
        """
        raise NotImplementedError(f"{self.name} has no gradient: it is no step on the way to the loss")

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """One sentence about this cell that the arithmetic alone does not tell, or None."""
        return None

    def hidden(self, *inputs: np.ndarray) -> np.ndarray | None:
        """Boolean, the result's shape: True where a cell is masked. None for the operations that mask nothing."""
        return None

    def letters(self) -> tuple[str, ...]:
        """The index letters of the result in formulas."""
        return letters_of(self.axes)


def letters_of(axes: tuple[str, ...]) -> tuple[str, ...]:
    """The index letters of an array with these axes."""
    return tuple(LETTERS[axis] for axis in axes)
