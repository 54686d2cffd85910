"""Mistakes inside a module, whose scores are only reached through its weights: each is named with its number."""

import math

import pytest

from clearhead.session.checking import check

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional

D, HEADS = 21, 3


class Attention(nn.Module):
    """Causal, with one layer for queries, keys and values; `inside` makes weights of scores and what is hidden."""

    def __init__(self, inside=None, after=None):
        super().__init__()
        self.num_heads, self.inside, self.after = HEADS, inside, after
        self.qkv, self.out_proj = nn.Linear(D, 3 * D), nn.Linear(D, D)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        hidden = torch.ones(scores.shape[-2:]).triu(1).bool()
        weights = (self.inside or filled(-math.inf))(scores, hidden)
        mixed = (weights @ v).transpose(1, 2).flatten(2)
        return self.after(self, x, self.out_proj(mixed)) if self.after else self.out_proj(mixed)


def exponential(scores, hidden):
    weights = scores.masked_fill(hidden, -math.inf).exp()
    return weights / weights.sum(-1, keepdim=True)


def less_the_largest_of_all(scores, hidden):
    return exponential(scores - scores.max(), hidden)


@pytest.mark.parametrize(
    ("inside", "name"),
    [(exponential, "exponential-overflows"), (less_the_largest_of_all, "largest-of-everything")],
)
@pytest.mark.parametrize("mask", ["causal", None])
def test_a_softmax_by_hand_is_told_from_the_other(inside, name, mask):
    report = check(Attention(inside), mask=mask)

    assert report.mistakes == (name,), report
    assert not report.possible


def filled(fill):
    return lambda scores, hidden: scores.masked_fill(hidden, fill).softmax(-1)


def lowered(by):
    return lambda scores, hidden: (scores - by * hidden).softmax(-1)


@pytest.mark.parametrize("fill", [10, 37, 1000, 10000, 65504, 100000])
def test_a_fill_in_a_module_is_said_as_it_is(fill):
    report = check(Attention(filled(-fill)), mask="causal")

    assert report.mistakes == ("fill-too-small",), report
    assert f"gives hidden scores -{fill}, not -inf" in report.verdict


@pytest.mark.parametrize("by", [10, 37, 1000, 10000])
def test_a_lowered_score_in_a_module_is_said_as_it_is(by):
    report = check(Attention(lowered(by)), mask="causal")

    assert report.mistakes == ("fill-too-small",), report
    assert f"lowers hidden scores by {by} and no further" in report.verdict


def test_up_to_where_a_large_fill_is_harmless():
    """e^-104 is 0 in float32: a score of -9,896 still lies so far above -10,000."""
    assert "while scores stay above -9896," in check(Attention(filled(-1e4)), mask="causal").verdict
    assert "while scores are less than 9896 apart," in check(Attention(lowered(1e4)), mask="causal").verdict
    assert "harmless" not in check(Attention(filled(-100.0)), mask="causal").verdict


def test_a_fill_that_cannot_be_measured_gets_no_number():
    """Its weights are its own, so that its scores cannot be brought near the fill."""

    class Alone(Attention):
        def __deepcopy__(self, memo):
            raise TypeError("there is one of me")

    module = Alone(filled(-1e3))
    with torch.no_grad():
        for one in module.parameters():
            one *= 20
    report = check(module, mask="causal")
    assert report.mistakes == ("fill-too-small",), report
    assert "gives hidden scores some number, not -inf" in report.verdict


def test_an_added_mask_without_its_minus_sign():
    assert check(Attention(lowered(-1e4)), mask="causal").mistakes == ("fill-positive",)


def adds_x(self, x, output):
    return x + output


def projects_again(self, x, output):
    return self.out_proj(output)


@pytest.mark.parametrize(
    ("after", "name"), [(adds_x, "input-added"), (projects_again, "output-projection-twice")]
)
def test_what_stands_around_the_attention(after, name):
    assert check(Attention(after=after), mask="causal").mistakes == (name,)


@pytest.mark.parametrize("norm", [nn.LayerNorm(D), nn.LayerNorm(D, eps=1e-6), nn.RMSNorm(D, eps=1e-6)])
def test_a_norm_inside(norm):
    class Normed(Attention):
        def __init__(self):
            super().__init__()
            self.norm = norm

        def forward(self, x):
            return super().forward(self.norm(x))

    report = check(Normed(), mask="causal")
    assert report.mistakes == ("input-normed",), report
    assert type(norm).__name__ in report.verdict


class Wrapped(nn.Module):
    """x is (batch, positions, D), and the layer inside takes (positions, batch, D)."""

    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(D, HEADS)

    def forward(self, x):
        return self.attn(x, x, x, need_weights=False)[0]


def test_batch_first_forgotten():
    report = check(Wrapped(), layout="btD", mask="none")

    assert report.mistakes == ("attends-over-batch",), report
    assert str(report)  # of one sentence its scores have another shape than the right ones


def test_a_module_of_few_positions_is_not_said_to_attend_over_the_batch():
    class Short(Attention):
        def forward(self, x):
            return super().forward(x + torch.zeros(1, 4, 1))

    report = check(Short(), mask="causal")
    assert not report.mistakes
    assert report.verdict.startswith(
        "could not be checked: it raises RuntimeError: The size of tensor a (5) must match"
    )


class Dropping(Attention):
    """Drops in evaluation mode, too."""

    def __init__(self, factor=1.0):
        super().__init__(lambda scores, hidden: F.dropout(filled(-math.inf)(scores * factor, hidden), 0.1))


def test_dropout_that_evaluation_mode_does_not_switch_off_is_no_agreement():
    report = check(Dropping(), mask="causal")

    assert not report.agrees
    assert report.mistakes == ("dropout-in-evaluation",)
    assert "at a rate of 0.1; without that it agrees with the reference" in report.verdict


def test_a_mistake_beside_such_dropout():
    report = check(Dropping(math.sqrt(D // HEADS)), mask="causal")

    assert report.mistakes == ("no-scale", "dropout-in-evaluation")
    # The example is as the function would answer if it dropped nothing: a whole number beside another.
    assert report.smallest is None or report.smallest.step == "scaled"


def test_dropout_beside_training_false():
    def attention(q, k, v, training=True):
        return F.dropout((q @ k.mT / q.shape[-1] ** 0.5).softmax(-1), 0.2) @ v

    assert check(attention, layout="bhtd").mistakes == ("dropout-in-evaluation",)
