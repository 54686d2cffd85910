"""Operations alone, on small numbers: `tests/conftest.py` hands them to the tests that hold each one to its word.

Sizes are distinct primes: 2 sentences, 3 positions, 5 numbers in a vector, 7 words.
"""

from dataclasses import dataclass

import numpy as np

from clearhead.core.axes import BATCH, MODEL, POSITION, VOCABULARY
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
    MeanLoss,
    Moment,
    Normalise,
    NormaliseGradient,
    One,
    ScaleBy,
    Softmax,
    SpreadMean,
    Total,
    Velocity,
)
from clearhead.core.ops.base import Operation
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

VECTORS, WORDS = (POSITION, MODEL), (POSITION, VOCABULARY)
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


CASES = {
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
    "scale_by_product": on(ScaleBy(VECTORS, 1.5, "factor", False), (VECTORS, x)),
}
