"""A second virtual environment, `.venv-oldest`, with the oldest transformers that is supported.

Everything else in it is `.venv`'s own, PyTorch above all: so this one package is what differs, and a second download
of PyTorch is saved. What is installed in an environment itself comes before what it takes from another.
"""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path

from environment import ROOT, VENV, SetupError, is_current, program, run_quietly, say, write_stamp

from .prepare import PYPROJECT, dependency_group

OLDEST = ROOT / ".venv-oldest"
PYTHON = OLDEST / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
WHERE = "import sysconfig; print(sysconfig.get_path('purelib'))"


class NotHere(Exception):
    """A check cannot be made on this machine; the message is one sentence that says why."""


def prepare_oldest() -> None:
    """Make the environment, unless it is there.

    Raises:
        NotHere: the oldest transformers cannot be installed on this machine.
    """
    mark = OLDEST / "installed"
    if PYTHON.exists() and is_current(mark, [PYPROJECT]):
        return
    packages = dependency_group("oldest")
    say(f"Installing {' and '.join(packages)} into .venv-oldest ...")
    try:
        venv.create(OLDEST, clear=True, symlinks=os.name != "nt", with_pip=False)
        _take_from(VENV)
        pip = [str(program("python")), "-m", "pip", "--python", str(PYTHON), "install", "--no-input"]
        run_quietly([*pip, *packages], "pip install")
    except (OSError, subprocess.CalledProcessError, SetupError) as problem:
        raise NotHere(f"{' and '.join(packages)} cannot be installed here: {_last_line(problem)}") from None
    write_stamp(mark, [PYPROJECT])


def _take_from(other: Path) -> None:
    """Let the environment see the packages of another one beside its own."""
    own, there = (_packages(python) for python in (PYTHON, program("python")))
    (own / f"from-{other.name.strip('.')}.pth").write_text(
        f"import site; site.addsitedir({str(there)!r})\n", "utf-8"
    )


def _packages(python: Path) -> Path:
    """Where an environment keeps its packages."""
    return Path(
        subprocess.run([python, "-c", WHERE], capture_output=True, text=True, check=True).stdout.strip()
    )


def _last_line(problem: Exception) -> str:
    return str(problem).strip().rpartition("\n")[2]
