"""Worked examples: a small sentence with hand-picked numbers. Reading them from files is in `files`."""

from clearhead.sources.worked.example import Example
from clearhead.sources.worked.matrices import ExampleError
from clearhead.sources.worked.run import run

__all__ = ["Example", "ExampleError", "run"]
