"""The folder of a store read as a capture: every layer where it lies, each file known by its seal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clearhead.trace.capture import tensors
from clearhead.trace.capture.agreement import LayerAgreement
from clearhead.trace.capture.assembling import assembled, layer_of
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.layer_file import damaged, open_layer
from clearhead.trace.capture.store_about import STORE
from clearhead.trace.capture.store_folder import CAPTURE, LAYERS, kept_in

FOLLOWS = "follows from"
"""Under which a finished store has a digest of all that its numbers follow from, or None."""


def found_finished(folder: str | Path, follows: str | None) -> Capture | None:
    """The capture of a store that is finished, whole, and of a run that this one would be again; else None.

    Every byte of it is read over: whoever asks for the same capture once more is promised what is not damaged.

    Args:
        folder: of the store; there may be none, or another thing.
        follows: a digest of all that the numbers follow from; None: there is none that says all.
    """
    where, place = str(folder), Path(folder).expanduser()
    if follows is None:
        return None
    try:
        facts = _facts(place / CAPTURE, where)
        if facts.get(FOLLOWS) != follows:
            return None
        for path in sorted(place.glob(LAYERS)):
            table, _, start = tensors.read_header(path)
            tensors.checksums_of(path, table, start)
        return _put_together(place, facts, where)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, ArithmeticError):
        return None  # the run says what is wrong, or mends it


def load_store(folder: Path, where: str) -> Capture:
    """The capture in the folder of a finished store; see `load_capture`.

    Raises:
        CaptureError: the store is not finished or of a newer version, or a layer is damaged.
        OSError: it cannot be read.
    """
    path = folder / CAPTURE
    if not path.exists():
        kept = kept_in(folder)
        raise CaptureError(
            f"{where}: this store is not finished ({kept} layer{'s' * (kept != 1)} kept); expected the same capture "
            "run again into this folder, which goes on from there"
        )
    try:
        return _put_together(folder, _facts(path, where), where)
    except CaptureError:
        raise
    except ValueError as error:
        raise CaptureError(f"{where}: {CAPTURE} is damaged or cut short ({error})") from None
    except (LookupError, TypeError, AttributeError, RecursionError, ArithmeticError):
        raise CaptureError(f"{where}: {CAPTURE} is damaged or cut short ({STORE.nothing})") from None


def _facts(path: Path, where: str) -> dict[str, Any]:
    """What the file says that puts the layers together."""
    table, metadata, start = tensors.read_header(path)
    facts = STORE.unsealed(metadata.get(STORE.key), table, where)
    tensors.check(table, path.stat().st_size - start)
    return facts


def _put_together(folder: Path, facts: dict[str, Any], where: str) -> Capture:
    layers, overviews, compared = [], {}, {}
    for one in facts["layers"]:
        if (file := one["file"]) is None:
            layers.append(layer_of(one, None, None))
            continue
        name = Path(file["name"]).name  # in this folder alone
        attention, overview, seal = open_layer(folder / name, f"{where}/{name}")
        if seal != file["seal"]:
            raise damaged(f"{where}/{name}", "it is not the one that the store was finished with")
        layers.append(layer_of(one, attention, None))
        if overview is not None:
            overviews[layers[-1].label] = overview
        if (found := one.get("agreement")) is not None:
            compared[layers[-1].label] = LayerAgreement.from_dict(layers[-1].label, found)
    return assembled(facts, layers, overviews, compared)
