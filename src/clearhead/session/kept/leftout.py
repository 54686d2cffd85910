"""What a page leaves out of a capture, said in the place where it would be, with the way to it."""

from __future__ import annotations

import shlex

from clearhead.session.offers import STUDY, called
from clearhead.trace.capture.capture import Capture

CONTRIBUTIONS = "How much each token adds, its contribution, is not kept in this page."

ROLLOUT = "Attention through all layers is not kept in this page."

BELOW = "How the model made its queries, keys and values of the layer's input is not kept in this page."

WALK = "This page keeps weights alone, and nothing that a head could be worked out from."


def opens_live(capture: Capture) -> str:
    """The way to everything that a page leaves out, as one sentence."""
    known = capture.provenance
    live = "clearhead.show(trace)" if capture.traces else "clearhead.show(capture)"
    if known.get("type") == STUDY:
        return _opens("clearhead model")
    named = known.get("model") != known.get("class")  # a model that has no name is called by its class
    if named and "transformers" in known.get("versions", {}):
        return _opens(f"clearhead model {shlex.quote(called(str(known['model'])))}")
    return f"In a notebook, “{live}” shows it live."


def _opens(command: str) -> str:
    return f"The command “{command}” opens the model live, and shows it."
