"""What a server can offer the page: the study model, and a model that was loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearhead.messages import ModelTitle
from clearhead.session.modelstate import MOST_TOKENS, Reading
from clearhead.sources.worked import ExampleError
from clearhead.trace.capture.capture import Capture

if TYPE_CHECKING:
    from clearhead.sources.models.loading import Loaded

STUDY = "study"
STUDY_TEXT = "the man saw the woman and he works."
USUAL_TEXT = "The man said he was late. The man said he was"
"""Says something twice, so that a head that continues what it has seen has something to do."""

ANSWERED = 12
"""Tokens that a model of two texts goes on by itself, where the second is not given."""

UNSEEN = {
    "vision": "It takes pictures, which this page cannot give it; clearhead.capture in Python can.",
    "audio": "It takes sound, which this page cannot give it; clearhead.capture in Python can.",
}


@dataclass(frozen=True)
class Offer:
    """A model that a server has.

    Attributes:
        title: what the page says of it.
        run: makes the capture.
    """

    title: ModelTitle
    run: Callable[[Reading], Capture]


def study_offer(text: str | None) -> Offer:
    """The study model; `text` is what it reads first."""
    from clearhead.sources.worked.study.capture import capture_study

    title = ModelTitle(
        name=STUDY, title="The study model", needs="", text=text or STUDY_TEXT, decoder=False, generates=True,
        about="Two layers of four heads, trained on a small made language; it needs nothing else installed.",
    )  # fmt: skip
    return Offer(title, lambda one: capture_study(one.text or "", one.generate, one.changes))


def loaded_offer(loaded: Loaded, text: str | None) -> Offer:
    """A model of transformers; `text` is what it reads first."""
    pair = loaded.kind == "encoder-decoder"
    name = called(loaded.name)
    title = ModelTitle(
        name=name, title=name, needs=_needs(loaded), text=text or USUAL_TEXT, decoder=pair,
        generates=pair or loaded.kind == "causal", about=type(loaded.model).__name__,
    )  # fmt: skip
    return Offer(title, lambda one: _captured(loaded, one))


def called(name: str) -> str:
    """A model's name on the page: of a path its last part, so that a link says nothing of a person's folders."""
    last = Path(name).name if Path(name).expanduser().exists() else name
    return f"./{last}" if last == STUDY else last or name


def _needs(loaded: Loaded) -> str:
    """Why a page cannot give it what it takes, or nothing."""
    if loaded.kind in UNSEEN:
        return UNSEEN[loaded.kind]
    return (
        ""
        if loaded.tokenizer is not None
        else "It came without a tokenizer; expected a folder that has its files."
    )


def _captured(loaded: Loaded, reading: Reading) -> Capture:
    from clearhead.sources.models.capture import capture

    _limit(loaded.tokenizer, reading)
    return capture(
        loaded,
        None,
        reading.text,
        decoder=reading.decoder,
        generate=reading.generate,
        changes=reading.changes,
    )


def _limit(tokenizer: Any, reading: Reading) -> None:
    """A page draws every position.

    Raises:
        ExampleError: there are too many.
    """
    for name in ("text", "decoder"):
        given = getattr(reading, name)
        if given is None:
            continue
        count = len(tokenizer(given, verbose=False)["input_ids"]) + reading.generate
        if count > MOST_TOKENS:
            raise ExampleError(
                name, f"it has {count:,} tokens, with those that the model goes on; the page takes up to {MOST_TOKENS} "
                "(clearhead.capture in Python has no limit)"
            )  # fmt: skip
