"""From a function to a report."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from clearhead.lenses.diagnose import Case, Report
from clearhead.session.checking.answering import answer_to, as_padding
from clearhead.session.checking.attempts import attempts
from clearhead.session.checking.behaviour import Behaviour, behaviour, seeded, without_dropout
from clearhead.session.checking.libraries import Failed
from clearhead.session.checking.manners import manners
from clearhead.session.checking.pairing import over_sentences
from clearhead.session.checking.questions import numbers_of, questions
from clearhead.session.checking.reporting import not_asked, not_steady, report
from clearhead.session.checking.sharing import shared
from clearhead.session.checking.told import Told
from clearhead.session.checking.unasked import another_width, heads_would_help, said_otherwise, why_not
from clearhead.sources.function import Asked, Roles, Trouble, is_own, known_parameters, raised, roles_of


def check(
    function: Callable[..., Any],
    *,
    layout: str | None = None,
    library: str | None = None,
    dtype: str | None = None,
    device: Any = None,
    heads: int | None = None,
    kv_heads: int | None = None,
    d_head: int | None = None,
    mask: str | None = None,
    mask_means: str | None = None,
    scale: float | None = None,
    soft_cap: float | None = None,
    rotary: str | None = None,
    rotary_base: float = 10000.0,
    alibi: bool = False,
    roles: Mapping[str, str] | None = None,
    arguments: Mapping[str, Any] | None = None,
    weights: Mapping[str, Any] | str | None = None,
    seed: int = 0,
    time_limit: float = 10.0,
) -> Report:
    """Find out whether an attention function is right, and if it is not, which mistake it makes.

    The function is asked about small inputs whose answers tell the known mistakes from one another and from every
    innocent way of computing the same. What it takes is found out by trying; a keyword tells what is not to be found
    out. The verdict is the mistake that reproduces its numbers on every question.

    Args:
        function: takes queries, keys and values; or x with its weights, as arguments or inside a module or another
            object, perhaps with a context. Perhaps a mask, `causal`, the number of heads. Gives the output, or (output,
            weights). An object that holds its weights is asked as a copy with other weights in it, in evaluation mode.
        layout: the order of the axes: "bhtd", "bthd", "htd", "thd", "btd", "td", or with all heads' features side by
            side, or for x, "btD", "tbD", "tD".
        library: "numpy", "torch" or "jax".
        dtype: the type of the numbers it is given; otherwise the finest that it takes.
        device: a PyTorch device.
        heads: how many heads, where there is neither a parameter nor an attribute for it.
        kv_heads: how many key and value heads are shared by the query heads.
        d_head: the width of a head, where the function fixes it.
        mask: what it is meant to mask by itself, such as "causal" or "causal & window(3)"; "none" for nothing.
        mask_means: what its mask argument means: "seen", "hidden" (True there), "added" (0 and -inf), "ones" (1 and 0).
        scale: what scores are multiplied by, if not 1 / root(d_head).
        soft_cap: the limit that scaled scores are bent to stay within.
        rotary: "halves" or "interleaved", if it turns queries and keys by their positions.
        rotary_base: the base of the angles.
        alibi: whether distance is penalised (Press et al. 2022).
        roles: what its parameters are for, by their names: {"a": "Q", "b": "K"}.
        arguments: values for its other parameters.
        weights: of an object that holds its weights, where their names do not tell them: {"W_Q": "attn.first.weight"},
            or {"W_Q": array, ...} (in, out) for all of them, which are then not changed. For weights that are
            arguments the order of their axes: "in, out", "out, in", or "by head" (heads, in, d_head).
        seed: of the questions.
        time_limit: seconds for one call.

    Returns:
        `report.agrees`, `report.mistakes` (names), `report.step`; the first line of `str(report)` is the verdict.

    Raises:
        ValueError: a keyword has a value that is not known.
        TypeError: the function cannot be called, or is a class.
    """
    if isinstance(function, type):
        raise TypeError(f"check: {function.__name__} is a class; expected an object of it, or a function")
    if not callable(function):
        raise TypeError(f"check: expected a function or a module, got {type(function).__name__}")
    told = Told(
        layout, library, dtype, device, heads, kv_heads, d_head, mask, mask_means, scale, soft_cap, rotary, rotary_base,
        alibi, {} if roles is None else roles, {} if arguments is None else arguments,
        {} if weights is None else weights, seed, time_limit,
    )  # fmt: skip
    known_parameters(function, told.roles, told.arguments)
    with seeded(
        seed
    ):  # a function that draws draws the same each time; all generators are as before afterwards
        try:
            return _report(function, told)
        except Trouble as trouble:  # such as a function that raises only sometimes
            return not_asked(trouble, told)
        except Exception as error:  # what a person's object does outside of its calls cannot all be foreseen
            return not_asked(_beside_calls(error), told)
        finally:
            numbers_of.cache_clear()  # those of a wide x take room


def _report(function: Callable[..., Any], told: Told) -> Report:
    roles = roles_of(function, told.roles, told.arguments)
    running, failed = manners(function, roles, told)
    if not running and "mask" in roles.required:
        running = _otherwise_masked(function, roles, told)
    if running:
        made = _of_running(running, failed, told)
        more = (
            _sharing(function, roles, told, running[0]) if made.agrees else said_otherwise(running[0], failed)
        )
        return _noted(made, *more)
    if wider := another_width(failed, function, roles, told):
        running, others = manners(function, roles, wider[0])
        made = _of_running(running, others, wider[0])
        apart = any(one.layout.batch and one.layout.heads == "apart" for one in running)
        if apart or made.agrees or made.mistakes or not heads_would_help(failed, function, roles, told):
            return _noted(made, wider[1])
    return not_asked(why_not(failed, function, roles, told), told)


def _otherwise_masked(function: Callable[..., Any], roles: Roles, told: Told) -> list[Asked]:
    """The ways in which it runs where what must be handed over is a mask of numbers, or one of (batch, keys)."""
    for meaning in () if told.mask_means else ("ones", "added"):
        running, _ = manners(function, roles, replace(told, mask_means=meaning))
        if running:
            return running
    return [] if "padding" in roles else manners(function, as_padding(roles), told)[0]


def _of_running(running: list[Asked], failed: list[Failed], told: Told) -> Report:
    """On a function that answers the first question."""
    how = _behaviour(running[0], told)
    if how.kind == "state":
        return not_steady(told)
    if how.kind == "random" and how.rate is None:
        return not_steady(told, chance=True)
    found, trouble = attempts(running, told, _without_dropout if how.rate else None)
    if not found:
        return not_asked(trouble or failed[0].trouble, told)
    if failed and told.layout is None and over_sentences(found[0]):
        return not_asked(failed[0].trouble, told)
    return report(found, told, how.rate)


def _sharing(function: Callable[..., Any], roles: Roles, told: Told, asked: Asked) -> tuple[str, ...]:
    """What is to be said where it takes fewer heads of keys and values as well, of which nothing was told."""
    if (found := shared(function, roles, told, asked)) is None:
        return ()
    known, running = found
    try:
        verdict = _of_running(running, [], known).verdict
    except Trouble as trouble:  # such as a function that raises only sometimes
        verdict = str(trouble)
    with_these = f"heads={known.heads}, kv_heads={known.kv_heads}"
    return (f"it takes fewer heads of keys and values, too: with {with_these} it {verdict}",)


def _noted(made: Report, *notes: str) -> Report:
    return replace(made, notes=(*made.notes, *notes))


def _beside_calls(error: Exception) -> Trouble:
    """An error while the object was looked into; or one that is the checker's own: it is never taken for agreement."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    if is_own(place):
        return Trouble("raises", f"it raises {raised(error)} when it is asked for what it holds")
    says = f"{type(error).__name__}: {' '.join(str(error).split())} (line {place.lineno} of {place.name})"
    return Trouble("checker", f"the checker itself fails on it: {says}")


def _behaviour(asked: Asked, told: Told) -> Behaviour:
    first, other, *_ = questions(told, asked, told.mask or "none")
    return behaviour(lambda case: answer_to(asked, case).output, first, other)


def _without_dropout(asked: Asked, case: Case) -> np.ndarray | None:
    return without_dropout(lambda one: answer_to(asked, one).output)(case)
