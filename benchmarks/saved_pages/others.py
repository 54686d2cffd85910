"""The Python that has the other tools, asked to write their pages."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from saved_pages.peers import PEERS

BENCHMARKS = Path(__file__).parents[1]

LIMIT = 600
"""Seconds after which a page is not waited for."""


def ask(python: Path, *arguments: str) -> str:
    """The last line that it prints; OSError says why there is none."""
    command = [str(python.absolute()), "-m", "saved_pages.write", *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=BENCHMARKS, check=False, timeout=LIMIT
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"not within {LIMIT} s") from error
    if done.returncode != 0:
        raise OSError((done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1])
    return done.stdout.splitlines()[-1]


def at_hand(python: Path | None, wanted: Sequence[str]) -> list[str]:
    """Those of the wanted tools that are installed; the others are left out by name."""
    versions = dict.fromkeys(PEERS) if python is None else json.loads(ask(python))
    for tool in wanted:
        peer, version = PEERS[tool], versions[tool]
        if version:
            print(f"{peer.name} ({peer.package} {version}): {peer.says}")
        else:
            print(f"{peer.name} is left out: no Python that has {peer.package} was named (--peers)")
    return [tool for tool in wanted if versions[tool]]
