"""A store: a capture as a folder, whose layers are written one by one while the model runs.

`about.json` says what was run, and is there first; `layer-0000.safetensors` and so on are each whole or not there at
all; `capture.safetensors`, which puts them together, is there last. A run that was broken off goes on in the same
folder: what is there, whole and of the same numbers is neither streamed nor written again.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from clearhead.trace.capture import tensors
from clearhead.trace.capture.agreement import LayerAgreement
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.describing import Description
from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.layer_file import keep_layer, open_layer
from clearhead.trace.capture.store_about import STORE, agree
from clearhead.trace.capture.store_folder import (
    CAPTURE,
    LAYERS,
    check_folder,
    file_of,
    kept_in,
    locked,
)
from clearhead.trace.capture.store_read import FOLLOWS, load_store
from clearhead.trace.frames import bring_to_disk, write_whole

if TYPE_CHECKING:
    from clearhead.trace.capture.overview import LayerOverview


@dataclass(frozen=True)
class Stored:
    """One layer of a store, as it is when it is read again.

    Attributes:
        attention: memory-mapped.
        overview: the same, if there is one.
        file: the name and the seal of its file, by which the finished store knows it.
    """

    attention: Attention
    overview: LayerOverview | None
    file: dict[str, Any]


class Store:
    """The folder that one run writes into."""

    def __init__(self, folder: Path, where: str) -> None:
        self._folder, self._where = folder, where

    @classmethod
    @contextmanager
    def opened(cls, folder: str | Path, made_of: Mapping[str, Any]) -> Iterator[Store]:
        """A folder, new or of the same run, for as long as this lasts; no other run can write into it meanwhile.

        Args:
            folder: where; it may be missing or empty.
            made_of: all that the numbers depend on, by the names that messages call them, as JSON-able data.

        Raises:
            CaptureError: it holds other things or another capture, is in use, or cannot be written; the message says.
        """
        where, place = str(folder), Path(folder).expanduser()
        store = cls(place, where)
        with store._written():
            check_folder(place, where)
            place.mkdir(exist_ok=True)
        with locked(place, where):
            with store._written():
                agree(place, made_of, where)
            yield store

    def keep(self, number: int, attention: Attention, overview: Callable[[], LayerOverview] | None) -> bool:
        """Write one layer, unless it is there; see `keep_layer`.

        Raises:
            CaptureError: it cannot be written, and why; what is whole stays, and the run can go on later.
        """
        path = file_of(self._folder, number)
        with self._written():
            return keep_layer(path, attention, overview, self._unfinished)

    def layer(self, number: int) -> Stored:
        """A layer that was kept.

        Raises:
            CaptureError: its file is damaged.
        """
        path = file_of(self._folder, number)
        attention, overview, seal = open_layer(path, f"{self._where}/{path.name}")
        return Stored(attention, overview, {"name": path.name, "seal": seal})

    def finish(
        self,
        capture: Capture,
        files: Mapping[str, Mapping[str, Any]],
        compared: Mapping[str, LayerAgreement] = MappingProxyType({}),
        follows: str | None = None,
    ) -> Capture:
        """Put the layers together, and read the whole back.

        Args:
            capture: what there is to say of it.
            files: for the label of each layer that was kept its `Stored.file`.
            compared: how far layers lie from their kernels, by their label, so that it need not be found again.
            follows: a digest of all that the numbers follow from, if there is one: see `found_finished`.

        Raises:
            CaptureError: it cannot be written, and why.
        """
        described = Description.around(capture)
        described.facts[FOLLOWS] = follows
        for facts, layer in zip(described.facts["layers"], capture.layers, strict=True):
            facts["file"] = None if layer.attention is None else dict(files[layer.label])
            found = compared.get(layer.label)
            facts["agreement"] = None if found is None else found.to_dict()
        table = tensors.laid_out({})
        with self._written():
            used = {file["name"] for file in files.values()}
            for path in self._folder.glob(LAYERS):
                if path.name not in used:  # of a module that could not be captured after all
                    path.unlink()
            bring_to_disk(self._folder / name for name in sorted(used))
            metadata = STORE.sealed(described.facts, table)
            write_whole(self._folder / CAPTURE, tensors.pieces({}, table, metadata))
        return load_store(self._folder, self._where)

    def _unfinished(self) -> None:
        """A layer is about to be written: until all are there, nothing puts them together."""
        (self._folder / CAPTURE).unlink(missing_ok=True)

    @contextmanager
    def _written(self) -> Iterator[None]:
        """What the system says about a folder, as a sentence."""
        try:
            yield
        except OSError as error:
            why = "the disk is full" if error.errno in FULL else (error.strerror or str(error)).lower()
            kept = kept_in(self._folder)
            goes_on = ""
            if kept:
                layers = "1 layer is" if kept == 1 else f"{kept} layers are"
                goes_on = f"; {layers} kept there whole, and the same capture goes on from there"
            raise CaptureError(f"{self._where}: cannot be written ({why}){goes_on}") from None


FULL = (errno.ENOSPC, errno.EDQUOT)
