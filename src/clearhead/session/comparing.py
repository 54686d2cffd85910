"""`clearhead.compare`: two models that should be the same, walked side by side on one text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from clearhead.lenses.parting_models import Comparison, compared
from clearhead.session.capturing import STUDY, capture
from clearhead.session.comparing_reasons import reasons
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.saved import is_capture, load_capture

if TYPE_CHECKING:
    from pathlib import Path

    import torch

    from clearhead.sources.models.loading import Loaded

Tell = Callable[[int, int], None]


def compare(
    a: Capture | torch.nn.Module | Loaded | str | Path,
    b: Capture | torch.nn.Module | Loaded | str | Path,
    text: Any = None,
    *,
    tokenizer: Any = None,
    tolerance: float | None = None,
    tokens: Sequence[str] | Sequence[Sequence[str]] | None = None,
    decoder: Any = None,
    inputs: Mapping[str, Any] | None = None,
    force: bool = False,
    progress: Tell | None = None,
) -> Comparison:
    """Walk two models side by side that should be the same: a port, a copy in another format, a fine-tune, two kernels.

    Both are captured on the same text, see `capture`, and every step of every layer is compared in the order of the
    computation: hidden (what enters the layer), Q, K, V (as they enter the dot product), scores, scaled, masked,
    weights, mixed (what the kernel returned), output (the heads joined, times W_O); then the next tokens. Captures made
    at another time, or with another version of a library, are compared just so, without any model::

        found = ch.compare(model, model, "the man said he was late", tokenizer=tokenizer)
        print(found)                  # the verdict in the first line; then where, why, and how the difference grows
        found.agrees, found.layer, found.head, found.step, found.query

    Args:
        a: what the other should be: a model, what `load_model` gave, a `Capture`, or the name of one of these: the file
            of a capture, the folder or file of a model, a name on the hub, or "study".
        b: the other.
        text: what both are to read, as in `capture`; not needed for two captures.
        tokenizer: for a model that brings none.
        tolerance: how far a row may be off, as a part of its size; None: what rounding to the coarser of the two
            formats explains (64 roundings in the first layer, 16 of a format shorter than float32; √2, √3 ... times
            that in those after it).
        tokens: names for the positions where there is no tokenizer.
        decoder: the text of a model's decoder.
        inputs: what the forward of both models takes beside or instead of the text.
        force: run them though they seem to need more memory than there is.
        progress: called with the layers that are compared and how many there are.

    Returns:
        `agrees`, `layer`, `head`, `step`, `query`, `key`, `feature` of the first place where they part; `table` has
        every step of every layer.

    Raises:
        ImportError: a model is to be run, and PyTorch or transformers is not installed.
        CaptureError: one cannot be captured, or they have read other tokens: the message names the first that differs.
        ValueError: a model cannot be loaded, or the tolerance is none.
    """
    given = {"tokens": tokens, "decoder": decoder, "inputs": inputs, "force": force}
    captures = [capture_of(name, one, text, tokenizer, given) for name, one in (("a", a), ("b", b))]
    if text is not None and a is captures[0] and b is captures[1]:
        raise CaptureError("text: both are captures, which have read theirs; expected no text")
    return compared_with_reasons(captures[0], captures[1], tolerance, progress)


def capture_of(name: str, one: Any, text: Any, tokenizer: Any, given: Mapping[str, Any]) -> Capture:
    """What is compared: the capture itself, that of a file, or one made now.

    Raises:
        ImportError, CaptureError, ValueError: see `compare`.
    """
    if isinstance(one, Capture):
        return one
    if not isinstance(one, str) and hasattr(one, "__fspath__"):
        one = str(one)
    if isinstance(one, str) and is_capture(one):
        return load_capture(one)
    if text is None and given.get("inputs") is None:
        raise CaptureError(
            f"text: is missing, and {name} is a model, not a capture; expected what it is to read"
        )
    if isinstance(one, str) and one != STUDY:
        from clearhead.sources.models.loading import load_model

        one = load_model(one)
    told = {key: value for key, value in given.items() if value not in (None, False)}
    if one == STUDY or (tokenizer is None and hasattr(one, "tokenizer")):
        return capture(one, text=text, **told)
    return capture(one, tokenizer, text, **told)


def compared_with_reasons(
    a: Capture, b: Capture, tolerance: float | None = None, progress: Tell | None = None
) -> Comparison:
    """Two captures side by side, and what the library of mistakes says of the first place where they part."""
    found = compared(a, b, tolerance, progress)
    return found if found.parting is None else found.with_reasons(*reasons(found.parting, a))
