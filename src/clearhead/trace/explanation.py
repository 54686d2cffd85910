"""An explanation: one cell of a quantity, with the arithmetic that made it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clearhead.core.expression import Cell, Expression, Product, Sum, Symbol, cells, evaluate
from clearhead.core.magnitude import magnitude
from clearhead.core.ops.base import Index
from clearhead.core.tolerance import allowed_difference

if TYPE_CHECKING:
    from clearhead.messages.values import Digits
    from clearhead.trace.notation.reading import Line
    from clearhead.trace.quantity import Quantity


def cell_label(quantity: str, index: Index) -> str:
    """A cell's name, such as `scores[0,3,1]`; that of a single number, `loss`, has no brackets."""
    return f"{quantity}[{','.join(map(str, index))}]" if index else quantity


@dataclass(frozen=True)
class Factor:
    """A cell that a term is made of: its value and where it came from."""

    quantity: str
    index: Index
    value: float


@dataclass(frozen=True)
class Term:
    """One term of a sum.

    Attributes:
        value: what the term comes to.
        factors: the cells in it, each with its value and its place.
        expression: the term's own tree.
    """

    value: float
    factors: tuple[Factor, ...]
    expression: Expression


@dataclass(frozen=True)
class Explanation:
    """How one cell came about.

    `str()` gives the arithmetic line by line, `latex()` the same for a paper, `markdown()` for a notebook or a page.
    """

    quantity: Quantity
    index: Index
    expression: Expression

    @property
    def value(self) -> float:
        """The stored number."""
        return self.quantity.number(self.index)

    @property
    def label(self) -> str:
        """The cell's name, such as `scores[0,3,1]`; that of a single number, `loss`, has no brackets."""
        return cell_label(self.quantity.name, self.index)

    @property
    def note(self) -> str | None:
        """One sentence the arithmetic alone does not tell, or None."""
        return self.quantity.note(self.index)

    def evaluate(self) -> float:
        """Compute the recipe's tree from its leaves: it gives the stored number, up to `tolerance`."""
        return evaluate(self.expression, self.quantity.value_of)

    @property
    def tolerance(self) -> float:
        """The largest difference between `evaluate()` and `value` that rounding alone explains."""
        leaves = sum(1 for _ in cells(self.expression))
        return allowed_difference(magnitude(self.expression, self.quantity.value_of), leaves)

    @property
    def terms(self) -> tuple[Term, ...]:
        """For a sum: its terms, each with the values of its factors and where they came from. Otherwise empty."""
        if not isinstance(self.expression, Sum):
            return ()
        return tuple(map(self.term, self.expression.terms))

    def term(self, term: Expression) -> Term:
        """One term of the sum."""
        parts = term.factors if isinstance(term, Product) else (term,)
        factors = tuple(self.factor(cell) for part in parts for cell in cells(part))
        return Term(evaluate(term, self.quantity.value_of), factors, term)

    def factor(self, cell: Cell) -> Factor:
        """The input cell, by the name of its quantity."""
        given, place = self.quantity.name_of(cell)
        return Factor(given.name, place, self.quantity.value_of(cell))

    def lines(self, digits: Digits = 2) -> list[Line]:
        """The arithmetic as it is read, one simplification a line; see `clearhead.trace.notation.reading`."""
        from clearhead.trace.notation.reading import read  # computing needs no notation, and imports none

        return read(self.expression, self.quantity.value_of, self.value, digits)

    def text(self, digits: Digits = 2) -> str:
        """The arithmetic as plain text, at 2, 3 or 4 decimals or "full"."""
        from clearhead.trace.notation import text

        return text.worked(self.label, self.quantity.formula(), self.lines(digits), self.note)

    def latex(self, digits: Digits = 2) -> str:
        """The arithmetic as a LaTeX `aligned` block."""
        from clearhead.trace.notation import latex

        cell = Symbol(self.quantity.name, tuple(map(str, self.index)))
        return latex.worked(cell, self.lines(digits))

    def markdown(self, digits: Digits = 2) -> str:
        """The cell, its general formula and the arithmetic as Markdown with formulas in LaTeX, and the note on it."""
        from clearhead.trace.notation import latex, prose

        formula = self.quantity.formula()
        blocks = [latex.equation(formula)] if formula else []
        parts = [f"**{prose.markdown_prose(self.label)}**"]
        parts += [f"$$\n{block}\n$$" for block in (*blocks, self.latex(digits))]
        parts += [prose.markdown_prose(self.note)] if self.note else []
        return "\n\n".join(parts)

    def __str__(self) -> str:
        """The arithmetic as plain text."""
        return self.text()
