"""What the tests here share: the independent transformer, and the captures of the zoo's models."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def reference():
    path = Path(__file__).with_name("reference.py")
    spec = importlib.util.spec_from_file_location("reference_transformer", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Reference


@pytest.fixture(scope="module")
def observed(zoo, tiny):
    """A row of the zoo, built, run, and run again while it is captured: in float32, as its family's default is."""
    return zoo.observe(zoo.build(tiny), tiny)


@pytest.fixture
def capture(observed):
    """What was captured of a row."""
    if observed.capture is None:
        pytest.skip(f"it is refused, as test_models asserts: {observed.refusal}")
    return observed.capture
