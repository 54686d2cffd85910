"""The projections change places."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs
from clearhead.lenses.diagnose.pipeline import Change


def _order(order: str) -> Mistake:
    def taking(name: str, taken: str) -> Change:
        return on_inputs(lambda run, X, W: (X, run.case.weights[f"W_{taken}"]))

    swapped = {f"XW_{name}": taking(name, taken) for name, taken in zip("QKV", order, strict=True)}
    biases = {
        f"XW_{name}_biased": on_inputs(lambda run, X, b, taken=taken: (X, run.case.weights[f"b_{taken}"]))
        for name, taken in zip("QKV", order, strict=True)
    }
    return Mistake(
        name="projections-mixed-up",
        step="Q",
        says=f"makes queries, keys and values with W_{order[0]}, W_{order[1]} and W_{order[2]}, in this order",
        seen="a fused matrix cut in another order than it was put together",
        mend="Cut the fused matrix in the order in which it was put together.",
        changes=swapped | biases,
    )


MISTAKES = tuple(map(_order, ("QVK", "VKQ", "KVQ", "VQK")))
