"""Clearhead: see every number inside attention, and where it came from.

import clearhead as ch

trace = ch.run(ch.load("the-dog-chased-the-cat"))
print(trace["weights"].explain(0, 3, 4))
"""

from clearhead.sources.worked import Example, ExampleError, run
from clearhead.sources.worked import example_names as examples
from clearhead.sources.worked import load_example as load
from clearhead.trace.explanation import Explanation
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace
from clearhead.trace.wire import load_trace

__version__ = "0.1.0"

__all__ = [
    "Example", "ExampleError", "Explanation", "Quantity", "Trace", "__version__", "examples", "load", "load_trace",
    "run",
]  # fmt: skip

for _public in (Example, ExampleError, Explanation, Quantity, Trace):
    _public.__module__ = __name__  # so that messages and help name them as people import them
