"""The line that brings a part of Clearhead that is not installed: for this Python, and from where this copy came."""

from __future__ import annotations

import json
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

NAME = "clearhead"


def install(extra: str) -> str:
    """What a person types to get an extra, such as "figures".

    A copy that was installed from a folder is no copy of what a package index has, so the line names that folder.
    """
    return pip(requirement(extra, came_from()))


def came_from() -> dict[str, Any]:
    """Where the installed Clearhead came from, as direct_url.json says it (PEP 610); empty: from a package index."""
    try:
        found = json.loads(distribution(NAME).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, OSError, ValueError):  # run without being installed, or a damaged record
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("url"), str) else {}


def requirement(extra: str, origin: dict[str, Any]) -> str:
    """What pip is asked for: the name, the folder (with -e if what is edited there counts), or the address."""
    if not origin:
        return f'"{NAME}[{extra}]"'
    url = str(origin["url"])
    if "dir_info" in origin:
        from urllib.request import url2pathname  # slow to import, and needed for mistakes alone

        folder = url2pathname(urlsplit(url).path)
        return f'{"-e " if origin["dir_info"].get("editable") else ""}"{folder}[{extra}]"'
    if (repository := origin.get("vcs_info")) is not None:
        url = f"{repository['vcs']}+{url}@{repository['commit_id']}"
    return f'"{NAME}[{extra}] @ {url}"'


def pip(wanted: str) -> str:
    """pip's line to install something for this Python: "pip install …" where the shell's pip is this Python's own."""
    found, own = shutil.which("pip"), Path(sys.executable or "pip").parent
    if not sys.executable or (found is not None and Path(found).parent == own):
        return f"pip install {wanted}"
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    return f"{python} -m pip install {wanted}"
