"""Training a whole model for fifty steps, against PyTorch's differentiation and `torch.optim`, to 1e-12.

The learning rates are ones that a person would use: the loss falls. With rates at the edge of divergence any two orders
of adding numbers part after some tens of steps, and nothing could be compared.
"""

import numpy as np
import pytest
import torch

from clearhead.core.optimise import Optimiser
from clearhead.sources.worked.training.loop import train

TOLERANCE, STEPS = 1e-12, 50

OPTIMISERS = {
    "sgd": (Optimiser("sgd", 0.1), lambda weights: torch.optim.SGD(weights, lr=0.1)),
    "momentum": (
        Optimiser("momentum", 0.03, momentum=0.8),
        lambda weights: torch.optim.SGD(weights, lr=0.03, momentum=0.8),
    ),
    "adamw": (Optimiser("adamw"), lambda weights: torch.optim.AdamW(weights, lr=0.01)),
    "adamw, other settings": (
        Optimiser("adamw", 0.003, betas=(0.8, 0.95), epsilon=1e-6, weight_decay=0.2),
        lambda weights: torch.optim.AdamW(weights, lr=0.003, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.2),
    ),
}

CORPUS = ["w0 w1 w2 w3 w4", "w2 w2 w0", "w4 w3 w1 w0 w0"]
MODELS = {
    "one layer": {"norm": "layer", "affine": ("gain", "bias"), "positions": "learned", "activation": "relu"},
    "two layers": {
        "layers": 2, "norm": "rms", "affine": ("gain",), "activation": "swiglu", "positions": "rotary", "tied": True,
        "masking": ("causal", "-inf"), "norm_place": "post", "biases": ("b_1", "b_2"),
    },
}  # fmt: skip


def trained_by_torch(reference, example, make_optimiser):
    """The losses before each step, and the numbers after the last."""
    row_of = {word: row for row, word in enumerate(example.vocabulary)}
    sentences = [[row_of[word] for word in sentence.split()] for sentence in CORPUS]
    words = sum(len(rows) - 1 for rows in sentences)
    weights = {
        name: torch.tensor(values, requires_grad=True) for name, values in example.used_parameters.items()
    }
    optimiser, losses = make_optimiser(list(weights.values())), []
    for _ in range(STEPS):
        optimiser.zero_grad()
        runs = [reference(weights, example.settings, rows, [*rows[1:], -1]) for rows in sentences]
        loss = sum(run.seen["losses"].sum() for run in runs) / words
        loss.backward()
        losses.append(loss.item())
        optimiser.step()
    return losses, {name: tensor.detach().numpy() for name, tensor in weights.items()}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_fifty_steps_of_a_whole_model(random_models, reference, optimiser, model):
    example = random_models.random_model(7, **MODELS[model])
    ours, make_theirs = OPTIMISERS[optimiser]
    run = train(example, CORPUS, steps=STEPS, optimiser=ours)
    losses, weights = trained_by_torch(reference, example, make_theirs)
    np.testing.assert_allclose(run.losses, losses, rtol=0, atol=TOLERANCE)
    assert losses[-1] < losses[0] - 0.1
    after = run.snapshots[STEPS].parameters
    assert set(after) == set(weights)
    for name, values in weights.items():
        np.testing.assert_allclose(after[name], values, rtol=0, atol=TOLERANCE, err_msg=name)
