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
    from clearhead.lenses.contribution import contribution, rollout
    from clearhead.lenses.diagnose import Report
    from clearhead.lenses.parting_models import Comparison
    from clearhead.lenses.practice import practice
    from clearhead.lenses.statistics import head_statistics
    from clearhead.session.capturing import capture
    from clearhead.session.checking import check
    from clearhead.session.comparing import compare
    from clearhead.session.corpus import CorpusError, CorpusTable, corpus_statistics
    from clearhead.sources.models.loading import load_model
    from clearhead.sources.training.pytorch import record_training
    from clearhead.sources.worked import Example, ExampleError, run
    from clearhead.sources.worked.config import Config
    from clearhead.sources.worked.files import example_names as examples
    from clearhead.sources.worked.files import load_example as load
    from clearhead.sources.worked.training.loop import resume, train
    from clearhead.sources.worked.training.run import TrainingRun
    from clearhead.sources.worked.training.saved import load_run
    from clearhead.surfaces.figure import figure, save_figure
    from clearhead.surfaces.page import save_html
    from clearhead.surfaces.testing import assert_attention
    from clearhead.surfaces.widget import show
    from clearhead.surfaces.worksheet import worksheet
    from clearhead.trace.capture.capture import Capture
    from clearhead.trace.capture.change import Change
    from clearhead.trace.capture.failing import CaptureError
    from clearhead.trace.capture.saved import load_capture
    from clearhead.trace.capture.token import Token
    from clearhead.trace.explanation import Explanation
    from clearhead.trace.quantity import Quantity
    from clearhead.trace.recording import Diverged, Recording, RecordingError, SavingError
    from clearhead.trace.trace import Trace
    from clearhead.trace.wire import load_trace

__version__ = "0.1.0"

__all__ = [
    "Capture", "CaptureError", "Change", "Comparison", "Config", "CorpusError", "CorpusTable", "Diverged",
    "Example", "ExampleError", "Explanation", "Optimiser", "Quantity", "Recording", "RecordingError",
    "Report", "SavingError", "Token", "Trace", "TrainingRun", "__version__", "assert_attention",
    "capture", "check", "compare", "contribution", "corpus_statistics", "examples", "figure",
    "head_statistics", "load", "load_capture", "load_model", "load_run", "load_trace", "practice",
    "record_training", "resume", "rollout", "run", "save_figure", "save_html", "show", "train",
    "worksheet",
]  # fmt: skip

PUBLIC = {
    "Capture": ("clearhead.trace.capture.capture", "Capture"),
    "CaptureError": ("clearhead.trace.capture.failing", "CaptureError"),
    "Change": ("clearhead.trace.capture.change", "Change"),
    "Comparison": ("clearhead.lenses.parting_models", "Comparison"),
    "Config": ("clearhead.sources.worked.config", "Config"),
    "CorpusError": ("clearhead.session.corpus", "CorpusError"),
    "CorpusTable": ("clearhead.session.corpus", "CorpusTable"),
    "Diverged": ("clearhead.trace.recording", "Diverged"),
    "Example": ("clearhead.sources.worked", "Example"),
    "ExampleError": ("clearhead.sources.worked", "ExampleError"),
    "Explanation": ("clearhead.trace.explanation", "Explanation"),
    "Optimiser": ("clearhead.core.optimise", "Optimiser"),
    "Quantity": ("clearhead.trace.quantity", "Quantity"),
    "Recording": ("clearhead.trace.recording", "Recording"),
    "RecordingError": ("clearhead.trace.recording", "RecordingError"),
    "Report": ("clearhead.lenses.diagnose", "Report"),
    "SavingError": ("clearhead.trace.recording", "SavingError"),
    "Token": ("clearhead.trace.capture.token", "Token"),
    "Trace": ("clearhead.trace.trace", "Trace"),
    "TrainingRun": ("clearhead.sources.worked.training.run", "TrainingRun"),
    "assert_attention": ("clearhead.surfaces.testing", "assert_attention"),
    "capture": ("clearhead.session.capturing", "capture"),
    "check": ("clearhead.session.checking", "check"),
    "compare": ("clearhead.session.comparing", "compare"),
    "contribution": ("clearhead.lenses.contribution", "contribution"),
    "corpus_statistics": ("clearhead.session.corpus", "corpus_statistics"),
    "examples": ("clearhead.sources.worked.files", "example_names"),
    "figure": ("clearhead.surfaces.figure", "figure"),
    "head_statistics": ("clearhead.lenses.statistics", "head_statistics"),
    "load": ("clearhead.sources.worked.files", "load_example"),
    "load_capture": ("clearhead.trace.capture.saved", "load_capture"),
    "load_model": ("clearhead.sources.models.loading", "load_model"),
    "load_run": ("clearhead.sources.worked.training.saved", "load_run"),
    "load_trace": ("clearhead.trace.wire", "load_trace"),
    "practice": ("clearhead.lenses.practice", "practice"),
    "record_training": ("clearhead.sources.training.pytorch", "record_training"),
    "resume": ("clearhead.sources.worked.training.loop", "resume"),
    "rollout": ("clearhead.lenses.contribution", "rollout"),
    "run": ("clearhead.sources.worked", "run"),
    "save_figure": ("clearhead.surfaces.figure", "save_figure"),
    "save_html": ("clearhead.surfaces.page", "save_html"),
    "show": ("clearhead.surfaces.widget", "show"),
    "train": ("clearhead.sources.worked.training.loop", "train"),
    "worksheet": ("clearhead.surfaces.worksheet", "worksheet"),
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
