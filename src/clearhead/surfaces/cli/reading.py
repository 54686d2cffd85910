"""One layer of an example that has been run, with what the lenses say about each of its quantities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.text import Text

from clearhead.core.axes import VOCABULARY
from clearhead.core.optimise import Optimiser
from clearhead.lenses.walkthrough import Layer, quantity_views
from clearhead.messages import Quantity as View
from clearhead.sources.worked import Example, run
from clearhead.sources.worked.run import with_asides
from clearhead.surfaces.cli.marks import in_words
from clearhead.surfaces.cli.sheet import Sheet, labels
from clearhead.surfaces.cli.vocabulary import words_shown
from clearhead.trace.notation.text import equation
from clearhead.trace.trace import Trace


@dataclass(frozen=True)
class Reading:
    """What the commands print from.

    Attributes:
        example: with its switches decided.
        layer: the trace, those of the questions beside this layer's main line included, and which layer is read.
        views: the lenses' view of each quantity, by name.
        buffers: the arrays that the views name.
        words: the rows of E whose words are shown where not all are.
    """

    example: Example
    layer: Layer
    views: dict[str, View]
    buffers: list[np.ndarray]
    words: Sequence[int]

    @property
    def trace(self) -> Trace:
        """Every quantity."""
        return self.layer.trace

    @classmethod
    def of(cls, example: Example, trace: Trace, layer: int, all_words: bool = False) -> Reading:
        """Read a layer.

        Args:
            example: what was run.
            trace: its trace.
            layer: which layer, from 0.
            all_words: show every word of the vocabulary, however many there are.
        """
        read = Layer(with_asides(trace, layer), layer)
        views, buffers = quantity_views(read, frozenset(), None)
        words = range(len(trace.vocabulary)) if all_words else words_shown(trace)
        return cls(example, read, {view["name"]: view for view in views}, buffers, words)

    def formula(self, name: str) -> str | None:
        """The general formula as text, or None for what was given."""
        formula = self.trace[name].formula()
        return equation(formula) if formula else None

    def forbidden(self, name: str) -> np.ndarray | None:
        """Where the quantity is masked: an array of its shape, or None."""
        view = self.views[name]
        return self.buffers[view["forbidden"]] if "forbidden" in view else None

    def leaves_words_out(self, name: str) -> bool:
        """Whether the quantity has more words than are shown."""
        quantity = self.trace[name]
        return any(
            axis == VOCABULARY and size > len(self.words)
            for axis, size in zip(quantity.axes, quantity.shape, strict=True)
        )

    def sheets(self, name: str) -> list[tuple[Text, Sheet]]:
        """The quantity's matrices, one for each index of the axes before the last two, and what each is of.

        A vector is one row without a name, and a single number a row of one.
        """
        quantity, forbidden = self.trace[name], self.forbidden(name)
        *outer, row_axis, column_axis = ("", "", *quantity.axes)[-max(2, len(quantity.axes)) :]
        size = (1, 1, *quantity.shape)[-2:]
        rows, columns = self._places(row_axis, size[0]), self._places(column_axis, size[1])
        cells = np.ix_(rows, columns)
        finite = np.abs(quantity.values[np.isfinite(quantity.values)])
        sheets = []
        for place in np.ndindex(*quantity.shape[:-2]):
            sheet = Sheet(
                axes=(row_axis, column_axis),
                rows=labels(self.trace, row_axis, rows),
                columns=labels(self.trace, column_axis, columns),
                numbers=columns,
                values=np.atleast_2d(quantity.values[place])[cells],
                forbidden=None if forbidden is None else np.atleast_2d(forbidden[place])[cells],
                scale=self.views[name]["scale"],
                largest=float(finite.max(initial=0)),
            )
            sheets.append((in_words(self.trace, outer, place), sheet))
        return sheets

    def _places(self, axis: str, size: int) -> Sequence[int]:
        return self.words if axis == VOCABULARY and len(self.words) < size else range(size)


def traced(example: Example, backwards: bool, optimiser: Optimiser) -> Trace:
    """The example's trace, with the gradients and one update if they are asked for.

    Raises:
        OverflowError: a number grows beyond float64; the message names the cell.
        ValueError: there is no loss to go back from; the message says why.
    """
    trace = run(example)
    return trace.backward().update(optimiser) if backwards else trace
