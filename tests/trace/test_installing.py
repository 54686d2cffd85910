"""The line that brings an extra: by where this copy came from (PEP 610), and by which pip the shell finds."""

import pytest

from clearhead.trace import installing
from clearhead.trace.installing import came_from, install, pip, requirement

FOLDER = {"url": "file:///home/ada/my%20clearhead", "dir_info": {"editable": True}}


@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        ({}, '"clearhead[figures]"'),
        (FOLDER, '-e "/home/ada/my clearhead[figures]"'),
        (FOLDER | {"dir_info": {}}, '"/home/ada/my clearhead[figures]"'),
        (
            {"url": "https://example.org/clearhead.whl", "archive_info": {}},
            '"clearhead[figures] @ https://example.org/clearhead.whl"',
        ),
        (
            {"url": "https://example.org/clearhead", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            '"clearhead[figures] @ git+https://example.org/clearhead@abc"',
        ),
    ],
)
def test_what_is_asked_for(origin, wanted):
    assert requirement("figures", origin) == wanted


@pytest.mark.parametrize(
    ("found", "executable", "line"),
    [
        ("/env/bin/pip", "/env/bin/python", "pip install pillow"),
        ("/usr/bin/pip", "/env/bin/python", "/env/bin/python -m pip install pillow"),
        (None, "/my env/bin/python", '"/my env/bin/python" -m pip install pillow'),
        (None, "", "pip install pillow"),
    ],
)
def test_the_pip_of_this_python(monkeypatch, found, executable, line):
    monkeypatch.setattr(installing.shutil, "which", lambda name: found)
    monkeypatch.setattr(installing.sys, "executable", executable)
    assert pip("pillow") == line


class Installed:
    def __init__(self, record):
        self.record = record

    def read_text(self, name):
        return self.record


@pytest.mark.parametrize("record", [None, "", "no JSON", "[1]", "{}"])
def test_a_copy_of_unknown_origin_is_that_of_a_package_index(monkeypatch, record):
    monkeypatch.setattr(installing, "distribution", lambda name: Installed(record))
    assert came_from() == {}
    assert install("models").endswith('pip install "clearhead[models]"')


def test_a_copy_that_is_not_installed_at_all(monkeypatch):
    def lost(name):
        raise installing.PackageNotFoundError(name)

    monkeypatch.setattr(installing, "distribution", lost)
    assert came_from() == {}
