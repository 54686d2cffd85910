"""What a page is told of a report: the verdict, both sides of the smallest example, and how each number came about."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import clearhead as ch
from clearhead.lenses.diagnose import LIBRARY, Case, Spec, attention_of, small_cases, smallest
from clearhead.lenses.diagnose.asking import IMPOSSIBLE
from clearhead.lenses.diagnose.traced import traced
from clearhead.session.door import Session
from clearhead.session.reported import number_on
from clearhead.session.view import View


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def right(q, k, v):
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v


def unscaled(q, k, v):
    return softmax(q @ k.swapaxes(-1, -2)) @ v


def odd(q, k, v):
    return right(q, k, v) + q.mean()


def broken(q, k, v):
    raise RuntimeError("<b>no</b>")


def told(function: Any, **about: Any) -> View:
    return Session(report=ch.check(function, **about)).ask({"ask": "report"})


def numbers(view: View, side: str, name: str, which: str = "values") -> np.ndarray:
    data: Any = view.data
    found = next(one for one in data["example"][side]["quantities"] if one["name"] == name)
    return view.buffers[found[which]].reshape(found["shape"])


def test_a_mistake_has_both_sides_and_the_step_where_they_part():
    view = told(unscaled)
    data: Any = view.data
    assert (data["outcome"], data["example"]["step"]) == ("differs", "scaled")
    assert [one["name"] for one in data["mistakes"]] == ["no-scale"]
    scores, width = numbers(view, "right", "scores"), numbers(view, "right", "Q").shape[1]
    np.testing.assert_array_equal(numbers(view, "yours", "scaled"), scores)
    np.testing.assert_allclose(numbers(view, "right", "scaled"), scores / width**0.5, rtol=1e-15)
    np.testing.assert_allclose(
        numbers(view, "right", "scaled", "difference"), scores * (1 - width**-0.5), rtol=1e-12
    )
    # where nothing differs nothing is marked; and nobody knows how the function scales
    assert not any(
        "difference" in one for one in data["example"]["yours"]["quantities"] if one["name"] == "scores"
    )
    assert data["example"]["yours"]["recipes"]["scaled"]["recipes"] is None
    assert data["example"]["right"]["recipes"]["scaled"]["recipes"] is not None
    assert data["example"]["yours"]["recipes"]["weights"]["recipes"] is not None


def masked_late(q, k, v):
    seen = np.tril(np.ones((q.shape[-2], k.shape[-2])))
    return (softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) * seen) @ v


def test_a_score_that_is_hidden_on_one_side_alone_differs():
    view = told(masked_late, mask="causal")
    hidden = np.isneginf(numbers(view, "right", "masked"))
    assert hidden.any()
    np.testing.assert_array_equal(
        numbers(view, "right", "masked", "difference"), np.where(hidden, np.inf, 0.0)
    )


def test_the_steps_show_every_quantity_once():
    data: Any = told(unscaled).data
    shown = [name for step in data["example"]["steps"] for name in step["quantities"]]
    assert shown == [one["name"] for one in data["example"]["right"]["quantities"]]


def test_what_no_known_mistake_explains_has_its_output_alone():
    view = told(odd)
    data: Any = view.data
    names = [one["name"] for one in data["example"]["yours"]["quantities"]]
    assert (data["outcome"], names, data["mistakes"]) == ("differs", ["Q", "K", "V", "mixed"], [])
    q, k, v = (numbers(view, "yours", name) for name in "QKV")
    np.testing.assert_allclose(numbers(view, "yours", "mixed"), odd(q, k, v), rtol=1e-12)
    np.testing.assert_allclose(
        numbers(view, "yours", "mixed", "difference"), np.full(v.shape, q.mean()), rtol=1e-9
    )


@pytest.mark.parametrize(
    ("function", "outcome", "begins"),
    [(right, "agrees", "agrees with the reference"), (broken, "unasked", "could not be checked: it raises")],
)
def test_without_a_difference_there_is_no_example(function, outcome, begins):
    data: Any = told(function).data
    assert (data["outcome"], data["example"], data["mistakes"]) == (outcome, None, [])
    assert data["verdict"].startswith(begins)


def test_an_example_that_is_too_wide_for_a_page_is_told_and_left_to_the_text():
    torch = pytest.importorskip("torch")

    class Wide(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.num_heads = 5
            self.q, self.k, self.v, self.o = (torch.nn.Linear(65, 65) for _ in range(4))

        def forward(self, x):
            q, k, v = (one(x).unflatten(-1, (5, 13)).transpose(1, 2) for one in (self.q, self.k, self.v))
            return self.o(((q @ k.mT).softmax(-1) @ v).transpose(1, 2).flatten(2))

    report = ch.check(Wide())
    data: Any = Session(report=report).ask({"ask": "report"}).data
    assert report.smallest.right.shape == (2, 65)
    assert data["example"] is None
    assert "the example found is 65 features wide, and a page shows up to 64" in data["notes"][-1]
    assert "The smallest example found" in str(report)
    with pytest.raises(LookupError, match="cell: the example found is 65 features wide"):
        number_on(report, {"quantity": "yours.scaled", "index": [0, 0, 0]})


def test_nothing_is_told_where_there_is_no_report():
    assert Session().ask({"ask": "report"}).data == {
        "kind": "error", "where": "report", "message": "report: there is none here; expected clearhead.show of one",
    }  # fmt: skip


def of_x() -> Case:
    """Two heads of a sentence of 3 words: every projection, and biases."""
    random = np.random.default_rng(5)
    given = {"X": random.integers(-2, 4, size=(1, 3, 4)).astype(float)}
    weights = {f"W_{one}": random.integers(-1, 3, size=(4, 4)).astype(float) for one in "QKVO"}
    biases = {f"b_{one}": random.integers(-1, 3, size=4).astype(float) for one in "QKVO"}
    return Case("small", Spec(heads=2, kv_heads=2, joined=True, mask="causal"), given, {**weights, **biases})


SHAPES = [
    Spec(mask="causal"),
    Spec(heads=2, kv_heads=2),
    Spec(heads=2, kv_heads=1, joined=True, mask="causal"),
    Spec(rotary="halves", soft_cap=3.0),
    Spec(heads=2, kv_heads=2, alibi=True),
    Spec(alibi=True),
    None,
]


@cache
def case_of(spec: Spec | None) -> Case:
    return of_x() if spec is None else list(small_cases(spec, 3))[-1]


@pytest.mark.parametrize("spec", SHAPES, ids=lambda spec: "x" if spec is None else None)
def test_every_number_of_the_reference_is_what_its_recipe_says(spec):
    checked = 0
    for quantity in traced(case_of(spec)).values():
        for index in np.ndindex(quantity.shape):
            why = quantity.explain(*index)
            again = why.evaluate()
            assert why.value == again or abs(why.value - again) <= why.tolerance, why.label
            checked += quantity.operation is not None
    assert checked > 50


@pytest.mark.parametrize("spec", SHAPES, ids=lambda spec: "x" if spec is None else None)
@pytest.mark.parametrize("mistake", LIBRARY, ids=lambda one: one.name)
def test_both_sides_end_with_the_outputs_whatever_the_mistake(spec, mistake):
    case = case_of(spec)
    last = list(traced(case).values())[-1].values
    np.testing.assert_allclose(last, without_batch(attention_of(case).values["output"], last), rtol=1e-12)
    try:
        done = attention_of(case, [mistake.changes]).values["output"]
        found = smallest(case, done, attention_of(case).values["output"], [mistake])
    except IMPOSSIBLE:
        return
    if found is None or found.done is None:
        return
    last = list(found.done.values())[-1].values
    np.testing.assert_allclose(last, without_batch(done, last), rtol=1e-12)
    report = ch.Report(False, "does not agree", 0, step=found.step, smallest=found, found=(mistake,))
    assert Session(report=report).ask({"ask": "report"}).data["kind"] == "report"


def without_batch(array: np.ndarray, like: np.ndarray) -> np.ndarray:
    return array.reshape(like.shape)
