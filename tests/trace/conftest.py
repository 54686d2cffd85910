"""The independent reader of arithmetic, as a fixture: test modules do not import each other."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def reader():
    spec = importlib.util.spec_from_file_location(
        "arithmetic_reader", Path(__file__).with_name("arithmetic_reader.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
