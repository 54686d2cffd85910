"""Figures for papers and slides: SVG, PDF and PNG by Matplotlib, without a browser and without a display."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from matplotlib.axes import Axes

    from clearhead.lenses.diagnose import Report
    from clearhead.messages.values import Digits
    from clearhead.sources.worked import Example
    from clearhead.sources.worked.training.run import TrainingRun
    from clearhead.trace.capture.capture import Capture
    from clearhead.trace.explanation import Explanation
    from clearhead.trace.recording import Recording
    from clearhead.trace.trace import Trace

__all__ = ["figure", "save_figure"]


def figure(
    x: Trace | Capture | TrainingRun | Recording | Report | Explanation | Example | str | Path,
    kind: str | Sequence[str] | None = None,
    *,
    ax: Any = None,
    layer: int | None = None,
    head: int | None = None,
    query: int | None = None,
    tower: str | None = None,
    batch: int | None = None,
    score: str | None = None,
    step: int | None = None,
    label: str | None = None,
    width: str | float = "column",
    theme: str = "light",
    digits: Digits = 2,
    numbers: bool = True,
) -> Axes | np.ndarray:
    """Draw a figure for a paper or a slide, with Matplotlib; `save_figure` writes it as SVG, PDF or PNG.

    Nothing is asked of a display, a browser or pyplot, and a person's own settings of Matplotlib stay as they are.

    * A quantity's name, such as "weights", "Q" or "layer1.scores": its matrix, for each head; numbers stand in the
      cells where they can be read, and masked cells are hatched. Several names in a list (or with commas) stand
      beside each other.
    * A cell, such as "weights[0,3,1]": its arithmetic. An Explanation is the same.
    * "lines": who looks at whom, one head's tokens joined by lines as wide as the weights. A line of less than 0.25
      points is drawn so wide and as much paler, and not at all where no screen could show it: of a weight below 0.0002.
    * "heads": a small map of every head, layers by heads; with `score` one number for every head instead.
    * "loss": the loss curve of a TrainingRun, up to its `final_loss`, or of a Recording, up to the loss before its last
      update.
    * Of a Report of the checker: a quantity of its smallest example, yours beside what is right; or a cell of a side,
      "yours.scaled[0,1]".

    Marks are explained below the axes: what is masked is hatched, as it is no weight of 0; what is no number (NaN) is
    grey; a query that may see nothing is struck through; and padding has its number in a frame.

    Example::

        axes = ch.figure(ch.run("three-words", mask="causal"), "weights", theme="grey")
        axes.set_title("Who looks at whom")
        ch.save_figure(axes, "weights.pdf")

    Args:
        x: what is drawn; an Example, or the name or path of one, is run.
        kind: see above; None: a trace's weights (its heads, if it has several layers), a capture's heads, a training's
            loss, the first quantity of a report that comes out otherwise.
        ax: axes of Matplotlib to draw into, or as many as there are matrices; None: a figure of its own.
        layer: of a capture, or of a trace of several layers.
        head: which head; None: all.
        query: of a capture, the one query that is worked out; of lines, the one whose lines are in colour.
        tower: the part of a captured model, if there are several.
        batch: the sequence of a capture; None: the first.
        score: with "heads": one of the scores of `head_statistics`, such as "induction".
        step: of a training run, the recorded step whose trace is drawn.
        label: of a loss curve, its name in a legend.
        width: "column" (3.35 inches), "page" (6.9 inches) or inches.
        theme: "light", "dark" or "grey": for print, where hatching and numbers say what colour would.
        digits: decimals of numbers, 2, 3, 4 or "full".
        numbers: False leaves them out of the cells.

    Returns:
        The axes, to go on with in Matplotlib; an array of them where there are several matrices. At the end of a cell
        of a notebook they stand as a picture.

    Raises:
        ImportError: Matplotlib is not installed.
        TypeError: x is nothing that can be drawn.
        ValueError: this kind cannot be drawn of it, an option does nothing there, or it does not fit; no such example.
        LookupError: there is no such quantity, cell, layer, head, query, tower, sequence or step.
    """
    with _matplotlib():
        from clearhead.surfaces.figure.cells import shown_in_cells
        from clearhead.surfaces.figure.entry import drawn
        from clearhead.surfaces.figure.look import Look
    options = {
        "layer": layer, "head": head, "query": query, "tower": tower, "batch": batch, "score": score, "step": step,
        "label": label,
    }  # fmt: skip
    given = {name: value for name, value in options.items() if value is not None}
    shown_in_cells()
    return drawn(x, kind, given, Look.read(width, theme, digits, numbers), ax)


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure to a file, as its name ends: .svg, .pdf or .png (300 dots an inch).

    Text stays text, and the fonts are in the file, as far as the figure uses them. The same figure gives the same bytes
    with the same version of Matplotlib. A file that is there is replaced when all of the new one is drawn.

    Example::

        ch.save_figure(ch.figure(trace, "weights"), "weights.pdf")

    Args:
        figure: what `clearhead.figure` gave: axes, or an array of them; or any figure of Matplotlib.
        path: where.

    Raises:
        ImportError: Matplotlib is not installed.
        ValueError: this is no figure, or the name ends otherwise.
        OSError: the place cannot be written, or is no file; the message names it.
    """
    with _matplotlib():
        from clearhead.surfaces.figure.saving import save
    save(figure, path)


@contextmanager
def _matplotlib() -> Iterator[None]:
    """Say what is missing where it is Matplotlib."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        from clearhead.trace.installing import install

        raise ImportError(
            f"figures need Matplotlib, and it is not installed; expected `{install('figures')}` before"
        ) from None
