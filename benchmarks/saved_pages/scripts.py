"""The scripts that pages ask a network for, taken from npm's packages into a folder that goes away."""

import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

from saved_pages.peer import Peer


def fetched(peers: Iterable[Peer], folder: Path) -> dict[str, Path]:
    """Each script by the file name that pages ask for."""
    asked = {name: source for peer in peers for name, source in peer.scripts.items()}
    return {name: unpacked(*source, folder) for name, source in asked.items()}


def unpacked(package: str, inside: str, folder: Path) -> Path:
    command = ["npm", "pack", package, "--silent", "--pack-destination", str(folder)]
    packed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout.strip()
    with tarfile.open(folder / packed) as archive:
        archive.extract(f"package/{inside}", folder / package, filter="data")
    return folder / package / "package" / inside
