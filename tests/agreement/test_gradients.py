"""Every number and every gradient of a whole model against PyTorch's own differentiation, in float64.

A gradient may differ by 1e-10 at most: the project's promise. Numbers here stay below a hundred, and what is seen is
near 1e-13. Forward quantities agree to 1e-12 of their size.
"""

import numpy as np
import pytest
import torch

import clearhead as ch
from clearhead.core.learning import loss_of

FORWARD, GRADIENT = 1e-12, 1e-10
COVERINGS = range(4)
"""Each covering brings every two settings together, in about forty models; each has other random numbers."""


def tensors(arrays):
    return {name: torch.tensor(values, requires_grad=True) for name, values in arrays.items()}


def next_words(rows):
    return [*rows[1:], -1]


def gradient_name(name):
    scope, point, bare = name.rpartition(".")
    return f"{scope}{point}d{bare}"


def assert_same_numbers(trace, theirs):
    """Both have the same activations, and the same numbers in them."""
    made = {name for name, quantity in trace.items() if quantity.operation is not None}
    assert made == set(theirs.seen)
    for name in made:
        np.testing.assert_allclose(
            trace[name].values, theirs.seen[name].detach().numpy(), rtol=FORWARD, atol=FORWARD, err_msg=name
        )


def assert_same_gradients(gradients, tensors):
    """Where PyTorch has a gradient so have we, and the same; where it has none neither have we."""
    for name, tensor in tensors.items():
        ours = gradients.get(gradient_name(name))
        assert (ours is None) == (tensor.grad is None), name
        if ours is not None:
            assert ours.shape == tuple(tensor.shape), name
            np.testing.assert_allclose(ours, tensor.grad.numpy(), rtol=0, atol=GRADIENT, err_msg=name)


def compare(reference, example):
    weights = tensors(example.used_parameters)
    theirs = reference(weights, example.settings, example.rows, next_words(example.rows))
    theirs.loss.backward()
    trace = ch.run(example)
    assert_same_numbers(trace, theirs)
    gradients = {name: quantity.values for name, quantity in trace.backward().items()}
    assert_same_gradients(gradients, theirs.seen | weights)


@pytest.mark.parametrize("covering_seed", COVERINGS)
def test_every_activation_and_every_parameter(random_models, reference, covering_seed):
    choices = random_models.covering(random_models.CHOICES, covering_seed)
    assert set().union(*map(random_models.pairs, choices)) == random_models.every_pair(random_models.CHOICES)
    for number, choice in enumerate(choices):
        compare(reference, random_models.random_model(1000 * covering_seed + number, **choice))


@pytest.mark.parametrize(
    ("d_model", "d_value", "d_ff", "length"), [(2, 5, 3, 11), (7, 2, 13, 3), (11, 3, 2, 2), (13, 11, 17, 5)]
)
@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_other_sizes(random_models, reference, norm, d_model, d_value, d_ff, length):
    sizes = {"d_model": d_model, "d_value": d_value, "d_ff": d_ff, "length": length}
    compare(
        reference,
        random_models.random_model(
            d_ff, layers=2, norm=norm, affine=("gain", "bias"), activation="gelu", heads=3, masking=("causal", "-inf"),
            positions="rotary", **sizes,
        ),
    )  # fmt: skip


def sentences_of(example, seed):
    """Sentences of several lengths, some twice, from some of the words."""
    random = np.random.default_rng(seed)
    drawn = [tuple(map(int, random.integers(0, 11, length))) for length in (3, 7, 2, 3, 5, 7, 7, 11)]
    return [*drawn, drawn[0]]


@pytest.mark.parametrize("covering_seed", COVERINGS)
def test_batches_of_sentences_of_several_lengths(random_models, reference, covering_seed):
    """The loss is the mean over all next words of all sentences, and each parameter's gradient is that of it."""
    for number, choice in enumerate(random_models.covering(random_models.CHOICES, covering_seed)):
        example = random_models.random_model(1000 * covering_seed + number, **choice)
        sentences = sentences_of(example, number)
        loss, gradients = loss_of(example.used_parameters, sentences, example.settings)
        weights = tensors(example.used_parameters)
        total, words = torch.zeros((), dtype=torch.float64), 0
        for rows in sentences:
            total = total + reference(weights, example.settings, rows, next_words(rows)).seen["losses"].sum()
            words += len(rows) - 1
        (total / words).backward()
        np.testing.assert_allclose(loss, (total / words).item(), rtol=FORWARD)
        assert set(gradients) == set(weights)
        assert_same_gradients({gradient_name(name): values for name, values in gradients.items()}, weights)


def test_targets_of_one_s_own(random_models, reference):
    """Only the positions that have a target count, whichever they are."""
    example = random_models.random_model(3, norm="layer", tied=True, positions="rotary")
    sentences = [(4, 1, 0, 2, 2), (1, 1, 3, 0, 4), (2, 3, 5)]
    wanted = {sentences[0]: (-1, 3, -1, -1, 7), sentences[1]: (0, -1, -1, 2, -1), sentences[2]: (-1, -1, 12)}
    loss, gradients = loss_of(example.used_parameters, sentences, example.settings, lambda rows: wanted[rows])
    weights = tensors(example.used_parameters)
    runs = [reference(weights, example.settings, rows, wanted[rows]).seen["losses"] for rows in sentences]
    mean = sum(losses.sum() for losses in runs) / 5
    mean.backward()
    np.testing.assert_allclose(loss, mean.item(), rtol=FORWARD)
    assert_same_gradients({gradient_name(name): values for name, values in gradients.items()}, weights)


def test_the_comparison_would_find_a_gradient_that_is_off(random_models, reference):
    """One entry of one gradient moved by 1e-9 must fail; so must a gradient that is missing."""
    example = random_models.random_model(5, layers=2, norm="rms", activation="gelu")
    weights = tensors(example.used_parameters)
    reference(weights, example.settings, example.rows, next_words(example.rows)).loss.backward()
    gradients = {name: quantity.values for name, quantity in ch.run(example).backward().items()}
    assert_same_gradients(gradients, weights)
    moved = gradients["layer0.dW_1"].copy()
    moved[2, 3] += 1e-9
    with pytest.raises(AssertionError):
        assert_same_gradients(gradients | {"layer0.dW_1": moved}, weights)
    del gradients["layer1.dW_2"]
    with pytest.raises(AssertionError):
        assert_same_gradients(gradients, weights)
