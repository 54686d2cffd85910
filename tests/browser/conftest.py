"""A real server, one Chromium, and pages that must stay quiet: no error, no request to another host, no dialog."""

import contextlib
import importlib.util
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "test-results"
POPUPS = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup")
"""Pages of Chromium's own in every window, for an address bar that nobody sees: half the cost of opening a page."""
PLAYWRIGHTS = (
    "AimEnabled", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying",
    "OptimizationHints", "PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning",
)  # fmt: skip
"""What Playwright turns off in a list of its own: of two lists Chromium takes the last."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=" + ",".join([*POPUPS, *PLAYWRIGHTS]),
]
OUTCOME = pytest.StashKey[pytest.TestReport]()


def _beside(name: str) -> ModuleType:
    """A module in this folder: test modules do not import each other, so the fixtures hand it out."""
    spec = importlib.util.spec_from_file_location(f"browser_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


serving, walking, figures = _beside("serving"), _beside("walking"), _beside("figures")
letters, looks, judging = _beside("lettering"), _beside("likeness"), _beside("axe")
_beside("stillness").install()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if report.when == "call":
        item.stash[OUTCOME] = report
    return report


@pytest.fixture(scope="session")
def _playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def launch(_playwright: Playwright) -> Callable[..., contextlib.AbstractContextManager[Browser]]:
    """Starts a Chromium, with more in its environment than this process has."""

    @contextlib.contextmanager
    def launched(environment: dict[str, str] | None = None) -> Iterator[Browser]:
        program = os.environ.get("CLEARHEAD_CHROMIUM", "/usr/bin/chromium")
        browser = _playwright.chromium.launch(
            executable_path=program, args=ARGUMENTS, env={**os.environ, **(environment or {})}
        )
        try:
            yield browser
        finally:
            browser.close()

    return launched


@pytest.fixture(scope="session")
def chromium(launch: Callable[..., contextlib.AbstractContextManager[Browser]]) -> Iterator[Browser]:
    """One browser for all tests; each test has contexts of its own in it."""
    with launch() as browser:
        yield browser


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the one server that all tests share answers: "http://127.0.0.1:port/"."""
    with serving.started() as server:
        yield server.address


@pytest.fixture
def own_server() -> Iterator[Any]:
    """A server that the test may stop and start again."""
    with serving.started() as server:
        yield server


@pytest.fixture
def serve_own() -> Iterator[Callable[..., Any]]:
    """Starts a server with what a person gives it: an example file, or `command="model"` and its arguments."""
    with contextlib.ExitStack() as running:
        yield lambda *given, **how: running.enter_context(serving.started(*map(str, given), **how))


@pytest.fixture(scope="session")
def serve_capture() -> Iterator[Callable[[Path], Any]]:
    """Starts `clearhead model` with a saved capture."""
    with contextlib.ExitStack() as running:
        yield lambda file: running.enter_context(serving.started(str(file), command="model"))


@pytest.fixture(scope="session")
def drawn_cells() -> ModuleType:
    """Which cell of which quantity each table cell of the page stands for."""
    return figures


@pytest.fixture(scope="session")
def lettering() -> ModuleType:
    """Typefaces that are the same on every machine."""
    return letters


@pytest.fixture(scope="session")
def likeness() -> ModuleType:
    """How pictures of the gallery are taken, stored and compared."""
    return looks


@pytest.fixture(scope="session")
def axe() -> ModuleType:
    """What axe-core finds on a page."""
    return judging


@pytest.fixture
def open_walk(
    chromium: Browser, address: str, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Any]]:
    """Opens the page in a context of its own; at the end every opened page must have stayed quiet.

    `open_walk(fragment="", *, server=address, quiet=True, **context)`, where `fragment` is what stands after the #
    and `context` goes to Playwright: viewport, color_scheme, reduced_motion ...
    """
    opened: list[Any] = []

    def open_page(
        fragment: str = "", *, server: str = address, path: str = "", quiet: bool = True, **options: Any
    ) -> Any:
        context = chromium.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
        walk = walking.Walk(context.new_page(), server, quiet)
        opened.append(walk)
        walk.visit(fragment, path)
        return walk

    yield open_page
    report = request.node.stash.get(OUTCOME, None)
    if report is None or report.failed:
        _photograph(request.node.nodeid, opened)
    complaints = [complaint for walk in opened for complaint in walk.complaints()]
    for walk in opened:
        walk.page.context.close()
    assert complaints == []


def _photograph(test: str, walks: list[Any]) -> None:
    """What the pages of a failed test look like, under test-results/."""
    PICTURES.mkdir(exist_ok=True)
    name = re.sub(r"[^\w.-]+", "-", test.partition("tests/browser/")[2] or test)[:120]
    for number, walk in enumerate(walks):
        if not walk.page.is_closed():
            walk.page.screenshot(path=PICTURES / f"{name}-{number}.png")
