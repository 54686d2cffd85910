"""Real notebook servers on the loopback address, each started once, and one Chromium that drives them."""

import contextlib
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent
PICTURES = HERE.parents[1] / "test-results" / "notebook"
SECONDS_TO_START = 90
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
NOTEBOOKS = ["lab", "notebook7", "marimo-run", "marimo-edit"]
OUTCOME = pytest.StashKey[pytest.TestReport]()


def _beside(name: str) -> ModuleType:
    """A module in this folder: test modules do not import each other, so the fixtures hand it out."""
    spec = importlib.util.spec_from_file_location(f"notebook_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


books = _beside("books")


@pytest.fixture(scope="session")
def bookshelf() -> ModuleType:
    """Notebooks as a person uses them."""
    return books


class ByNotebook(LoadScopeScheduling):
    """Hands out the tests of one notebook together, in order, as they share it; each notebook may have a process of its
    own. (`--dist loadgroup` would do it with marks, but pytest-xdist 3.8 does not see them under pytest 9.2.)"""

    def _split_scope(self, nodeid: str) -> str:
        file, _, name = nodeid.partition("::")
        notebook = name.partition("[")[2].removesuffix("]")
        return f"{file}[{notebook}]" if notebook in NOTEBOOKS else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByNotebook:
    return ByNotebook(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if report.when == "call":
        item.stash[OUTCOME] = report
    return report


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        program = os.environ.get("CLEARHEAD_CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def _serving(command: list[str], folder: Path, port: int, path: str) -> Iterator[str]:
    """Run a server, with its settings and all that it writes in a folder of its own, until the tests are done."""
    settings = {name: str(folder / "home") for name in (
        "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR",
    )}  # fmt: skip
    environment = {**os.environ, **settings, "OMP_NUM_THREADS": "1"}
    address = f"http://127.0.0.1:{port}"
    with (folder / f"{port}.log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            _await(address + path, process, folder / f"{port}.log")
            yield address
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.2)
    raise AssertionError(f"nothing answers at {address}: {log.read_text()}")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the servers run, and where notebooks lie."""
    place = tmp_path_factory.mktemp("notebooks")
    settings = place / "home" / "marimo" / "marimo.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(books.MARIMO_SETTINGS)
    return place


@pytest.fixture(scope="session")
def jupyter(folder: Path) -> Iterator[str]:
    """One server that has JupyterLab and Notebook 7."""
    port = _free_port()
    command = [
        sys.executable, "-m", "jupyter_server", f"--port={port}", "--no-browser", f"--ServerApp.root_dir={folder}",
        "--ServerApp.jpserver_extensions={'jupyterlab': True, 'notebook': True}", "--ServerApp.allow_root=True",
        "--IdentityProvider.token=", "--LabApp.news_url=None", "--LabApp.expose_app_in_browser=True",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--JupyterNotebookApp.expose_app_in_browser=True",
    ]  # fmt: skip
    with _serving(command, folder, port, "/api") as address:
        yield address


@pytest.fixture(scope="session")
def marimo(folder: Path) -> Iterator[Callable[..., str]]:
    """Starts marimo in a mode, "run" or "edit", with a notebook."""
    with contextlib.ExitStack() as running:

        def start(mode: str, file: Path) -> str:
            port = _free_port()
            command = [
                sys.executable, "-m", "marimo", "-q", mode, str(file), "--headless", "--no-token",
                "--host=127.0.0.1", f"--port={port}",
            ]  # fmt: skip
            command += ["--skip-update-check"] if mode == "edit" else []
            return running.enter_context(_serving(command, folder, port, "/health"))

        yield start


@pytest.fixture(scope="module", params=NOTEBOOKS)
def book(request: pytest.FixtureRequest, chromium: Browser, folder: Path) -> Iterator[Any]:
    """A notebook that is open and has run, in each of the four; the tests of a module share it."""
    name = request.param
    context = chromium.new_context(viewport={"width": 1400, "height": 1000}, color_scheme="light")
    with contextlib.closing(context):
        if name.startswith("marimo"):
            file = books.write_marimo(folder / f"{name}.py")
            address = request.getfixturevalue("marimo")(name.partition("-")[2], file)
            opened = books.Marimo(context.new_page(), address, name)
        else:
            file = books.write_jupyter(folder / f"{name}.ipynb")
            opened = books.Jupyter(context.new_page(), request.getfixturevalue("jupyter"), name, file)
        opened.open()
        yield opened


@pytest.fixture(autouse=True)
def _photograph(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a failed test looks like, under test-results/."""
    yield
    report = request.node.stash.get(OUTCOME, None)
    opened = {"book", "lab"} & set(request.fixturenames)
    if report is not None and report.failed and opened:
        PICTURES.mkdir(parents=True, exist_ok=True)
        request.getfixturevalue(opened.pop()).page.screenshot(path=PICTURES / f"{request.node.name}.png")
