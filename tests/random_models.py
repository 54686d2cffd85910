"""Random whole models of small, distinct prime sizes, and few choices of their switches that meet in every pair.

Test modules do not import each other: the root conftest hands these out as fixtures.
"""

import itertools

import numpy as np

import clearhead as ch

CHOICES = {
    "layers": [1, 2, 3],
    "norm": ["none", "layer", "rms"],
    "affine": [(), ("gain",), ("bias",), ("gain", "bias")],
    "norm_place": ["pre", "post"],
    "activation": ["relu", "gelu", "gelu_tanh", "swiglu", None],
    "biases": [(), ("b_1",), ("b_2",), ("b_1", "b_2")],
    "positions": ["none", "sinusoidal", "learned", "rotary", "alibi"],
    "masking": [("none", "-inf"), ("causal", "-inf"), ("causal", "0")],
    "tied": [True, False],
    "scale": [True, False],
    "scale_embeddings": [True, False],
    "temperature": [1.0, 0.7, 1.9],
    "heads": [1, 2, 3],
    "with_W_O": [True, False],
}
"""What `random_model` takes. No activation: no feed-forward network."""

WORDS, LENGTH, USED = 13, 7, 5
"""Seven places for five of thirteen words: some word repeats, and eight rows of E are not used by the sentence."""


def random_model(
    seed=0, *, layers=1, affine=(), activation="relu", biases=(), masking=("none", "-inf"), tied=False, heads=2,
    with_W_O=True, positions="none", d_model=5, d_value=3, d_ff=11, length=LENGTH, words=WORDS, **switches,
):  # fmt: skip
    """A model with normally distributed numbers; without W_O there is one head as wide as the model."""
    random = np.random.default_rng(seed)
    heads, d_value = (heads, d_value) if with_W_O else (1, d_model)
    joined, columns = heads * d_value, heads * (2 if positions == "rotary" else 3)

    def matrix(*shape):
        """What is multiplied with it hardly grows, so that three layers without a norm stay within some tens."""
        return 0.7 * random.normal(size=shape) / shape[0] ** 0.5

    def affine_of(which):
        return {f"{part}_{which}": (part == "gain") + matrix(d_model) for part in affine}

    def layer():
        own = {
            "W_Q": matrix(d_model, columns),
            "W_K": matrix(d_model, columns),
            "W_V": matrix(d_model, joined),
        }
        own |= ({"W_O": matrix(joined, d_model)} if with_W_O else {}) | affine_of("1") | affine_of("2")
        if activation:
            own |= {"W_1": matrix(d_model, d_ff), "W_2": matrix(d_ff, d_model)}
            own |= {name: matrix(d_ff if name == "b_1" else d_model) for name in biases}
        return own | ({"W_G": matrix(d_model, d_ff)} if activation == "swiglu" else {})

    vocabulary = [f"w{number}" for number in range(words)]
    return ch.Example(
        tokens=[vocabulary[at] for at in random.integers(0, min(USED, words), length)],
        E=dict(zip(vocabulary, random.normal(size=(words, d_model)), strict=True)),
        P=matrix(17, d_model) if positions == "learned" else None,
        layers=[layer() for _ in range(layers)],
        W_U=None if tied else matrix(d_model, words),
        activation=activation or "relu", heads=heads, positions=positions, mask=masking[0], mask_fill=masking[1],
        predict=True, **affine_of("final"), **switches,
    )  # fmt: skip


def pairs(choice):
    """Every two settings that stand together."""
    return set(itertools.combinations(choice.items(), 2))


def every_pair(choices):
    """All that `covering` has to cover."""
    return {
        ((one, a), (other, b))
        for one, other in itertools.combinations(choices, 2)
        for a, b in itertools.product(choices[one], choices[other])
    }


def covering(choices, seed=0):
    """Few choices in which each value of each switch meets each value of each other: greedily, from random ones."""
    random, missing, chosen = np.random.default_rng(seed), every_pair(choices), []
    while missing:
        drawn = [{name: of[random.integers(len(of))] for name, of in choices.items()} for _ in range(40)]
        best = max(drawn, key=lambda choice: len(pairs(choice) & missing))
        chosen.append(best)
        missing -= pairs(best)
    return chosen
