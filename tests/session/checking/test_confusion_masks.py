"""Mistakes with masks and padding, as a person writes them: each is named, and no other is."""

import math

import numpy as np
import pytest

from clearhead.session.checking import check

torch = pytest.importorskip("torch")


def softmax(scores):
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def scores_of(q, k):
    return q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])


def seen_by(q, k):
    return torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()


def forgets_it(q, k, v, is_causal=False):
    return torch.softmax(scores_of(q, k), -1) @ v


def forgets_what_it_is_handed(q, k, v, mask):
    return torch.softmax(scores_of(q, k), -1) @ v


def means_the_opposite(q, k, v, mask=None):
    scores = scores_of(q, k)
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    return torch.softmax(scores, -1) @ v


def upside_down(q, k, v):
    hidden = torch.tril(torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool), -1)
    return torch.softmax(scores_of(q, k).masked_fill(hidden, float("-inf")), -1) @ v


def hides_itself(q, k, v):
    hidden = torch.triu(torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool), 0)
    return torch.softmax(scores_of(q, k).masked_fill(hidden, float("-inf")), -1) @ v


def looks_ahead(q, k, v):
    seen = np.tri(q.shape[-2], k.shape[-2], 1, dtype=bool)
    return softmax(np.where(seen, scores_of(q, k), -np.inf)) @ v


def masks_the_weights(q, k, v, causal=True):
    weights = torch.softmax(scores_of(q, k), -1)
    return (weights.masked_fill(~seen_by(q, k), 0.0) if causal else weights) @ v


def adds_what_may_be_seen(q, k, v, causal=True):
    scores = scores_of(q, k)
    return torch.softmax(scores + seen_by(q, k).to(scores) if causal else scores, -1) @ v


def adds_what_is_hidden(q, k, v):
    return torch.softmax(scores_of(q, k) + (~seen_by(q, k)).double(), -1) @ v


def multiplies_scores(q, k, v):
    return softmax(scores_of(q, k) * np.tri(q.shape[-2], k.shape[-2])) @ v


def fills(fill, exactly=True):
    def filling(q, k, v):
        scores = scores_of(q, k)
        hidden = ~seen_by(q, k)
        lower = torch.full_like(scores, fill) if exactly else scores + fill
        return torch.softmax(torch.where(hidden, lower, scores), -1) @ v

    return filling


def forgets_a_sign(q, k, v):
    return softmax(np.where(np.tri(q.shape[-2], k.shape[-2], dtype=bool), scores_of(q, k), 1e9)) @ v


def pads_rows(q, k, v, key_padding_mask=None):
    scores = scores_of(q, k)
    if key_padding_mask is not None:
        scores = scores.masked_fill(key_padding_mask[:, None, :, None], float("-inf"))
    return torch.softmax(scores, -1) @ v


def pads_as_the_first(q, k, v, key_padding_mask=None):
    scores = scores_of(q, k)
    if key_padding_mask is not None:
        scores = scores.masked_fill(key_padding_mask[0], float("-inf"))
    return torch.softmax(scores, -1) @ v


def windows(before, size=3):
    """A window whose first key is as many positions before the query."""

    def windowed(q, k, v):
        query, key = np.ogrid[: q.shape[-2], : k.shape[-2]]
        seen = (key <= query) & (query - key <= before)
        return softmax(np.where(seen, scores_of(q, k), -np.inf)) @ v

    return windowed


WRONG = (
    ("no-mask", forgets_it, {}),
    ("no-mask", forgets_what_it_is_handed, {"mask_means": "seen"}),
    ("no-mask", forgets_it, {"layout": "td", "dtype": "float32"}),
    ("mask-inverted", means_the_opposite, {"mask_means": "seen"}),
    ("mask-transposed", upside_down, {"mask": "causal"}),
    ("mask-hides-itself", hides_itself, {"mask": "causal"}),
    ("mask-sees-next", looks_ahead, {"mask": "causal"}),
    ("mask-after-softmax", masks_the_weights, {}),
    ("mask-added-as-numbers", adds_what_may_be_seen, {}),
    ("mask-added-as-numbers", adds_what_is_hidden, {"mask": "causal"}),
    ("hidden-scores-zero", multiplies_scores, {"mask": "causal"}),
    ("fill-positive", forgets_a_sign, {"mask": "causal"}),
    ("padding-on-queries", pads_rows, {"mask_means": "hidden"}),
    ("padding-of-first-sentence", pads_as_the_first, {"mask_means": "hidden"}),
    ("window-off-by-one", windows(3), {"mask": "causal & window(3)"}),
    ("window-off-by-one", windows(1), {"mask": "causal & window(3)"}),
    ("no-window", windows(math.inf), {"mask": "causal & window(3)"}),
)


def test_a_window_that_is_too_wide_is_one():
    report = check(windows(99), mask="causal & window(3)")

    assert report.mistakes == (), report
    assert report.step == "masked"
    assert "only earlier keys are let through" in report.parting.pattern


FILLS = {
    -5.0: "-5",
    -10.0: "-10",
    -50.0: "-50",
    -37.0: "-37",
    -100.0: "-100",
    -1e3: "-1000",
    -1e4: "-10000",
    -32768.0: "-32768",
}
"""What a hidden score is set to, and how that is said: it is measured, also where few answers show it."""
LARGE = {-65504.0: "-65504", -1e5: "-100000"}


@pytest.mark.parametrize(
    ("name", "function", "told"), WRONG, ids=[f"{name}, {function.__name__}" for name, function, _ in WRONG]
)
def test_the_mistake_is_named(name, function, told):
    report = check(function, **told)

    assert report.mistakes == (name,), report
    assert not report.agrees


@pytest.mark.parametrize(("fill", "said"), ({-1.0: "-1"} | FILLS | LARGE).items())
def test_a_fill_that_hides_too_little_is_named_with_its_number(fill, said):
    report = check(fills(fill), mask="causal")

    assert report.mistakes == ("fill-too-small",), report
    assert f"gives hidden scores {said}," in report.verdict


@pytest.mark.parametrize(("lowered", "said"), FILLS.items())
def test_scores_that_are_lowered_too_little_are_told_from_filled_ones(lowered, said):
    report = check(fills(lowered, exactly=False), mask="causal")

    assert report.mistakes == ("fill-too-small",), report
    assert f"lowers hidden scores by {said.replace('-', '')} " in report.verdict


def test_hidden_scores_1_lower_are_seen_scores_1_higher():
    """The same numbers; it is said in the way in which it is met."""
    assert check(fills(-1.0, exactly=False), mask="causal").mistakes == ("mask-added-as-numbers",)


@pytest.mark.parametrize("exactly", [True, False], ids=["filled", "added"])
@pytest.mark.parametrize("fill", [-1e9, -1e12, torch.finfo(torch.float32).min, float("-inf")])
def test_a_fill_that_hides_is_none(fill, exactly):
    assert check(fills(fill, exactly), mask="causal").agrees
