"""Norms, activations, cross-entropy and optimisers against PyTorch in float64, values and gradients.

Values to 1e-12 and gradients to 1e-10, as promised for the whole model; what is compared here has a size of about 10,
so both are far above what rounding alone does.
"""

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from clearhead.core.attention import compute
from clearhead.core.ops import Activation, Average, CrossEntropy, MeanLoss, Normalise, ScaleBy, Softmax
from clearhead.core.ops.base import GRADIENT, OUTPUT
from clearhead.core.optimise import Optimiser, update

VALUES, GRADIENTS = 1e-12, 1e-10
AXES, WORDS = ("batch", "position", "model"), ("batch", "position", "vocabulary")
functional = torch.nn.functional
random = np.random.default_rng(5)
X = random.normal(size=(2, 7, 5)) * 3
X[0, 0], X[0, 1] = 2.0, 0.0  # a vector without spread, and the zero vector
X[1, 2] *= 100
NAMED = {
    "layer": (Normalise(AXES, True), lambda x: functional.layer_norm(x, x.shape[-1:], eps=1e-5)),
    "layer_eps": (Normalise(AXES, True, 0.1), lambda x: functional.layer_norm(x, x.shape[-1:], eps=0.1)),
    "rms": (Normalise(AXES, False), lambda x: functional.rms_norm(x, x.shape[-1:], eps=1e-5)),
    "relu": (Activation(AXES, "relu"), functional.relu),
    "gelu": (Activation(AXES, "gelu"), functional.gelu),
    "gelu_tanh": (Activation(AXES, "gelu_tanh"), lambda x: functional.gelu(x, approximate="tanh")),
    "swish": (Activation(AXES, "swish"), functional.silu),
    "temperature": (ScaleBy(AXES, 0.7, "temperature", True), lambda x: x / 0.7),
}


@dataclass
class Given:
    """What `backward` may know of an input."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]


def inputs_of(operation, x):
    """What the operation is applied to: x and, for layer norm, its mean."""
    centred = isinstance(operation, Normalise) and operation.centred
    return [x, Average(AXES[:-1], "model").forward(x)] if centred else [x]


def pulled(operation, arrays, axes, gradient):
    """The gradient of the first input, as `backward` says it is made."""
    pull = operation.backward(0, [Given(axes, array.shape) for array in arrays])
    of = {GRADIENT: gradient, OUTPUT: operation.forward(*arrays), **dict(enumerate(arrays))}
    assert pull.operation.axes == axes
    return pull.operation.forward(*(of[which] for which in pull.of))


def tensor(array):
    return torch.tensor(array, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("name", NAMED)
def test_values_and_gradients(name):
    operation, theirs = NAMED[name]
    random = np.random.default_rng(7)
    gradient, x = random.normal(size=X.shape), tensor(X)
    y = theirs(x)
    y.backward(torch.tensor(gradient))
    given = inputs_of(operation, X)
    np.testing.assert_allclose(operation.forward(*given), y.detach(), rtol=VALUES, atol=VALUES)
    ours = pulled(operation, given, AXES, gradient)
    np.testing.assert_allclose(ours, x.grad, rtol=GRADIENTS, atol=GRADIENTS)


@pytest.mark.parametrize("name", NAMED)
def test_gradients_are_central_differences(name):
    """(f(x + h) − f(x − h)) / 2h is off by about h² and by 1e-16 / h: with h = 1e-5, some 1e-10 of the numbers here."""
    operation, _ = NAMED[name]
    random = np.random.default_rng(11)
    x, gradient, h = random.normal(size=(2, 3, 5)), random.normal(size=(2, 3, 5)), 1e-5
    x += np.sign(x) * 0.01  # off ReLU's corner
    ours = pulled(operation, inputs_of(operation, x), AXES, gradient)
    for place in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[place] = h
        sides = [
            (operation.forward(*inputs_of(operation, x + sign * moved)) * gradient).sum() for sign in (1, -1)
        ]
        assert ours[place] == pytest.approx((sides[0] - sides[1]) / (2 * h), abs=1e-8)


TARGETS = ((3, 0, 10, 6, 6, 1, -1), (5, -1, 2, 2, 9, 0, -1))
LOGITS = random.normal(size=(2, 7, 11)) * 4
LOGITS[0, 1, 0] -= 900  # its probability is 0 in float64
LOGITS[1, 3] += 500


def cross_entropy(logits, **how):
    return functional.cross_entropy(logits.movedim(-1, 1), torch.tensor(TARGETS), ignore_index=-1, **how)


def test_cross_entropy_and_its_mean():
    operation, p = CrossEntropy(AXES[:2], TARGETS), Softmax(WORDS).forward(LOGITS)
    losses, theirs = operation.forward(LOGITS, p), torch.tensor(LOGITS)
    np.testing.assert_allclose(losses, cross_entropy(theirs, reduction="none"), rtol=VALUES, atol=VALUES)
    mean = MeanLoss((), TARGETS).forward(losses)
    assert float(mean) == pytest.approx(float(cross_entropy(theirs)), rel=VALUES)


def test_the_gradient_of_the_mean_cross_entropy():
    entropy, mean = CrossEntropy(AXES[:2], TARGETS), MeanLoss((), TARGETS)
    p = Softmax(WORDS).forward(LOGITS)
    spread = pulled(mean, [entropy.forward(LOGITS, p)], AXES[:2], np.ones(()))
    ours = pulled(entropy, [LOGITS, p], WORDS, spread)
    logits = tensor(LOGITS)
    cross_entropy(logits).backward()
    np.testing.assert_allclose(ours, logits.grad, rtol=GRADIENTS, atol=GRADIENTS)
    assert entropy.backward(1, [Given(WORDS, p.shape)] * 2) is None


OPTIMISERS = {
    "sgd": (Optimiser("sgd", 0.05), lambda p: torch.optim.SGD([p], lr=0.05)),
    "momentum": (Optimiser("momentum", 0.03), lambda p: torch.optim.SGD([p], lr=0.03, momentum=0.9)),
    "adamw": (Optimiser("adamw", 0.02), lambda p: torch.optim.AdamW([p], lr=0.02)),
    "adamw_other": (
        Optimiser("adamw", 0.02, betas=(0.8, 0.95), epsilon=1e-3, weight_decay=0.2),
        lambda p: torch.optim.AdamW([p], lr=0.02, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.2),
    ),
}


@pytest.mark.parametrize("name", OPTIMISERS)
def test_fifty_updates(name):
    """The loss −cos, so that the gradient depends on where one is; one column's gradient is always 0."""
    optimiser, build = OPTIMISERS[name]
    start, pull = np.random.default_rng(13).normal(size=(5, 7)), np.array([1, 2, 0.5, 3, 1, 0.1, 0])
    ours, memory = start, {name: np.zeros_like(start) for name in optimiser.remembers("E")}
    parameter = torch.nn.Parameter(torch.tensor(start))
    theirs = build(parameter)
    for step in range(50):
        made = update(compute, "E", ours, pull * np.sin(ours), memory, optimiser, step)
        ours, memory = made["E"], {name: values for name, values in made.items() if name != "E"}
        theirs.zero_grad()
        (torch.tensor(pull) * -parameter.cos()).sum().backward()
        theirs.step()
        np.testing.assert_allclose(ours, parameter.detach(), rtol=VALUES, atol=VALUES)
    assert np.abs(ours - start)[:, 0].min() > 1e-3
