"""What looks right on the usual questions, or is explained by chance: said as what it is."""

import math

import pytest
import torch

from clearhead.session.checking import check


def weights_of(q, k):
    return torch.softmax(q @ k.mT / q.size(-1) ** 0.5, -1)


def leaking(q, k, v, mask=None):
    """As BERT hides: 1 may be seen, 0 is lowered, here by 10 and no further."""
    scores = q @ k.mT / q.size(-1) ** 0.5
    if mask is not None:
        scores = scores + (1.0 - mask) * -10.0
    return torch.softmax(scores, -1) @ v


def adding(q, k, v, mask=None):
    scores = q @ k.mT / q.size(-1) ** 0.5
    return torch.softmax(scores if mask is None else scores + mask, -1) @ v


def test_a_mask_of_1_and_0_is_not_read_as_one_that_is_added():
    """Added as 0 and -inf it would hide perfectly: (1 - -inf) * -10 is -inf, too."""
    report = check(leaking)
    assert report.mistakes == ("fill-too-small",)
    assert "its mask is taken to be 1 where a key may be seen and 0 where it is hidden" in report.notes
    right = check(adding)
    assert right.agrees
    assert any("added to the scores" in note for note in right.notes)


def nothing(q, k, v):
    return weights_of(q, k) @ v * math.nan


def emptying(q, k, v):
    v.zero_()
    return weights_of(q, k) @ v


@pytest.mark.parametrize(
    ("function", "says"),
    [(nothing, "it gives NaN whatever it is asked"), (emptying, "it returns 0 whatever it is asked")],
)
def test_an_answer_that_is_always_the_same_gets_no_invented_mistake(function, says):
    report = check(function)
    assert (report.agrees, report.mistakes, report.verdict) == (False, (), f"does not agree: {says}")


def five_positions(q, k, v):
    hidden = torch.ones(5, 5).triu(1).bool()
    return torch.softmax((q @ k.mT / q.size(-1) ** 0.5).masked_fill(hidden, -torch.inf), -1) @ v


def width_eleven(q, k, v):
    return torch.softmax(q @ k.mT / 11**0.5, -1) @ v


def window_of_eight(q, k, v):
    place = torch.arange(q.size(-2))
    hidden = (place > place[:, None]) | (place <= place[:, None] - 8)
    return torch.softmax((q @ k.mT / q.size(-1) ** 0.5).masked_fill(hidden, -torch.inf), -1) @ v


def test_a_number_of_the_questions_in_the_code_is_found():
    raised = check(five_positions, mask="causal")
    assert not raised.agrees
    assert raised.verdict.endswith("asked the question 'plain, other sizes'")
    narrow = check(width_eleven)
    assert (narrow.agrees, narrow.step, narrow.mistakes) == (False, "scaled", ())
    assert "divided by 3.317, the root of 11, whatever the width of a head" in narrow.verdict
    longer = check(window_of_eight, mask="causal")
    assert (longer.agrees, longer.step, longer.mistakes) == (False, "masked", ())


def annotated(query, key, value, mask=None, dropout=None):
    """As in The Annotated Transformer: `dropout` is a module, or nothing."""
    weights = weights_of(query, key) if mask is None else None
    if weights is None:
        weights = torch.softmax((query @ key.mT / query.size(-1) ** 0.5).masked_fill(mask == 0, -1e9), -1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights


def test_a_dropout_that_is_nothing_stays_nothing():
    assert check(annotated).agrees


def test_a_function_that_raises_only_sometimes_is_reported_in_a_short_sentence():
    calls = []

    def sometimes(q, k, v):
        calls.append(1)
        if len(calls) % 4 == 0:
            raise RuntimeError("a long story " * 100)
        return weights_of(q, k) @ v

    report = check(sometimes)
    assert not report.agrees
    assert report.verdict.startswith("could not be checked: it raises RuntimeError: a long story ")
    assert len(report.verdict) < 500


def test_an_error_without_a_readable_message_is_reported():
    class Silent(Exception):
        def __str__(self):
            raise ValueError

    def raising(q, k, v):
        raise Silent

    assert "Silent: without a message that can be read" in check(raising).verdict


def test_a_class_is_refused():
    with pytest.raises(TypeError, match="check: MultiheadAttention is a class; expected an object of it"):
        check(torch.nn.MultiheadAttention)
