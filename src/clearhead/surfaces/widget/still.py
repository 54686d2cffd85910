"""What stands in a saved notebook where no kernel is: a picture, and a table that needs nothing.

A code host's preview takes the richest form that it trusts, and takes styles and pictures out of HTML. So the HTML is a
sentence and a plain table that says all without its colours; the picture is beside it, for those that show one.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from clearhead.core.axes import HEAD
from clearhead.core.names import scope
from clearhead.sources.worked import Example, ExampleError, run
from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.training.run import TrainingRun
from clearhead.trace.capture.capture import Capture
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.notation.tokens import visible_token
from clearhead.trace.trace import Trace

MOST_ROWS = 12
"""Rows and columns of the table; of more the first."""

MOST_LETTERS = 24
"""Letters of a word in the table."""

MOST_DRAWN = 4_000_000
"""Weights that are drawn: a picture nobody asked for must not keep anyone waiting."""

MASKED = "–"
"""What stands in the table for a weight that the mask hides."""

DOTS, PNG = 144, "image/png"

OPENS = (
    "This is a picture of a live view of Clearhead, in which every number opens into its arithmetic. To get the view, "
    'run the cell again in Jupyter, marimo, VS Code or Colab, where Clearhead is installed with its extra "notebook".'
)


def still_of(x: object, why: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """A mime bundle with its metadata, without anything live in it.

    Args:
        x: what is shown.
        why: why there is no view of it, where there is none.
    """
    x = _looked_at(x)
    data: dict[str, Any] = {"text/html": _html(x, f"{why[:1].upper()}{why[1:]}." if why else OPENS)}
    picture = _picture(x)
    if picture is None:
        return data, {}
    drawn, width = picture
    return {**data, PNG: drawn}, {PNG: {"width": width}}


def _looked_at(x: object) -> object:
    """Of an example, and of its name, what its page begins with: its trace."""
    with suppress(ExampleError, OverflowError):  # the view says what is wrong with it
        if isinstance(x, str | Path):
            x = load_example(x)
        if isinstance(x, Example):
            return run(x)
    return x


def _html(x: object, says: str) -> str:
    table = "".join(_table(x))
    return f"<div><p>{escape(says)}</p>{table}</div>"


def _table(x: object) -> Iterator[str]:
    """The first weights, or the losses, as a table."""
    if isinstance(x, TrainingRun):
        steps = [x.recorded[at] for at in _spread(len(x.recorded))]
        losses = [*x.losses, x.final_loss]
        yield f"<p>{escape(repr(x))}</p>"
        yield from _rows(
            "loss",
            "step ↓",
            ["loss"],
            [str(step) for step in steps],
            np.array([[losses[step]] for step in steps]),
        )
        return
    found = _weights(x)
    if found is None:
        yield f"<pre>{escape(str(x))}</pre>"
        return
    label, queries, keys, values = found
    yield from _rows(label, "query ↓ key →", keys, queries, values, shaded=True)


def _weights(x: object) -> tuple[str, Sequence[str], Sequence[str], np.ndarray] | None:
    """Who looks at whom, of the first head: what to call it, the queries, the keys, and the weights with their mask."""
    if isinstance(x, Capture):
        layer = next((one for one in x.attentions() if one.tower == x.main), None)
        if layer is None or layer.attention is None:
            return None
        queries, keys = ([token.text for token in tokens] for tokens in x.tokens_of(layer))
        rows, columns = (
            slice(0, min(MOST_ROWS, size)) for size in (layer.attention.queries, layer.attention.keys)
        )
        values = x.window(layer.number, 0, rows, columns, tower=layer.tower)
        seen = layer.attention.visible.table(0, 0, rows)[:, columns]
        label = f"{x!r}. Weights of {layer.label}H0"
        return label, queries, keys, np.ma.masked_array(values, ~seen & (values == 0))
    if isinstance(x, Trace):
        layers = int((x.provenance.get("settings") or {}).get("layers", 1))
        weights = x.get(f"{scope(0, layers)}weights")
        if weights is None or weights.values.ndim < 2:
            return None
        hidden = False if weights.masked is None else weights.masked
        values = np.ma.masked_array(weights.values, hidden).reshape(-1, *weights.shape[-2:])[0]
        query, key = weights.starts[-2:]  # of one query of a head, not the first word
        label = "weights, head 0" if HEAD in weights.axes else "weights"
        return label, x.words("query")[query:], x.words("key")[key:], values
    return None


def _rows(
    label: str,
    axes: str,
    columns: Sequence[str],
    rows: Sequence[str],
    values: np.ndarray,
    shaded: bool = False,
) -> Iterator[str]:
    """A table of numbers, its beginning where it is large; words in it are text, whatever they say.

    A mark stands where there is no number: what is masked is no 0, and a preview may take all styles away.
    """
    height, width = (min(MOST_ROWS, size) for size in values.shape)
    part = "" if values.shape == (height, width) else f", the first {height} rows and {width} columns"
    masked = f"; {MASKED}: masked" if np.ma.getmaskarray(values)[:height, :width].any() else ""
    yield f"<table><caption>{escape(label)}{part}{masked}</caption><thead><tr><th>{axes}</th>"
    yield from (f"<th>{_word(word)}</th>" for word in columns[:width])
    yield "</tr></thead><tbody>"
    for row in range(height):
        yield f"<tr><th>{_word(rows[row])}</th>"
        yield from (_number(value, shaded) for value in values[row, :width].tolist())
        yield "</tr>"
    yield "</tbody></table>"


def _number(value: float | None, shaded: bool) -> str:
    if value is None:
        return f"<td>{MASKED}</td>"
    share = min(max(value, 0), 1) if shaded and np.isfinite(value) else 0
    style = f' style="background: rgba(49, 121, 166, {share * 0.6:.2f})"' if share else ""
    return f"<td{style}>{format_number(value)}</td>"


def _word(word: str) -> str:
    shown = visible_token(word)
    return escape(shown if len(shown) <= MOST_LETTERS else f"{shown[: MOST_LETTERS - 1]}…")


def _spread(count: int) -> list[int]:
    if count <= MOST_ROWS:
        return list(range(count))
    return [at * (count - 1) // (MOST_ROWS - 1) for at in range(MOST_ROWS)]


def _picture(x: object) -> tuple[bytes, int] | None:
    """A PNG and how wide it is to be shown, if Matplotlib is there and it is soon done."""
    if _size(x) > MOST_DRAWN:
        return None
    import clearhead

    with suppress(ImportError, ValueError, LookupError, TypeError):
        axes: Any = clearhead.figure(x, width="page")  # type: ignore[arg-type]  # says itself what it cannot draw
        figure = np.ravel(axes)[0].get_figure(root=True)
        content = io.BytesIO()
        figure.savefig(content, format="png", dpi=DOTS, metadata={"Software": "Clearhead"})
        return content.getvalue(), round(figure.get_figwidth() * 96)
    return None


def _size(x: object) -> int:
    """How many weights a picture of it is made of."""
    if isinstance(x, Capture):
        return sum(one.heads * one.queries * one.keys for layer in x.attentions() if (one := layer.attention))
    if isinstance(x, Trace):
        return sum(one.values.size for one in x.values() if one.name.endswith("weights"))
    return 0
