"""The projections are transposed, all of them or one."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs


def _transposing(projections: str) -> Mistake:
    *others, last = (f"W_{name}" for name in projections)
    return Mistake(
        name="projection-transposed",
        step=projections[0],
        says=f"multiplies with {', '.join(others)}{' and ' if others else ''}{last} the wrong way round",
        seen="a matrix of shape (out, in), as torch.nn.Linear keeps it, taken for (in, out)",
        mend="x @ W.T where W is kept as (out, in).",
        changes={f"XW_{name}": on_inputs(lambda run, X, W: (X, W.swapaxes(-1, -2))) for name in projections},
    )


MISTAKES = tuple(map(_transposing, ("QKV", "Q", "K", "V")))
