"""An example that has been run, with what the lenses say about each of its quantities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich.text import Text

from clearhead.lenses.walkthrough import quantity_views
from clearhead.messages import Quantity as View
from clearhead.sources.worked import Example, run
from clearhead.sources.worked.run import with_asides
from clearhead.surfaces.cli.marks import in_words
from clearhead.surfaces.cli.sheet import Sheet, labels
from clearhead.trace.notation.text import equation
from clearhead.trace.trace import Trace


@dataclass(frozen=True)
class Reading:
    """What the commands print from.

    Attributes:
        example: with its switches decided.
        trace: every quantity, those of the questions beside the main line included.
        views: the lenses' view of each quantity, by name.
        buffers: the arrays that the views name.
    """

    example: Example
    trace: Trace
    views: dict[str, View]
    buffers: list[np.ndarray]

    @classmethod
    def of(cls, example: Example) -> Reading:
        """Run the example.

        Raises:
            OverflowError: a number grows beyond float64; the message names the cell.
        """
        trace = with_asides(run(example))
        views, buffers = quantity_views(trace, frozenset(), None)
        return cls(example, trace, {view["name"]: view for view in views}, buffers)

    def formula(self, name: str) -> str | None:
        """The general formula as text, or None for what was given."""
        formula = self.trace[name].formula()
        return equation(formula) if formula else None

    def forbidden(self, name: str) -> np.ndarray | None:
        """Where the quantity is masked: an array of its shape, or None."""
        view = self.views[name]
        return self.buffers[view["forbidden"]] if "forbidden" in view else None

    def sheets(self, name: str) -> list[tuple[Text, Sheet]]:
        """The quantity's matrices, one for each index of the axes before the last two, and what each is of."""
        quantity, forbidden = self.trace[name], self.forbidden(name)
        *outer, row_axis, column_axis = quantity.axes
        *outer_sizes, rows, columns = quantity.shape
        finite = np.abs(quantity.values[np.isfinite(quantity.values)])
        sheets = []
        for place in np.ndindex(*outer_sizes):
            sheet = Sheet(
                axes=(row_axis, column_axis),
                rows=labels(self.trace, row_axis, rows),
                columns=labels(self.trace, column_axis, columns),
                values=quantity.values[place],
                forbidden=None if forbidden is None else forbidden[place],
                scale=self.views[name]["scale"],
                largest=float(finite.max(initial=0)),
            )
            sheets.append((in_words(self.trace, outer, place), sheet))
        return sheets
