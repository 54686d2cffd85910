"""The walkthrough: the stops of one layer, with their prose, formulas and matrices."""

from clearhead.lenses.walkthrough.captured import captured_stops, captured_walk
from clearhead.lenses.walkthrough.checked import CheckedHead, checked_steps
from clearhead.lenses.walkthrough.stops import Aside, Layer, Stop, says, stop_named, stops
from clearhead.lenses.walkthrough.view import quantity_views, stop_views

__all__ = [
    "Aside", "CheckedHead", "Layer", "Stop", "captured_stops", "captured_walk", "checked_steps", "quantity_views",
    "says", "stop_named", "stop_views", "stops",
]  # fmt: skip
