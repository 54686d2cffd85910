"""A server with a session that misbehaves on request; prints its address, ends on Ctrl-C. Usage: stand_in.py PORT."""

import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearhead.surfaces.server import serve


@dataclass
class View:
    data: dict[str, Any]
    buffers: list[np.ndarray] = field(default_factory=list)


class Session:
    """Answers `echo`, `buffers`, `wait` (until somebody asks `release`), `crash`, `infinite` and `unwritable`."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def ask(self, message: Mapping[str, Any]) -> View:
        return getattr(self, str(message.get("ask")))(message)

    def echo(self, message: Mapping[str, Any]) -> View:
        return View({"kind": "echo", "message": dict(message)})

    def buffers(self, message: Mapping[str, Any]) -> View:
        forbidden = np.array([0, 1, 1], np.uint8)
        values = np.array([[1.5, -np.inf], [0.0, 2.0]]).T  # not contiguous
        tile = np.array([[0.1, -1.0, np.nan]], np.float32)  # three of four bytes do not fill a place of eight
        return View({"kind": "buffers", "values": 2, "tile": 1, "forbidden": 0}, [forbidden, tile, values])

    def wait(self, message: Mapping[str, Any]) -> View:
        self.released.wait()
        return View({"kind": "waited"})

    def release(self, message: Mapping[str, Any]) -> View:
        self.released.set()
        return View({"kind": "released"})

    def crash(self, message: Mapping[str, Any]) -> View:
        raise RuntimeError("a secret of the machine")

    def infinite(self, message: Mapping[str, Any]) -> View:
        return View({"kind": "infinite", "number": float("inf")})

    def unwritable(self, message: Mapping[str, Any]) -> View:
        return View({"kind": "unwritable", "what": object()})


if __name__ == "__main__":
    serve(Session(), port=int(sys.argv[1]), ready=lambda address: print(address, flush=True))
