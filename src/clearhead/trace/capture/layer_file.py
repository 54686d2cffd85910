"""One layer of a store: a file in the safetensors format with what entered its attention, and its overview."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from clearhead.trace.capture import tensors
from clearhead.trace.capture.assembling import attention_of
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.describing import Description, Facts
from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.mapped import Mapped
from clearhead.trace.capture.sealed import Kind
from clearhead.trace.frames import write_whole

if TYPE_CHECKING:
    from clearhead.trace.capture.overview import LayerOverview

LAYER = Kind("clearhead-layer", 1, "layer")


def keep_layer(
    path: Path, attention: Attention, overview: Callable[[], LayerOverview] | None, before: Callable[[], None]
) -> bool:
    """Write a layer's file, unless it is there, whole, and of this very attention.

    Args:
        path: where.
        attention: what entered the layer.
        overview: makes its overview; not asked if the file is there. None: none is kept.
        before: called before anything is written.

    Returns:
        Whether it was written now.

    Raises:
        CaptureError: something in it cannot be written down, such as numbers of an unusual format.
        OSError: the place cannot be written; nothing of it stays.
    """
    described = Description.of_attention(attention)
    if _is_there(path, described, overview is not None):
        return False
    if overview is not None:
        described.with_overview(overview())
    try:
        table = tensors.laid_out(described.arrays)
        metadata = LAYER.sealed(described.facts, table)
    except (TypeError, ValueError) as error:
        raise CaptureError(f"{path.name}: this layer cannot be saved ({error})") from None
    before()
    # the disk is waited for when all are there; till then the checksums tell of what a power cut leaves
    write_whole(path, tensors.pieces(described.arrays, table, metadata), durable=False)
    return True


def open_layer(path: Path, where: str) -> tuple[Attention, LayerOverview | None, int]:
    """A layer's attention and overview, memory-mapped, and the seal of its file.

    Raises:
        CaptureError: the file is missing, no such file, damaged or cut short, or of a newer version.
    """
    try:
        table, metadata, start = tensors.read_header(path)
        facts = LAYER.unsealed(metadata.get(LAYER.key), table, where)
        arrays = Mapped(path, table, start, where)
        return *attention_of(facts, arrays), _seal(table, facts, arrays.checksums)
    except CaptureError:
        raise
    except OSError as error:
        raise damaged(where, (error.strerror or str(error)).lower()) from None
    except ValueError as error:
        raise damaged(where, str(error)) from None
    except (LookupError, TypeError, AttributeError, RecursionError, ArithmeticError):
        raise damaged(where, LAYER.nothing) from None


def damaged(where: str, why: str) -> CaptureError:
    """What is said of a layer that cannot be shown."""
    return CaptureError(
        f"{where}: the layer is missing, damaged or cut short ({why}); the same capture into the same folder "
        "computes it again"
    )


def _seal(table: tensors.Table, facts: Facts, checksums: bytes) -> int:
    """One number for all that the file holds."""
    return zlib.crc32(json.dumps([table, facts], sort_keys=True).encode(), zlib.crc32(checksums))


def _is_there(path: Path, described: Description, overview: bool) -> bool:
    """Whether the file holds what is described, bit for bit, with an overview or without, and no damage."""
    try:
        table, metadata, start = tensors.read_header(path)
        facts = LAYER.unsealed(metadata.get(LAYER.key), table, "")
        if (facts["overview"] is not None) != overview:
            return False
        if facts | {"overview": None} != json.loads(json.dumps(described.facts)):
            return False
        kept = tensors.checksums_of(path, table, start)
        return all(
            list(held.shape) == table[name]["shape"]
            and tensors.NAMES[str(held.dtype)] == table[name]["dtype"]
            and tensors.checksum_of(held) == kept[name]
            for name, held in described.arrays.items()
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return False
