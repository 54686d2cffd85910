"""Wrong functions that are no mistake of the library: the right step and pattern, and never a name."""

import math

import pytest

from clearhead.session.checking import check

torch = pytest.importorskip("torch")


def scaled(q, k):
    return q @ k.mT / math.sqrt(q.shape[-1])


def tril(q, k, diagonal=0):
    return torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(diagonal)


def hidden(scores, seen):
    return scores.masked_fill(~seen, -math.inf)


def apart(q, k):
    return (torch.arange(q.shape[-2])[:, None] - torch.arange(k.shape[-2])).abs().to(q)


def hyperbolic(q, k, v):
    return torch.tanh(scaled(q, k).softmax(-1)) @ v


def squared(q, k, v):
    weights = scaled(q, k).softmax(-1).square()
    return weights / weights.sum(-1, keepdim=True).sqrt() @ v


def by_logarithm(q, k, v):
    return (q @ k.mT / math.log(q.shape[-1])).softmax(-1) @ v


def cooler(q, k, v):
    return (scaled(q, k) / 0.9).softmax(-1) @ v


def a_little_cooler(q, k, v):
    return (scaled(q, k) * 1.01).softmax(-1) @ v


def two_ahead(q, k, v):
    return hidden(scaled(q, k), tril(q, k, 2)).softmax(-1) @ v


def two_behind(q, k, v):
    seen = tril(q, k, -2) | torch.eye(q.shape[-2], dtype=torch.bool)
    return hidden(scaled(q, k), seen).softmax(-1) @ v


def window_of_five(q, k, v):
    return hidden(scaled(q, k), tril(q, k) & ~tril(q, k, -4)).softmax(-1) @ v


def first_key_unseen(q, k, v):
    seen = tril(q, k)
    seen[1:, 0] = False
    return hidden(scaled(q, k), seen).softmax(-1) @ v


def one_head_negated(q, k, v):
    signs = torch.ones(q.shape[1], 1, 1).to(q)
    signs[1] = -1
    return (scaled(q, k) * signs).softmax(-1) @ v


def projected_at_random(q, k, v):
    drawn = torch.randn(k.shape[-2], k.shape[-2], generator=torch.Generator().manual_seed(3)).to(q)
    return (scaled(q, k) @ drawn).softmax(-1) @ v


def three_largest(q, k, v):
    scores = scaled(q, k)
    least = scores.topk(3, dim=-1).values[..., -1:]
    return scores.masked_fill(scores < least, -math.inf).softmax(-1) @ v


def distance_bias(q, k, v):
    return (scaled(q, k) - 0.3 * apart(q, k)).softmax(-1) @ v


def values_one_on(q, k, v):
    weights = scaled(q, k).softmax(-1)
    return weights @ v.roll(1, dims=-2), weights


def one_sentence_off(q, k, v):
    output = scaled(q, k).softmax(-1) @ v
    output[1] = 0
    return output


def values_doubled(q, k, v):
    weights = scaled(q, k).softmax(-1)
    return 2 * (weights @ v), weights


def values_centred(q, k, v):
    return scaled(q, k).softmax(-1) @ (v - v.mean(-1, keepdim=True))


def other_base(q, k, v):
    """Rotary positions with a base of 100."""

    def turned(x):
        length, width = x.shape[-2:]
        angles = torch.outer(torch.arange(length), 100.0 ** (-torch.arange(0, width, 2) / width)).to(x)
        a, b = x.chunk(2, -1)
        return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)

    return scaled(turned(q), turned(k)).softmax(-1) @ v


def relu(q, k, v):
    weights = scaled(q, k).relu()
    return weights / (weights.sum(-1, keepdim=True) + 1e-6) @ v


def uneven_base(q, k, v):
    """Base 3."""
    return (scaled(q, k) * math.log(3)).softmax(-1) @ v


def last_row_uniform(q, k, v):
    weights = scaled(q, k).softmax(-1).clone()
    weights[..., -1, :] = 1 / k.shape[-2]
    return weights @ v


def a_part_of_the_width(q, k, v):
    return scaled(q[..., :-1], k[..., :-1]).softmax(-1) @ v


def weights_clipped(q, k, v):
    return scaled(q, k).softmax(-1).clamp(min=0.05) @ v


def bounded(q, k, v):
    """Only large scores show it."""
    return scaled(q, k).clamp(max=30).softmax(-1) @ v


def bounded_below(q, k, v):
    return scaled(q, k).clamp(min=-30).softmax(-1) @ v


def window_of_nine(q, k, v):
    """Only more positions show it."""
    return hidden(scaled(q, k), tril(q, k) & ~tril(q, k, -9)).softmax(-1) @ v


def weights_a_little_more(q, k, v):
    """In every row by another factor, and by another in each question."""
    weights = scaled(q, k).softmax(-1)
    return weights * (1 + 0.01 * weights.max(-1, keepdim=True).values) @ v


def divided_by_eight(q, k, v):
    """The root of 64, the width of a head in the code that it was copied from."""
    return (q @ k.mT / 8).softmax(-1) @ v


def divided_by_a_fourth_root(q, k, v):
    """The keys were to be divided by it, too."""
    return (q * q.shape[-1] ** -0.25 @ k.mT).softmax(-1) @ v


def divided_though_told_not_to(q, k, v):
    """Divided by the root where the reference multiplies by a number, as T5 does by 1."""
    return scaled(q, k).softmax(-1) @ v


def root_mean_square(x, *axes):
    return x * torch.rsqrt(x.square().mean(axes or (-1,), keepdim=True) + 1e-6)


def queries_and_keys_normed(q, k, v):
    return scaled(root_mean_square(q), root_mean_square(k)).softmax(-1) @ v


def queries_normed(q, k, v):
    return scaled(root_mean_square(q), k).softmax(-1) @ v


def normed_over_all_heads(q, k, v):
    return scaled(root_mean_square(q, -3, -1), root_mean_square(k, -3, -1)).softmax(-1) @ v


def layer_normed(q, k, v):
    norm = torch.nn.functional.layer_norm
    return scaled(norm(q, q.shape[-1:]), norm(k, k.shape[-1:])).softmax(-1) @ v


def keys_of_length_one(q, k, v):
    return scaled(q, torch.nn.functional.normalize(k, dim=-1)).softmax(-1) @ v


def ten_times_the_cosine(q, k, v):
    q, k = torch.nn.functional.normalize(q, dim=-1), torch.nn.functional.normalize(k, dim=-1)
    return (10 * q @ k.mT).softmax(-1) @ v


def kept_within_five(q, k, v):
    return scaled(q, k).clamp(-5, 5).softmax(-1) @ v


def kept_within_five_and_causal(q, k, v):
    return hidden(scaled(q, k).clamp(-5, 5), tril(q, k)).softmax(-1) @ v


def kept_above_minus_three(q, k, v):
    return scaled(q, k).clamp(min=-3).softmax(-1) @ v


def products_kept_within_twenty(q, k, v):
    return ((q @ k.mT).clamp(-20, 20) / math.sqrt(q.shape[-1])).softmax(-1) @ v


def capped(q, k, v):
    return (20 * (scaled(q, k) / 20).tanh()).softmax(-1) @ v


def second_head_is_the_first(q, k, v):
    blended = scaled(q, k).softmax(-1) @ v
    return torch.cat([blended[:, :1], blended[:, :1], blended[:, 2:]], dim=1)


def last_sentence_is_the_first(q, k, v):
    blended = scaled(q, k).softmax(-1) @ v
    return torch.cat([blended[:-1], blended[:1]])


BHTD = {"layout": "bhtd"}
HELD_OUT = (
    (hyperbolic, BHTD, "weights", "rows add up to"),
    (squared, BHTD, "weights", "rows add up to"),
    (by_logarithm, BHTD, "scaled", "the scores are between 1.383 and 1.455 times"),
    (cooler, BHTD, "scaled", "the scores are 1.111 times"),
    (a_little_cooler, BHTD, "scaled", "the scores are 1.01 times"),
    (uneven_base, BHTD, "scaled", "the scores are 1.099 times"),
    (two_ahead, {"mask": "causal"} | BHTD, "masked", "only later keys are let through"),
    (two_behind, {"mask": "causal"} | BHTD, "masked", "only earlier keys are hidden"),
    (window_of_five, {"mask": "causal & window(2)"} | BHTD, "masked", "only earlier keys are let through"),
    (first_key_unseen, {"mask": "causal"} | BHTD, "masked", "only earlier keys are hidden"),
    (one_head_negated, BHTD, "scaled", "some scores are -1 times what they should be, only head 1 is off"),
    (projected_at_random, BHTD, "scores", ""),
    (three_largest, BHTD, "masked", "keys are hidden"),
    (distance_bias, BHTD, "scores", "each position of distance changes the score by -0.3"),
    (other_base, {"rotary": "halves"} | BHTD, "scores", "grows with the distance"),
    (values_one_on, BHTD, "mixed", ""),
    (one_sentence_off, BHTD, "weights", "only sentence 1 is off"),
    (values_doubled, BHTD, "mixed", "all numbers are 2 times"),
    (values_centred, BHTD, "mixed", "the same for all features"),
    (relu, BHTD, "weights", "some are 0 that should not be"),
    (last_row_uniform, BHTD, "scores", "only the last query is off"),
    (a_part_of_the_width, BHTD, "scores", ""),
    (weights_clipped, BHTD, "weights", "rows add up to"),
    (bounded, BHTD, "scores", "only where scores are large"),
    (bounded_below, BHTD, "scores", "scores below -30 count as -30, only where scores are far below 0"),
    (
        window_of_nine,
        {"mask": "causal"} | BHTD,
        "masked",
        "only earlier keys are hidden, only with other sizes",
    ),
    (divided_by_eight, BHTD, "scaled", "divided by 8, the root of 64, whatever the width of a head"),
    (divided_by_a_fourth_root, BHTD, "scaled", "divided by d_head to the power of 0.25, not of 0.5"),
    (
        divided_though_told_not_to,
        {"scale": 1.0} | BHTD,
        "scaled",
        "divided by d_head to the power of 0.5, not multiplied by 1",
    ),
    (
        divided_though_told_not_to,
        {"scale": 2.0} | BHTD,
        "scaled",
        "divided by d_head to the power of 0.5, not multiplied by 2",
    ),
    (divided_by_eight, {"scale": 1.0} | BHTD, "scaled", "the scores are 0.125 times"),
    (
        queries_and_keys_normed,
        BHTD,
        "scores",
        "queries and keys are brought to a root mean square of 1 first",
    ),
    (queries_normed, BHTD, "scores", "queries are brought to a root mean square of 1 first"),
    (normed_over_all_heads, BHTD, "scores", "a root mean square of 1 over all heads together first"),
    (layer_normed, BHTD, "scores", "queries and keys are brought to a mean of 0 and a variance of 1 first"),
    (keys_of_length_one, BHTD, "scores", "keys are brought to a length of 1 first"),
    (ten_times_the_cosine, BHTD, "scores", "scores are 10 times the cosines of queries and keys"),
    (kept_within_five, BHTD, "scores", "scores are kept between -5 and 5"),
    (kept_within_five_and_causal, {"mask": "causal"} | BHTD, "scores", "scores are kept between -5 and 5"),
    (kept_above_minus_three, BHTD, "scores", "scores below -3 count as -3"),
    (products_kept_within_twenty, BHTD, "scores", "kept between -20 and 20 before they are scaled"),
    (
        capped,
        BHTD,
        "scores",
        "scores are 20 · tanh(score / 20): if a soft cap is meant, check it with soft_cap=20",
    ),
    (second_head_is_the_first, BHTD, "mixed", "head 1 has the numbers of head 0"),
    (last_sentence_is_the_first, BHTD, "mixed", "sentence 1 has the numbers of sentence 0"),
    (weights_a_little_more, BHTD, "weights", "and 1.01, each row by one factor"),
)


@pytest.mark.parametrize(
    ("function", "told", "step", "pattern"), HELD_OUT, ids=[one[0].__name__ for one in HELD_OUT]
)
def test_what_nothing_known_explains_gets_its_step_and_pattern(function, told, step, pattern):
    report = check(function, **told)

    assert not report.agrees
    assert report.mistakes == (), report
    assert report.step == step, report
    assert pattern in report.parting.pattern, report


def test_the_soft_cap_that_is_told_to_be_checked_is_the_right_one():
    assert check(capped, soft_cap=20, layout="bhtd").agrees


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("function", [cooler, hyperbolic, distance_bias, squared])
def test_a_short_type_hides_none_of_it(function, dtype):
    """Rounding is no excuse, and no pair of mistakes comes near enough to be named."""
    report = check(function, library="torch", dtype=dtype, layout="bhtd")

    assert not report.agrees
    assert report.mistakes == (), report


PATTERNS = (
    "times what they should be",
    "grows",
    "position of distance",
    "only sentence",
    "only head",
    "only query",
)


@pytest.mark.parametrize(
    "function", [bounded, bounded_below, window_of_nine, projected_at_random, a_part_of_the_width]
)
def test_a_pattern_that_does_not_hold_everywhere_is_not_said(function):
    """On the one question that shows it a bound looks like a factor of 0, and a window like one query alone."""
    report = check(function, mask="causal" if function is window_of_nine else "none", layout="bhtd")

    assert not any(one in report.verdict for one in PATTERNS), report


def turned(x, base=10000.0):
    length, width = x.shape[-2:]
    angles = torch.outer(torch.arange(length), base ** (-torch.arange(0, width, 2) / width)).to(x)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack(
        [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1
    ).flatten(-2)


def rotary(base):
    return lambda q, k, v: scaled(turned(q, base), turned(k, base)).softmax(-1) @ v


def alibi(q, k, v):
    """Four heads, slopes 1/4, 1/16, 1/64 and 1/256."""
    slopes = torch.tensor([1 / 4, 1 / 16, 1 / 64, 1 / 256])[:, None, None].to(q)
    return (scaled(q, k) - slopes * apart(q, k)).softmax(-1) @ v


def causal(q, k, v):
    return hidden(scaled(q, k), tril(q, k)).softmax(-1) @ v


@pytest.mark.parametrize(
    ("function", "told", "hint"),
    [
        (rotary(10000.0), {"d_head": 14}, "rotary='interleaved'"),
        (rotary(500000.0), {"d_head": 14}, "rotary='interleaved', rotary_base=500000.0"),
        (rotary(500000.0), {"rotary": "interleaved"}, "rotary_base=500000.0"),
        (alibi, {"heads": 4}, "alibi=True"),
        (causal, {}, "mask='causal'"),
    ],
    ids=["rotary", "base and pairs", "base", "alibi", "causal"],
)
def test_what_was_not_told_and_would_explain_it_is_a_hint_and_no_agreement(function, told, hint):
    report = check(function, mask="none", library="torch", layout="bhtd", **told)

    assert not report.agrees
    assert not report.mistakes
    assert report.verdict.startswith(
        f"does not agree, and would with {hint}: if that is meant, check it so; "
    )
