"""One question to a function, with the mask, the heads and the rest that it takes; and what its mask may mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from clearhead.lenses.diagnose import Case
from clearhead.session.checking.questions import questions
from clearhead.session.checking.told import Told
from clearhead.sources.function import MASK_AXES, MEANINGS, Answer, Asked, Roles, Trouble


def with_meanings(asked: Asked, told: Told) -> list[Asked]:
    """The function asked with each meaning that its mask may have, and the axes with which it takes it.

    A meaning is out of the question if a mask that lets everything through is not the same as none. A mask that cannot
    be (queries, keys) may be (batch, keys): padding.

    Raises:
        Trouble: no mask is understood that says what its name promises.
    """
    roles = asked.roles
    if not {"mask", "padding"} & set(roles.names):
        return [asked]
    if "mask" not in roles:
        return [
            _meaning(asked, one) for one in ((told.mask_means,) if told.mask_means else ("seen", "hidden"))
        ]
    made, ran = _masked(asked, told)
    if not made and "padding" not in roles:
        made = list(_padded(replace(asked, roles=as_padding(roles)), told))
    if not made and told.mask_means:
        made = ran[:1]
    if not made:
        name = roles.names["mask"]
        raise Trouble(
            "telling",
            f"it is not clear what its parameter {name!r} takes: no mask of (queries, keys) or (batch, keys) that lets "
            f"everything through leaves its answer as it is; expected mask_means=, or arguments={{{name!r}: ...}}",
        )
    return made


def _meaning(asked: Asked, meaning: str, axes: str = "full") -> Asked:
    return replace(asked, manner=replace(asked.manner, meaning=meaning, mask_axes=axes))


def as_padding(roles: Roles) -> Roles:
    """The same parameters, with what is called a mask taken to be (batch, keys)."""
    names = {("padding" if role == "mask" else role): name for role, name in roles.names.items()}
    required = frozenset("padding" if role == "mask" else role for role in roles.required)
    return replace(roles, names=names, required=required)


def _masked(asked: Asked, told: Told) -> tuple[list[Asked], list[Asked]]:
    """Where a mask that lets everything through leaves the answer as it is; and everything that ran."""
    case = questions(told, asked, "none")[0]
    # Where a mask must be handed over, even an answer without one is made with a mask of some meaning.
    unmasked = None if "mask" in asked.roles.required else _output(asked, case)
    found: list[tuple[Asked, np.ndarray, bool]] = []
    ran: list[Asked] = []
    for meaning in (told.mask_means,) if told.mask_means else MEANINGS:
        for axes in MASK_AXES:
            tried = _meaning(asked, meaning, axes)
            open_, hidden = (_output(tried, replace(case, allowed=seen)) for seen in _two_masks(case))
            if open_ is None or hidden is None:
                continue
            ran.append(tried)
            if unmasked is None or _alike(open_, unmasked):
                found.append((tried, hidden, unmasked is not None and np.array_equal(open_, unmasked)))
                break
    if unmasked is None and any(one.manner.meaning == "ones" and _hides(one, case) for one, *_ in found):
        # (1 - mask) * -1e4 hides with a mask of -inf, too, which is not what it is written for.
        found = [one for one in found if one[0].manner.meaning != "added"]
    # Adding 0 leaves an answer as it is to the last bit; what only comes near to it reads the mask otherwise.
    exact = [one for one in found if one[2]] or found
    told_apart = [
        tried
        for place, (tried, hidden, _) in enumerate(exact)
        if not any(_alike(hidden, earlier) for _, earlier, _ in exact[:place])
    ]
    return told_apart, ran


def _hides(asked: Asked, case: Case) -> bool:
    """Whether a query that may see the first position alone does not change with the others."""
    first = replace(case, allowed=np.tril(np.ones(case.sizes, bool)))
    given = {name: array.copy() for name, array in case.given.items()}
    for name, array in given.items():
        if name != "Q":
            array[..., 1:, :] += 1.0
    one, other = _output(asked, first), _output(asked, replace(first, given=given))
    return one is not None and other is not None and np.allclose(one[..., 0, :], other[..., 0, :], atol=1e-3)


def _padded(asked: Asked, told: Told) -> Iterator[Asked]:
    """Each meaning of padding that leaves the answer as it is where all are words."""
    case = questions(told, asked, "none")[0]
    unmasked = _output(asked, case)
    words = np.ones((asked.form.batch, case.sizes[1]), bool)
    for meaning in (told.mask_means,) if told.mask_means else MEANINGS:
        tried = _meaning(asked, meaning)
        open_ = _output(tried, replace(case, padding=words))
        if open_ is not None and unmasked is not None and _alike(open_, unmasked):
            yield tried
            if meaning == "seen":
                return  # what takes True and False takes 1 and 0


def _two_masks(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """One that lets everything through, and one that does not."""
    everything = np.ones(case.sizes, bool)
    return everything, np.tril(everything)


def _output(asked: Asked, case: Case) -> np.ndarray | None:
    try:
        return np.asarray(answer_to(asked, case).output)
    except Trouble:
        return None


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.allclose(one, other, rtol=1e-2, atol=1e-2, equal_nan=True))


def answer_to(asked: Asked, case: Case) -> Answer:
    """The answer to one case; the function is handed the mask, or told that it is causal, where it takes that."""
    spec, roles = case.spec, asked.roles
    more: dict[str, Any] = {
        "heads": spec.heads,
        "kv_heads": spec.kv_heads,
        "scale": spec.scale,
        "dropout": 0.0,
        "training": False,
    }
    if "causal" in roles:
        more["causal"] = spec.mask == "causal"
    if "padding" in roles and case.padding is not None:
        more["padding"] = case.padding
    elif "padding" in roles.required:
        more["padding"] = np.ones((asked.form.batch, case.sizes[1]), bool)
    if "mask" in roles and (case.allowed is not None or (spec.mask != "none" and "causal" not in roles)):
        seen = replace(case, padding=None).visible() if "padding" in roles else case.visible()
        more["mask"] = seen if "causal" not in roles else case.allowed
    elif "mask" in roles.required:
        more["mask"] = np.ones(case.sizes, bool)
    return asked(case.given, case.weights, **more)
