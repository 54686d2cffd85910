"""The host of a saved page, asked outside of a browser."""

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
MODULES = HERE.parents[2] / "frontend" / "node_modules" / "esbuild"


def _beside(name: str) -> Any:
    """A module in this folder: test modules do not import each other, so the fixtures hand it out."""
    spec = importlib.util.spec_from_file_location(f"page_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


nearly = _beside("nearly")


@pytest.fixture
def near() -> Callable[[str, str], bool]:
    """Whether two texts are the same but for the last digits of numbers in full precision."""
    return nearly.near


@pytest.fixture
def ask_page() -> Callable[[Path, Sequence[Mapping[str, Any]]], list[dict[str, Any]]]:
    """Asks a saved page many messages; each reply has `held`, `data` and `buffers`, lists of numbers."""
    node = shutil.which("node")
    if node is None or not MODULES.is_dir():
        pytest.skip("needs Node and the modules of the front end")

    def ask(page: Path, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        done = subprocess.run(
            [node, str(HERE / "kept_host.mjs"), str(page)],
            input=json.dumps(list(messages)), capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask
