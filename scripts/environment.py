"""The virtual environment that `./start` and `./check` share.

Standard library only, because it runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import venv
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
FRONTEND = ROOT / "frontend"


class SetupError(Exception):
    """Something the set-up needs is missing; the message is one sentence for the person at the terminal."""


def program(name: str) -> Path:
    """Return the path of a program inside the virtual environment."""
    return BIN / (f"{name}.exe" if os.name == "nt" else name)


def say(message: str) -> None:
    """Tell on stderr what is being done, so that stdout stays the command's own."""
    print(message, file=sys.stderr, flush=True)


def make_venv() -> None:
    """Make `.venv` when it is missing or cannot run, for instance because its Python was removed."""
    if _runs(program("python")):
        return
    if importlib.util.find_spec("ensurepip") is None:
        raise SetupError(
            f"{sys.executable} cannot make a virtual environment because its module ensurepip is missing; "
            "on Debian and Ubuntu `sudo apt-get install python3-venv` adds it."
        )
    say(f"Making a virtual environment in {VENV} ...")
    try:
        venv.create(VENV, clear=True, symlinks=os.name != "nt", with_pip=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise SetupError(f"the virtual environment {VENV} could not be made: {problem}") from problem


def install_package(*, extra: str, stamp: str, options: Sequence[str] = ()) -> bool:
    """Install the package (editable) with the named extra unless `stamp` says that nothing changed since.

    `options` are more of pip's. Returns whether anything was installed. Raises SetupError, with the end of pip's
    output, when pip fails.
    """
    inputs = [ROOT / "pyproject.toml", ROOT / "hatch_build.py"]
    if not extra:  # the page is built by the install; a developer builds it as a step of its own
        inputs += [
            *sorted((FRONTEND / "src").rglob("*")),
            FRONTEND / "index.html",
            FRONTEND / "package-lock.json",
        ]
    mark = VENV / f"installed-{stamp}"
    if is_current(mark, inputs):
        return False
    say("Installing Clearhead and what it needs into .venv (a minute or so the first time) ...")
    target = f"{ROOT}[{extra}]" if extra else str(ROOT)
    install = [str(program("python")), "-m", "pip", "install", "--no-input", *options, "-e", target]
    run_quietly(install, "pip install")
    write_stamp(mark, inputs)
    return True


def run_command(name: str, arguments: Sequence[str]) -> int:
    """Run a program of the virtual environment in place of this one; on Windows wait for it instead."""
    command = [str(program(name)), *arguments]
    if os.name != "nt":
        os.execv(command[0], command)
    try:
        return subprocess.run(command, check=False).returncode
    except KeyboardInterrupt:
        return 130


def run_quietly(command: Sequence[str | Path], name: str, cwd: Path = ROOT) -> None:
    """Run a command without showing its output; raise SetupError with the last lines when it fails."""
    done = subprocess.run(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        end = "\n".join(done.stdout.splitlines()[-30:])
        raise SetupError(f"{name} failed with exit code {done.returncode}; the end of its output:\n{end}")


def is_current(mark: Path, inputs: Iterable[Path]) -> bool:
    """Say whether the stamp file `mark` was written for exactly these files."""
    return mark.exists() and mark.read_text(encoding="utf-8") == _fingerprint(inputs)


def write_stamp(mark: Path, inputs: Iterable[Path]) -> None:
    """Remember in the file `mark` what these files hold now."""
    mark.write_text(_fingerprint(inputs), encoding="utf-8")


def _fingerprint(inputs: Iterable[Path]) -> str:
    digest = hashlib.sha256(str(ROOT).encode())
    for path in inputs:
        if path.is_file():
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _runs(python: Path) -> bool:
    if not python.exists():
        return False
    asked = subprocess.run(
        [python, "-c", "import sys, pip; sys.exit(sys.version_info < (3, 11))"], check=False
    )
    return asked.returncode == 0
