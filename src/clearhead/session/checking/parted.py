"""Where the numbers of a function part that nothing known explains, from all its answers."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose import Parting, Seen, fits, parting
from clearhead.session.checking.attempts import Attempt
from clearhead.session.checking.recovered import weights_of
from clearhead.sources.function import Trouble

SEEN = 1e-9
"""What is less is no weight: hidden cells get exactly 0, or what a low fill leaves of them."""


def parted(attempt: Attempt) -> Parting:
    """The first step that comes out otherwise, and in what pattern."""
    seen = [Seen(one, _weights(attempt, place)) for place, one in enumerate(attempt.askings)]
    wrong = [one for one in seen if not fits([one.asking], (), ("float32",))]
    return parting(seen, wrong or seen)


def blends(attempt: Attempt) -> bool:
    """Whether the weights that it shows on the first question give its answer."""
    first = Seen(attempt.askings[0], _weights(attempt, 0))
    return first.weights is not None and first.blends


def taken_for(attempt: Attempt) -> tuple[bool, int]:
    """The less the likelier it is that this mask is meant, where none was told: it hides nothing that gets weight.

    Of masks that hide nothing that gets weight the one that hides most is meant.
    """
    weights = _weights(attempt, 0)
    seen = attempt.askings[0].case.visible()
    if weights is None:
        return not bool(seen.all()), 0
    hidden = ~np.broadcast_to(seen, weights.shape)
    return bool((np.abs(weights[hidden]) > SEEN).any()), -int(hidden.sum())


def hidden_otherwise(attempt: Attempt) -> float:
    """The share of cells in which a weight is 0 where the reference has one, or the reverse.

    What is meant to be masked may not be told: of what nothing explains the mask is still to be seen.
    """
    weights = _weights(attempt, 0)
    if weights is None:
        return np.inf
    seen = np.broadcast_to(attempt.askings[0].case.visible(), weights.shape)
    return float(((np.abs(weights) > SEEN) != seen).mean())


def _weights(attempt: Attempt, place: int) -> np.ndarray | None:
    """The function's own weights in one question: returned, or found out."""
    answer, asking = attempt.answers[place], attempt.askings[place]
    if answer.weights is not None and answer.weights.shape == asking.reference.values["weights"].shape:
        return answer.weights
    if attempt.asked.form.own is not None:
        return None  # what is handed over to show them is not what it uses
    try:
        return weights_of(lambda case: attempt.answer(attempt.asked, case).output, asking.case)
    except Trouble:
        return None
