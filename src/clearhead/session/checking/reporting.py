"""The report on what was found."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose import (
    Asking,
    Explanation,
    Mistake,
    Report,
    Smallest,
    fits,
    parting,
    smallest,
)
from clearhead.session.checking.answering import answer_to
from clearhead.session.checking.attempts import Attempt
from clearhead.session.checking.notes import notes
from clearhead.session.checking.questions import small
from clearhead.session.checking.recovered import weights_of
from clearhead.session.checking.told import Told
from clearhead.sources.function import Trouble

SUMS = 2.0**-36
"""What is off by less than this share is float64: sums in another order come so far, a shorter type is further off."""

SEEN = 1e-9
"""What is less is no weight: hidden cells get exactly 0, or what a low fill leaves of them."""

HEADS = (
    "with one head nothing explains its numbers, and it is not clear how many heads it has; expected heads= (or an "
    "attribute num_heads)"
)
"""What is asked for where the number of heads was taken to be one, and that explains nothing."""


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
    first = attempts[0] if attempts[0].found else min(attempts, key=_hidden_otherwise)
    best = first.found[0] if first.found else None
    asked, said = _how(first, told), notes(first, best, told, rate)
    if always := _always(first):
        return Report(False, f"does not agree: {always}", told.seed, (), None, said, asked)
    if best is None and not first.asked.form.known:
        return not_asked(Trouble("telling", HEADS), told)
    if best is None:
        return _unexplained(first, told, said, asked)
    if not best.mistakes:
        verdict = (
            f"agrees with the reference, to within {best.off:.2g}, on these {len(first.askings)} questions"
            f"{_precision(best, first)}{_dropout(rate)}"
        )
        return Report(True, verdict, told.seed, (), None, said, asked, best.off, best.dtype)
    says = ", and ".join(one.says for one in best.mistakes)
    least = _smallest(first, told, best.mistakes)
    changed = sorted({name for answer in first.answers for name in answer.changed})
    also = f", and changes its input {', '.join(changed)} in place" if changed else ""
    verdict = f"does not agree{also}: it {says} ({', '.join(best.names)})"
    return Report(
        False, verdict, told.seed, best.names, _first_step(first, best),
        said, asked, best.off, best.dtype, best.mistakes, None, least, _others(attempts, best),
    )  # fmt: skip


def _hidden_otherwise(attempt: Attempt) -> float:
    """The share of cells in which a weight is 0 where the reference has one, or the reverse.

    What is meant to be masked may not be told: of what nothing explains the mask is still to be seen.
    """
    weights = _weights(attempt, 0)
    if weights is None:
        return np.inf
    seen = np.broadcast_to(attempt.askings[0].case.visible(), weights.shape)
    return float(((np.abs(weights) > SEEN) != seen).mean())


def _always(attempt: Attempt) -> str:
    """What it answers whatever it is asked, where that is NaN or 0: mistakes would explain that only by chance."""
    outputs = [one.output for one in attempt.askings]
    if all(np.isnan(one).all() for one in outputs):
        return "it gives NaN whatever it is asked"
    return "it returns 0 whatever it is asked" if not any(one.any() for one in outputs) else ""


def _unexplained(attempt: Attempt, told: Told, said: tuple[str, ...], asked: str) -> Report:
    place = _parting_at(attempt)
    parted = parting(attempt.askings[place], _weights(attempt, place))
    pattern = f": {parted.pattern}" if parted.pattern else ""
    verdict = (
        f"does not agree, and no known mistake explains it: the numbers part at {parted.step}, by up to "
        f"{parted.off:.3g}{pattern}"
    )
    least = _smallest(attempt, told)
    return Report(
        False, verdict, told.seed, (), parted.step, said, asked, parted.off, None, (), parted, least
    )


def _parting_at(attempt: Attempt) -> int:
    """The first question whose answer rounding does not explain."""
    wrong = (place for place, one in enumerate(attempt.askings) if not fits([one], (), ("float32",)))
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
    sizes = (np.abs(one.output[np.isfinite(one.output)]).max(initial=0.0) for one in attempt.askings)
    if given == "float64" and best.off < SUMS * max(sizes):
        return ""
    return "" if best.dtype == given else f"; its precision looks like {best.dtype}"


def _dropout(rate: float | None) -> str:
    return "" if rate is None else f"; dropout is left on, at a rate of {rate:.3g}"


def _how(attempt: Attempt, told: Told) -> str:
    manner, layout = attempt.asked.manner, attempt.asked.layout
    heads = attempt.asked.form.heads
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


def _smallest(attempt: Attempt, told: Told, mistakes: tuple[Mistake, ...] = ()) -> Smallest | None:
    """With one head if the mistake shows there."""
    failed: set[int] = set()
    for asked, case in small(told, attempt.asked, attempt.askings[0].case.spec.mask):
        if case.spec.heads in failed:
            continue
        try:
            answer = answer_to(asked, case)
        except Trouble:
            failed.add(case.spec.heads)
            continue
        right = Asking(case, answer.output).reference.values["output"]
        if right.shape == answer.output.shape and (found := smallest(case, answer.output, right, mistakes)):
            return found
    return None
