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
    from clearhead.core.optimise import Optimiser
    from clearhead.sources.training.pytorch import record_training
    from clearhead.sources.worked.config import Config
    from clearhead.sources.worked.files import example_names as examples
    from clearhead.sources.worked.files import load_example as load
    from clearhead.sources.worked.training.loop import resume, train
    from clearhead.sources.worked.training.run import TrainingRun
    from clearhead.sources.worked.training.saved import load_run
    from clearhead.trace.recording import Diverged, Recording, RecordingError, SavingError
    from clearhead.trace.wire import load_trace

__version__ = "0.1.0"

__all__ = [
    "Config", "Diverged", "Example", "ExampleError", "Explanation", "Optimiser", "Quantity", "Recording",
    "RecordingError", "SavingError", "Trace", "TrainingRun", "__version__", "examples", "load", "load_run",
    "load_trace", "record_training", "resume", "run", "train",
]  # fmt: skip

LATE = {
    "Config": ("clearhead.sources.worked.config", "Config"),
    "Diverged": ("clearhead.trace.recording", "Diverged"),
    "Optimiser": ("clearhead.core.optimise", "Optimiser"),
    "Recording": ("clearhead.trace.recording", "Recording"),
    "RecordingError": ("clearhead.trace.recording", "RecordingError"),
    "SavingError": ("clearhead.trace.recording", "SavingError"),
    "TrainingRun": ("clearhead.sources.worked.training.run", "TrainingRun"),
    "examples": ("clearhead.sources.worked.files", "example_names"),
    "load": ("clearhead.sources.worked.files", "load_example"),
    "load_run": ("clearhead.sources.worked.training.saved", "load_run"),
    "load_trace": ("clearhead.trace.wire", "load_trace"),
    "record_training": ("clearhead.sources.training.pytorch", "record_training"),
    "resume": ("clearhead.sources.worked.training.loop", "resume"),
    "train": ("clearhead.sources.worked.training.loop", "train"),
}
"""What reads files or trains. It is a third of the time of an import, so it comes with the first use."""


def __getattr__(name: str) -> Any:
    """The public names that come with their first use (PEP 562)."""
    if name not in LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, public = LATE[name]
    return getattr(import_module(module), public)


def __dir__() -> list[str]:
    """The public names, those that come with their first use included."""
    return sorted(__all__)


for _public in (Example, ExampleError, Explanation, Quantity, Trace):
    _public.__module__ = __name__  # so that messages and help name them as people import them
