"""Every way of asking with every meaning the answers may have, and what explains them best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from clearhead.lenses.diagnose import Asking, Case, Explanation, explanations, hiding, padded
from clearhead.session.checking.answering import answer_to, with_meanings
from clearhead.session.checking.hinted import hint
from clearhead.session.checking.measured import explains_by_fill, with_fill
from clearhead.session.checking.questions import further, lengthened, questions, resized
from clearhead.session.checking.told import Told
from clearhead.sources.function import Answer, Asked, Trouble

OTHER = "other keys"
SIZES = "other sizes"
LONG = "many positions"
PADDED = ("plain", "integers", "low", "lower")
"""The questions that are asked with padding, too: plain ones, and those in which a fill that is too small shows."""
OPEN = ("none", "causal")
"""What a function may be meant to mask that is handed no mask and not told whether it is causal."""

Cleaned = Callable[[Asked, Case], np.ndarray | None]
"""Answers in place of the function's own, such as those without dropout; None where there is none."""


@dataclass(frozen=True)
class Attempt:
    """One way of asking with one meaning of the answers.

    Attributes:
        asked: the way.
        mask: what the function is meant to mask by itself; "" where it is told.
        askings: the questions with their answers.
        answers: more about each answer.
        found: what explains them all; nothing, where nothing known does.
        left: the questions that it does not take, by their names.
        cleaned: answers in place of the function's own, such as those without dropout.
        hint: the keywords with which it would agree, such as "rotary='halves'".
    """

    asked: Asked
    mask: str
    askings: list[Asking]
    answers: list[Answer]
    found: list[Explanation]
    left: tuple[str, ...] = ()
    cleaned: Cleaned | None = None
    hint: str = ""

    def answer(self, asked: Asked, case: Case) -> Answer:
        """The answer to another case, made as those to the questions were.

        Raises:
            Trouble: there is none.
        """
        if self.cleaned is None:
            return answer_to(asked, case)
        output = self.cleaned(asked, case)
        if output is None:
            raise Trouble("telling", "how it answers without dropout cannot be found out here")
        return Answer(output, None, str(output.dtype))

    @property
    def mistakes(self) -> int:
        """How many it takes to explain the answers; more than are ever tried where nothing does."""
        return len(self.found[0].mistakes) if self.found else 9


def attempts(
    running: list[Asked], told: Told, cleaned: Cleaned | None = None
) -> tuple[list[Attempt], Trouble | None]:
    """The attempts, those that explain the most with the least first; and what went wrong where none ran.

    Args:
        running: the ways of asking.
        told: what is known of the function.
        cleaned: answers in place of the function's own, such as those without dropout.
    """
    made: list[Attempt] = []
    trouble: Trouble | None = None
    for asked in running:
        try:
            meant = with_meanings(asked, told)
        except Trouble as error:
            trouble = trouble or error
            continue
        for manner in meant:
            for mask in _masks(manner, told):
                try:
                    attempt = _attempt(manner, mask, told, cleaned)
                except Trouble as error:
                    trouble = trouble or error
                    continue
                if attempt.found and not attempt.mistakes:
                    return [attempt], None
                made.append(attempt)
    if not any(one.found for one in made) or any(explains_by_fill(one.found) for one in made):
        made = [_with_fill(one) for one in made]
    if not any(one.found for one in made):
        made = [replace(one, hint=hint(one.askings, told)) for one in made]
    return sorted(made, key=lambda one: (one.mistakes, not one.hint)), trouble


def _with_fill(attempt: Attempt) -> Attempt:
    def ask(case: Case) -> np.ndarray:
        return attempt.answer(attempt.asked, case).output

    free = attempt.asked.form.own is None
    return replace(attempt, found=with_fill(ask if free else None, attempt.askings, attempt.found))


def _masks(asked: Asked, told: Told) -> tuple[str, ...]:
    if told.mask is not None:
        return (told.mask,)
    return ("",) if {"mask", "causal"} & set(asked.roles.names) else OPEN


def _attempt(asked: Asked, mask: str, told: Told, cleaned: Cleaned | None) -> Attempt:
    askings, answers, left = [], [], []
    for case in [*_cases(asked, mask, told), *_further(asked, mask, told)]:
        try:
            answer = answer_to(asked, case)
        except Trouble as error:
            if error.kind != "hangs" and _may_fail(asked, case):
                left.append(case.probe)
                continue
            raise Trouble(error.kind, f"{error}, asked the question {case.probe!r}") from error
        output = answer.output if cleaned is None else cleaned(asked, case)
        if output is None:
            continue
        askings.append(Asking(case, output, asked.manner.dtype))
        answers.append(answer)
    if not askings:
        raise Trouble(
            "telling",
            "it drops weights out, and how it answers without that cannot be found out; expected it without dropout",
        )
    return Attempt(asked, mask, askings, answers, explanations(askings, most=1), tuple(left), cleaned)


def _may_fail(asked: Asked, case: Case) -> bool:
    """Many take as many keys as queries only; and a mask or a module may be made for so many positions and no more."""
    return case.probe.endswith((OTHER, LONG)) or (case.probe.endswith(SIZES) and asked.form.of_x)


def _cases(asked: Asked, mask: str, told: Told) -> list[Case]:
    """With each setting of `causal`, with masks that are handed over, with padding."""
    roles = asked.roles
    if mask:
        made = [*questions(told, asked, mask), resized(told, asked, mask), *lengthened(told, asked, mask)]
    else:
        made = questions(told, asked, "causal") + questions(told, asked, "none")[:2]
        made += [resized(told, asked, "causal"), *lengthened(told, asked, "causal")]
        if "mask" in roles:
            made += [hiding(case, told.seed) for case in questions(told, asked, "none")[:2]]
    if "mask" in roles.required:  # where nothing is hidden, it is handed a mask that says so
        made = [
            replace(one, allowed=np.ones(one.sizes, bool)) if one.allowed is None else one for one in made
        ]
    if "padding" in roles:
        made += [padded(case) for case in made if case.probe in PADDED]
    return made


def _further(asked: Asked, mask: str, told: Told) -> list[Case]:
    """With more keys than queries. Where nothing is masked, as where a causal mask stands then is a convention."""
    return further(told, asked, "none") if mask in ("", "none") else []
