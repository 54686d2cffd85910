"""What is no mistake and good to know: conventions that were found out, precision, dropout, side effects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearhead.lenses.diagnose import Asking, Explanation, fits
from clearhead.session.checking.answering import answer_to
from clearhead.session.checking.attempts import LONG, Attempt
from clearhead.session.checking.questions import FURTHER, MANY, POSITIONS, READABLE, further
from clearhead.session.checking.told import Told
from clearhead.sources.function import MEANINGS, ORDERS, Asked, Held, Trouble, dropping


def notes(attempt: Attempt, best: Explanation | None, told: Told, rate: float | None) -> tuple[str, ...]:
    """Every note on the attempt that explains most, with what explains it."""
    made = [*_dropout(attempt.asked, rate), *_conventions(attempt, told), *_left(attempt.asked, told)]
    made += [*_effects(attempt), *_returned(attempt, best)]
    if attempt.mask == "none" and told.mask is None and attempt.asked.form.context == "no":
        made.append("it masks nothing; if it is meant to be causal, check it with mask='causal'")
    if attempt.mask == "causal" and told.mask is None and best is None:
        made.append(
            "it is held against a causal mask, as no later key gets weight; mask= tells if another is meant"
        )
    form = attempt.asked.form
    if form.own is not None and form.d_model > READABLE and (best is None or best.mistakes):
        made.append(
            f"its own weights are asked, {form.d_model} wide, of which no example can be read; made with at most "
            f"{READABLE} features, it gets one"
        )
    if best is not None and (says := _alignment(attempt, best, told)):
        made.append(says)
    return tuple(made)


def _dropout(asked: Asked, rate: float | None) -> Iterator[str]:
    if rate is not None:
        yield f"dropout is left on, at a rate of {rate:.3g}: numbers are 0 or 1 / (1 - rate) times as large"
    training = dropping(asked.held.owner) if asked.held else None
    if training is not None:
        yield (
            f"it is in training mode, where it drops out at a rate of {training:.3g}; it was asked in evaluation mode, "
            "and is still in training mode"
        )


def _conventions(attempt: Attempt, told: Told) -> Iterator[str]:
    asked, manner = attempt.asked, attempt.asked.manner
    if "mask" in asked.roles and told.mask_means is None:
        yield f"its mask is taken to be {MEANINGS[manner.meaning]}"
    if "padding" in asked.roles and "mask" not in asked.roles and told.mask_means is None:
        yield f"its {asked.roles.names['padding']} is taken to be (batch, keys), {MEANINGS[manner.meaning]}"
    if told.alibi:
        yield (
            "its ALiBi slopes are taken to be 2^(-8 h / heads), h from 1; where heads is no power of two, "
            "those of the next lower one, and then every other one of the next higher"
        )
    if manner.layout == "tbD" and told.layout is None and not (asked.held and asked.form.apart):
        yield (
            "x is taken to be (positions, batch, D); if it is meant to be (batch, positions, D), sentences look at "
            "each other: check it with layout='btD'"
        )
    transposed = any("transposed" in one for explained in attempt.found[:1] for one in explained.names)
    plain = asked.held is not None and transposed and _in_plain_arrays(asked.held)
    if not told.weights and (plain or (asked.roles.weights and (manner.order != "in, out" or transposed))):
        other = " If they are kept (out, in), check it with weights='out, in'." if transposed else ""
        yield f"its weights are taken to be {ORDERS[manner.order]}{'.' if other else ''}{other}"
    if not asked.form.known:
        yield "it is taken to have one head; heads= says otherwise"


def _in_plain_arrays(held: Held) -> bool:
    """Whether its weights lie in arrays whose order of axes nothing tells, and which is taken to be (in, out)."""
    return all(
        piece.order == "in, out" for role in ("W_Q", "W_K", "W_V") for piece in held.places.get(role, ())
    )


def _left(asked: Asked, told: Told) -> Iterator[str]:
    """What of an object's numbers was not exchanged."""
    held = asked.held
    if held is None:
        return
    if held.own is not None:
        told_all = "they were told" if held.owner is None or not held.places else "it cannot be copied"
        yield f"it was asked with its own weights, as {told_all}: what only other weights show was not seen"
        return
    paths = {piece.path for pieces in held.places.values() for piece in pieces}
    others = [path for path in held.found if path not in paths]
    if others:
        more = " ..." if len(others) > 6 else ""
        yield f"its {', '.join(others[:6])}{more} are left as they are; the reference has none"
    fused = [
        pieces[0] for role, pieces in held.places.items() if role == "W_Q" and pieces[0].columns is not None
    ]
    if fused:
        columns = fused[0].columns or ()
        by_head = columns != tuple(range(len(columns)))
        how = "head by head, as in GPT-NeoX" if by_head else "one after the other"
        yield f"its {fused[0].path} is taken to hold queries, keys and values {how}"


def _effects(attempt: Attempt) -> Iterator[str]:
    if any(answer.printed for answer in attempt.answers):
        yield "it prints something when it is called"
    changed = sorted({name for answer in attempt.answers for name in answer.changed})
    if changed:
        yield f"it changes its input {', '.join(changed)} in place"
    disturbed = dict.fromkeys(one for answer in attempt.answers for one in answer.disturbed)
    if disturbed:
        yield f"it changes {', '.join(disturbed)}: after each call that was put back"
    if any(probe.endswith(LONG) for probe in attempt.left):
        yield f"it does not take {MANY} positions: what only that many show was not seen"
    bad = [asking.case.probe for asking in attempt.askings if np.isnan(asking.output).any()]
    if bad:
        yield f"it gives NaN on the question{'s' if len(bad) > 1 else ''} {', '.join(dict.fromkeys(bad))}"


def _returned(attempt: Attempt, best: Explanation | None) -> Iterator[str]:
    """Weights that are returned and are not those that the output is mixed with; their mean over heads is no other."""
    if best is None or best.mistakes:
        return
    for asking, answer in zip(attempt.askings, attempt.answers, strict=True):
        right = asking.reference.values["weights"]
        if answer.weights is None or asking.reference.blind or "16" in answer.dtype:
            continue
        got, allowed = answer.weights, 1e-3
        means = (right, right.mean(axis=1, keepdims=True), right.mean(axis=1))
        if not any(one.shape == got.shape and np.allclose(one, got, atol=allowed) for one in means):
            yield "the weights it returns are not those of the reference, though its output is"
            return


def _alignment(attempt: Attempt, best: Explanation, told: Told) -> str | None:
    """Where its causal mask stands with other numbers of keys than queries; None where it does not take them."""
    asked, mask = attempt.asked, attempt.mask
    if mask != "causal" and not (mask == "" and "causal" in asked.roles):
        return None
    later = f"causal+{FURTHER - POSITIONS}"
    for case in further(told, asked, "causal")[:1]:
        try:
            output = answer_to(asked, case).output
        except Trouble:
            return None
        for name, says in (("causal", "top left"), (later, "bottom right")):
            spec = told.spec(case.spec.heads, case.spec.kv_heads, case.spec.joined, name)
            meant = type(case)(case.probe, spec, case.given, case.weights)
            if fits([Asking(meant, output)], best.mistakes, (best.dtype,)):
                return (
                    f"with more keys than queries its causal mask begins at the {says}, which is a convention"
                )
    return None
