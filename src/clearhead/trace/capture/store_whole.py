"""A capture that is in memory already, written as a store."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from clearhead.trace.capture.agreement import LayerAgreement
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.overview import Overview
from clearhead.trace.capture.store import Store


def store_capture(capture: Capture, folder: str | Path, bins: int) -> Capture:
    """Write a capture into a folder with the overviews of its heads, and read it back from there.

    Args:
        capture: of whose run its provenance says all.
        folder: new, empty, or of the same capture.
        bins: of the overviews along each side.

    Raises:
        CaptureError: the folder holds other things or another capture, or it cannot be written; the message says.
    """
    overview = Overview(capture, bins)
    files: dict[str, Mapping[str, Any]] = {}
    compared: dict[str, LayerAgreement] = {}
    with Store.opened(folder, _made_of(capture, bins)) as store:
        for number, layer in enumerate(capture.attentions()):
            assert layer.attention is not None  # an attention layer
            store.keep(number, layer.attention, partial(overview.of, layer))
            files[layer.label] = store.layer(number).file
            compared[layer.label] = capture.agreement_of(layer)
        return store.finish(capture, files, compared)


def _made_of(capture: Capture, bins: int) -> dict[str, Any]:
    """What the store says of the run that it is of."""
    said = {name: value for name, value in capture.provenance.items() if name != "notes"}
    words = [[token.as_dict() for token in row] for rows in capture.texts.values() for row in rows]
    changes = [str(change) for change in capture.changes]
    return said | {
        "bins of the overview": bins,
        "prompt": capture.prompt,
        "changes": changes,
        "tokens": words,
    }
