"""The checks, in the order in which they run."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from environment import FRONTEND, ROOT, program

from .oldest import PYTHON as OLDEST
from .oldest import prepare_oldest
from .prepare import npm, prepare_chromium
from .site import stays_here

BUNDLE = ROOT / "src" / "clearhead" / "static" / "app.js"
BUNDLE_LIMIT = 125_000  # bytes, gzipped; why, says docs/decisions.md
WIRE_TYPES = ROOT / "scripts" / "generate_wire_types.py"
ON_MODELS = ("tests/zoo", "tests/agreement/test_models*.py", "tests/sources/models")
"""The tests that stand on transformers."""
SHARED = ("-n", "auto", "--maxprocesses", "4", "--dist", "loadfile", "--no-loadscope-reorder")
"""Tests on all processors; a file on one of them, where its fixtures are made once, the longest first."""


@dataclass(frozen=True)
class Step:
    """One check: a command, and what may follow it.

    `fix` is the command that mends what it can. `prepare` sets up what this check alone needs; a check that has one is
    left out by `--fast`. `after` looks at the result and returns (passed, remark). A `live` step uses all processors
    and shows its output while it runs; the others run side by side and show theirs only when they fail.
    """

    name: str
    about: str
    command: list[str]
    fix: list[str] | None = None
    cwd: Path = ROOT
    prepare: Callable[[], None] | None = None
    live: bool = False
    after: Callable[[], tuple[bool, str]] | None = None


def all_steps() -> list[Step]:
    """Return every check; call it only after the set-up, because it looks up the programs."""
    return [*_python_steps(), *_page_steps(), *_docs_steps(), *_table_steps(), *_test_steps()]


def _python_steps() -> list[Step]:
    python, ruff = str(program("python")), str(program("ruff"))
    steps = [
        Step("format", "ruff format", [ruff, "format", "--check", "."], fix=[ruff, "format", "."]),
        Step("lint", "ruff check", [ruff, "check", "."], fix=[ruff, "check", "--fix", "--quiet", "."]),
        Step("types", "mypy, strict", [str(program("mypy"))]),
        Step("imports", "import rules (import-linter)", [str(program("lint-imports")), "--no-logo"]),
    ]
    if WIRE_TYPES.exists():
        generate = [python, str(WIRE_TYPES)]
        steps.append(Step("generated", "generated files are current", [*generate, "--check"], fix=generate))
    return steps


def _page_steps() -> list[Step]:
    def page(name: str, about: str, script: str, fix: list[str] | None = None) -> Step:
        return Step(name, about, [npm(), "run", "--silent", script], fix=fix, cwd=FRONTEND)

    build = [npm(), "run", "--silent", "build"]
    return [
        page("page-lint", "biome: format and lint", "lint", fix=[npm(), "run", "--silent", "fix"]),
        page("page-types", "tsc", "types"),
        page("page-tests", "vitest", "test"),
        Step("page-build", "esbuild, and the size of the bundle", build, cwd=FRONTEND, after=bundle_size),
    ]


def _docs_steps() -> list[Step]:
    """The site, read anew each time: a page that was read before would not repeat its warnings."""
    site = [str(program("python")), "-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-d", "build/doctrees"]
    figures = [str(program("python")), "scripts/docs_figures.py"]
    return [
        Step("docs", "the site builds, without a warning, and loads nothing from elsewhere",
             [*site, "docs", "build/docs"], fix=figures, after=stays_here),
    ]  # fmt: skip


def _table_steps() -> list[Step]:
    table, checker = ["scripts/models_table.py", "--check"], "scripts/checker_table.py"
    return [
        Step("models", "the table of models is current", [str(program("python")), *table],
             fix=[str(program("python")), table[0]]),
        Step("checker", "the table of mistakes is current", [str(program("python")), checker, "--check"],
             fix=[str(program("python")), checker]),
        Step("oldest-models", "the oldest transformers' part of it", [str(OLDEST), *table], prepare=prepare_oldest),
    ]  # fmt: skip


def _test_steps() -> list[Step]:
    pytest = ["-m", "pytest", *SHARED]
    python, oldest = str(program("python")), str(OLDEST)
    models = [str(path) for name in ON_MODELS for path in sorted(ROOT.glob(name))]
    return [
        Step("tests", "pytest", [python, *pytest, "--ignore=tests/browser", "--ignore=tests/notebook"], live=True),
        Step("oldest", "models of the oldest transformers", [oldest, *pytest, *models],
             prepare=prepare_oldest, live=True),
        Step("browser", "pytest in Chromium", [python, *pytest, "tests/browser"],
             prepare=prepare_chromium, live=True),
        Step("notebook", "pytest in JupyterLab, Notebook 7 and marimo",
             [python, *pytest, "tests/notebook"], prepare=prepare_chromium, live=True),
    ]  # fmt: skip


def bundle_size() -> tuple[bool, str]:
    """Weigh the bundle as it travels: gzipped, against the limit."""
    size = len(gzip.compress(BUNDLE.read_bytes(), compresslevel=9))
    return (
        size <= BUNDLE_LIMIT,
        f"app.js is {size / 1000:.1f} kB gzipped, the limit is {BUNDLE_LIMIT // 1000} kB",
    )
