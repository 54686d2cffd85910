"""The main test goes on: every gradient and every update of every example and of random models is what its recipe says.

All of it is checked over covers in which any two settings stand together; `feeds` as the inverse of the recipes, which
takes longest, in each fourth of them.
"""

from dataclasses import replace

import numpy as np
import pytest

import clearhead as ch
from clearhead.core.optimise import Optimiser
from clearhead.trace.trace import Trace

WHOLE = [name for name in ch.examples() if ch.load(name).predicts]
OPTIMISERS = {
    "sgd": Optimiser("sgd", 0.3), "momentum": Optimiser("momentum", 0.05, momentum=0.8),
    "adamw": Optimiser("adamw", 0.02, betas=(0.8, 0.95), weight_decay=0.1),
}  # fmt: skip
SMALL = {"d_model": 3, "d_value": 2, "d_ff": 5, "length": 5, "words": 7}
EXACT = {"copy", "split_heads", "merge_heads", "mask_gradient", "one"}
"""Operations that only move a gradient, or start it."""


def switches(example):
    """What a whole model of this example's sizes can be switched to; attention's own are in `test_every_cell`."""
    learned = ["learned"] if example.P is not None else []
    rotary = ["rotary"] if example.d_head % 2 == 0 else []
    feeds = any("W_1" in layer for layer in example.layer_weights)
    return {
        "positions": ["none", "sinusoidal", *learned, *rotary, "alibi"],
        "mask": ["none", "causal"],
        "mask_fill": ["-inf", "0"],
        "scale": [True, False],
        "norm": ["none", "layer", "rms"],
        "norm_place": ["pre", "post"],
        "temperature": [1.0, 0.6],
        "optimiser": list(OPTIMISERS),
    } | ({"activation": ["relu", "gelu", "gelu_tanh"]} if feeds else {})


def learned_from(trace, optimiser, steps=2):
    """The trace with its gradients and an update that has something to remember."""
    random = np.random.default_rng(7)
    trace, memory = trace.backward(), {}
    for name, quantity in trace.items():
        for key in optimiser.remembers(name) if quantity.operation is None else ():
            memory[key] = random.uniform(0, 0.1, quantity.shape)  # AdamW's v is a mean of squares
    return trace.update(optimiser, memory, steps)


@pytest.mark.parametrize("name", WHOLE)
def test_every_gradient_and_update_of_the_examples(random_models, faults, name):
    example = ch.load(name)
    for number, choice in enumerate(random_models.covering(switches(example))):
        optimiser = OPTIMISERS[choice.pop("optimiser")]
        trace = learned_from(ch.run(example, **choice), optimiser)
        assert faults(trace, feeds=number % 4 == 0) == [], choice


def test_every_gradient_and_update_of_random_models(random_models, faults):
    choices = random_models.covering(random_models.CHOICES | {"optimiser": list(OPTIMISERS)}, seed=11)
    for number, choice in enumerate(choices):
        optimiser = OPTIMISERS[choice.pop("optimiser")]
        trace = learned_from(ch.run(random_models.random_model(number, **SMALL, **choice)), optimiser)
        assert faults(trace, feeds=number % 4 == 0) == [], choice


@pytest.fixture(scope="module")
def trained(random_models):
    """Two layers with all there is, their gradients and an update by AdamW."""
    model = random_models.random_model(
        3, layers=2, norm="layer", affine=("gain", "bias"), biases=("b_1", "b_2"), activation="gelu",
        masking=("causal", "-inf"), positions="learned",
    )  # fmt: skip
    return learned_from(ch.run(model), OPTIMISERS["adamw"])


def test_numbers_that_are_only_moved_are_moved_exactly(trained):
    moved = [
        quantity for quantity in trained.values() if quantity.operation and quantity.operation.name in EXACT
    ]
    assert sum(quantity.name.rpartition(".")[2].startswith("d") for quantity in moved) > 20
    for quantity in moved:
        for index in np.ndindex(quantity.shape):
            assert quantity.explain(*index).evaluate() == quantity.values[index]


@pytest.mark.parametrize(
    "name",
    [
        "dloss", "dlosses", "dlogits", "dW_U", "dfinal_norm_standard", "layer1.dhidden", "layer1.dffn_in",
        "layer0.dW_1", "layer1.db_2", "layer0.dgain_2", "layer0.dweights", "layer0.dmasked", "layer0.dscores",
        "layer1.dQ", "layer0.dV", "layer1.dW_K", "layer0.dX_from_XW_V", "layer0.dX", "dE", "dP", "E_m_next",
        "layer0.W_Q_v_next", "W_U_m_hat", "layer1.b_1_v_hat", "layer0.gain_1_next", "E_next",
    ],
)  # fmt: skip
def test_a_stored_number_that_is_off_by_one_in_a_million_million_is_found(trained, faults, name):
    if name not in trained:  # X has one consumer where a norm stands before attention
        name = name.replace("X_from", "X_norm_from")
    values = trained[name].values.copy()
    place = np.unravel_index(np.abs(values).argmax(), values.shape)
    values[place] *= 1 + 1e-12
    alone = Trace([replace(trained[name], values=values)], trained.tokens)
    found = faults(alone)
    assert [fault.partition(":")[0] for fault in found] == [trained[name].explain(*place).label]


def test_the_tolerance_of_a_gradient_is_far_below_what_is_promised(trained):
    """1e-10 against automatic differentiation; a recipe must be held far closer, with numbers of this size."""
    for quantity in trained.values():
        for index in list(np.ndindex(quantity.shape))[::7]:
            assert quantity.explain(*index).tolerance < 1e-12, quantity.explain(*index).label
