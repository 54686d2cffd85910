"""The independent transformer, as a fixture: test modules do not import each other."""

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
