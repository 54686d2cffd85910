"""What `clearhead train` runs: a model and sentences from what was typed, and Ctrl-C between two steps."""

from __future__ import annotations

import signal
from dataclasses import fields
from pathlib import Path
from types import FrameType
from typing import Any

from clearhead.sources.worked.config import Config
from clearhead.sources.worked.files import DEFAULT_EXAMPLE
from clearhead.sources.worked.matrices import ExampleError
from clearhead.sources.worked.training.loop import train
from clearhead.sources.worked.training.run import TrainingRun
from clearhead.trace.nearest import meant, nearest


def start(model: str | None, corpus: str | None, config: str | None, **how: Any) -> TrainingRun:
    """Begin a run; `how` goes to `clearhead.train` as it is.

    Raises:
        ExampleError: the model, the corpus or how to train cannot be; the message names what and what was expected.
    """
    _refuse_full(how["path"])
    if config is None:
        sentences = None if corpus is None else read_sentences(corpus)
        return train(model or DEFAULT_EXAMPLE, sentences, **how)
    begin = read_config(config)
    if model is None:
        raise ExampleError(
            "corpus", "is missing; expected a text file, since a model of --config knows no words yet"
        )
    return train(begin, read_sentences(model), **how)


def _refuse_full(folder: str | None) -> None:
    """A folder that holds something is not written into; the sentence names the switch that goes on with a run."""
    try:
        full = folder is not None and any(Path(folder).iterdir())
    except (OSError, ValueError):  # none yet, or none that can be: making it says so
        full = False
    if full:
        problem = (
            "holds something already; expected a new or empty folder, or --resume to go on with the run in it"
        )
        raise ExampleError("", problem, str(Path(folder or "")))


def read_sentences(path: str) -> list[str]:
    """The lines of a text file.

    Raises:
        ExampleError: it cannot be read, or is no text in UTF-8.
    """
    try:
        return Path(path).read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ExampleError("corpus", "is not text in UTF-8; expected one sentence a line", path) from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise ExampleError(
            "corpus",
            f"cannot be read ({reason}); expected a text file, one sentence a line",
            path.replace("\0", "\\0"),
        ) from None


def read_config(text: str) -> Config:
    """A configuration from words such as "d_model=16 heads=2 tied=false".

    Raises:
        ExampleError: a name, or a value, that cannot be.
    """
    known = {field.name: field.default for field in fields(Config)}
    chosen: dict[str, Any] = {}
    for part in text.replace(",", " ").split():
        name, equals, value = part.partition("=")
        if not equals or name not in known:
            alike = [] if name in known else nearest(name, known)  # where only the value is missing
            instead = meant(alike, f"expected name=value with {', '.join(known)}")
            raise ExampleError("config", f"{part!r} is not known; {instead}")
        chosen[name] = _value(name, value, known[name])
    return Config(**chosen)


def _value(name: str, text: str, default: Any) -> Any:
    """The value, of the type that the default has."""
    if isinstance(default, bool):
        if text not in ("true", "false"):
            raise ExampleError(f"config, {name}", f"expected true or false, got {text!r}")
        return text == "true"
    if isinstance(default, int):
        if not (text.isascii() and text.isdecimal() and len(text) < 10):
            raise ExampleError(f"config, {name}", f"expected a whole number from 0, got {text!r}")
        return int(text)
    return text


class Interrupts:
    """Ctrl-C waits for the end of the step at hand, so that the run it leaves is whole; a second one does not wait.

    Attributes:
        asked: whether it was pressed, or the end was asked for in another way.
        heeded: whether that has ended the run; it may also have come too late.
    """

    def __init__(self) -> None:
        self.asked = self.heeded = False

    def __enter__(self) -> Interrupts:
        """From here on Ctrl-C only asks."""
        self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *exception: object) -> None:
        """Ctrl-C means what it meant before."""
        signal.signal(signal.SIGINT, self._before)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.heed()
        self.asked = True

    def heed(self) -> None:
        """Called between two steps.

        Raises:
            KeyboardInterrupt: it was pressed.
        """
        if self.asked:
            self.heeded = True
            raise KeyboardInterrupt
