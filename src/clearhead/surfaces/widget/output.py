"""What stands below a cell whose last expression can be shown.

One object is one view, wherever it stands in a notebook: so the views of one object stay in step, and a cell that runs
again finds what was edited in it.
"""

from __future__ import annotations

import sys
from html import escape
from typing import TYPE_CHECKING, Any

from clearhead.sources.worked import ExampleError
from clearhead.surfaces.widget import HEIGHT, widget_class
from clearhead.surfaces.widget.still import still_of

if TYPE_CHECKING:
    from clearhead.surfaces.widget.widget import AttentionWidget

_views: dict[int, AttentionWidget] = {}
"""The views of objects by their `id`: those that compare by value, as traces do, have no hash. A view holds its object,
so that no other one gets its number."""


def bundle_of(x: object) -> Any:
    """What IPython is to show of it: in a terminal its text alone."""
    text = {"text/plain": repr(x)}
    if not _in_kernel():
        return text
    try:
        data, about = view_of(x)._repr_mimebundle_()
    except (ImportError, ExampleError) as why:
        data, about = still_of(x, str(why))
    return {**data, **text}, about


def display_of(x: object) -> Any:
    """What marimo is to show of it."""
    try:
        return view_of(x)
    except (ImportError, ExampleError) as why:
        return Html(still_of(x, str(why))[0].get("text/html") or f"<pre>{escape(repr(x))}</pre>")


class Html:
    """HTML that marimo shows as it is."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _mime_(self) -> tuple[str, str]:
        return "text/html", self.html


def view_of(x: object) -> AttentionWidget:
    """The one view of an object; it keeps the object until it is closed, as it has to answer for it.

    Raises:
        ImportError: anywidget is not installed.
        ExampleError: it has no view.
    """
    known = _views.get(id(x))
    if known is None or known.comm is None:  # nobody asked yet, or it was closed
        from clearhead.session.showing import showing

        known = _views[id(x)] = widget_class()(x, showing(x), HEIGHT)
    return known


def _in_kernel() -> bool:
    """Whether this is a kernel that a notebook talks to, not IPython in a terminal."""
    core = sys.modules.get("IPython.core.getipython")
    shell = core.get_ipython() if core else None
    return getattr(shell, "kernel", None) is not None
