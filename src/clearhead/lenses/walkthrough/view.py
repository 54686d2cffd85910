"""The view of a walkthrough: its stops, and every quantity with its values in a buffer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clearhead.lenses.walkthrough.stops import Aside, Stop, says, stops
from clearhead.messages import Aside as AsideView
from clearhead.messages import Quantity as QuantityView
from clearhead.messages import Stop as StopView
from clearhead.trace.notation import mathml
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

SHARES = frozenset(
    {"weights", "weights_scaled", "weights_unscaled", "sensitivity_scaled", "sensitivity_unscaled"}
)
"""Quantities between 0 and 1, drawn on the scale of weights."""

Difference = Callable[[Quantity], np.ndarray | None]


def stop_views(trace: Trace) -> list[StopView]:
    """The stops, without the quantities that this trace does not have."""
    return [_stop(trace, stop) for stop in stops()]


def _stop(trace: Trace, stop: Stop) -> StopView:
    formulas = [trace[name].formula() for name in stop.makes if name in trace]
    view = StopView(
        id=stop.id,
        title=stop.title,
        short=stop.short,
        text=list(stop.paragraphs(trace)),
        formulas=[mathml.equation(formula) for formula in formulas if formula is not None],
        quantities=[name for name in stop.quantities if name in trace],
    )
    if asides := stop.answered(trace):
        view["asides"] = [_aside(aside) for aside in asides]
    return view


def _aside(aside: Aside) -> AsideView:
    return AsideView(id=aside.id, title=aside.title, text=list(aside.text), quantities=list(aside.quantities))


def quantity_views(
    trace: Trace, editable: frozenset[str], difference: Difference | None
) -> tuple[list[QuantityView], list[np.ndarray]]:
    """Every quantity as data, and the buffers that the data names.

    Args:
        trace: what to show.
        editable: the names of the quantities a person may edit.
        difference: gives what changed in a quantity (None: another shape), if there is something to compare with.
    """
    buffers: list[np.ndarray] = []
    views = [_quantity(quantity, editable, difference, buffers) for quantity in trace.values()]
    return views, buffers


def _quantity(
    quantity: Quantity, editable: frozenset[str], difference: Difference | None, buffers: list[np.ndarray]
) -> QuantityView:
    formula = quantity.formula()
    operation = quantity.operation.name if quantity.operation else "given"
    view = QuantityView(
        name=quantity.name,
        axes=list(quantity.axes),
        shape=list(quantity.shape),
        values=_put(buffers, quantity.values),
        operation=operation,
        inputs=[given.name for given in quantity.inputs],
        formula=mathml.equation(formula) if formula else None,
        editable=quantity.name in editable,
        says=says(quantity.name, operation),
        scale="weights" if quantity.name in SHARES else "signed",
    )
    if (masked := quantity.masked) is not None:
        view["forbidden"] = _put(buffers, masked.astype(np.uint8))
    if difference is not None:
        _add_difference(view, difference(quantity), buffers)
    return view


def _add_difference(view: QuantityView, change: np.ndarray | None, buffers: list[np.ndarray]) -> None:
    if change is None:
        view["reshaped"] = True
    elif change.any():
        view["difference"] = _put(buffers, change)


def _put(buffers: list[np.ndarray], array: np.ndarray) -> int:
    buffers.append(array)
    return len(buffers) - 1
