"""The host of a saved page, asked outside of a browser."""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
MODULES = HERE.parents[2] / "frontend" / "node_modules" / "esbuild"


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
