"""Attention that a module computes by itself, in each of the ways people write it, is taken for what it is."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from clearhead.sources.models.passes import run  # noqa: E402
from clearhead.sources.models.recorder import Recorder, attention_of  # noqa: E402
from clearhead.trace.capture.agreement import agreement_of  # noqa: E402
from clearhead.trace.capture.recompute import weights_of  # noqa: E402

SEQUENCES, POSITIONS, HEADS, D_HEAD = 2, 7, 3, 5
WIDTH = HEADS * D_HEAD

ROUNDING = 2e-6
"""A weight is at most 1, and the scores here stay below 10: some units in the last place of float32."""


class Own(nn.Module):
    """A module with attention of its own; `attend` gives what is mixed and the weights, (sequences, heads, ...)."""

    def __init__(self, heads=HEADS, d_head=D_HEAD, d_key=None):
        super().__init__()
        torch.manual_seed(11)
        self.num_heads, self.d_head = heads, d_head
        self.query = nn.Linear(WIDTH, heads * d_head)
        self.key = nn.Linear(WIDTH, d_key or heads * d_head)
        self.value = nn.Linear(WIDTH, d_key or heads * d_head)
        self.out = nn.Linear(heads * d_head, WIDTH)

    def split(self, x):
        return x.view(*x.shape[:2], -1, self.d_head).transpose(1, 2)

    def forward(self, x):
        q, k, v = (self.split(layer(x)) for layer in (self.query, self.key, self.value))
        mixed, self.weights = self.attend(q, k, v)
        return x + self.out(mixed.transpose(1, 2).reshape(*x.shape[:2], -1))


class Einsum(Own):
    def attend(self, q, k, v):
        weights = torch.einsum("bhid,bhjd->bhij", q, k).div(math.sqrt(self.d_head)).softmax(-1)
        return torch.einsum("bhij,bhjd->bhid", weights, v), weights


class PositionsFirst(Own):
    """Scores as (queries, keys, sequences, heads), as Transformer-XL's."""

    def attend(self, q, k, v):
        weights = F.softmax(torch.einsum("bhid,bhjd->ijbh", q, k) * 0.25, dim=1)
        return torch.einsum("ijbh,bhjd->bhid", weights, v), weights.permute(2, 3, 0, 1)


class KeysFirst(Own):
    """softmax over the first axis of (keys, queries), and values times weights."""

    def attend(self, q, k, v):
        weights = (k @ q.mT / self.d_head**0.5).softmax(dim=-2)
        return (v.mT @ weights).mT, weights.mT


class ScaledQuery(Own):
    def attend(self, q, k, v):
        q = q * self.d_head**-0.5
        weights = nn.Softmax(-1)(q @ k.transpose(-1, -2))
        return F.dropout(weights, 0.5, training=self.training) @ v, weights


class Folded(Own):
    """Heads in the batch, (sequences * heads, positions, d_head), the mask added on four axes, as OPT's."""

    def attend(self, q, k, v):
        b, h, t, d = q.shape
        q, k, v = (one.reshape(b * h, t, d) for one in (q * d**-0.5, k, v))
        scores = torch.bmm(q, k.transpose(1, 2)).view(b, h, t, t) + later(t)
        scores = torch.max(scores, torch.tensor(torch.finfo(scores.dtype).min)).view(b * h, t, t)
        weights = F.softmax(scores, dim=-1, dtype=torch.float32)
        return torch.bmm(weights, v).view(b, h, t, d), weights.view(b, h, t, t)


class Alibi(Own):
    """baddbmm with a linear bias, as BLOOM's; later keys filled in place."""

    def attend(self, q, k, v):
        b, h, t, d = q.shape
        q, k, v = (one.reshape(b * h, t, d) for one in (q, k, v))
        slopes = torch.tensor([0.5, 0.25, 0.125]).repeat(b)[:, None, None]
        bias = slopes * torch.arange(t).float()
        scores = torch.baddbmm(bias, q, k.transpose(1, 2), beta=1.0, alpha=1 / math.sqrt(d))
        scores = scores.view(b, h, t, t)
        scores.masked_fill_(later(t) < 0, -10_000.0)
        weights = scores.softmax(-1)
        return torch.bmm(weights.view(b * h, t, t), v).view(b, h, t, d), weights


class MultiQuery(Own):
    """All heads read one key head, the heads folded into the queries, as GPTBigCode's."""

    def __init__(self):
        super().__init__(d_key=D_HEAD)

    def attend(self, q, k, v):
        b, h, t, d = q.shape
        scores = q.transpose(1, 2).reshape(b, t * h, d) @ k[:, 0].transpose(1, 2) / math.sqrt(d)
        weights = scores.view(b, t, h, t).softmax(-1)
        mixed = (weights.view(b, t * h, t) @ v[:, 0]).view(b, t, h, d)
        return mixed.transpose(1, 2), weights.transpose(1, 2)


class Grouped(Own):
    """Two query heads read one key head; the groups are an axis of the product, so they are repeated before."""

    def __init__(self):
        super().__init__(heads=4, d_key=2 * D_HEAD)

    def attend(self, q, k, v):
        k, v = (one.repeat_interleave(2, dim=1) for one in (k, v))
        weights = torch.matmul(q, k.transpose(2, 3)).mul(0.3).softmax(-1)
        return torch.matmul(weights, v), weights


class Capped(Own):
    def attend(self, q, k, v):
        scores = q @ k.transpose(-1, -2) * 0.7
        scores = 2.0 * torch.tanh(scores / 2.0)
        weights = scores.masked_fill(later(q.shape[2]) < 0, -torch.inf).softmax(-1)
        return weights @ v, weights


class Cosine(Own):
    """Each head has its own factor, as Swin's second version."""

    def attend(self, q, k, v):
        scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-1, -2)
        weights = (scores * torch.tensor([2.0, 3.0, 5.0])[:, None, None]).softmax(-1)
        return weights @ v, weights


class Relative(Own):
    """A second product, of queries and embeddings of distances, gathered for each pair, as DeBERTa's."""

    def attend(self, q, k, v):
        t = q.shape[2]
        torch.manual_seed(5)
        distances = torch.randn(2 * t - 1, self.d_head)
        place = torch.arange(t)[:, None] - torch.arange(t) + t - 1
        beside = torch.gather(q @ distances.T, -1, place.expand(*q.shape[:2], t, t))
        weights = ((q @ k.transpose(-1, -2) + beside) / math.sqrt(3 * self.d_head)).softmax(-1)
        return weights @ v, weights


class Kernel(Own):
    def attend(self, q, k, v):
        self.mask = torch.rand(q.shape[2], q.shape[2], generator=torch.Generator().manual_seed(3))
        mixed = F.scaled_dot_product_attention(q, k, v, self.mask, scale=0.4)
        return mixed, (0.4 * q @ k.mT + self.mask).softmax(-1)


class CausalKernel(Own):
    def attend(self, q, k, v):
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return mixed, (q @ k.mT * self.d_head**-0.5 + later(q.shape[2])).softmax(-1)


class FoldedKernel(Own):
    """Three axes and a mask for each sequence and head."""

    def attend(self, q, k, v):
        b, h, t, d = q.shape
        folded = [one.reshape(b * h, t, d) for one in (q, k, v)]
        mask = torch.rand(b * h, t, t, generator=torch.Generator().manual_seed(3))
        mixed = F.scaled_dot_product_attention(*folded, mask).view(b, h, t, d)
        return mixed, (q @ k.mT * d**-0.5 + mask.view(b, h, t, t)).softmax(-1)


def later(length):
    """(queries, keys): the lowest number for later keys, 0 for the others."""
    return torch.full((length, length), torch.finfo(torch.float32).min).triu(1)


def captured(module, *args, **kwargs):
    """The layers, what was refused, and whether the output is bit for bit the one without a capture."""
    module.eval()
    with torch.no_grad():
        plain = module(*args, **kwargs)
    recorder = Recorder(module)
    seen = run(module, recorder, lambda: module(*args, **kwargs))
    first = [one[0] if isinstance(one, tuple) else one for one in (plain, seen)]
    assert torch.equal(*first)
    return [attention_of(layer) for layer in recorder.layers.values()], recorder.refused


def check(attention, weights):
    """The weights recomputed from what was captured are the module's, and the output agrees."""
    weights = weights.detach().double().numpy()
    assert (attention.sequences, attention.heads, attention.queries, attention.keys) == weights.shape
    for batch in range(attention.sequences):
        for head in range(attention.heads):
            np.testing.assert_allclose(
                weights_of(attention, batch, head), weights[batch, head], atol=ROUNDING
            )
    agreement = agreement_of(attention, "L0")
    assert agreement.agrees, agreement
    assert agreement.blind == 0


def given(width=WIDTH):
    return torch.randn(SEQUENCES, POSITIONS, width, generator=torch.Generator().manual_seed(17))


ROUTES = [
    Einsum, PositionsFirst, KeysFirst, ScaledQuery, Folded, Alibi, MultiQuery, Grouped, Capped, Cosine, Relative,
    Kernel,
    CausalKernel, FoldedKernel,
]  # fmt: skip


@pytest.mark.parametrize("route", ROUTES)
def test_every_way_of_writing_attention_gives_the_same_capture(route):
    module = route()
    (attention,), refused = captured(module, given())
    assert refused == {}
    check(attention, module.weights)


@pytest.mark.parametrize(
    ("route", "scale"),
    [
        (Einsum, 5**-0.5), (PositionsFirst, 0.25), (KeysFirst, 5**-0.5), (ScaledQuery, 5**-0.5), (Folded, 5**-0.5),
        (Alibi, 5**-0.5), (Grouped, 0.3), (Capped, 0.7), (Relative, 15**-0.5), (Kernel, 0.4),
    ],
)  # fmt: skip
def test_the_scale_is_the_number_the_module_multiplies_with(route, scale):
    """Worked out in float64, so to the last digits; a product of two numbers may round once more."""
    (attention,), _ = captured(route(), given())
    assert attention.scale == pytest.approx(scale, rel=1e-12)


def test_a_soft_cap_is_told_apart_from_the_scale():
    (attention,), _ = captured(Capped(), given())
    assert attention.soft_cap == pytest.approx(2.0, rel=1e-12)
    assert attention.bias is None


@pytest.mark.parametrize("route", [Folded, Alibi, Capped, CausalKernel])
def test_a_mask_is_kept_as_the_keys_that_are_seen(route):
    (attention,), _ = captured(route(), given())
    np.testing.assert_array_equal(attention.visible.table(1, 2), np.tri(POSITIONS, dtype=bool))


def test_a_linear_bias_is_kept_by_its_numbers():
    (attention,), _ = captured(Alibi(), given())
    assert attention.bias.values.shape == (1, HEADS, 1, POSITIONS)  # the same for every query and sequence
    table = np.broadcast_to(attention.bias.table(0, 1), (POSITIONS, POSITIONS))
    seen = np.tri(POSITIONS, dtype=bool)
    np.testing.assert_array_equal(
        table[seen], np.broadcast_to(0.25 * np.arange(POSITIONS), table.shape)[seen]
    )


def test_a_shared_key_head_is_kept_once():
    (attention,), _ = captured(MultiQuery(), given())
    assert (attention.heads, attention.key.shape[1], attention.value.shape[1]) == (HEADS, 1, 1)


def test_a_bias_of_content_says_so():
    (attention,), _ = captured(Relative(), given())
    assert attention.bias is not None
    assert any("content of the query" in note for note in attention.notes)


def test_a_factor_of_each_head_is_part_of_its_queries_and_says_so():
    (attention,), _ = captured(Cosine(), given())
    lengths = np.linalg.norm(attention.query[0], axis=-1)
    np.testing.assert_allclose(lengths, np.broadcast_to([[2.0], [3.0], [5.0]], lengths.shape), rtol=1e-6)
    assert any("factor of its own" in note for note in attention.notes)


@pytest.mark.parametrize("route", [Einsum, Folded, MultiQuery, Kernel])
def test_one_query_alone_is_understood(route):
    module = route()
    (attention,), refused = captured(module, given()[:1, :1])
    assert refused == {}
    check(attention, module.weights)


def test_half_precision_agrees_within_its_own_rounding():
    module = Einsum().bfloat16()
    (attention,), refused = captured(module, given().bfloat16())
    assert refused == {}
    assert agreement_of(attention, "L0").agrees


def test_dropout_is_said_and_nothing_is_claimed_of_the_dropped_weights():
    class Dropping(ScaledQuery):
        def attend(self, q, k, v):
            weights = (q @ k.transpose(-1, -2)).softmax(-1)
            return F.dropout(weights, 0.25, training=True) @ v, weights

    module = Dropping().eval()
    recorder = Recorder(module)
    torch.manual_seed(7)
    run(module, recorder, lambda: module(given()))
    (layer,) = recorder.layers.values()
    attention = attention_of(layer)
    assert attention.dropout == 0.25
    assert "dropout" in agreement_of(attention, "L0").note
    weights = module.weights.double().numpy()
    np.testing.assert_allclose(weights_of(attention, 0, 1), weights[0, 1], atol=ROUNDING)


def test_one_head_without_a_number_of_heads():
    class Plain(nn.Module):
        def forward(self, x):
            self.weights = (x @ x.mT).softmax(-1)
            return self.weights @ x

    module = Plain()
    (attention,), refused = captured(module, given() / 3)
    assert refused == {}
    check(attention, module.weights[:, None])


def test_a_cache_grows_one_triangle():
    class Growing(Einsum):
        def attend(self, q, k, v):
            past = getattr(self, "past", None)
            self.past = (
                (k, v)
                if past is None
                else tuple(torch.cat(pair, 2) for pair in zip(past, (k, v), strict=True))
            )
            k, v = self.past
            scores = q @ k.transpose(-1, -2) + later(k.shape[2])[-q.shape[2] :]
            weights = scores.softmax(-1)
            return weights @ v, weights

    module = Growing().eval()
    recorder = Recorder(module)
    x = given()

    def steps():
        module(x[:, :5])
        module(x[:, 5:6])
        return module(x[:, 6:])

    run(module, recorder, steps)
    (layer,) = recorder.layers.values()
    attention = attention_of(layer)
    assert (attention.queries, attention.keys) == (7, 7)
    np.testing.assert_array_equal(attention.visible.table(0, 0), np.tri(7, dtype=bool))
    assert agreement_of(attention, "L0").agrees
    last = module.weights.double().numpy()
    np.testing.assert_allclose(weights_of(attention, 1, 2)[-1:], last[1, 2], atol=ROUNDING)
