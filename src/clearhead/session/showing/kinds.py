"""What can be shown, how, and by which options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from clearhead.lenses.diagnose import Report
from clearhead.session.showing.captured import OneHead, a_capture, a_head
from clearhead.session.showing.kept import a_recording, a_report
from clearhead.session.showing.shown import Showing
from clearhead.session.showing.worked import a_training, an_example
from clearhead.sources.worked import Example, ExampleError
from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.restored import example_of_trace
from clearhead.sources.worked.training import saved
from clearhead.sources.worked.training.run import TrainingRun
from clearhead.trace.capture.alone import alone
from clearhead.trace.capture.capture import Capture
from clearhead.trace.recording import Recording
from clearhead.trace.trace import Trace


class Kind(NamedTuple):
    """A kind of object that can be shown.

    Attributes:
        called: what one is called in messages.
        shown: how it is shown.
        options: what may be asked for.
    """

    called: str
    shown: Callable[[Any, Mapping[str, Any]], Showing]
    options: tuple[str, ...]


PLACES = ("layer", "head", "query", "cell")

KINDS: Mapping[type, Kind] = {
    Example: Kind("an example", an_example, PLACES),
    TrainingRun: Kind("a training run", a_training, ("step", *PLACES)),
    Capture: Kind("a capture", a_capture, ("tower", "batch", *PLACES)),
    OneHead: Kind("a head", a_head, ("query", "cell")),
    Recording: Kind("a recording", a_recording, ("step",)),
    Report: Kind("a report", a_report, ("cell",)),
}


def showing(x: Any, **options: Any) -> Showing:
    """How an object is shown.

    Args:
        x: an `Example`, the name or path of one, a `Trace` of one or of a head, a `TrainingRun`, a `Capture`, a
            `Recording`, or a `Report` of the checker.
        options: what is to be seen first; those that are None count as not given. Of an example and of a training
            `layer`, `head` and `query` (the arithmetic of that query's largest weight is open) or `cell`; of a training
            `step`, too. Of a capture `tower`, `batch`, `layer`, `head`, `query` or `cell`, of a head `query` or `cell`.
            Of a recording `step`, of a report `cell`, such as "yours.scaled[0,1]" or "right.scaled[0,1]".

    Raises:
        TypeError: x is nothing that can be shown.
        ExampleError: it is of something that the page has no view of, or too large for it.
        ValueError: an option does nothing here.
        LookupError: there is no such step, layer, head, query, tower, sequence or cell.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(x, str | Path):
        x = load_example(x)
    if isinstance(x, Trace):
        x = _of_trace(x)
    if isinstance(x, Recording) and x.header.get("kind") == saved.KIND:
        x = saved.load_run(x.path)
    for its_type, kind in KINDS.items():
        if isinstance(x, its_type):
            for name in given:
                if name not in kind.options:
                    takes = " or ".join(kind.options)
                    raise ValueError(f"{name}: does nothing for {kind.called}; expected {takes}")
            return kind.shown(x, given)
    raise TypeError(
        f"x: got {type(x).__name__}; expected a Trace, a Capture, a TrainingRun, a Recording, a Report, an Example "
        "or the name of one"
    )


def _of_trace(trace: Trace) -> Example | OneHead:
    if trace.provenance.get("source") == "example":
        return example_of_trace(trace)
    try:
        return OneHead(alone(trace))
    except ValueError as error:
        raise ExampleError("trace", str(error)) from None
