"""Operations alone, on small numbers: `tests/conftest.py` hands them to the tests that hold each one to its word.

Sizes are distinct primes: 2 sentences, 3 positions, 5 numbers in a vector, 7 words.
"""

from dataclasses import dataclass

import numpy as np

from clearhead.core.axes import (
    BATCH,
    FEATURE,
    HEAD,
    KEY,
    MODEL,
    PAIR,
    POSITION,
    QUERY,
    VOCABULARY,
)
from clearhead.core.ops import (
    Activation,
    ActivationGradient,
    AdamWStep,
    Add,
    Average,
    Corrected,
    CrossEntropy,
    CrossEntropyGradient,
    Descend,
    Masked,
    MaskGradient,
    MeanLoss,
    Moment,
    Normalise,
    NormaliseGradient,
    One,
    RotateBy,
    ScaleBy,
    SetCells,
    SinkGradient,
    SoftCap,
    SoftCapGradient,
    Softmax,
    SoftmaxWithSink,
    SpreadMean,
    Total,
    Velocity,
)
from clearhead.core.ops.base import Operation
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

VECTORS, WORDS, MAP = (POSITION, MODEL), (POSITION, VOCABULARY), (QUERY, KEY)
SENTENCE, SENTENCES = (4, 0, -1), ((4, 0, -1), (6, -1, -1))
KINDS = ("relu", "gelu", "gelu_tanh", "swish")

random = np.random.default_rng(11)
x, y = np.round(random.normal(size=(2, 3, 5)) * 2, 3)
special = np.array([[0.0, -25.0, 30.0, 1e-9, -0.5], [1, -1, 2, -2, 0.75], [8, -8, 1e5, -1e5, -20]])
huge = np.array(
    [[1e103, -1e103, 1e155, -1e155, 3.0], [9, 11, -9, -11, 0.0], [1e160, -1e160, 9.999, 10.001, 1.0]]
)
flat = np.array([[0.1, 0.1, 0.1, 0.1, 0.1], [0, 0, 0, 0, 0], [1e9, 1e9 + 1, 1e9, 1e9 - 2, 1e9 + 1]])
logits = np.round(random.normal(size=(2, 3, 7)) * 3, 3)
far_logits = logits[0] + np.array([0, 0, 0, 0, -800.0, 0, 0])


@dataclass(frozen=True)
class Case:
    """An operation and what it is applied to: each input's axes and numbers."""

    operation: Operation
    inputs: tuple[tuple[tuple[str, ...], np.ndarray], ...]

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        return tuple(array for _, array in self.inputs)

    @property
    def trace(self) -> Trace:
        """A trace of the one step: in0, in1, ... to out."""
        given = tuple(Quantity(f"in{at}", axes, array) for at, (axes, array) in enumerate(self.inputs))
        with np.errstate(over="ignore"):  # as the recorder, which looks at the results
            values = np.asarray(self.operation.forward(*self.arrays))
        return Trace([*given, Quantity("out", self.operation.axes, values, self.operation, given)], ())


def on(operation: Operation, *inputs: tuple[tuple[str, ...], np.ndarray]) -> Case:
    return Case(operation, inputs)


def softmax(scores: np.ndarray) -> np.ndarray:
    return Softmax(WORDS).forward(scores)


def normalising() -> dict[str, Case]:
    cases = {}
    for name, centred in (("layer", True), ("rms", False)):
        norm, back = Normalise(VECTORS, centred), NormaliseGradient(VECTORS, centred)
        for kind, numbers in (("", x), ("_flat", flat)):
            given = [(VECTORS, numbers), *([((POSITION,), numbers.mean(axis=-1))] if centred else [])]
            standard = norm.forward(*(array for _, array in given))
            cases[f"normalise_{name}{kind}"] = on(norm, *given)
            cases[f"normalise_gradient_{name}{kind}"] = on(back, (VECTORS, y), (VECTORS, standard), *given)
    return cases


def activating() -> dict[str, Case]:
    cases = {}
    for kind in KINDS:
        for name, numbers in (("", x), ("_special", special), ("_huge", huge)):
            cases[f"{kind}{name}"] = on(Activation(VECTORS, kind), (VECTORS, numbers))
            cases[f"{kind}_gradient{name}"] = on(
                ActivationGradient(VECTORS, kind), (VECTORS, y), (VECTORS, numbers)
            )
    return cases


def losing() -> dict[str, Case]:
    cases, batch = {}, (BATCH, POSITION)
    every = (BATCH, *WORDS)
    given = {
        "": ((POSITION,), WORDS, SENTENCE, logits[0]),
        "_far": ((POSITION,), WORDS, SENTENCE, far_logits),
        "_batch": (batch, every, SENTENCES, logits),
    }
    for name, (places, words, targets, scores) in given.items():
        p, losses = softmax(scores), np.array(targets) * 0.5 + 1
        entropy, back = CrossEntropy(places, targets), CrossEntropyGradient(words, targets)
        cases[f"cross_entropy{name}"] = on(entropy, (words, scores), (words, p))
        cases[f"cross_entropy_gradient{name}"] = on(back, (places, losses), (words, p))
        cases[f"mean_loss{name}"] = on(MeanLoss((), targets), (places, losses))
        cases[f"spread_mean{name}"] = on(SpreadMean(places, targets), ((), np.array(0.75)))
    cases["mean_loss_of_nothing"] = on(MeanLoss((), (-1,)), ((POSITION,), np.zeros(1)))
    return cases


def updating() -> dict[str, Case]:
    cell, square = (VECTORS, x), (VECTORS, y * y * [1, 1, 1, 1, 0])
    return {
        "descend": on(Descend(VECTORS, 0.03), cell, (VECTORS, y)),
        "velocity": on(Velocity(VECTORS, 0.9), cell, (VECTORS, y)),
        "moment_1": on(Moment(VECTORS, 0.9, 1), cell, (VECTORS, y)),
        "moment_2": on(Moment(VECTORS, 0.999, 2), square, (VECTORS, y)),
        "corrected_1": on(Corrected(VECTORS, 0.9, 1, 1), cell),
        "corrected_2": on(Corrected(VECTORS, 0.999, 2, 7), square),
        "adamw_step": on(AdamWStep(VECTORS, 0.01, 0.01, 1e-8), cell, (VECTORS, y), square),
    }


def masking() -> dict[str, Case]:
    """By names and by an array; the fill is 0, as −∞ differs from −∞ by no number."""
    cases, scores, gradient = {}, (MAP, x), (MAP, y)
    allowed = (MAP, np.array([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=float))
    for name, mask in (("", "causal+1 & window(2)"), ("_prefix", "causal & keys(1:4) | prefix(1)")):
        cases[f"mask{name}"] = on(Masked(MAP, mask, "0"), scores)
        cases[f"mask_gradient{name}"] = on(MaskGradient(MAP, mask), gradient)
        cases[f"mask_given{name}"] = on(Masked(MAP, mask, "0"), scores, allowed)
        cases[f"mask_gradient_given{name}"] = on(MaskGradient(MAP, mask), gradient, allowed)
    cases["mask_given_alone"] = on(Masked(MAP, "none", "0"), scores, allowed)
    return cases


def sinking() -> dict[str, Case]:
    """With one sink and one for each head; scores that are large, and rows that see little or nothing."""
    cases, heads = {}, (HEAD, *MAP)
    masked = np.where(np.arange(5) < np.arange(3)[:, None], x, -np.inf)
    given = {
        "": (MAP, x, (), np.array(0.5)),
        "_far": (MAP, x * 30, (), np.array(-3.0)),
        "_largest": (MAP, x, (), np.array(800.0)),
        "_masked": (MAP, masked, (), np.array(-1.25)),
        "_heads": (heads, np.stack([x, y]), (HEAD,), np.array([0.5, -2.0])),
    }
    for name, (axes, scores, sink_axes, sink) in given.items():
        softmax = SoftmaxWithSink(axes)
        cases[f"softmax_with_sink{name}"] = on(softmax, (axes, scores), (sink_axes, sink))
        back = SinkGradient(sink_axes, axes)
        gradient = -scores if np.isfinite(scores).all() else y
        cases[f"sink_gradient{name}"] = on(back, (axes, gradient), (axes, softmax.forward(scores, sink)))
    return cases


def turning() -> dict[str, Case]:
    """All features and some, both layouts, both ways; the last of five features always passes."""
    cases, axes = {}, (QUERY, FEATURE)
    for pairs in ("halves", "interleaved"):
        for rotated, back in ((4, False), (2, True)):
            angles = np.arange(3.0)[:, None] * [1.0, 0.25][: rotated // 2]
            given = (axes, x), ((POSITION, PAIR), np.cos(angles)), ((POSITION, PAIR), np.sin(angles))
            cases[f"rotate_by_{pairs}_{rotated}"] = on(RotateBy(axes, pairs, rotated, back), *given)
    return cases


def capping() -> dict[str, Case]:
    cap, capped = SoftCap(VECTORS, 2.5), {"": x, "_special": special}
    return {f"soft_cap{name}": on(cap, (VECTORS, numbers)) for name, numbers in capped.items()} | {
        f"soft_cap_gradient{name}": on(
            SoftCapGradient(VECTORS, 2.5), (VECTORS, y), (VECTORS, cap.forward(numbers))
        )
        for name, numbers in capped.items()
    }


CASES = {
    **masking(),
    **sinking(),
    **turning(),
    **capping(),
    **normalising(),
    **activating(),
    **losing(),
    **updating(),
    "add_a_row": on(Add(VECTORS, (VECTORS, (MODEL,))), (VECTORS, x), ((MODEL,), y[0])),
    "average": on(Average((POSITION,), MODEL), (VECTORS, x)),
    "average_batch": on(Average((BATCH, POSITION), VOCABULARY), ((BATCH, *WORDS), logits)),
    "average_flat": on(Average((POSITION,), MODEL), (VECTORS, flat)),
    "one": on(One(())),
    "total": on(Total((MODEL,), VECTORS), (VECTORS, x)),
    "total_batch": on(Total((VOCABULARY,), (BATCH, *WORDS)), ((BATCH, *WORDS), logits)),
    "scale_by": on(ScaleBy(VECTORS, 0.75, "temperature", True), (VECTORS, x)),
    "set_cells": on(SetCells(MAP, ((0, 2, 0.75), (1, 0, -2.0))), (MAP, x)),
    "scale_by_product": on(ScaleBy(VECTORS, 1.5, "factor", False), (VECTORS, x)),
}
