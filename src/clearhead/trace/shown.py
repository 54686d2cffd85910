"""What a notebook asks of the last expression of a cell.

Surfaces stand above traces, which import none of them. So these hooks find the surface by its name when a notebook
asks, and a program that shows nothing never loads it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

SURFACE = "clearhead.surfaces.widget.output"


class Shown:
    """Something that a notebook shows when it is the last expression of a cell."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """What IPython shows, see its documentation: the view, with a picture that needs no kernel."""
        return import_module(SURFACE).bundle_of(self)

    def _display_(self) -> Any:
        """What marimo shows in its place."""
        return import_module(SURFACE).display_of(self)
