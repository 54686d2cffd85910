"""Every way of asking with every meaning the answers may have, and what explains them best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from clearhead.lenses.diagnose import Asking, Case, Explanation, explanations, hiding, padded
from clearhead.session.checking.manners import answer_to, questions, with_meanings
from clearhead.session.checking.told import Told
from clearhead.sources.function import Answer, Asked, Trouble

OPEN = ("none", "causal")
"""What a function may be meant to mask that is handed no mask and not told whether it is causal."""


@dataclass(frozen=True)
class Attempt:
    """One way of asking with one meaning of the answers.

    Attributes:
        asked: the way.
        mask: what the function is meant to mask by itself; "" where it is told.
        askings: the questions with their answers.
        answers: more about each answer.
        found: what explains them all; nothing, where nothing known does.
    """

    asked: Asked
    mask: str
    askings: list[Asking]
    answers: list[Answer]
    found: list[Explanation]

    @property
    def mistakes(self) -> int:
        """How many it takes to explain the answers; more than are ever tried where nothing does."""
        return len(self.found[0].mistakes) if self.found else 9


def attempts(
    running: list[Asked], told: Told, cleaned: Callable[[Asked, Case], np.ndarray] | None = None
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
        for manner in with_meanings(asked, told):
            for mask in _masks(manner, told):
                try:
                    attempt = _attempt(manner, mask, told, cleaned)
                except Trouble as error:
                    trouble = trouble or error
                    continue
                if attempt.found and not attempt.mistakes:
                    return [attempt], None
                made.append(attempt)
    if made and not any(one.found for one in made):
        made = [replace(one, found=explanations(one.askings, most=2)) for one in made]
    return sorted(made, key=lambda one: one.mistakes), trouble


def _masks(asked: Asked, told: Told) -> tuple[str, ...]:
    if told.mask is not None:
        return (told.mask,)
    return ("",) if {"mask", "causal"} & set(asked.roles.names) else OPEN


def _attempt(
    asked: Asked, mask: str, told: Told, cleaned: Callable[[Asked, Case], np.ndarray] | None
) -> Attempt:
    askings, answers = [], []
    for case in _cases(asked, mask, told):
        try:
            answer = answer_to(asked, case)
        except Trouble as error:
            raise Trouble(error.kind, f"{error}, asked the question {case.probe!r}") from error
        askings.append(Asking(case, answer.output if cleaned is None else cleaned(asked, case)))
        answers.append(answer)
    return Attempt(asked, mask, askings, answers, explanations(askings, most=1))


def _cases(asked: Asked, mask: str, told: Told) -> list[Case]:
    """With each setting of `causal`, with masks that are handed over, with padding."""
    layout, roles = asked.manner.layout, asked.roles
    if mask:
        made = questions(told, layout, mask)
    else:
        made = questions(told, layout, "causal") + questions(told, layout, "none")[:2]
        if "mask" in roles:
            made += [hiding(case, told.seed) for case in questions(told, layout, "none")[:2]]
    if "padding" in roles:
        made += [padded(case) for case in made[:2]]
    return made
