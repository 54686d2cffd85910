"""A figure as the last expression of a notebook's cell: IPython is told how axes are shown, which it would print."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

PNG = "image/png"
DOTS = 144
"""Dots an inch in a notebook, shown at half the size: sharp on any screen."""


def shown_in_cells() -> None:
    """From now on axes, an array of them and figures stand as pictures at the end of a cell, if this is a notebook.

    A figure that pyplot looks after is left to it, so that none is shown twice; so is a way that somebody else told
    IPython before.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return
    formatter = shell.display_formatter.formatters[PNG]
    for kind in (Axes, Figure, np.ndarray):
        if kind not in formatter.type_printers:
            formatter.for_type(kind, picture)


def picture(value: Any) -> tuple[bytes, dict[str, int]] | None:
    """The PNG with its width in pixels; None for what is no figure of ours."""
    first = value.flat[0] if isinstance(value, np.ndarray) and value.dtype == object and value.size else value
    drawn = (
        first
        if isinstance(first, Figure)
        else first.get_figure(root=True)
        if isinstance(first, Axes)
        else None
    )
    if drawn is None or drawn.canvas.manager is not None:
        return None
    file = BytesIO()
    drawn.savefig(file, format="png", dpi=DOTS)
    return file.getvalue(), {"width": round(drawn.get_size_inches()[0] * DOTS / 2)}
