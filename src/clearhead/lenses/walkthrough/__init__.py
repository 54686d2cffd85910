"""The walkthrough: the stops of one attention layer, with their prose, formulas and matrices."""

from clearhead.lenses.walkthrough.stops import Aside, Stop, says, stop_named, stops
from clearhead.lenses.walkthrough.view import quantity_views, stop_views

__all__ = ["Aside", "Stop", "quantity_views", "says", "stop_named", "stop_views", "stops"]
