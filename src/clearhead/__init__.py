"""Clearhead: see every number inside attention, and where it came from.

import clearhead as ch

trace = ch.run(ch.load("the-dog-chased-the-cat"))
print(trace["weights"].explain(0, 3, 4))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clearhead.sources.worked import Example, ExampleError, run
from clearhead.trace.explanation import Explanation
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

if TYPE_CHECKING:
    from clearhead.sources.worked.files import example_names as examples
    from clearhead.sources.worked.files import load_example as load
    from clearhead.trace.wire import load_trace

__version__ = "0.1.0"

__all__ = [
    "Example", "ExampleError", "Explanation", "Quantity", "Trace", "__version__", "examples", "load", "load_trace",
    "run",
]  # fmt: skip

READERS = {
    "examples": ("clearhead.sources.worked.files", "example_names"),
    "load": ("clearhead.sources.worked.files", "load_example"),
    "load_trace": ("clearhead.trace.wire", "load_trace"),
}
"""Functions that read files. Their parsers are a third of the time of an import, so they come with the first use."""


def __getattr__(name: str) -> Any:
    """The public functions that read files (PEP 562)."""
    if name not in READERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, function = READERS[name]
    return getattr(import_module(module), function)


def __dir__() -> list[str]:
    """The public names, those that come with their first use included."""
    return sorted(__all__)


for _public in (Example, ExampleError, Explanation, Quantity, Trace):
    _public.__module__ = __name__  # so that messages and help name them as people import them
