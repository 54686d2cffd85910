"""The way back through a mask, and what it has in common with the way there."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from clearhead.core.expression import Cases, Cell, Expression, Number, Symbol
from clearhead.core.masks import mask_named
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program, letters_of


@dataclass(frozen=True)
class Masking(Operation):
    """What lets some cells of its first input through, and not others.

    A mask that no name describes is given as a second input, `allowed`: 1 where a query may see a key, 0 elsewhere,
    (queries, keys), with heads in front or without. A cell is let through where both the name and the array allow it.

    Attributes:
        mask: the name of a mask, see `core.masks`.
        first: the query whose row is the first of the input, where only some of them are there.
    """

    mask: str
    first: int = field(default=0, kw_only=True)

    def hidden(self, *inputs: np.ndarray) -> np.ndarray:
        """True where the mask forbids the key."""
        rows, keys = inputs[0].shape[-2:]
        query, key = np.ogrid[self.first : self.first + rows, :keys]
        seen = mask_named(self.mask).allows(query, key)
        for allowed in inputs[1:]:
            seen = seen & (allowed != 0)
        return ~np.broadcast_to(seen, inputs[0].shape)

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The same cell, unless it is forbidden: then nothing. What is allowed is no number that is reckoned with."""
        return [index] if slot == 0 and self.forbids(index, *inputs) is None else []

    def forbids(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Why a cell is not let through, None where it is; no other cell is looked at."""
        *_, row, key = index
        mask, query = mask_named(self.mask), self.first + row
        if not mask.sees(query, key):
            return f"{mask.forbids(query, key)}, so it may not be seen"
        if any(allowed[index[len(index) - allowed.ndim :]] == 0 for allowed in inputs[1:]):
            return "the model's own mask forbids it"
        return None

    def cases(self, through: Expression, instead: Expression, *allowed: str) -> Expression:
        """The general formula of what is let through and what is not."""
        rules = [f"{name}[{','.join(letters_of(self.axes[-2:]))}] = 1" for name in allowed]
        if self.mask != "none":
            rule = mask_named(self.mask).rule
            rules = [f"({rule})" if rules and " or " in rule else rule, *rules]
        return Cases(((through, f"where {' and '.join(rules)}"), (instead, "elsewhere")))

    def code(self, module: str, name: str, instead: str, *inputs: str) -> Program:
        """A `where` over the allowed cells, as a function of that name."""
        seen = [mask_named(self.mask).program, *("allowed != 0" for _ in inputs[1:])]
        condition = seen[0] if len(seen) == 1 else " & ".join(f"({one})" for one in seen)
        given = ", ".join(("x", "allowed")[: len(inputs)])
        query = f"{module}.arange(x.shape[-2])"
        if self.first:
            query = f"({self.first} + {query})"
        helper = f"""\
def {name}({given}):
    query, key = {query}[:, None], {module}.arange(x.shape[-1])
    return {module}.where({condition}, x, {instead})
"""
        return Program(f"{name}({', '.join(inputs)})", helper)


@dataclass(frozen=True)
class MaskGradient(Masking):
    """A score that was let through gets the gradient; one that was replaced has no part in the result, and gets 0."""

    name = "mask_gradient"

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the first input."""
        return np.where(self.hidden(*inputs), 0.0, inputs[0])

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The gradient, or 0."""
        return Cell(0, index) if self.forbids(index, *inputs) is None else Number(0)

    def formula(self, output: str, *inputs: str) -> Equation:
        """The gradient where the mask allows it, 0 elsewhere."""
        left, gradient = Symbol(output, self.letters()), Symbol(inputs[0], self.letters())
        if self.mask == "none" and len(inputs) == 1:
            return Equation(left, gradient)
        return Equation(left, self.cases(gradient, Number(0), *inputs[1:]))

    def program(self, module: str, *inputs: str) -> Program:
        """A `where` over the allowed cells."""
        if self.mask == "none" and len(inputs) == 1:
            return Program(inputs[0])
        return self.code(module, "mask_gradient", "0.0", *inputs)

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Why nothing flows to a forbidden score."""
        reason = self.forbids(index, *inputs)
        return reason and f"masked: {reason}; the score was replaced, so nothing flows back to it"
