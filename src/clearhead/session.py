"""The one door for whoever speaks in messages: a message in, a view out.

The page speaks only to this. The command line, which is in the same process, may also call what is behind it.

The session keeps nothing between messages but the examples it can offer: each message carries the whole state. That is
what makes a link reproduce a page, two tabs independent, and a server that comes back after a stop no event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearhead.core.attention import POSITION_SCHEMES
from clearhead.lenses.compare import difference
from clearhead.lenses.explain import explain
from clearhead.lenses.script import numpy_script, torch_script
from clearhead.lenses.walkthrough import quantity_views, stop_views
from clearhead.messages import Settings, ViewData, Walkthrough
from clearhead.sources.worked import Example, ExampleError, run
from clearhead.sources.worked.edits import example_of
from clearhead.sources.worked.files import example_names, load_example
from clearhead.sources.worked.matrices import is_text
from clearhead.sources.worked.run import with_asides
from clearhead.sources.worked.suggest import suggest_row
from clearhead.trace.notation.numbers import DIGITS
from clearhead.trace.notation.tokens import visible_token
from clearhead.trace.quantity import Quantity
from clearhead.trace.wire import trace_bytes

MOST_WORDS = 64
"""Words a walkthrough takes: with more, a page of full matrices is no longer readable. `clearhead.run` has no limit."""

EDITABLE = frozenset({"E", "P", "W_Q", "W_K", "W_V", "W_O"})
Difference = Callable[[Quantity], np.ndarray | None]
SCRIPTS = {"numpy": numpy_script, "torch": torch_script}


@dataclass(frozen=True)
class View:
    """An answer: JSON-able data, and the arrays that the data names by their place."""

    data: ViewData
    buffers: list[np.ndarray] = field(default_factory=list)


class Session:
    """Answers messages about worked examples: those that ship with Clearhead and a person's own."""

    def __init__(self, extra_examples: Mapping[str, Example] | None = None) -> None:
        self._extra = dict(extra_examples or {})
        self._answers: dict[str, Callable[[Mapping[str, Any]], View]] = {
            "examples": self._examples,
            "walkthrough": self._walkthrough,
            "explain": self._explain,
            "suggest": self._suggest,
            "script": self._script,
            "trace": self._trace,
        }

    def ask(self, message: Mapping[str, Any]) -> View:
        """Answer one message (see `clearhead.messages`). A mistake in it is answered with a sentence, never raised."""
        try:
            if not isinstance(message, Mapping):
                raise ExampleError("message", f"expected an object, got {message!r}")
            return self._answers[_one_of(message, "ask", self._answers)](message)
        except ExampleError as error:
            return _mistake(str(error), error.field)
        except OverflowError as error:
            return _mistake(str(error), "")

    def _examples(self, message: Mapping[str, Any]) -> View:
        summaries = [self._summary(name) for name in (*self._extra, *example_names())]
        return View({"kind": "examples", "examples": summaries})

    def _summary(self, name: str) -> Any:
        example = self._named(name)
        return {
            "name": name,
            "title": example.title,
            "look_for": example.look_for,
            "tokens": list(example.tokens),
        }

    def _named(self, name: str) -> Example:
        if name in self._extra:
            return self._extra[name]
        if name not in example_names():  # never a path: a page must not read files
            choices = ", ".join((*self._extra, *example_names()))
            raise ExampleError("example", f"no example is named {name!r}; expected one of {choices}")
        return load_example(name)

    def _example(self, message: Mapping[str, Any], key: str = "state") -> Example:
        """The example with the person's changes."""
        state = message.get(key)
        if not isinstance(state, Mapping):
            raise ExampleError(key, f"expected an object, got {state!r}")
        example = example_of(state, self._named(_text(state, "example")))
        if len(example.tokens) > MOST_WORDS:
            raise ExampleError(
                "tokens", f"the sentence has {len(example.tokens)} words; the walkthrough takes up to {MOST_WORDS} "
                "(clearhead.run in Python has no limit)"
            )  # fmt: skip
        return example

    def _walkthrough(self, message: Mapping[str, Any]) -> View:
        example = self._example(message)
        trace = with_asides(run(example))
        compared, notices = self._compared(message)
        views, buffers = quantity_views(trace, EDITABLE, compared)
        notices += _added_words(example, self._named(message["state"]["example"]))
        data = Walkthrough(
            kind="walkthrough",
            example={"name": example.name, "title": example.title, "look_for": example.look_for},
            tokens=list(trace.tokens),
            vocabulary=list(trace.vocabulary),
            settings=_settings(example),
            quantities=views,
            stops=stop_views(trace),
            notices=[*notices, *trace.provenance["left_out"]],
        )
        return View(data, buffers)

    def _compared(self, message: Mapping[str, Any]) -> tuple[Difference | None, list[str]]:
        """What changed in a quantity since the state `before`, and what there is to say about that.

        A state that cannot be run is nothing to compare with; the picture of the present one must not fail for it.
        """
        if message.get("before") is None:
            return None, []
        try:
            before = with_asides(run(self._example(message, "before")))
        except (ExampleError, OverflowError) as error:
            return None, [f"What was before cannot be shown beside it: {error}."]
        return (lambda quantity: difference(quantity, before.get(quantity.name))), []

    def _explain(self, message: Mapping[str, Any]) -> View:
        trace = with_asides(run(self._example(message)))
        name = _one_of(message, "quantity", trace)
        index = message.get("index")
        if not isinstance(index, list) or not all(type(number) is int for number in index):
            raise ExampleError("index", f"expected a list of whole numbers, got {index!r}")
        digits = _one_of(message, "digits", DIGITS)
        try:
            return View(explain(trace, name, tuple(index), digits))
        except IndexError as error:
            raise ExampleError("index", str(error)) from None

    def _suggest(self, message: Mapping[str, Any]) -> View:
        example = self._example(message)
        word = _text(message, "word")
        how = (
            f"The row for “{visible_token(word)}” is a suggestion worked out from its letters, the same for everyone; "
            "it means nothing. Every number of it can be edited."
        )
        return View({"kind": "suggestion", "word": word, "row": suggest_row(example, word), "how": how})

    def _script(self, message: Mapping[str, Any]) -> View:
        flavour = _one_of(message, "flavour", SCRIPTS)
        example = self._example(message)
        text = SCRIPTS[flavour](run(example))
        return View(
            {"kind": "script", "flavour": flavour, "filename": f"attention_{flavour}.py", "text": text}
        )

    def _trace(self, message: Mapping[str, Any]) -> View:
        example = self._example(message)
        content = np.frombuffer(trace_bytes(run(example)), np.uint8)
        filename = f"{example.name or 'example'}.clearhead"
        return View(
            {"kind": "trace", "filename": filename, "media_type": "application/octet-stream"}, [content]
        )


def _added_words(example: Example, original: Example) -> list[str]:
    """Which words of the sentence the example did not come with."""
    added = [f"“{visible_token(word)}”" for word in dict.fromkeys(example.tokens) if word not in original.E]
    if not added:
        return []
    if len(added) == 1:
        return [
            f"{added[0]} is not one of this example's own words: its row of E was added and can be edited."
        ]
    return [
        f"{', '.join(added)} are not this example's own words: their rows of E were added and can be edited."
    ]


def _settings(example: Example) -> Settings:
    settings = example.settings
    return Settings(
        heads=settings.heads,
        head_choices=list(example.head_choices),
        mask=settings.mask,  # type: ignore[typeddict-item]  # checked by Example
        mask_fill=settings.mask_fill,  # type: ignore[typeddict-item]
        scale=settings.scale,
        positions=settings.positions,  # type: ignore[typeddict-item]
        position_choices=_position_choices(example),
        scale_embeddings=settings.scale_embeddings,
        d_model=example.d_model,
        d_head=example.W_Q.shape[1] // settings.heads,
    )


def _position_choices(example: Example) -> Any:
    """The position schemes the example can be switched to: learned needs P, rotary an even d_head."""
    odd = (example.W_Q.shape[1] // example.heads) % 2
    short = example.P is None or example.P.shape[0] < len(example.tokens)
    return [s for s in POSITION_SCHEMES if not (s == "learned" and short) and not (s == "rotary" and odd)]


def _mistake(message: str, where: str) -> View:
    return View({"kind": "error", "message": message, "where": where})


def _one_of(message: Mapping[str, Any], key: str, choices: Any) -> Any:
    value = message.get(key)
    if isinstance(value, str | int) and not isinstance(value, bool) and value in choices:
        return value
    raise ExampleError(key, f"{value!r} is not known; expected one of {', '.join(map(str, choices))}")


def _text(message: Mapping[str, Any], key: str) -> str:
    value = message.get(key)
    if is_text(value):
        return str(value)
    raise ExampleError(key, f"expected text, got {value!r}")
