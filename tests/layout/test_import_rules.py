"""The import rules of pyproject.toml hold, and a wrong import is found by them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """Check the package under `root` by the rules of the pyproject.toml there."""
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache", "--no-logo"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with a copy of the package and its rules."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    ignore = shutil.ignore_patterns("__pycache__", "static")
    shutil.copytree(ROOT / "src" / "clearhead", tmp_path / "src" / "clearhead", ignore=ignore)
    return tmp_path


def test_the_rules_hold() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout
    assert " 0 broken" in done.stdout


@pytest.mark.parametrize(
    ("module", "statement", "rule"),
    [
        ("core/wrong.py", "import clearhead.trace", "Imports flow one way"),
        ("lenses/wrong.py", "import clearhead.session", "Imports flow one way"),
        ("sources/wrong.py", "import clearhead.lenses", "Imports flow one way"),
        ("core/wrong.py", "import torch", "stand on NumPy"),
        ("lenses/wrong.py", "import rich", "stand on NumPy"),
        ("sources/wrong.py", "import clearhead.sources.worked", "Sources do not import each other"),
        ("surfaces/server/wrong.py", "import clearhead.surfaces.cli", "Surfaces do not import each other"),
    ],
)
def test_a_wrong_import_is_found(copy: Path, module: str, statement: str, rule: str) -> None:
    (copy / "src" / "clearhead" / module).write_text(f"{statement}\n", encoding="utf-8")
    done = lint_imports(copy)
    assert done.returncode == 1, done.stdout
    broken = [line for line in done.stdout.splitlines() if " BROKEN" in line]
    assert any(rule in line for line in broken), done.stdout


def test_a_module_without_a_layer_is_found(copy: Path) -> None:
    (copy / "src" / "clearhead" / "stray.py").touch()
    done = lint_imports(copy)
    assert done.returncode == 1
    assert "stray" in done.stdout
