"""What a function returns: which of several things is the output, wherever it stands and whatever it is called."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from clearhead.session.checking import check


def softmax(scores):
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True)


def parts(q, k, v, scaled=True):
    weights = softmax(q @ k.swapaxes(-1, -2) / (math.sqrt(q.shape[-1]) if scaled else 1))
    return weights @ v, weights


@dataclass
class Given:
    weights: np.ndarray
    output: np.ndarray


class Named(NamedTuple):
    loss: None
    attn: np.ndarray
    context: np.ndarray


FORMS = {
    "output first": lambda output, weights: (output, weights),
    "weights first": lambda output, weights: (weights, output),
    "a list": lambda output, weights: [weights, output],
    "a dict": lambda output, weights: {"attn": weights, "context": output},
    "a dataclass": lambda output, weights: Given(weights, output),
    "a named tuple": lambda output, weights: Named(None, weights, output),
    "with a cache": lambda output, weights: (output, (weights, output)),
    "nested lists": lambda output, weights: output.tolist(),
    "rows in a list": lambda output, weights: list(output),
    "nested lists and weights": lambda output, weights: (weights.tolist(), output.tolist()),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_output_is_found(form):
    report = check(lambda q, k, v: FORMS[form](*parts(q, k, v)), mask="none")
    assert report.agrees, report
    assert not any("weights it returns" in note for note in report.notes)


@pytest.mark.parametrize("form", FORMS)
def test_and_what_is_wrong_with_it(form):
    report = check(lambda q, k, v: FORMS[form](*parts(q, k, v, False)), mask="none")
    assert report.mistakes == ("no-scale",)
    assert report.smallest is not None  # where output and weights may have one shape


@pytest.mark.parametrize("swapped", [False, True])
def test_of_one_shape_rows_that_add_up_to_1_are_weights(swapped):
    """As many keys as features: 5."""

    def attention(q, k, v):
        output, weights = parts(q, k, v)
        return (weights, output) if swapped else (output, weights)

    assert check(attention, mask="none", d_head=5).agrees


def test_weights_that_are_not_those_of_the_output_are_a_note():
    def attention(q, k, v):
        output, weights = parts(q, k, v)
        return {"weights": np.roll(weights, 1, -1), "output": output}

    report = check(attention, mask="none")
    assert report.agrees
    assert any("weights it returns are not those of the reference" in note for note in report.notes)


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (
            [[[1.0, 2.0], [3.0]]],
            "what it returns is a list that makes no array of numbers; expected rows of one",
        ),
        ([], "it returns nothing; expected the output, or (output, weights)"),
        ([[1, 2], [3, 4]], "what it returns has the type int; expected floating-point numbers"),
        ({"loss": None}, "it returns nothing; expected the output, or (output, weights)"),
    ],
)
def test_what_is_no_output_is_said(returned, says):
    report = check(lambda q, k, v: returned, layout="bhtd")
    assert not report.agrees
    assert says in report.verdict
