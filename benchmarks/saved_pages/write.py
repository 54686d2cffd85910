"""Run by the Python that has the other tools (`python -m saved_pages.write`): says which, or writes a page of one.

Without arguments it prints the version of each tool's package, null where it is not installed, in JSON. With a tool,
a file of weights and words (`numpy.savez`) and a place, it writes the page and prints the seconds that took.
"""

import json
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from saved_pages.peers import PEERS


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def write(tool: str, kept: str, place: str) -> float:
    with np.load(kept) as read:
        weights, words = read["weights"], read["words"].tolist()
    PEERS[tool].write(weights[..., :2, :2], words[:2], Path(place))  # loads what it needs
    began = time.perf_counter()
    PEERS[tool].write(weights, words, Path(place))
    return time.perf_counter() - began


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(json.dumps({tool: installed(peer.package) for tool, peer in PEERS.items()}))
    else:
        print(json.dumps(write(*sys.argv[1:])))
