"""Clearhead: see every number inside attention, and where it came from.

import clearhead as ch

trace = ch.run(ch.load("the-dog-chased-the-cat"))
print(trace["weights"].explain(0, 3, 4))
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clearhead.core.optimise import Optimiser
    from clearhead.sources.training.pytorch import record_training
    from clearhead.sources.worked import Example, ExampleError, run
    from clearhead.sources.worked.config import Config
    from clearhead.sources.worked.files import example_names as examples
    from clearhead.sources.worked.files import load_example as load
    from clearhead.sources.worked.training.loop import resume, train
    from clearhead.sources.worked.training.run import TrainingRun
    from clearhead.sources.worked.training.saved import load_run
    from clearhead.trace.explanation import Explanation
    from clearhead.trace.quantity import Quantity
    from clearhead.trace.recording import Diverged, Recording, RecordingError, SavingError
    from clearhead.trace.trace import Trace
    from clearhead.trace.wire import load_trace

__version__ = "0.1.0"

__all__ = [
    "Config", "Diverged", "Example", "ExampleError", "Explanation", "Optimiser", "Quantity", "Recording",
    "RecordingError", "SavingError", "Trace", "TrainingRun", "__version__", "examples", "load", "load_run",
    "load_trace", "record_training", "resume", "run", "train",
]  # fmt: skip

PUBLIC = {
    "Config": ("clearhead.sources.worked.config", "Config"),
    "Diverged": ("clearhead.trace.recording", "Diverged"),
    "Example": ("clearhead.sources.worked", "Example"),
    "ExampleError": ("clearhead.sources.worked", "ExampleError"),
    "Explanation": ("clearhead.trace.explanation", "Explanation"),
    "Optimiser": ("clearhead.core.optimise", "Optimiser"),
    "Quantity": ("clearhead.trace.quantity", "Quantity"),
    "Recording": ("clearhead.trace.recording", "Recording"),
    "RecordingError": ("clearhead.trace.recording", "RecordingError"),
    "SavingError": ("clearhead.trace.recording", "SavingError"),
    "Trace": ("clearhead.trace.trace", "Trace"),
    "TrainingRun": ("clearhead.sources.worked.training.run", "TrainingRun"),
    "examples": ("clearhead.sources.worked.files", "example_names"),
    "load": ("clearhead.sources.worked.files", "load_example"),
    "load_run": ("clearhead.sources.worked.training.saved", "load_run"),
    "load_trace": ("clearhead.trace.wire", "load_trace"),
    "record_training": ("clearhead.sources.training.pytorch", "record_training"),
    "resume": ("clearhead.sources.worked.training.loop", "resume"),
    "run": ("clearhead.sources.worked", "run"),
    "train": ("clearhead.sources.worked.training.loop", "train"),
}
"""Where each public name comes from. It is imported with its first use: nobody waits for what they do not use."""


def __getattr__(name: str) -> Any:
    """A public name, at its first use (PEP 562)."""
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module(PUBLIC[name][0])
    for public, (module, known_there) in PUBLIC.items():
        if module in sys.modules and hasattr(sys.modules[module], known_there):
            globals()[public] = _named(getattr(sys.modules[module], known_there))
    return globals()[name]


def _named(value: Any) -> Any:
    """A class gets the name that people import it by, for messages and help."""
    if isinstance(value, type):
        value.__module__ = __name__
    return value


def __dir__() -> list[str]:
    """The public names, those that come with their first use included."""
    return sorted(__all__)
