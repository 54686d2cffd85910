"""Worked examples: a small sentence with hand-picked numbers."""

from clearhead.sources.worked.example import Example
from clearhead.sources.worked.files import example_names, load_example
from clearhead.sources.worked.matrices import ExampleError
from clearhead.sources.worked.run import run

__all__ = ["Example", "ExampleError", "example_names", "load_example", "run"]
