"""The arithmetic of one cell, set as formulas: the same digits as `Explanation.text`, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clearhead.core.axes import SENTENCE_AXES, VOCABULARY
from clearhead.core.expression import Expression, Sum, Symbol
from clearhead.surfaces.figure.layout import alone
from clearhead.surfaces.figure.look import LABEL, SMALL, Look
from clearhead.surfaces.figure.sides import CHIP, chip, shifted
from clearhead.surfaces.figure.words import can_be_set, families, formula, plain, size_of, word, wrapped
from clearhead.trace.explanation import Explanation
from clearhead.trace.notation import latex, text
from clearhead.trace.shortened import MOST_TERMS, longest, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clearhead.trace.trace import Trace

SIZE, LEADING = 9.0, 7.0
"""Points of the numbers, and between one line and the next."""

RELATIONS = {"=": "$=$", "≈": r"$\approx$"}


@dataclass(frozen=True)
class Piece:
    """A text at a place, in points to the right of the left edge and below the top; or a position's number."""

    x: float
    y: float
    written: str
    size: float
    soft: bool = False
    position: tuple[int, int] | None = None


def arithmetic(why: Explanation, look: Look, ax: Axes | None = None, trace: Trace | None = None) -> Axes:
    """The arithmetic of a cell; of a trace that is given also the words that the cell is about.

    Sums of very many terms are cut to the largest ones, and the note says so.
    """
    if longest(why.expression) > MOST_TERMS:
        why = shortened(why)

    def draw(into: Axes) -> None:
        _draw(into, why, look, trace)

    if ax is not None:
        draw(ax)
        return ax
    return alone(draw, lambda width: _Page(why, width, look, trace).height, look)


def _draw(ax: Axes, why: Explanation, look: Look, trace: Trace | None) -> None:
    ax.set_axis_off()
    ax.set_label(why.text(look.digits))
    figure = ax.get_figure(root=True)
    assert figure is not None
    width = ax.get_window_extent().width / figure.dpi * 72
    for piece in _Page(why, width, look, trace).pieces:
        place = shifted(ax, ax.transAxes, piece.x, -piece.y)
        if piece.position is not None:
            chip(ax, 0, 1, *piece.position, look, transform=place)
            continue
        ax.text(
            0, 1, piece.written, transform=place, fontsize=piece.size, va="baseline", ha="left",
            color=look.theme.soft if piece.soft else look.theme.ink, family=families(piece.written),
        )  # fmt: skip


class _Page:
    """The lines, set one under the other within a width.

    Attributes:
        pieces: what is written where.
        height: the points that all of it takes.
    """

    def __init__(self, why: Explanation, width: float, look: Look, trace: Trace | None) -> None:
        self.pieces: list[Piece] = []
        self.height = 0.0
        self._width = width
        if trace is not None and why.index:
            self._place(why, trace)
        general = why.quantity.formula()
        if general is not None:
            as_text = text.equation(general)
            self._written(
                [formula(_large(latex.equation(general)), as_text)], as_text, 0.0, SIZE - 1, soft=True
            )
        label = formula(latex.symbol(Symbol(why.quantity.name, tuple(map(str, why.index)))), why.label)
        indent = size_of(label, SIZE)[0] + 5
        for number, line in enumerate(why.lines(look.digits)):
            start = self.height
            self._line(RELATIONS[line.relation], line.tree, indent)
            if number == 0:
                first = next(piece for piece in self.pieces if piece.y > start)
                self.pieces.append(Piece(0, first.y, label, SIZE))
        if why.note:
            self._written([], f"({why.note})", 0.0, LABEL, soft=True)
        self.height = max(self.height - LEADING, SIZE)

    def _place(self, why: Explanation, trace: Trace) -> None:
        """Which cell it is: head 0 · query 3 chased · key 1 dog, the positions on their colours."""
        x, y = 0.0, self.height + LABEL
        for number, (axis, at) in enumerate(zip(why.quantity.axes, why.index, strict=True)):
            words = trace.words(axis)
            said = plain(word(words[at])) if at < len(words) else ""
            named = f"{'' if number == 0 else '·  '}{axis} "
            tail = f"{said if axis == VOCABULARY and said else at}  "
            if axis in SENTENCE_AXES:
                before = size_of(named, LABEL)[0] + CHIP * 0.9
                room = size_of(str(at), CHIP, weight="bold")[0]
                tail = f" {said}  "
                extra = before + room + CHIP * 0.5
            else:
                extra = 0.0
            whole = extra + size_of(named if not extra else "", LABEL)[0] + size_of(tail, LABEL)[0] + 5
            if x and x + whole > self._width:
                x, y = 0.0, y + LABEL + LEADING
            self.pieces.append(Piece(x, y, named.rstrip(), LABEL, soft=True))
            x += size_of(named, LABEL)[0] + 2
            if axis in SENTENCE_AXES:
                room = size_of(str(at), CHIP, weight="bold")[0]
                count = max(len(words), at + 1)
                self.pieces.append(
                    Piece(x + 2 + room / 2, y - CHIP * 0.4, str(at), CHIP, position=(at, count))
                )
                x += room + 7
            self.pieces.append(Piece(x, y, tail.strip(), LABEL))
            x += size_of(tail.strip(), LABEL)[0] + 5
        self.height = y + LEADING + 3

    def _line(self, relation: str, tree: Expression, indent: float) -> None:
        """One line of arithmetic after its sign; what is wider is broken at its terms."""
        wide = size_of(relation, SIZE)[0] + 5
        room = self._width - indent - wide
        before = len(self.pieces)
        self._written(list(_rows(tree, room)), text.expression(tree), indent + wide, SIZE)
        self.pieces.append(Piece(indent, self.pieces[before].y, relation, SIZE))

    def _written(self, rows: list[str], otherwise: str, x: float, size: float, soft: bool = False) -> None:
        """Rows of formulas, a little smaller if they are too wide; as plain text that wraps if that is not enough."""
        room = self._width - x
        widest = max((size_of(row, size)[0] for row in rows), default=room + 1)
        fitted = size * min(1.0, room / widest)
        if not rows or fitted < SMALL + 0.5 or not all(row.startswith("$") for row in rows):
            fitted = min(size, LABEL + 0.5)
            rows = list(wrapped(plain(otherwise), room, fitted))
        for row in rows:
            _, height, depth = size_of(row, fitted)
            self.height += max(height - depth, fitted * 0.75)
            self.pieces.append(Piece(x, self.height, row, fitted, soft))
            self.height += depth + LEADING


def _large(written: str) -> str:
    """The LaTeX as on a line of its own, with fractions as large as what stands beside them.

    A prime is the character for it: Matplotlib takes that of a quote from a font in which it has the code of a 0.
    """
    return written.replace(r"\frac", r"\dfrac").replace("'", "′")


def _rows(tree: Expression, room: float) -> Iterator[str]:
    """A tree as formulas: a sum that is too wide on several rows, each from its second on beginning with a plus."""
    whole = _large(latex.expression(tree))
    if not can_be_set(whole):
        return
    if not isinstance(tree, Sum) or len(tree.terms) < 2 or size_of(f"${whole}$", SIZE)[0] <= room:
        yield f"${whole}$"
        return
    row = ""
    for at, term in enumerate(tree.terms):
        written = _large(latex.expression(term, at == 0))
        longer = f"{row} + {written}" if row else written
        if row and size_of(f"${longer}$", SIZE)[0] > room:
            yield f"${row}$"
            longer = rf"+\;{written}"
        row = longer
    yield f"${row}$"
