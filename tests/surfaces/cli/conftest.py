"""The command, run in this process (`run`) or in one of its own (`command`)."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from clearhead.surfaces.cli.app import app

Run = Callable[..., Any]

COLOUR_VARIABLES = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "COLORFGBG", "TERM", "COLORTERM")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command here, as if piped: `run("walk", "--json", COLUMNS="80")` gives exit_code, stdout and stderr."""
    for name in COLOUR_VARIABLES:
        monkeypatch.delenv(name, raising=False)

    def run_with(*arguments: str, **environment: str) -> Any:
        return CliRunner().invoke(app, list(arguments), env=environment)

    return run_with


@pytest.fixture
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command in a process of its own."""

    def run_command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if name not in COLOUR_VARIABLES}
        return subprocess.run(
            [sys.executable, "-m", "clearhead", *arguments],
            env={**clean, "PYTHONIOENCODING": "utf-8", **environment},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run_command
