"""Norms, activations, losses and updates on numbers small enough to do in the head."""

import math
from pathlib import Path

import numpy as np
import pytest

from clearhead.core import curves, ops
from clearhead.core.curves import CURVES, curve_named
from clearhead.core.expression import Function, Number, Power, evaluate
from clearhead.core.magnitude import magnitude

ROWS, WORDS = ("position", "model"), ("position", "vocabulary")


def test_layer_norm_and_rms_norm():
    # mean 2, distances −1 and 1, mean square 1
    x = np.array([[1.0, 3.0]])
    mean = ops.Average(("position",), "model").forward(x)
    assert mean.tolist() == [2]
    assert ops.Normalise(ROWS, True, 0.0).forward(x, mean).tolist() == [[-1, 1]]
    # mean square (1 + 49) / 2 = 25
    assert ops.Normalise(ROWS, False, 0.0).forward(np.array([[1.0, 7.0]])).tolist() == [[0.2, 1.4]]
    # mean 1; epsilon stands inside the root: 3 / root(9 + 16) and −3 / 5
    wide = np.array([[4.0, -2.0]]), np.array([1.0])
    assert ops.Normalise(ROWS, True, 16.0).forward(*wide).tolist() == [[0.6, -0.6]]


def test_a_vector_without_spread_becomes_zero_and_says_so():
    layer, rms = ops.Normalise(ROWS, True), ops.Normalise(ROWS, False)
    same, mean = np.array([[3.0, 3.0, 3.0], [0.0, 0.0, 0.0]]), np.array([3.0, 0.0])
    assert layer.forward(same, mean).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert layer.note((0, 1), same, mean).startswith("all numbers of this vector are the same")
    assert layer.note((1, 1), same, mean) == rms.note((1, 1), same) == "the vector is 0, and stays 0"
    assert rms.note((0, 1), same) is None
    assert rms.forward(same)[0] == pytest.approx([1, 1, 1], abs=1e-6)


def test_the_way_back_through_a_norm():
    # y = [−1, 1], spread 1: dy = [2, 4], less its mean 3: [−1, 1]; mean of y·dy = 1, so less y·1: [0, 0]
    back = ops.NormaliseGradient(ROWS, True, 0.0)
    given = np.array([[2.0, 4.0]]), np.array([[-1.0, 1.0]]), np.array([[1.0, 3.0]]), np.array([2.0])
    assert back.forward(*given).tolist() == [[0, 0]]
    # y = [0.2, 1.4], spread 5: dy = [5, 5]: mean of y·dy = 4, so (5 − 0.8) / 5 and (5 − 5.6) / 5
    back = ops.NormaliseGradient(ROWS, False, 0.0)
    given = np.array([[5.0, 5.0]]), np.array([[0.2, 1.4]]), np.array([[1.0, 7.0]])
    assert back.forward(*given)[0] == pytest.approx([0.84, -0.12], abs=1e-15)


def test_relu_passes_what_is_above_zero_and_its_gradient():
    x, gradient = np.array([[-2.0, 0.0, 3.0]]), np.array([[5.0, 6.0, 7.0]])
    assert ops.Activation(ROWS, "relu").forward(x).tolist() == [[0, 0, 3]]
    back = ops.ActivationGradient(ROWS, "relu")
    assert back.forward(gradient, x).tolist() == [[0, 0, 7]]
    assert back.recipe((0, 1), gradient, x) == Number(0)
    assert [back.feeds(0, (0, at), gradient, x) for at in range(3)] == [[], [], [(0, 2)]]
    assert back.feeds(1, (0, 2), gradient, x) == []
    assert "nothing flows back" in back.note((0, 1), gradient, x)


@pytest.mark.parametrize("kind", ["gelu", "gelu_tanh", "swish"])
def test_smooth_activations_at_zero_and_far_out(kind):
    """0 at 0 with slope 1/2; far to the right x itself with slope 1, far to the left nothing."""
    curve, x = curve_named(kind), np.array([0.0, 50.0, -50.0, 1e4, -1e4])
    assert curve.value(x) == pytest.approx([0, 50, 0, 1e4, 0], abs=1e-18)
    assert curve.slope(x) == pytest.approx([0.5, 1, 0, 1, 0], abs=1e-18)


def test_swish_at_the_logarithm_of_three():
    # e^−x = 1/3: x / (4/3) = 0.75 x
    x = math.log(3)
    assert curve_named("swish").value(np.array([x, -x])) == pytest.approx([0.75 * x, -0.25 * x], abs=1e-15)
    slopes = 0.75 * (1 + 0.25 * x), 0.25 * (1 - 0.75 * x)
    assert curve_named("swish").slope(np.array([x, -x])) == pytest.approx(slopes, abs=1e-15)


def test_an_activation_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match=r"^activation: 'sine' is not known; expected one of relu, gelu, "):
        curve_named("sine")
    files = {path.stem for path in Path(curves.__file__).parent.glob("*.py")} - {"__init__", "base"}
    assert files == set(CURVES) == {curve.name for curve in CURVES.values()}


def test_totals_scales_and_the_one():
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert ops.Total(("model",), ROWS).forward(rows).tolist() == [9, 12]
    assert ops.Total((), ROWS).forward(rows).tolist() == 21
    assert ops.Total(("model",), ("batch", *ROWS)).forward(np.stack([rows, rows])).tolist() == [18, 24]
    assert ops.ScaleBy(ROWS, 2.0, "temperature", True).forward(rows).tolist() == [
        [0.5, 1],
        [1.5, 2],
        [2.5, 3],
    ]
    assert ops.ScaleBy(ROWS, 2.0, "factor", False).forward(rows).tolist() == [[2, 4], [6, 8], [10, 12]]
    assert ops.One(()).forward().tolist() == 1
    assert ops.One(()).forward().shape == ()


def test_losses_are_the_surprise_and_their_mean_counts_only_next_words():
    # p = [1/2, 1/2], then [1/4, 3/4], then no next word
    logits = np.array([[0.0, 0.0], [0.0, math.log(3)], [1.0, 2.0]])
    p = ops.Softmax(WORDS).forward(logits)
    targets = (1, 0, -1)
    entropy, mean = ops.CrossEntropy(("position",), targets), ops.MeanLoss((), targets)
    losses = entropy.forward(logits, p)
    assert losses == pytest.approx([math.log(2), math.log(4), 0], abs=1e-15)
    assert float(mean.forward(losses)) == pytest.approx(math.log(8) / 2, abs=1e-15)
    assert mean.forward(np.array([1.0, 5.0, 100.0])).tolist() == 3
    assert ops.SpreadMean(("position",), targets).forward(np.array(3.0)).tolist() == [1.5, 1.5, 0]
    assert "no word follows" in entropy.note((2,), logits, p)
    assert mean.note((), losses) == "only the positions that have a next word count: 2 of 3"
    back = ops.CrossEntropyGradient(WORDS, targets).forward(np.array([2.0, 4.0, 9.0]), p)
    assert back.tolist() == [[1, -1], pytest.approx([-3, 3], abs=1e-15), [0, 0]]


def test_a_probability_of_zero_has_a_finite_loss():
    logits = np.array([[0.0, -800.0], [1000.0, 0.0]])
    p = ops.Softmax(WORDS).forward(logits)
    assert p[:, 1].tolist() == [0, 0]
    entropy = ops.CrossEntropy(("position",), (1, 1))
    assert entropy.forward(logits, p).tolist() == [800, 1000]
    assert "worked out from the logits" in entropy.note((0,), logits, p)
    assert entropy.feeds(0, (0, 0), logits, p) == [(0,)]
    assert entropy.feeds(1, (0, 1), logits, p) == []


def test_no_next_word_at_all_is_a_loss_of_zero():
    nothing = ops.MeanLoss((), (-1,))
    assert nothing.forward(np.zeros(1)).tolist() == 0
    assert nothing.recipe((), np.zeros(1)) == Number(0)


def test_updates():
    one, two, four = (np.array([value]) for value in (1.0, 2.0, 4.0))
    assert ops.Descend(("model",), 0.5).forward(one, four).tolist() == [-1]
    assert ops.Velocity(("model",), 0.5).forward(four, one).tolist() == [3]
    assert ops.Moment(("model",), 0.5, 1).forward(two, four).tolist() == [3]
    assert ops.Moment(("model",), 0.5, 2).forward(two, four).tolist() == [9]
    assert ops.Corrected(("model",), 0.5, 1, 2).forward(np.array([3.0])).tolist() == [4]
    # 2 (1 − 0.5·0.5) − 0.5·3 / (root(4) + 1) = 1.5 − 0.5
    step = ops.AdamWStep(("model",), 0.5, 0.5, 1.0)
    assert step.forward(two, np.array([3.0]), four).tolist() == [1]


@pytest.mark.parametrize(
    ("name", "x", "size"),
    [
        ("ln", 1.0, 1),  # ln 1 = 0, and an argument off by u is off by u
        ("ln", math.e, 2),
        ("tanh", 0.0, 0),
        ("tanh", 1.0, math.tanh(1) + 1 - math.tanh(1) ** 2),
        ("tanh", 500.0, 1),
        ("erf", 1.0, math.erf(1) + 2 / math.sqrt(math.pi) / math.e),
        ("erf", 1e200, 1),
        ("max", -3.0, 3),
    ],
)
def test_the_magnitude_of_functions(name, x, size):
    tree = Function(name, (Number(x),))
    assert magnitude(tree, lambda cell: math.nan) == pytest.approx(size, rel=1e-15)


def test_powers_beyond_float64_are_infinite_as_products_are():
    for base, exponent, power in (
        (1e200, 2, math.inf),
        (-1e200, 3, -math.inf),
        (-1e200, 2, math.inf),
        (3, 2, 9),
    ):
        assert evaluate(Power(Number(base), Number(exponent)), lambda cell: math.nan) == power
