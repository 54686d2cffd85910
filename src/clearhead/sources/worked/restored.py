"""From a trace of an example back to the example: a trace has every number and every switch of it."""

from __future__ import annotations

from typing import Any

from clearhead.sources.worked.example import SWITCHES, Example
from clearhead.sources.worked.matrices import ExampleError
from clearhead.trace.trace import Trace


def example_of_trace(trace: Trace) -> Example:
    """The example that a trace was made from, as it was when it ran; parameters that it had no use for are not there.

    Raises:
        ExampleError: the trace is of something else, of a head of a model for instance.
    """
    settings = trace.provenance.get("settings")
    if trace.provenance.get("source") != "example" or settings is None:
        source = trace.provenance.get("source", "something else")
        raise ExampleError("trace", f"it is of {source}; expected the trace of a worked example")
    parameters = {name: one.values for name, one in trace.items() if one.operation is None}
    switches: dict[str, Any] = {name: settings[name] for name in SWITCHES if name in settings}
    return Example.of_parameters(
        parameters, tokens=trace.tokens, vocabulary=trace.vocabulary, layers=settings["layers"],
        predict=settings["predicts"], title=trace.provenance.get("title", ""),
        name=trace.provenance.get("name", ""), **switches,
    )  # fmt: skip
