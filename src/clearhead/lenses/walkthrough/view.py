"""The view of a walkthrough: its stops, and every quantity with its values in a buffer."""

from __future__ import annotations

from collections.abc import Callable, Container

import numpy as np

from clearhead.core.expression import Symbol
from clearhead.core.names import scope, taken_apart
from clearhead.lenses.walkthrough.stops import Aside, Layer, Stop, stops
from clearhead.messages import Aside as AsideView
from clearhead.messages import Quantity as QuantityView
from clearhead.messages import Stop as StopView
from clearhead.trace.notation import latex, mathml
from clearhead.trace.quantity import Quantity

SHARES = frozenset(
    {
        "weights",
        "changed",
        "weights_scaled",
        "weights_unscaled",
        "sensitivity_scaled",
        "sensitivity_unscaled",
        "probabilities",
    }
)
"""Quantities between 0 and 1, drawn on the scale of weights."""

Difference = Callable[[Quantity], np.ndarray | None]


def stop_views(layer: Layer) -> list[StopView]:
    """The stops of one layer, without those and without the quantities that it does not have."""
    return [stop_view(layer, stop) for stop in stops() if stop.stands(layer)]


def stop_view(layer: Layer, stop: Stop) -> StopView:
    """One stop as data, with what the layer has of it."""
    formulas = [layer.trace[name].formula() for name in layer.present(stop.makes)]
    view = StopView(
        id=stop.id,
        title=stop.title,
        short=stop.short,
        text=list(stop.paragraphs(layer)),
        formulas=[mathml.equation(formula) for formula in formulas if formula is not None],
        quantities=stop.shown(layer),
    )
    if asides := stop.answered(layer):
        view["asides"] = [_aside(aside) for aside in asides]
    return view


def _aside(aside: Aside) -> AsideView:
    return AsideView(id=aside.id, title=aside.title, text=list(aside.text), quantities=list(aside.quantities))


def quantity_views(
    layer: Layer,
    editable: Container[str],
    difference: Difference | None,
    buffers: list[np.ndarray] | None = None,
) -> tuple[list[QuantityView], list[np.ndarray]]:
    """Every quantity of one layer, and of none, as data, and the buffers that the data names.

    Args:
        layer: what to show.
        editable: the full names of the quantities a person may edit.
        difference: gives what changed in a quantity (None: another shape), if there is something to compare with.
        buffers: those of a view that has others already, which these are added to.
    """
    buffers = [] if buffers is None else buffers
    here = ("", scope(layer.number, layer.count))
    views = [
        _quantity(layer, quantity, editable, difference, buffers)
        for name, quantity in layer.trace.items()
        if taken_apart(name)[0] in here
    ]
    return views, buffers


def _quantity(
    layer: Layer,
    quantity: Quantity,
    editable: Container[str],
    difference: Difference | None,
    buffers: list[np.ndarray],
) -> QuantityView:
    formula = quantity.formula()
    operation = quantity.operation.name if quantity.operation else "given"
    view = QuantityView(
        name=quantity.name,
        latex=latex.symbol(Symbol(quantity.name)),
        axes=list(quantity.axes),
        shape=list(quantity.shape),
        values=_put(buffers, quantity.values),
        operation=operation,
        inputs=[given.name for given in quantity.inputs],
        formula=mathml.equation(formula) if formula else None,
        editable=quantity.name in editable,
        says=layer.says(quantity.name, operation),
        scale="weights" if taken_apart(quantity.name)[1] in SHARES else "signed",
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
