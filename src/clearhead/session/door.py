"""The one door for whoever speaks in messages: a message in, a view out.

The page speaks only to this. The command line, which is in the same process, may also call what is behind it.

Nothing is kept between messages that an answer depends on: each message carries the whole state. That is what makes a
link reproduce a page, two tabs independent, and a server that comes back after a stop no event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from clearhead.session.live import RUNS_KEPT, live
from clearhead.session.model import ModelPart
from clearhead.session.models import Models
from clearhead.session.practice import practice
from clearhead.session.recipes import recipes
from clearhead.session.recorded import RecordedPart
from clearhead.session.remembered import Remembered
from clearhead.session.states import States
from clearhead.session.study import study
from clearhead.session.training import training
from clearhead.session.view import Unfinished, View, mistake, one_of
from clearhead.session.walkthrough import arithmetic, script, suggestion, trace_file, walkthrough
from clearhead.sources.worked import Example, ExampleError
from clearhead.sources.worked.training.induction import InductionRun
from clearhead.trace.recording import Recording

if TYPE_CHECKING:
    from clearhead.lenses.diagnose import Report

ANSWERS: dict[str, Callable[[States, Mapping[str, Any]], View]] = {
    "walkthrough": walkthrough,
    "explain": arithmetic,
    "suggest": suggestion,
    "script": script,
    "trace": trace_file,
    "practice": practice,
    "training": training,
    "recipes": recipes,
}


class Session:
    """Answers messages: about worked examples, those that ship and a person's own, models, a recording, a report."""

    def __init__(
        self,
        extra_examples: Mapping[str, Example] | None = None,
        models: Models | None = None,
        recording: Recording | None = None,
        report: Report | None = None,
    ) -> None:
        self.states = States(extra_examples or {})
        self._live: Remembered[InductionRun] = Remembered(RUNS_KEPT)
        self._report = report
        part = ModelPart(models or Models())
        self._others: dict[str, Callable[[Mapping[str, Any]], View]] = {
            "examples": lambda message: self._examples(),
            "live": lambda message: live(self._live, message),
            "study": study,
            "models": part.models,
            "model": part.model,
            "head": part.head,
            "headwalk": part.walk,
            "rollout": part.rollout,
            "zoom": part.zoom,
            "tile": part.tile,
            "look": part.look,
            "links": part.links,
            "recording": RecordedPart(recording).recording,
            "report": self._reported,
        }
        self._explain = part.explain

    def ask(self, message: Mapping[str, Any]) -> View:
        """Answer one message (see `clearhead.messages`). A mistake in it is answered with a sentence, never raised."""
        try:
            if not isinstance(message, Mapping):
                raise ExampleError("message", f"expected an object, got {message!r}")
            asked = one_of(message, "ask", (*self._others, *ANSWERS))
            if asked == "explain" and "model" in (message.get("state") or ()):
                return self._explain(message)
            return (
                self._others[asked](message)
                if asked in self._others
                else ANSWERS[asked](self.states, message)
            )
        except Unfinished as so_far:
            return so_far.view
        except ExampleError as error:
            return mistake(str(error), error.field)
        except OverflowError as error:
            return mistake(str(error), "")

    def _reported(self, message: Mapping[str, Any]) -> View:
        if self._report is None:
            raise ExampleError("report", "there is none here; expected clearhead.show of one")
        from clearhead.session.reported import reported  # only here: it loads every known mistake

        return reported(self._report)

    def _examples(self) -> View:
        summaries = [self._summary(name) for name in self.states.names]
        return View({"kind": "examples", "examples": summaries})

    def _summary(self, name: str) -> Any:
        example = self.states.named(name)
        return {
            "name": name,
            "title": example.title,
            "look_for": example.look_for,
            "tokens": list(example.tokens),
        }
