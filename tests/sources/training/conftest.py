"""The small training of `loops.py`, as a fixture: test modules do not import each other."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def loops():
    spec = importlib.util.spec_from_file_location("loops", Path(__file__).with_name("loops.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def uninterrupted(loops, tmp_path_factory):
    """The folder of a recording of the whole small training: 23 steps, saved every 5."""
    path = tmp_path_factory.mktemp("uninterrupted") / "run"
    loops.Training().run(path)
    return path


@pytest.fixture(scope="session")
def contents(loops):
    """All that is saved of a step, comparable: the arrays' bytes, the losses' bytes and the state."""
    return loops.contents
