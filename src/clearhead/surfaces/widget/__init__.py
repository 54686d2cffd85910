"""The page in a cell of a notebook: Jupyter, marimo, VS Code and Colab, by anywidget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from clearhead.lenses.diagnose import Report
    from clearhead.sources.worked import Example
    from clearhead.sources.worked.training.run import TrainingRun
    from clearhead.surfaces.widget.widget import AttentionWidget
    from clearhead.trace.capture.capture import Capture
    from clearhead.trace.recording import Recording
    from clearhead.trace.trace import Trace

__all__ = ["show"]

HEIGHT = 560
LEAST_HEIGHT, MOST_HEIGHT = 240, 4000
"""Pixels that a view may have. Less leaves no room beside its bar; more than any screen is a slip of the hand."""


def show(
    x: Trace | Capture | TrainingRun | Recording | Report | Example | str | Path,
    *,
    step: int | None = None,
    layer: int | None = None,
    head: int | None = None,
    query: int | None = None,
    cell: str | None = None,
    tower: str | None = None,
    batch: int | None = None,
    height: int = HEIGHT,
) -> AttentionWidget:
    """Show a computation in a notebook, live: every cell unfolds, every word, number and switch can be changed.

    A Trace, a Capture, a TrainingRun, a Recording or a Report that is the last expression of a cell is shown so by
    itself, wherever it stands as one and the same view; `show` makes a new one, that begins where it is told to::

        view = ch.show(ch.run("three-words"), cell="weights[0,1,0]")
        view.value["cell"]["number"]

    Attributes of the view: `value`, a dictionary of what is chosen and edited at the moment (see docs/notebook.md);
    `address`, the same as the page's address has it, which can be set, too; `height`.

    Args:
        x: what is shown: a Trace of an example or of a head, a Capture, a TrainingRun, a Recording, a Report, an
            Example, or the name or path of one.
        step: of a training run or a recording, the step that is shown, one of those that were kept; None: the last.
        layer: the layer that is shown.
        head: of a capture the head that is shown. Of anything else the arithmetic of a weight of this head is open:
            of the largest one of the query.
        query: the query; None with a head: of a capture none is chosen, of anything else the last.
        cell: the cell whose arithmetic is open, such as "weights[0,1,0]"; of a report "yours.weights[1,0]" or
            "right.weights[1,0]".
        tower: the part of a captured model, if there are several.
        batch: the sequence of a capture.
        height: of the view, in pixels; a person can drag its lower edge.

    Raises:
        ImportError: anywidget is not installed.
        TypeError: x is nothing that can be shown.
        ValueError: an option does nothing here, has another form, or x is of something that has no view.
        LookupError: there is no such step, layer, head, query, tower, sequence or cell.
    """
    if isinstance(height, bool) or not isinstance(height, int) or not LEAST_HEIGHT <= height <= MOST_HEIGHT:
        raise ValueError(
            f"height: expected a whole number of pixels from {LEAST_HEIGHT} to {MOST_HEIGHT}, got {height!r}"
        )
    from clearhead.session.showing import showing

    places: dict[str, Any] = {
        "step": step, "layer": layer, "head": head, "query": query, "cell": cell, "tower": tower, "batch": batch,
    }  # fmt: skip
    shown = showing(x, **places)
    return widget_class()(x, shown, height)


def widget_class() -> type[AttentionWidget]:
    """The class of views.

    Raises:
        ImportError: anywidget is not installed.
    """
    try:
        from clearhead.surfaces.widget.widget import AttentionWidget
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("anywidget", "ipywidgets", "traitlets"):
            raise
        from clearhead.trace.installing import install

        raise ImportError(
            f"notebook views need anywidget, and it is not installed; expected `{install('notebook')}` before"
        ) from None
    return AttentionWidget
