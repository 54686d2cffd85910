"""Every operation is held to its word: recipes, feeds and programs give what `forward` gives."""

import math
from dataclasses import fields

import numpy as np
import pytest
import torch

from clearhead.core.expression import cells
from clearhead.core.ops import OPERATIONS
from clearhead.trace.notation import text
from clearhead.trace.trace import Recorder

PROGRAM_TOLERANCE = 1e-13
"""Programs and `forward` differ by the order of a few roundings, relative to numbers of the size of 1."""


def test_recipes_give_the_cells_and_feeds_is_their_inverse(operation_case, faults):
    assert faults(operation_case.trace) == []


def test_the_tolerance_of_recipes_is_tight(operation_case):
    """Where no large numbers cancel, a recipe may differ from its cell by no more than 1e-12 of the largest number."""
    out = operation_case.trace["out"]
    allowed = [out.explain(*index).tolerance for index in np.ndindex(out.shape)]
    assert all(one > 0 for one in allowed)
    given = max((np.abs(array).max() for array in operation_case.arrays), default=1.0)
    assert given > 1000 or max(allowed) <= 1e-12 * max(1.0, given, np.abs(out.values).max())


def run_program(case, module, array):
    names = [f"in{at}" for at in range(len(case.inputs))]
    program = case.operation.program("np" if module is np else "torch", *names)
    scope = {"np": np, "torch": torch} | dict(zip(names, map(array, case.arrays), strict=True))
    exec(program.helper, scope)
    return np.asarray(eval(program.line, scope))


@pytest.mark.parametrize("module", [np, torch], ids=["numpy", "torch"])
def test_programs_give_the_same_numbers(operation_case, module):
    array = np.array if module is np else torch.tensor
    with np.errstate(over="ignore"):  # e^−x of the far side, whose result is not taken
        theirs = run_program(operation_case, module, array)
    ours = operation_case.trace["out"].values
    assert theirs.shape == ours.shape
    for index in np.ndindex(ours.shape):
        allowed = max(PROGRAM_TOLERANCE, 4 * operation_case.trace["out"].explain(*index).tolerance)
        assert abs(theirs[index] - ours[index]) <= allowed * max(1.0, abs(ours[index])), index


FIXED = {"add", "one", "cross_entropy", "cross_entropy_gradient", "mean_loss", "spread_mean"}
"""Their targets, a row without axes in front, or their having no input, fix the shape of the result."""


@np.errstate(over="ignore")
def test_a_batch_is_its_sentences_side_by_side(operation_cases):
    """Axes in front are carried along, bit for bit."""
    free = [case for case in operation_cases.values() if case.operation.name not in FIXED]
    assert len(free) > 25
    for case in free:
        turned = tuple(array[..., ::-1] if array.ndim else -array for array in case.arrays)
        both = case.operation.forward(*(np.stack(pair) for pair in zip(case.arrays, turned, strict=True)))
        assert both[0].tolist() == case.operation.forward(*case.arrays).tolist(), case.operation
        assert both[1].tolist() == case.operation.forward(*turned).tolist(), case.operation


def test_formulas_name_the_result_and_the_inputs(operation_case):
    operation = operation_case.operation
    names = [f"in{at}" for at in range(len(operation_case.inputs))]
    equation = operation.formula("out", *names)
    assert equation.left.name == "out"
    written = text.equation(equation)
    unused = {"cross_entropy": {"in0"}}.get(operation.name, set())  # its logits stand in only where p is 0
    assert all(name in written for name in names if name not in unused), written


def test_parameters_are_plain(operation_case):
    for part in fields(operation_case.operation):
        assert isinstance(getattr(operation_case.operation, part.name), bool | int | float | str | tuple)


def test_notes_are_a_sentence_or_nothing(operation_case):
    out = operation_case.trace["out"]
    for index in np.ndindex(out.shape):
        note = out.note(index)
        assert note is None or (len(note) > 10 and not note.endswith("."))


def test_operations_of_the_way_to_the_loss_say_how_to_go_back():
    """The others refuse by name instead of giving a wrong gradient."""
    with pytest.raises(NotImplementedError, match=r"^descend has no gradient"):
        OPERATIONS["descend"](("model",), 0.1).backward(0, ())


def test_numbers_of_every_size_are_finite():
    """The largest that squares do not carry beyond float64."""
    x = np.array([[1e150, -1e150, 3e149, 0.0, 1.0]])
    for kind in ("relu", "swish"):
        values = OPERATIONS["activation"](("position", "model"), kind).forward(x)
        assert np.isfinite(values).all()
        assert values[0, 3] == 0
    for centred in (True, False):
        norm = OPERATIONS["normalise"](("position", "model"), centred)
        mean = [x.mean(axis=-1)] if centred else []
        assert norm.forward(x, *mean)[0, 0] == pytest.approx(
            math.sqrt(5 / 2.09) if not centred else 1.5, abs=0.1
        )


@pytest.mark.parametrize("centred", [True, False])
def test_a_norm_whose_squares_overflow_is_refused_and_is_not_zero(centred):
    """Only the vector that does; the numbers divided by ∞ would be 0."""
    step, rows = Recorder(), ("position", "model")
    x = step.given("x", rows, np.array([[1.0, 2.0], [1e155, -1e155]]))
    mean = [step("x_mean", OPERATIONS["average"](rows[:1], "model"), x)] if centred else []
    y = step.given("y", rows, np.ones((2, 2)))
    norm = OPERATIONS["normalise"](rows, centred)
    with pytest.raises(OverflowError, match=r"^norm\[1,0\]: a number in its arithmetic is too large"):
        step("norm", norm, x, *mean)
    back = OPERATIONS["normalise_gradient"](rows, centred)
    with pytest.raises(OverflowError, match=r"^dx\[1,0\]: a number in its arithmetic is too large"):
        step("dx", back, y, y, x, *mean)


def test_the_slope_of_gelu_far_out_is_one_or_zero():
    """Where the square of x, or its cube, is beyond float64 as well."""
    x = np.array([11.0, -11.0, 1e103, -1e103, 1e155, -1e155])
    slope = OPERATIONS["activation_gradient"](("model",), "gelu_tanh").forward(np.ones(6), x)
    assert slope.tolist() == [1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("width", [5, 32, 64])
def test_the_recipe_of_a_norm_grows_with_the_width_and_not_with_its_square(width):
    """Every number of the vector, its mean beside it; in the gradient also dy, and y times dy."""
    x = np.arange(3.0 * width).reshape(3, width)
    rows, count = ("position", "model"), lambda recipe: sum(1 for _ in cells(recipe))
    for centred, mean in ((True, [x.mean(axis=-1)]), (False, [])):
        norm, back = (OPERATIONS[name](rows, centred) for name in ("normalise", "normalise_gradient"))
        assert count(norm.recipe((1, 2), x, *mean)) == (2 * width + 2 if centred else width + 1)
        expected = 5 * width + 2 if centred else 3 * width + 2
        assert count(back.recipe((1, 2), x, x, x, *mean)) == expected


def test_a_bias_is_written_with_its_own_indices():
    add = OPERATIONS["add"](("position", "model"), (("position", "model"), ("model",)))
    assert text.equation(add.formula("out", "x", "b")) == "out[i,m] = x[i,m] + b[m]"
    plain = OPERATIONS["add"](("position", "model"))
    assert text.equation(plain.formula("out", "x", "y")) == "out[i,m] = x[i,m] + y[i,m]"
