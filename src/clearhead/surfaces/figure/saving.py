"""Figures as files: real text with its fonts, no date and no chance in them, and never half a file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from clearhead.surfaces.figure.fonts import quiet, with_fonts
from clearhead.surfaces.figure.look import DPI, drawn_alike
from clearhead.trace.frames import write_whole
from clearhead.trace.places import file_place

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMS = (".svg", ".pdf", ".png")
"""What a figure can be saved as, by the end of the file's name."""

DATELESS: Mapping[str, Mapping[str, Any]] = {
    "svg": {"Date": None, "Creator": "Clearhead"},
    "pdf": {"CreationDate": None, "Creator": "Clearhead"},
    "png": {"Software": "Clearhead"},
}


def save(figure: Any, path: str | Path) -> None:
    """Write a figure to a file; see `clearhead.save_figure`."""
    drawn, place, form = figure_of(figure), file_place(path), form_of(path)
    try:
        write_whole(place, [figure_bytes(drawn, form)])
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def form_of(path: str | Path) -> str:
    """What a file is by its name: "svg", "pdf" or "png".

    Raises:
        ValueError: it ends otherwise.
    """
    ending = Path(path).suffix
    if ending.lower() not in FORMS:
        ends = f"ends in {ending}" if ending else "has no ending"
        raise ValueError(
            f"{path}: {ends}; expected a name that ends in {', '.join(FORMS[:-1])} or {FORMS[-1]}"
        )
    return ending.lower()[1:]


def figure_bytes(figure: Figure, form: str) -> bytes:
    """The figure as the content of such a file."""
    content = io.BytesIO()
    about = dict(DATELESS[form])
    says = described(figure)
    if says and form != "png":
        about |= {"Title": says} if form == "svg" else {"Title": says.splitlines()[0][:200], "Subject": says}
    with drawn_alike(), quiet():
        figure.savefig(content, format=form, metadata=about, dpi=DPI, facecolor=figure.get_facecolor())
        return with_fonts(content.getvalue()) if form == "svg" else content.getvalue()


def described(figure: Figure) -> str:
    """What the figure shows, in words, for those who do not see it: what its axes are labelled with."""
    labels = (str(ax.get_label()) for ax in figure.axes)
    return "; ".join(label for label in labels if label and not label.startswith(("_", "<")))


def figure_of(drawn: Any) -> Figure:
    """The figure of axes, or of an array of them, or itself.

    Raises:
        ValueError: it is none, or the axes are of several figures.
    """
    found = list(dict.fromkeys(_figures(drawn)))
    if len(found) != 1:
        kind = "axes of several figures" if found else type(drawn).__name__
        raise ValueError(
            f"figure: got {kind}; expected the axes that clearhead.figure gave, or a Matplotlib figure"
        )
    return found[0]


def _figures(drawn: Any) -> Iterator[Figure]:
    if isinstance(drawn, Figure):
        yield drawn
    elif isinstance(drawn, Axes | Artist):
        root = drawn.get_figure(root=True)
        if root is not None:
            yield root
    elif isinstance(drawn, np.ndarray | list | tuple):
        for one in np.asarray(drawn, dtype=object).ravel():
            yield from _figures(one)
