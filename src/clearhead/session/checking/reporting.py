"""The report on what was found."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose import DROPS, Asking, Explanation, Mistake, Report, Smallest, smallest
from clearhead.lenses.diagnose.search import SUMS, made_of
from clearhead.session.checking.attempts import Attempt
from clearhead.session.checking.behaviour import told_not_to_drop
from clearhead.session.checking.notes import notes
from clearhead.session.checking.pairing import with_pairs
from clearhead.session.checking.parted import parted, taken_for
from clearhead.session.checking.questions import small
from clearhead.session.checking.told import Told
from clearhead.sources.function import Trouble

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
    attempts = with_pairs(attempts)
    first = attempts[0] if attempts[0].found or attempts[0].hint else min(attempts, key=taken_for)
    best = first.found[0] if first.found else None
    asked, said = _how(first, told), notes(first, best, told, rate)
    if always := _always(first):
        return Report(False, f"does not agree: {always}", told.seed, (), None, said, asked)
    if best is None and not first.asked.form.known:
        return not_asked(Trouble("telling", HEADS), told)
    if best is None:
        return _unexplained(first, told, said, asked)
    dropping = (DROPS,) if rate is not None and told_not_to_drop(first.asked) else ()
    if not best.mistakes:
        agrees = (
            f"agrees with the reference, to within {best.off:.2g}, on these "
            f"{len(first.askings) - best.beyond} questions{_precision(best, first)}"
        )
        if not dropping:
            return Report(
                True, f"{agrees}{_dropout(rate)}", told.seed, (), None, said, asked, best.off, best.dtype
            )
        verdict = f"does not agree: it {DROPS.says} ({DROPS.name}), at a rate of {rate:.3g}; without that it {agrees}"
        return Report(
            False, verdict, told.seed, (DROPS.name,), DROPS.step, said, asked, best.off, best.dtype, dropping
        )
    made = (*best.mistakes, *dropping)
    says = ", and ".join(one.says for one in made)
    names = (*best.names, *(one.name for one in dropping))
    least = _smallest(first, told, best.mistakes)
    changed = sorted({name for answer in first.answers for name in answer.changed})
    also = f", and changes its input {', '.join(changed)} in place" if changed else ""
    others = _others(attempts, best)
    cannot = f"; or {' or '.join(others)}: on what was given they cannot be told apart" if others else ""
    verdict = (
        f"does not agree{also}: it {says} ({', '.join(names)}){cannot}{'' if dropping else _dropout(rate)}"
    )
    return Report(
        False, verdict, told.seed, names, _first_step(first, best),
        said, asked, best.off, best.dtype, made, None, least, tuple(others.values()),
    )  # fmt: skip


def _always(attempt: Attempt) -> str:
    """What it answers whatever it is asked, where that is NaN or 0: mistakes would explain that only by chance."""
    outputs = [one.output for one in attempt.askings]
    if all(np.isnan(one).all() for one in outputs):
        return "it gives NaN whatever it is asked"
    return "it returns 0 whatever it is asked" if not any(one.any() for one in outputs) else ""


def _unexplained(attempt: Attempt, told: Told, said: tuple[str, ...], asked: str) -> Report:
    found = parted(attempt)
    pattern = f": {found.pattern}" if found.pattern else ""
    by = f", by up to {found.off:.3g}" if np.isfinite(found.off) else ""
    where = f"the numbers part at {found.step}{by}{pattern}"
    verdict = (
        f"does not agree, and would with {attempt.hint}: if that is meant, check it so; as it was checked, {where}"
        if attempt.hint
        else f"does not agree, and no known mistake explains it: {where}"
    )
    least = _smallest(attempt, told)
    return Report(False, verdict, told.seed, (), found.step, said, asked, found.off, None, (), found, least)


def _first_step(attempt: Attempt, best: Explanation) -> str:
    """Of the mistakes the one that comes first in the computation."""
    order = list(attempt.askings[0].reference.values)
    return min((one.step for one in best.mistakes), key=order.index)


def _others(attempts: list[Attempt], best: Explanation) -> dict[str, str]:
    """Other explanations that take as many mistakes, by their names, and what would tell them from this one."""
    others: dict[str, str] = {}
    for attempt in attempts:
        rivals = [one for one in attempt.found if len(one.mistakes) == len(best.mistakes)]
        if attempt is not attempts[0] and best.names in {one.names for one in rivals}:
            continue
        for one in rivals:
            if one.names != best.names:
                says = ", and ".join(mistake.says for mistake in one.mistakes)
                names = ", ".join(one.names)
                others.setdefault(names, f"it {says} ({names}){_would_tell(attempts[0], attempt)}")
    return others


def _would_tell(first: Attempt, other: Attempt) -> str:
    """The keyword that would tell two ways of asking apart."""
    mine, its = first.asked.manner, other.asked.manner
    if other.mask != first.mask:
        return f"; mask={other.mask!r} would tell"
    return f"; mask_means={its.meaning!r} would tell" if its.meaning != mine.meaning else ""


def _precision(best: Explanation, attempt: Attempt) -> str:
    given = attempt.asked.manner.dtype
    sizes = (np.abs(one.output[np.isfinite(one.output)]).max(initial=0.0) for one in attempt.askings)
    if given == "float64" and best.off < SUMS * max(sizes):
        return ""
    beyond = f"; {best.beyond} more are beyond {best.dtype}" if best.beyond else ""
    if best.dtype == given:
        return beyond
    if all(made_of(one.output, best.dtype) for one in attempt.askings):
        return f"; its precision looks like {best.dtype}{beyond}"
    return f"; that is as far as rounding in {best.dtype} may reach{beyond}"


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


def _smallest(attempt: Attempt, told: Told, mistakes: tuple[Mistake, ...] = ()) -> Smallest | None:
    """With one head if the mistake shows there."""
    failed: set[int] = set()
    for asked, case in small(told, attempt.asked, attempt.askings[0].case.spec.mask):
        if case.spec.heads in failed:
            continue
        try:
            answer = attempt.answer(asked, case)
        except Trouble:
            failed.add(case.spec.heads)
            continue
        right = Asking(case, answer.output).reference.values["output"]
        if right.shape != answer.output.shape:
            continue
        if found := smallest(case, answer.output, right, mistakes, answer.weights):
            return found
    return None
