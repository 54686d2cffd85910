"""What the checker found, as a view: the verdict, and the smallest example's two walkthroughs side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from clearhead.lenses.diagnose import Report, Smallest
from clearhead.lenses.diagnose.smallest import CLEAR
from clearhead.lenses.patterns import Patterns
from clearhead.lenses.walkthrough import CheckedHead, checked_steps, quantity_views
from clearhead.messages import CheckReport, KnownMistake, ReportStep, Side, SmallExample
from clearhead.session.recipes import recipes_into
from clearhead.session.view import View
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

SIDES = ("yours", "right")
"""What the two walkthroughs are called, in messages and before the name of a cell: yours.scaled[0,1]."""

SUMMED = 1e-9
"""A part of a number that adding up in another order changes, which is no difference."""


ON_A_PAGE = 64
"""How wide the output of an example may be that a page shows: W_O has as many cells as its square, on either side."""


def reported(found: Report) -> View:
    """The whole of a report: it is small, as an example that is too wide for a page is left out and told."""
    buffers: list[np.ndarray] = []
    example = _of_page(found)
    wide = found.smallest is not None and example is None
    data = CheckReport(
        kind="report",
        outcome="agrees" if found.agrees else "unasked" if found.step is None else "differs",
        verdict=found.verdict,
        asked=found.asked,
        notes=[*found.notes, _too_wide(found)] if wide else list(found.notes),
        possible=list(found.possible),
        mistakes=[
            KnownMistake(name=one.name, says=one.says, seen=one.seen, mend=one.mend) for one in found.found
        ],
        example=None if example is None else _example(example, buffers),
    )
    return View(data, buffers)


def _of_page(report: Report) -> Smallest | None:
    small = report.smallest
    return None if small is None or small.right.shape[-1] > ON_A_PAGE else small


def _too_wide(report: Report) -> str:
    assert report.smallest is not None
    return (
        f"the example found is {report.smallest.right.shape[-1]} features wide, and a page shows up to {ON_A_PAGE}; "
        "the report as text has it, by the few columns that hold numbers"
    )


def side_of(smallest: Smallest, side: str) -> Trace:
    """The walkthrough that is called so."""
    return smallest.known if side == "yours" else smallest.reference


def number_on(report: Report, cell: Mapping[str, Any]) -> float:
    """The number of a cell whose quantity has its side before its name.

    Raises:
        LookupError: there is no such cell.
    """
    side, _, name = str(cell["quantity"]).partition(".")
    example = _of_page(report)
    if example is None:
        why = (
            "nothing differs here that a small example would show"
            if report.smallest is None
            else _too_wide(report)
        )
        raise LookupError(f"cell: {why}")
    if side not in SIDES:
        raise LookupError(f"cell: {cell['quantity']!r}: expected yours. or right. before the name")
    try:
        quantity = side_of(example, side)[name]
        return float(quantity.values[quantity.here(quantity.place(tuple(cell["index"])))])
    except LookupError as error:
        raise LookupError(f"cell: {error.args[0]}") from None


def _example(smallest: Smallest, buffers: list[np.ndarray]) -> SmallExample:
    yours, right = (side_of(smallest, side) for side in SIDES)
    least = SUMMED if smallest.done is not None else CLEAR
    return SmallExample(
        says=_says(smallest),
        steps=[
            ReportStep(title=title, quantities=names) for title, names in checked_steps(CheckedHead(right))
        ],
        yours=_side(yours, _apart(yours, right, least), buffers),
        right=_side(right, _apart(yours, right, least), buffers),
        step=smallest.step,
        cell=None if smallest.cell is None else list(smallest.cell),
    )


def _says(smallest: Smallest) -> str:
    spec, tokens = smallest.case.spec, smallest.case.sizes[1]
    mask = "" if spec.mask == "none" else f", mask {spec.mask}"
    left = "what your function does" if smallest.done else "what is known of your function, its output"
    enters = "X" in smallest.case.given or spec.rotary or spec.kv_heads != spec.heads
    also = (
        " Queries, keys and values are those that enter the scores, after all that is done to them."
        if enters
        else ""
    )
    return (
        f"The smallest example found has {tokens} tokens{mask}. On the left {left}, on the right what is right. Open a "
        f"number to see where it comes from.{also}"
    )


def _side(trace: Trace, difference: Callable[[Quantity], np.ndarray], buffers: list[np.ndarray]) -> Side:
    views, _ = quantity_views(CheckedHead(trace), (), difference, buffers)
    return Side(quantities=views, recipes=recipes_into(buffers, trace, trace, Patterns()))


def _apart(yours: Trace, right: Trace, least: float) -> Callable[[Quantity], np.ndarray]:
    """yours − right of a quantity, 0 where they say the same: both −∞, or all but the order of adding alike."""

    def difference(quantity: Quantity) -> np.ndarray:
        if quantity.name not in yours:
            return np.zeros(quantity.shape)
        ours, true = yours[quantity.name].values, right[quantity.name].values
        with np.errstate(invalid="ignore"):
            off = ours - true
            close = np.isfinite(off) & (np.abs(off) <= least * np.maximum(1, np.abs(true)))
        return np.where(close | (ours == true), 0.0, np.where(np.isnan(off), np.inf, off))

    return difference
