"""What a person's function does beside answering: each is said plainly; what was not seen is not called agreement."""

import math
import time

import numpy as np
import pytest

from clearhead.session.checking import check


def attention(q, k, v):
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True) @ v


def verdict(function, **keywords):
    report = check(function, layout="bhtd", mask="none", **keywords)
    return report, str(report).splitlines()[0]


def test_one_that_raises():
    def raising(q, k, v):
        raise RuntimeError("no such luck")

    report, line = verdict(raising)
    assert not report.agrees
    assert "it raises RuntimeError: no such luck (line " in line
    assert "of raising)" in line


def test_one_that_raises_on_some_questions_alone():
    def raising(q, k, v):
        if np.abs(q @ k.swapaxes(-1, -2)).max() > 1e3:
            raise OverflowError("too large")
        return attention(q, k, v)

    report, line = verdict(raising)
    assert not report.agrees
    assert "it raises OverflowError: too large" in line
    assert "asked the question" in line


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_one_that_ends_the_program(error):
    def leaving(q, k, v):
        raise error("bye")

    assert f"it raises {error.__name__}: bye" in verdict(leaving)[1]


def test_one_that_does_not_return():
    def hanging(q, k, v):
        while True:
            time.sleep(0.001)

    report, line = verdict(hanging, time_limit=0.2)
    assert not report.agrees
    assert "it did not return within 0.2 seconds, and was stopped" in line


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (
            lambda q, k, v: attention(q, k, v)[..., :5],
            "it returns an array of shape (2, 3, 5, 5); expected (2, 3, 5, 11)",
        ),
        (
            lambda q, k, v: attention(q, k, v)[0, 0],
            "it returns an array of shape (5, 11); expected (2, 3, 5, 11)",
        ),
        (
            lambda q, k, v: attention(q, k, v).astype(int),
            "what it returns has the type int64; expected floating-point",
        ),
        (
            lambda q, k, v: attention(q, k, v) > 0,
            "what it returns has the type bool; expected floating-point",
        ),
        (lambda q, k, v: None, "it returns nothing; expected the output, or (output, weights)"),
        (
            lambda q, k, v: "attention",
            "what it returns is of the type str; expected an array of NumPy, PyTorch or JAX",
        ),
        (lambda q, k, v: 1.0, "what it returns is of the type float"),
        (lambda q, k, v: [1.0, 2.0], "it returns an array of shape (2,); expected (2, 3, 5, 11)"),
        (lambda q, k, v: {}, "it returns nothing"),
    ],
)
def test_one_that_returns_something_else(wrong, says):
    report, line = verdict(wrong)
    assert not report.agrees
    assert not report.mistakes
    assert says in line


def test_one_that_gives_nan():
    report, _ = verdict(lambda q, k, v: attention(q, k, v) * np.nan)
    assert not report.agrees
    assert any(note.startswith("it gives NaN on the questions plain, ") for note in report.notes)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_one_that_changes_its_inputs(library):
    torch = pytest.importorskip("torch")

    def changing(q, k, v):
        before = q + 0
        q /= math.sqrt(q.shape[-1])
        scores = q @ (k.mT if library == "torch" else k.swapaxes(-1, -2))
        q[:] = before * 2
        if library == "torch":
            return torch.softmax(scores, -1) @ v
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        return shares / shares.sum(-1, keepdims=True) @ v

    report, _ = verdict(changing, library=library)
    assert report.agrees, report
    assert "it changes its input q in place" in report.notes


def test_one_that_prints(capsys):
    def printing(q, k, v):
        print("here I am")
        return attention(q, k, v)

    report, _ = verdict(printing)
    assert report.agrees
    assert "it prints something when it is called" in report.notes
    assert capsys.readouterr().out == ""


def test_one_with_a_memory():
    calls = []

    def counting(q, k, v):
        calls.append(1)
        return attention(q, k, v) + 0.1 * len(calls)

    report, line = verdict(counting)
    assert not report.agrees
    assert "it keeps something from one call to the next" in line


def test_one_that_adds_chance():
    report, line = verdict(lambda q, k, v: attention(q, k, v) + np.random.normal(size=q.shape))
    assert not report.agrees
    assert "change from call to call with the random numbers it draws" in line


@pytest.mark.parametrize("rate", [0.1, 0.4])
@pytest.mark.parametrize("form", ["numpy", "torch", "x"])
def test_dropout_left_on_is_said_with_its_rate(form, rate):
    torch = pytest.importorskip("torch")

    def dropped(shares):
        if form == "torch":
            return torch.nn.functional.dropout(shares, rate)
        return shares * (np.random.random(shares.shape) >= rate) / (1 - rate)

    def weights(q, k):
        if form == "torch":
            return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1)
        return attention(q, k, np.broadcast_to(np.eye(k.shape[-2]), (*k.shape[:-1], k.shape[-2])))

    def of_x(x, W_Q, W_K, W_V):
        return dropped(weights(x @ W_Q, x @ W_K)) @ (x @ W_V)

    report = check(
        of_x if form == "x" else lambda q, k, v: dropped(weights(q, k)) @ v,
        library="torch" if form == "torch" else "numpy", layout=None if form == "x" else "bhtd", mask="none",
    )  # fmt: skip
    assert report.agrees, report
    assert f"dropout is left on, at a rate of {rate:g}" in report.verdict
    assert not report.mistakes


def test_a_mistake_is_found_behind_dropout():
    def wrong(q, k, v):
        shares = np.exp(q @ k.swapaxes(-1, -2) / 16)
        shares /= shares.sum(-1, keepdims=True)
        return shares * (np.random.random(shares.shape) >= 0.25) / 0.75 @ v

    report, _ = verdict(wrong)
    assert not report.agrees


def test_returned_weights_that_are_not_those_it_mixes_with():
    def scores_for_weights(q, k, v):
        return attention(q, k, v), q @ k.swapaxes(-1, -2)

    def mean_over_heads(q, k, v):
        weights = attention(q, k, np.broadcast_to(np.eye(k.shape[-2]), (*k.shape[:-1], k.shape[-2])))
        return weights @ v, weights.mean(1)

    assert any(
        "the weights it returns are not those" in note for note in verdict(scores_for_weights)[0].notes
    )
    report, _ = verdict(mean_over_heads)
    assert report.agrees
    assert not any("the weights it returns" in note for note in report.notes)


def test_generators_are_as_they_were():
    np.random.seed(7)
    expected = np.random.random(3)
    np.random.seed(7)
    verdict(lambda q, k, v: attention(q, k, v) + np.random.normal(size=q.shape))
    assert np.array_equal(np.random.random(3), expected)
