"""Each operation's way back against central differences, alone, with and without a batch in front.

(f(x + h) − f(x − h)) / 2h differs from the slope by h² times the third derivative and by the rounding of f over h: with
h = 1e-5 and numbers of size 1, both are near 1e-10. Softmax and norms have third derivatives of some tens.
"""

import numpy as np
import pytest

from clearhead.core import ops
from clearhead.core.backward import backward
from clearhead.core.ops.base import GRADIENT, OUTPUT, Operation
from clearhead.core.tape import Tape, Value

H, ALLOWED = 1e-5, 1e-8

MAP, ROW, WIDE = ("head", "query", "key"), ("position", "model"), ("position", "hidden")
HEADS, JOINED = ("head", "query", "feature"), ("query", "joined")
TARGETS = (4, -1, 0, 2, 2)
BATCH_TARGETS = (TARGETS, (-1, -1, 3, 1, 0), (2, 4, 4, -1, -1))


def operation(made, *inputs):
    """The operation, and the axes and the shape of each input."""
    return made, [(axes, shape) for axes, shape in inputs]


CASES = {
    **{f"activation {kind}": operation(ops.Activation(WIDE, kind), (WIDE, (5, 7)))
       for kind in ("relu", "gelu", "gelu_tanh", "swish")},
    "add": operation(ops.Add(ROW), (ROW, (5, 7)), (ROW, (5, 7))),
    "add three": operation(ops.Add(ROW), (ROW, (5, 7)), (ROW, (5, 7)), (ROW, (5, 7))),
    "add a row": operation(ops.Add(ROW), (ROW, (5, 7)), (("model",), (7,))),
    "matrix product": operation(
        ops.Contract(WIDE, ROW, ("model", "hidden")), (ROW, (5, 7)), (("model", "hidden"), (7, 11))),
    "unembed with E": operation(
        ops.Contract(("position", "vocabulary"), ROW, ("vocabulary", "model")), (ROW, (5, 7)),
        (("vocabulary", "model"), (13, 7))),
    "scores": operation(
        ops.Contract(MAP, HEADS, ("head", "key", "feature")), (HEADS, (3, 5, 2)),
        (("head", "key", "feature"), (3, 7, 2))),
    "mixed": operation(
        ops.Contract(HEADS, MAP, ("head", "key", "feature")), (MAP, (3, 5, 7)),
        (("head", "key", "feature"), (3, 7, 2))),
    "cell by cell": operation(ops.Contract(WIDE, WIDE, WIDE), (WIDE, (5, 7)), (WIDE, (5, 7))),
    "gain": operation(ops.Contract(ROW, ROW, ("model",)), (ROW, (5, 7)), (("model",), (7,))),
    "copy": operation(ops.Copy(JOINED), (ROW, (5, 7))),
    "lookup": operation(ops.Lookup(ROW, (2, 0, 2, 6, 2)), (("vocabulary", "model"), (11, 3))),
    **{f"mask {mask} {fill}": operation(ops.Masked(MAP, mask, fill), (MAP, (2, 5, 5)))
       for mask in ("none", "causal") for fill in ("0",)},
    "mean loss": operation(ops.MeanLoss((), TARGETS), (("position",), (5,))),
    "merge heads": operation(ops.MergeHeads(JOINED, "d_value"), (HEADS, (3, 5, 2))),
    "RMS norm": operation(ops.Normalise(ROW, False), (ROW, (5, 7))),
    "a large epsilon": operation(ops.Normalise(ROW, False, 0.5), (ROW, (5, 7))),
    "rotate": operation(ops.Rotate(HEADS), (HEADS, (3, 5, 14))),
    "rotate back": operation(ops.Rotate(HEADS, back=True), (HEADS, (3, 5, 14))),
    "divide by a number": operation(ops.ScaleBy(ROW, 0.7, "temperature", divide=True), (ROW, (5, 7))),
    "times a number": operation(ops.ScaleBy(ROW, 0.7, "temperature", divide=False), (ROW, (5, 7))),
    "divide by a root": operation(ops.ScaleByRoot(MAP, 7, "d_head", divide=True), (MAP, (2, 5, 5))),
    "times a root": operation(ops.ScaleByRoot(ROW, 7, "d_model", divide=False), (ROW, (5, 7))),
    "soft cap": operation(ops.SoftCap(MAP, 1.5), (MAP, (2, 5, 7))),
    "weights set by hand": operation(ops.SetCells(MAP, ((1, 2, 0.5), (3, 0, -2.0))), (MAP, (2, 5, 7))),
    "softmax": operation(ops.Softmax(MAP), (MAP, (2, 5, 7))),
    "softmax with a sink": operation(ops.SoftmaxWithSink(MAP), (MAP, (2, 5, 7)), (("head",), (2,))),
    "softmax of one head with a sink": operation(ops.SoftmaxWithSink(MAP[1:]), (MAP[1:], (5, 7)), ((), ())),
    "split heads": operation(ops.SplitHeads(HEADS, 3, 1, "d_head"), (("position", "joined"), (5, 6))),
}  # fmt: skip
CASES |= {
    f"rotate by {pairs} {rotated} {back}": operation(
        ops.RotateBy(HEADS, pairs, rotated, back), (HEADS, (3, 5, 7)),
        (("position", "pair"), (5, rotated // 2)), (("position", "pair"), (5, rotated // 2)))
    for pairs in ("halves", "interleaved") for rotated in (2, 6) for back in (False, True)
}  # fmt: skip

CONSTANT = {"rotate_by": {1, 2}}
"""Inputs that are not learned: nothing flows back to them."""

BATCHED = {
    "activation": operation(ops.Activation(("batch", *WIDE), "gelu"), (("batch", *WIDE), (3, 5, 7))),
    "add a row": operation(
        ops.Add(("batch", *ROW)), (("batch", *ROW), (3, 5, 7)), (("model",), (7,))),
    "add positions": operation(ops.Add(("batch", *ROW)), (("batch", *ROW), (3, 5, 7)), (ROW, (5, 7))),
    "add a bias": operation(ops.Add(("batch", *MAP)), (("batch", *MAP), (3, 2, 5, 5)), (MAP, (2, 5, 5))),
    "matrix product": operation(
        ops.Contract(("batch", *WIDE), ("batch", *ROW), ("model", "hidden")), (("batch", *ROW), (3, 5, 7)),
        (("model", "hidden"), (7, 11))),
    "scores": operation(
        ops.Contract(("batch", *MAP), ("batch", *HEADS), ("batch", "head", "key", "feature")),
        (("batch", *HEADS), (3, 2, 5, 7)), (("batch", "head", "key", "feature"), (3, 2, 11, 7))),
    "gain": operation(
        ops.Contract(("batch", *ROW), ("batch", *ROW), ("model",)), (("batch", *ROW), (3, 5, 7)), (("model",), (7,))),
    "copy": operation(ops.Copy(("batch", *ROW)), (("batch", *ROW), (3, 5, 7))),
    "lookup": operation(
        ops.Lookup(("batch", *ROW), ((2, 0, 2), (6, 2, 6))), (("vocabulary", "model"), (11, 3))),
    "mask": operation(ops.Masked(("batch", *MAP), "causal", "0"), (("batch", *MAP), (3, 2, 5, 5))),
    "mean loss": operation(ops.MeanLoss((), BATCH_TARGETS), (("batch", "position"), (3, 5))),
    "merge heads": operation(ops.MergeHeads(("batch", *JOINED), "d_value"), (("batch", *HEADS), (2, 3, 5, 7))),
    "RMS norm": operation(ops.Normalise(("batch", *ROW), False), (("batch", *ROW), (3, 5, 7))),
    "rotate": operation(ops.Rotate(("batch", *HEADS)), (("batch", *HEADS), (3, 2, 5, 14))),
    "scale": operation(ops.ScaleByRoot(("batch", *ROW), 7, "d_model", divide=False), (("batch", *ROW), (3, 5, 7))),
    "temperature": operation(ops.ScaleBy(("batch", *ROW), 3, "temperature", divide=True), (("batch", *ROW), (3, 5, 7))),
    "soft cap": operation(ops.SoftCap(("batch", *MAP), 1.5), (("batch", *MAP), (3, 2, 5, 7))),
    "softmax": operation(ops.Softmax(("batch", *MAP)), (("batch", *MAP), (3, 2, 5, 7))),
    "softmax with a sink": operation(
        ops.SoftmaxWithSink(("batch", *MAP)), (("batch", *MAP), (3, 2, 5, 7)), (("head",), (2,))),
    "split heads": operation(
        ops.SplitHeads(("batch", *HEADS), 3, 1, "d_head"), (("batch", "position", "joined"), (5, 7, 6))),
}  # fmt: skip


def inputs_of(shapes):
    """Normal numbers, none nearer to 0 than 0.01, where ReLU has its corner."""
    random = np.random.default_rng(17)
    return [np.where(np.abs(x) < 0.01, 0.5, x) for x in (random.normal(size=shape) for _, shape in shapes)]


def central_difference(function, arrays, slot):
    """The slope of a function of several arrays with respect to each number of one of them."""
    slopes = np.empty_like(arrays[slot])
    for place in np.ndindex(slopes.shape):
        ends = []
        for step in (H, -H):
            moved = arrays[slot].copy()
            moved[place] += step
            ends.append(function(*arrays[:slot], moved, *arrays[slot + 1 :]))
        slopes[place] = (ends[0] - ends[1]) / (2 * H)
    return slopes


def sent_back(made, axes, arrays, slot, gradient):
    """The gradient of one input, by the operation that `backward` names."""
    values = [Value(f"in{at}", its, array) for at, (its, array) in enumerate(zip(axes, arrays, strict=True))]
    pull = made.backward(slot, values)
    of = {GRADIENT: gradient, OUTPUT: made.forward(*arrays), **dict(enumerate(arrays))}
    assert pull.operation.axes == axes[slot]
    return pull.operation.forward(*(of[which] for which in pull.of))


def check(made, shapes):
    arrays = inputs_of(shapes)
    weighed = np.random.default_rng(19).normal(size=made.forward(*arrays).shape)
    for slot in set(range(len(arrays))) - CONSTANT.get(made.name, set()):
        ours = sent_back(made, [axes for axes, _ in shapes], arrays, slot, weighed)
        slopes = central_difference(lambda *x: (weighed * made.forward(*x)).sum(), arrays, slot)
        assert np.abs(slopes).max() > 0.01
        np.testing.assert_allclose(ours, slopes, rtol=ALLOWED, atol=ALLOWED)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_alone(case):
    check(*case)


@pytest.mark.parametrize("case", BATCHED.values(), ids=BATCHED)
def test_with_a_batch_in_front(case):
    check(*case)


@pytest.mark.parametrize(("targets", "shape"), [(TARGETS, (5, 7)), (BATCH_TARGETS, (3, 5, 7))])
def test_cross_entropy_goes_back_through_the_softmax_as_well(targets, shape):
    """As a function of the logits alone, with the probabilities their softmax; nothing flows to the probabilities."""
    (logits,) = inputs_of([((), shape)])
    axes = ("batch", "position", "vocabulary")[-len(shape) :]
    made, softmax = ops.CrossEntropy(axes[:-1], targets), ops.Softmax(axes)
    weighed = np.random.default_rng(19).normal(size=shape[:-1])
    arrays = [logits, softmax.forward(logits)]
    slopes = central_difference(lambda x: (weighed * made.forward(x, softmax.forward(x))).sum(), [logits], 0)
    np.testing.assert_allclose(
        sent_back(made, [axes, axes], arrays, 0, weighed), slopes, rtol=ALLOWED, atol=ALLOWED
    )
    assert made.backward(1, [Value("logits", axes, logits), Value("p", axes, arrays[1])]) is None


@pytest.mark.parametrize("epsilon", [1e-5, 0.5])
@pytest.mark.parametrize("shape", [(5, 7), (3, 5, 7)])
def test_layer_norm_goes_back_through_the_mean_as_well(shape, epsilon):
    """As a function of x alone, with its mean; nothing flows to the mean itself."""
    (x,) = inputs_of([((), shape)])
    axes = ("batch", *ROW)[-len(shape) :]
    made, average = ops.Normalise(axes, True, epsilon), ops.Average(axes[:-1], "model")
    weighed = np.random.default_rng(19).normal(size=shape)
    arrays = [x, average.forward(x)]
    slopes = central_difference(lambda x: (weighed * made.forward(x, average.forward(x))).sum(), [x], 0)
    ours = sent_back(made, [axes, axes[:-1]], arrays, 0, weighed)
    np.testing.assert_allclose(ours, slopes, rtol=ALLOWED, atol=ALLOWED)
    assert made.backward(1, [Value("x", axes, x), Value("mean", axes[:-1], arrays[1])]) is None


def test_through_minus_infinity_nothing_flows():
    """A mask's −∞ and the softmax after it: the gradient of what was replaced is exactly 0, no NaN."""
    scores, values = np.random.default_rng(3).normal(size=(2, 2, 5, 5))
    mask, softmax = ops.Masked(MAP, "causal", "-inf"), ops.Softmax(MAP)
    masked = mask.forward(scores)
    of_masked = sent_back(softmax, [MAP], [masked], 0, values)
    of_scores = sent_back(mask, [MAP], [scores], 0, of_masked)
    forbidden = np.triu(np.ones((5, 5), dtype=bool), 1)
    assert (of_scores[:, forbidden] == 0).all()
    assert (of_scores[:, ~forbidden][:, 1:] != 0).all()  # all but the first row's only score
    assert np.isfinite(of_scores).all()


def test_through_a_given_mask_nothing_flows_and_none_to_what_is_not_learned():
    scores, gradient = np.array([[[3.0, 5.0], [7.0, 11.0]]]), np.array([[[2.0, 3.0], [5.0, 7.0]]])
    allowed = np.array([[1.0, 1.0], [0.0, 1.0]])
    mask = ops.Masked(MAP, "causal", "-inf")
    assert sent_back(mask, [MAP, MAP[1:]], [scores, allowed], 0, gradient).tolist() == [[[2, 0], [0, 7]]]
    assert mask.backward(1, [Value("scores", MAP, scores), Value("allowed", MAP[1:], allowed)]) is None
    turn = ops.RotateBy(HEADS, "halves", 2)
    angles = [Value(name, ("position", "pair"), np.ones((2, 1))) for name in ("cos", "sin")]
    assert [turn.backward(slot, [Value("x", HEADS, scores), *angles]) for slot in (1, 2)] == [None, None]


def test_relu_at_zero_lets_nothing_through():
    """As PyTorch; there is no slope there."""
    slope = ops.ActivationGradient(("hidden",), "relu").forward(np.ones(3), np.array([-0.0, 0.0, 5e-324]))
    assert slope.tolist() == [0, 0, 1]


def test_every_operation_on_the_way_to_a_loss_is_checked_here():
    checked = {type(case[0]) for case in (*CASES.values(), *BATCHED.values())} | {ops.CrossEntropy}
    goes_back = {kind for kind in ops.OPERATIONS.values() if kind.backward is not Operation.backward}
    assert checked == goes_back
    with pytest.raises(
        NotImplementedError, match=r"^share has no gradient: it is no step on the way to the loss$"
    ):
        ops.Share(("query", "key")).backward(0, [])


def test_what_was_not_given_has_no_gradient_and_what_is_taken_twice_gets_both():
    """loss = mean over 2 of (p + x) with x = (3 E)[1] + E[1]: dE[1] = (3 + 1) / 2; sinusoids cannot learn."""
    tape, axes = Tape(), ("position",)
    given = tape.given("x", axes, np.array([1.0, 2.0]))
    tripled = tape("tripled", ops.ScaleBy(axes, 3.0, "three", divide=False), given)
    both = tape("both", ops.Add(axes), tripled, given)
    loss = tape("loss", ops.MeanLoss((), (0, 0)), both)
    made = Tape()
    gradients = backward(made, list(tape.values), loss)
    assert {name: gradient.values.tolist() for name, gradient in gradients.items()} == {
        "loss": 1.0, "both": [0.5, 0.5], "tripled": [0.5, 0.5], "x": [2.0, 2.0],
    }  # fmt: skip
    assert [value.name for value in made.values] == [
        "dloss", "dboth", "dtripled", "dx_from_tripled", "dx_from_both", "dx",
    ]  # fmt: skip
