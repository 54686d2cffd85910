"""The report on what was found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clearhead.lenses.diagnose import (
    Asking,
    Explanation,
    Report,
    Smallest,
    fits,
    parting,
    small_cases,
    smallest,
)
from clearhead.session.checking.attempts import Attempt
from clearhead.session.checking.behaviour import weights_of
from clearhead.session.checking.manners import answer_to, heads_of
from clearhead.session.checking.told import Told
from clearhead.sources.function import MEANINGS, Trouble


def not_asked(trouble: Trouble, told: Told) -> Report:
    """On a function that could not be asked."""
    return Report(False, f"could not be checked: {trouble}", told.seed)


def not_steady(told: Told, *, chance: bool = False) -> Report:
    """On a function that answers the same question otherwise the next time, in a way that is not dropout."""
    why = (
        "its answers change from call to call with the random numbers it draws, and not as dropout changes them"
        if chance
        else "it keeps something from one call to the next: the same question gets another answer later"
    )
    return Report(
        False, f"could not be checked: {why}; expected a function of its arguments alone", told.seed
    )


def report(attempts: list[Attempt], told: Told, rate: float | None) -> Report:
    """On the attempt that explains the most, which is the first."""
    first = attempts[0]
    notes, asked = _notes(first, told, rate), _how(first, told)
    best = first.found[0] if first.found else None
    if best is None:
        return _unexplained(first, told, notes, asked)
    if not best.mistakes:
        verdict = (
            f"agrees with the reference, to within {best.off:.2g}, on these {len(first.askings)} questions"
            f"{_precision(best, first)}{_dropout(rate)}"
        )
        return Report(True, verdict, told.seed, (), None, notes, asked, best.off, best.dtype)
    says = ", and ".join(one.says for one in best.mistakes)
    return Report(
        False, f"does not agree: it {says} ({', '.join(best.names)})", told.seed, best.names, _first_step(first, best),
        notes, asked, best.off, best.dtype, best.mistakes, None, _smallest(first, told), _others(attempts, best),
    )  # fmt: skip


def _unexplained(attempt: Attempt, told: Told, notes: tuple[str, ...], asked: str) -> Report:
    place = _parting_at(attempt)
    parted = parting(attempt.askings[place], _weights(attempt, place))
    pattern = f": {parted.pattern}" if parted.pattern else ""
    verdict = (
        f"does not agree, and no known mistake explains it: the numbers part at {parted.step}, by up to "
        f"{parted.off:.3g}{pattern}"
    )
    least = _smallest(attempt, told)
    return Report(
        False, verdict, told.seed, (), parted.step, notes, asked, parted.off, None, (), parted, least
    )


def _parting_at(attempt: Attempt) -> int:
    """The first question whose answer rounding does not explain."""
    wrong = (place for place, one in enumerate(attempt.askings) if not fits([one], (), "float32"))
    return next(wrong, 0)


def _first_step(attempt: Attempt, best: Explanation) -> str:
    """Of the mistakes the one that comes first in the computation."""
    order = list(attempt.askings[0].reference.values)
    return min((one.step for one in best.mistakes), key=order.index)


def _others(attempts: list[Attempt], best: Explanation) -> tuple[str, ...]:
    """Other explanations that take as many mistakes, and what would tell them from this one."""
    others: dict[str, None] = {}
    for attempt in attempts:
        rivals = [one for one in attempt.found if len(one.mistakes) == len(best.mistakes)]
        if attempt is not attempts[0] and best.names in {one.names for one in rivals}:
            continue
        for one in rivals:
            if one.names != best.names:
                says = ", and ".join(mistake.says for mistake in one.mistakes)
                told = "" if attempt is attempts[0] else f"; mask={attempt.mask!r} would tell"
                others[f"it {says} ({', '.join(one.names)}){told}"] = None
    return tuple(others)


def _precision(best: Explanation, attempt: Attempt) -> str:
    given = attempt.asked.manner.dtype
    return "" if best.dtype == given else f"; its precision looks like {best.dtype}"


def _dropout(rate: float | None) -> str:
    return "" if rate is None else f"; dropout is left on, at a rate of {rate:.3g}"


def _notes(attempt: Attempt, told: Told, rate: float | None) -> tuple[str, ...]:
    notes = []
    names, manner = set(attempt.asked.roles.names), attempt.asked.manner
    if rate is not None:
        notes.append(
            f"dropout is left on, at a rate of {rate:.3g}: weights are 0 or 1 / (1 - rate) times as large"
        )
    if "mask" in names and told.mask_means is None:
        notes.append(f"its mask is taken to be {MEANINGS[manner.meaning]}")
    if any(answer.printed for answer in attempt.answers):
        notes.append("it prints something when it is called")
    changed = sorted({name for answer in attempt.answers for name in answer.changed})
    if changed:
        notes.append(f"it changes its input {', '.join(changed)} in place")
    bad = [asking.case.probe for asking in attempt.askings if np.isnan(asking.output).any()]
    if bad:
        notes.append(
            f"it gives NaN on the question{'s' if len(bad) > 1 else ''} {', '.join(dict.fromkeys(bad))}"
        )
    if attempt.mask == "none" and told.mask is None:
        notes.append("it masks nothing; if it is meant to be causal, check it with mask='causal'")
    return tuple(notes)


def _how(attempt: Attempt, told: Told) -> str:
    manner, layout = attempt.asked.manner, attempt.asked.layout
    heads = heads_of(told, manner.layout)
    masks = sorted({asking.case.spec.mask for asking in attempt.askings})
    return (
        f"Asked {len(attempt.askings)} questions: {manner.library}, {manner.dtype}, {layout.says}, "
        f"{heads} head{'s' if heads > 1 else ''}, mask {' and '.join(masks)}, seed {told.seed}."
    )


def _weights(attempt: Attempt, place: int) -> np.ndarray | None:
    """The function's own weights in one question: returned, or found out."""
    answer, asking = attempt.answers[place], attempt.askings[place]
    if answer.weights is not None and answer.weights.shape == asking.reference.values["weights"].shape:
        return answer.weights
    try:
        return weights_of(lambda case: answer_to(attempt.asked, case).output, asking.case)
    except Trouble:
        return None


def _smallest(attempt: Attempt, told: Told) -> Smallest | None:
    """With one head if the mistake shows there."""
    spec = attempt.askings[0].case.spec
    for tried in (replace(spec, heads=1, kv_heads=1), spec):
        for case in small_cases(tried, told.seed):
            try:
                answer = answer_to(attempt.asked, case)
            except Trouble:
                break
            right = Asking(case, answer.output).reference.values["output"]
            if right.shape == answer.output.shape and (found := smallest(case, answer.output, right)):
                return found
    return None
