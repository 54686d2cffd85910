"""What a server can offer the page: the study model, a model that was loaded, and a saved capture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearhead.messages import ModelTitle
from clearhead.session.modelstate import MOST_TOKENS, Reading
from clearhead.sources.worked import ExampleError
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.overview import LayerOverview

if TYPE_CHECKING:
    from clearhead.sources.models.loading import Loaded

STUDY = "study"
STUDY_TEXT = "the man saw the woman and he works."
USUAL_TEXT = "The man said he was late. The man said he was"
"""Says something twice, so that a head that continues what it has seen has something to do."""

ANSWERED = 12
"""Tokens that a model of two texts goes on by itself, where the second is not given."""

STUDY_TITLE = "The study model"

UNSEEN = {
    "vision": "It takes pictures, which this page cannot give it; clearhead.capture in Python can.",
    "audio": "It takes sound, which this page cannot give it; clearhead.capture in Python can.",
}


@dataclass(frozen=True)
class How:
    """How a text is read that takes its time.

    Attributes:
        store: the folder that the capture is kept in.
        progress: is told how much is done and how much there is; in words too, if it can be (`Saying`), once heads
            are counted.
        looked: is told the layers that are finished, and the overview of the last.
    """

    store: str
    progress: Callable[[int, int], None]
    looked: Callable[[Sequence[Layer], LayerOverview], None]


@dataclass(frozen=True)
class Offer:
    """A model that a server has.

    Attributes:
        title: what the page says of it.
        run: makes the capture; without a `How` in memory, and telling nobody.
        tokens: how many a text has, with those that the model goes on.
        quick: whether it needs no turn: it is done in no time, and nothing else of it runs.
    """

    title: ModelTitle
    run: Callable[[Reading, How | None], Capture]
    tokens: Callable[[Reading], int]
    quick: bool = False

    def is_long(self, reading: Reading) -> bool:
        """Whether it is more than whose every weight a page draws."""
        return self.tokens(reading) > MOST_TOKENS


def study_offer(text: str | None) -> Offer:
    """The study model; `text` is what it reads first."""
    from clearhead.sources.worked.study.capture import capture_study

    title = ModelTitle(
        name=STUDY, title=STUDY_TITLE, needs="", text=text or STUDY_TEXT, decoder=False, generates=True,
        about="Two layers of four heads, trained on a small made language; it needs nothing else installed.",
        fixed=False,
    )  # fmt: skip
    return Offer(
        title,
        lambda one, how: capture_study(one.text or title["text"], one.generate, one.changes),
        lambda one: 0,  # it has fewer positions than a page draws
        quick=True,
    )


def loaded_offer(loaded: Loaded, text: str | None) -> Offer:
    """A model of transformers; `text` is what it reads first."""
    pair = loaded.kind == "encoder-decoder"
    name = called(loaded.name)
    title = ModelTitle(
        name=name, title=name, needs=_needs(loaded), text=text or USUAL_TEXT, decoder=pair,
        generates=pair or loaded.kind == "causal", about=type(loaded.model).__name__, fixed=False,
    )  # fmt: skip
    return Offer(
        title, lambda one, how: _captured(loaded, one, how), lambda one: _count(loaded.tokenizer, one)
    )


def saved_offer(capture: Capture, name: str) -> Offer:
    """A saved capture, by the name of its file: no other text can be given to it, and no switch."""
    known = capture.provenance
    title = ModelTitle(
        name=called(name), title=titled(name, capture), needs="", text=text_of(capture, 0), decoder=False,
        generates=False,
        about=f"A saved capture of {known.get('model', 'a model')}.", fixed=True,
    )  # fmt: skip
    longest = max(max(one.queries, one.keys) for layer in capture.attentions() if (one := layer.attention))

    def run(reading: Reading, how: How | None) -> Capture:
        if reading.text != title["text"]:
            raise ExampleError("text", f"{name} is a saved capture, which can be given no other text")
        if reading.generate or reading.changes:
            field = "generate" if reading.generate else "changes"
            raise ExampleError(field, f"{name} is a saved capture, which runs no more; expected none")
        return capture

    return Offer(title, run, lambda one: longest, quick=longest <= MOST_TOKENS)


def text_of(capture: Capture, batch: int) -> str:
    """The text of one sequence, if the capture says it."""
    text = capture.provenance.get("text")
    if isinstance(text, str):
        return text
    return str(text[batch]) if isinstance(text, list | tuple) and batch < len(text) else ""


def called(name: str) -> str:
    """A model's name on the page: of a path its last part, so that a link says nothing of a person's folders."""
    last = Path(name).name if Path(name).expanduser().exists() else name
    return f"./{last}" if last == STUDY else last or name


def titled(name: str, capture: Capture) -> str:
    """What the page calls a capture of that name: by its title, if it has one, as one of the study model itself has."""
    if title := capture.provenance.get("title"):
        return str(title)
    own = name == capture.provenance.get("model") == capture.provenance.get("type") == STUDY
    return STUDY_TITLE if own else called(name)


def _needs(loaded: Loaded) -> str:
    """Why a page cannot give it what it takes, or nothing."""
    if loaded.kind in UNSEEN:
        return UNSEEN[loaded.kind]
    return (
        ""
        if loaded.tokenizer is not None
        else "It came without a tokenizer; expected a folder that has its files."
    )


def _captured(loaded: Loaded, reading: Reading, how: How | None) -> Capture:
    from clearhead.sources.models.capture import capture

    given: dict[str, Any] = {
        "decoder": reading.decoder,
        "generate": reading.generate,
        "changes": reading.changes,
    }
    if how is None:
        return capture(loaded, None, reading.text, **given)
    return capture(
        loaded, None, reading.text, **given, store=how.store, progress=how.progress, looked=how.looked
    )


def _count(tokenizer: Any, reading: Reading) -> int:
    """The tokens of the longer of its texts, with those that the model goes on."""
    texts = [one for one in (reading.text, reading.decoder) if one is not None]
    return max(len(tokenizer(one, verbose=False)["input_ids"]) for one in texts) + reading.generate
