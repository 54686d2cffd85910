"""Modules and objects that hold their weights, right and with mistakes, in every form in which weights are kept."""

import math

import numpy as np
import pytest

from clearhead.session.checking import check

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional

D, HEADS, WIDTH = 21, 3, 7


def scaled(scores, d_head, fault):
    return {
        "no-scale": scores,
        "scale-multiplied": scores * math.sqrt(d_head),
        "scale-by-d-model": scores / math.sqrt(HEADS * d_head),
    }.get(fault, scores / math.sqrt(d_head))


def attended(q, k, v, fault, causal=True):
    """(batch, heads, positions, d_head) -> the same."""
    scores = scaled(q @ k.mT, q.shape[-1], fault)
    if causal and fault != "no-mask":
        later = torch.ones(scores.shape[-2:]).triu(1).bool()
        scores = scores.masked_fill(later.mT if fault == "mask-transposed" else later, -torch.inf)
    return scores.softmax(-2 if fault == "softmax-over-queries" else -1) @ v


def split(x, heads=HEADS, fault=None):
    batch, length, width = x.shape
    if fault == "heads-split-by-reshape":
        return x.reshape(batch, heads, length, width // heads)
    return x.view(batch, length, heads, -1).transpose(1, 2)


def merged(x, fault=None):
    batch, heads, length, width = x.shape
    return (x if fault == "heads-merged-by-reshape" else x.transpose(1, 2)).reshape(
        batch, length, heads * width
    )


class Separate(nn.Module):
    """Four layers, each with a bias."""

    def __init__(self, fault=None):
        super().__init__()
        self.num_heads, self.fault = HEADS, fault
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(D, D) for _ in range(4))

    def forward(self, x):
        q, k, v = (split(one(x), fault=self.fault) for one in (self.q_proj, self.k_proj, self.v_proj))
        joined = merged(attended(q, k, v, self.fault), self.fault)
        return joined if self.fault == "no-output-projection" else self.out_proj(joined)


class Fused(nn.Module):
    """GPT-2's names, and one layer for all three."""

    def __init__(self, fault=None):
        super().__init__()
        self.n_head, self.fault = HEADS, fault
        self.c_attn, self.c_proj = nn.Linear(D, 3 * D), nn.Linear(D, D)

    def forward(self, x):
        q, k, v = self.c_attn(x).chunk(3, -1)
        if self.fault == "projections-mixed-up":
            q, k, v = k, v, q
        q, k, v = (split(one, fault=self.fault) for one in (q, k, v))
        return self.c_proj(merged(attended(q, k, v, self.fault), self.fault))


class Conv1D(nn.Module):
    """A layer that keeps its weight as (in, out)."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(D, width))
        self.bias = nn.Parameter(torch.randn(width))

    def forward(self, x):
        return x @ self.weight + self.bias


class Convolved(Fused):
    def __init__(self, fault=None):
        super().__init__(fault)
        self.c_attn, self.c_proj = Conv1D(3 * D), Conv1D(D)


class ByHead(nn.Module):
    """One layer for all three, head by head as in GPT-NeoX."""

    def __init__(self, fault=None):
        super().__init__()
        self.num_attention_heads, self.fault = HEADS, fault
        self.query_key_value, self.dense = nn.Linear(D, 3 * D), nn.Linear(D, D)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.query_key_value(x).view(batch, length, HEADS, 3, WIDTH).permute(3, 0, 2, 1, 4)
        return self.dense(merged(attended(q, k, v, self.fault), self.fault))


class OneHead(nn.Module):
    def __init__(self, fault):
        super().__init__()
        self.fault = fault
        self.key, self.query, self.value = (nn.Linear(D, WIDTH, bias=False) for _ in range(3))

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        return attended(q[:, None], k[:, None], v[:, None], self.fault)[:, 0]


class ListOfHeads(nn.Module):
    """Each head a module of its own; d_model is not heads * d_head."""

    def __init__(self, fault=None):
        super().__init__()
        self.heads = nn.ModuleList([OneHead(fault) for _ in range(HEADS)])
        self.proj = nn.Linear(HEADS * WIDTH, D)

    def forward(self, x):
        return self.proj(torch.cat([head(x) for head in self.heads], -1))


class Raw(nn.Module):
    """Parameters named as in textbooks, (heads, in, d_head)."""

    def __init__(self, fault=None):
        super().__init__()
        self.fault = fault
        self.W_Q, self.W_K, self.W_V = (nn.Parameter(torch.randn(HEADS, 13, WIDTH)) for _ in range(3))
        self.W_O = nn.Parameter(torch.randn(HEADS, WIDTH, 13))
        self.b_Q = nn.Parameter(torch.randn(HEADS, WIDTH))

    def forward(self, x):
        q, k, v = (torch.einsum("btd,hdk->bhtk", x, one) for one in (self.W_Q, self.W_K, self.W_V))
        mixed = attended(q if self.fault == "biases-left-out" else q + self.b_Q[:, None], k, v, self.fault)
        return torch.einsum("bhtk,hkd->btd", mixed, self.W_O)


class Plain:
    """No module: matrices (in, out) as attributes."""

    def __init__(self, fault=None):
        self.config = {"unused": 1}
        self.n_heads, self.fault = HEADS, fault
        self.layer = {
            "wq": torch.randn(D, D),
            "wk": torch.randn(D, D),
            "wv": torch.randn(D, D),
            "wo": torch.randn(D, D),
        }

    def __call__(self, x):
        q, k, v = (split(x @ self.layer[name], fault=self.fault) for name in ("wq", "wk", "wv"))
        return merged(attended(q, k, v, self.fault), self.fault) @ self.layer["wo"]


class Grouped(nn.Module):
    def __init__(self, fault=None):
        super().__init__()
        self.num_heads, self.num_key_value_heads, self.fault = 6, 3, fault
        self.wq, self.wk = nn.Linear(13, 6 * WIDTH, bias=False), nn.Linear(13, 3 * WIDTH, bias=False)
        self.wv, self.wo = nn.Linear(13, 3 * WIDTH, bias=False), nn.Linear(6 * WIDTH, 13, bias=False)

    def forward(self, x):
        q, k, v = split(self.wq(x), 6), split(self.wk(x), 3), split(self.wv(x), 3)
        k, v = (
            one.repeat(1, 2, 1, 1) if self.fault == "groups-tiled" else one.repeat_interleave(2, 1)
            for one in (k, v)
        )
        return self.wo(merged(attended(q, k, v, self.fault), self.fault))


class Cross(nn.Module):
    """Keys and values from a context of another width, in one layer."""

    def __init__(self, fault=None):
        super().__init__()
        self.heads, self.fault = HEADS, fault
        self.to_q, self.to_kv = (
            nn.Linear(13, HEADS * WIDTH, bias=False),
            nn.Linear(11, 2 * HEADS * WIDTH, bias=False),
        )
        self.to_out = nn.Sequential(nn.Linear(HEADS * WIDTH, 13), nn.Dropout(0.0))

    def forward(self, x, context):
        k, v = self.to_kv(context).chunk(2, -1)
        if self.fault == "values-for-keys":
            k = v
        if self.fault == "keys-for-values":
            v = k
        q, k, v = (split(one) for one in (self.to_q(x), k, v))
        return self.to_out(merged(attended(q, k, v, self.fault, causal=False), self.fault))


class SelfInstead(nn.Module):
    """Takes a context, and makes keys and values of x all the same."""

    def __init__(self):
        super().__init__()
        self.heads = HEADS
        self.to_q, self.to_k, self.to_v = (nn.Linear(13, HEADS * WIDTH, bias=False) for _ in range(3))
        self.to_out = nn.Linear(HEADS * WIDTH, 13)

    def forward(self, x, context=None):
        q, k, v = (split(one(x)) for one in (self.to_q, self.to_k, self.to_v))
        return self.to_out(merged(attended(q, k, v, None, causal=False), None))


SCORES = ("no-scale", "scale-multiplied", "no-mask", "mask-transposed", "softmax-over-queries")
HEADED = (*SCORES, "scale-by-d-model", "heads-split-by-reshape", "heads-merged-by-reshape")
FORMS = {
    Separate: (*HEADED, "no-output-projection"),
    Fused: (*HEADED, "projections-mixed-up"),
    Convolved: HEADED,
    ByHead: (*SCORES, "scale-by-d-model", "heads-merged-by-reshape"),
    ListOfHeads: (*SCORES, "scale-by-d-model"),
    Raw: (*SCORES, "scale-by-d-model", "biases-left-out"),
    Plain: HEADED,
    Grouped: (*SCORES, "groups-tiled", "heads-merged-by-reshape"),
    Cross: (
        "no-scale", "scale-multiplied", "softmax-over-queries", "scale-by-d-model", "values-for-keys",
        "keys-for-values",
        "heads-merged-by-reshape",
    ),
}  # fmt: skip


def mask_of(form):
    return "none" if form is Cross else "causal"


@pytest.mark.parametrize("form", FORMS)
def test_right_modules_agree(form):
    report = check(form(), mask=mask_of(form))
    assert report.agrees, report
    assert "float64" in report.asked
    assert report.off < 1e-12


def test_a_context_that_is_not_looked_at_is_shown_in_an_example_with_one():
    report = check(SelfInstead(), mask="none")
    assert report.mistakes == ("context-ignored",), report
    assert "context[0]" in str(report)


@pytest.mark.parametrize("form", [Separate, ByHead, Raw])
def test_that_a_module_is_causal_is_found_out(form):
    report = check(form())
    assert report.agrees, report
    assert "mask causal" in report.asked


@pytest.mark.parametrize(("form", "fault"), [(form, fault) for form in FORMS for fault in FORMS[form]])
def test_each_mistake_is_named_in_each_form(form, fault):
    report = check(form(fault), mask=mask_of(form))
    assert report.mistakes == (fault,), report
    assert not report.agrees


def test_two_mistakes_in_a_module():
    class Both(Separate):
        def forward(self, x):
            q, k, v = (split(one(x)) for one in (self.q_proj, self.k_proj, self.v_proj))
            return self.out_proj(merged(attended(q, k, v, "no-scale"), "heads-merged-by-reshape"))

    assert check(Both(), mask="causal").mistakes == ("heads-merged-by-reshape", "no-scale")


class TestMultiheadAttention:
    """PyTorch's own, called as (query, key, value)."""

    @pytest.mark.parametrize("batch_first", [True, False])
    @pytest.mark.parametrize("bias", [True, False])
    def test_it_agrees(self, batch_first, bias):
        report = check(nn.MultiheadAttention(D, HEADS, bias=bias, batch_first=batch_first))
        assert report.agrees, report
        assert ("(batch, positions, D)" if batch_first else "(positions, batch, D)") in report.asked
        assert "its mask is taken to be True where a key is hidden" in report.notes
        assert not any("the weights it returns" in note for note in report.notes)

    def test_it_agrees_with_keys_and_values_of_other_widths(self):
        report = check(nn.MultiheadAttention(D, HEADS, kdim=11, vdim=13, batch_first=True))
        assert report.agrees, report

    def test_told_that_true_means_seen_its_mask_is_inverted(self):
        module = nn.MultiheadAttention(D, HEADS, batch_first=True)
        report = check(module, mask_means="seen", arguments={"key_padding_mask": None})
        assert report.mistakes == ("mask-inverted",), report

    @pytest.mark.parametrize("causal", [True, False])
    def test_it_agrees_inside_a_module(self, causal):
        class Wrapped(nn.Module):
            def __init__(self):
                super().__init__()
                self.attn = nn.MultiheadAttention(D, HEADS, batch_first=True)

            def forward(self, x):
                later = torch.ones(x.shape[1], x.shape[1]).triu(1).bool() if causal else None
                return self.attn(x, x, x, attn_mask=later, average_attn_weights=False)

        report = check(Wrapped())
        assert report.agrees, report
        assert ("mask causal" in report.asked) == causal

    def test_without_batch_first_it_attends_over_sentences(self):
        class Wrapped(nn.Module):
            def __init__(self):
                super().__init__()
                self.attn = nn.MultiheadAttention(D, HEADS)

            def forward(self, x):
                return self.attn(x, x, x)[0]

        report = check(Wrapped())
        assert report.agrees
        assert any("sentences look at each other" in note for note in report.notes)
        told = check(Wrapped(), layout="btD", mask="none")
        assert not told.agrees

    @pytest.mark.parametrize("fault", ["value-is-key", "key-is-query"])
    def test_an_input_that_is_not_used_is_no_agreement(self, fault):
        class Careless(nn.MultiheadAttention):
            def forward(self, query, key, value):
                other = (query, key, key) if fault == "value-is-key" else (query, query, value)
                return (
                    super().forward(*other)[0]
                    if key.shape == query.shape
                    else super().forward(query, key, key)[0]
                )

        assert not check(Careless(D, HEADS, batch_first=True)).agrees


class TestThePersonsOwnObject:
    """It is as it was."""

    def test_weights_and_training_flag_stay(self):
        module = Separate()
        before = {name: one.clone() for name, one in module.state_dict().items()}
        module.train()
        check(module)
        assert module.training
        assert module.q_proj.training
        assert all(torch.equal(before[name], one) for name, one in module.state_dict().items())
        assert module.q_proj.weight.dtype == torch.float32

    def test_so_it_does_where_it_cannot_be_copied(self):
        class Alone(Separate):
            def __deepcopy__(self, memo):
                raise TypeError("there is one of me")

        module = Alone().train()
        before = module.q_proj.weight.clone()
        report = check(module, mask="causal")
        assert report.agrees, report
        assert any("its own weights, as it cannot be copied" in note for note in report.notes)
        assert "float32" in report.asked
        assert module.training
        assert torch.equal(module.q_proj.weight, before)
        assert check(Alone("no-scale"), mask="causal").mistakes == ("no-scale",)

    def test_dropout_in_training_mode_is_a_note_with_its_rate(self):
        class Dropping(Separate):
            def __init__(self):
                super().__init__()
                self.drop = nn.Dropout(0.23)

            def forward(self, x):
                return self.drop(super().forward(x))

        module = Dropping().train()
        report = check(module, mask="causal")
        assert report.agrees
        assert any("training mode, where it drops out at a rate of 0.23" in note for note in report.notes)
        assert module.training
        assert not any("drops out" in note for note in check(module.eval(), mask="causal").notes)

    def test_dropout_that_evaluation_does_not_switch_off(self):
        class Always(Separate):
            def forward(self, x):
                q, k, v = (split(one(x)) for one in (self.q_proj, self.k_proj, self.v_proj))
                weights = (q @ k.mT / math.sqrt(WIDTH)).softmax(-1)
                return self.out_proj(merged(F.dropout(weights, 0.3) @ v))

        report = check(Always(), mask="none")
        assert report.mistakes == ("dropout-in-evaluation",), report
        assert "at a rate of 0.3; without that it agrees" in report.verdict

    def test_what_the_reference_has_no_place_for_is_said(self):
        class Normed(Separate):
            def __init__(self):
                super().__init__()
                self.norm = nn.LayerNorm(D)

            def forward(self, x):
                return super().forward(self.norm(x))

        report = check(Normed(), mask="causal")
        assert report.mistakes == ("input-normed",)
        assert any("its norm.weight, norm.bias are left as they are" in note for note in report.notes)


class TestWhatIsAsked:
    """By name, and what telling it does."""

    class Nameless(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.third = (nn.Linear(D, D, bias=False) for _ in range(3))

        def forward(self, x):
            q, k, v = (split(one(x)) for one in (self.first, self.second, self.third))
            return merged(attended(q, k, v, None))

    def test_weights_with_other_names(self):
        report = check(self.Nameless())
        assert (
            "which of its weights is W_Q; expected weights={'W_Q': one of first.weight (21, 21)"
            in report.verdict
        )
        names = {"W_Q": "first.weight", "W_K": "second.weight", "W_V": "third.weight"}
        assert check(self.Nameless(), weights=names, heads=HEADS).agrees
        assert "no array 'fourth'" in check(self.Nameless(), weights={"W_Q": "fourth"}).verdict

    def test_the_biases_of_told_layers_are_found_beside_them(self):
        class Linears(nn.Module):
            """As in The Annotated Transformer: four layers in a list, a mask that is given an axis for heads."""

            def __init__(self):
                super().__init__()
                self.h, self.linears = HEADS, nn.ModuleList([nn.Linear(D, D) for _ in range(4)])

            def forward(self, query, key, value, mask=None):
                layers = zip(self.linears, (query, key, value), strict=False)
                q, k, v = (split(layer(one)) for layer, one in layers)
                scores = q @ k.mT / math.sqrt(WIDTH)
                if mask is not None:
                    scores = scores.masked_fill(mask.unsqueeze(1) == 0, -torch.inf)
                return self.linears[3](merged(scores.softmax(-1) @ v))

        assert "which of its weights is W_Q" in check(Linears()).verdict
        names = {f"W_{one}": f"linears.{place}.weight" for place, one in enumerate("QKVO")}
        report = check(Linears(), weights=names)
        assert report.agrees, report
        assert "its mask is taken to be True where a key may be seen" in report.notes

    def test_a_mask_of_keys_is_padding(self):
        class Padded(Separate):
            def forward(self, x, attention_mask=None):
                q, k, v = (split(one(x)) for one in (self.q_proj, self.k_proj, self.v_proj))
                scores = q @ k.mT / (1 if self.fault == "no-scale" else math.sqrt(WIDTH))
                if attention_mask is not None:
                    axes = (slice(None), None, slice(None), None) if self.fault == "padding-on-queries" else (
                        slice(None), None, None,
                    )  # fmt: skip
                    scores = scores.masked_fill(attention_mask[axes] == 0, -torch.inf)
                return self.out_proj(merged(scores.softmax(-1) @ v))

        report = check(Padded(), mask="none")
        assert report.agrees, report
        assert any("its attention_mask is taken to be (batch, keys)" in note for note in report.notes)
        assert check(Padded("no-scale"), mask="none").mistakes == ("no-scale",)
        assert check(Padded("padding-on-queries"), mask="none").mistakes == ("padding-on-queries",)

    def test_a_mask_that_is_not_understood(self):
        class Odd(Separate):
            def forward(self, x, mask=None):
                if mask is not None:
                    raise ValueError("another mask, please")
                return super().forward(x)

        assert "it is not clear what its parameter 'mask' takes" in check(Odd()).verdict
        assert check(Odd(), mask="causal", arguments={"mask": None}).agrees

    def test_the_number_of_heads(self):
        names = {"W_Q": "first.weight", "W_K": "second.weight", "W_V": "third.weight"}
        report = check(self.Nameless(), weights=names)
        assert not report.agrees
        assert "expected heads=" in report.verdict

    def test_weights_of_a_closure(self):
        random = np.random.default_rng(0)
        W_Q, W_K, W_V = (random.normal(size=(13, 11)) for _ in range(3))

        def attention(x):
            scores = (x @ W_Q) @ np.swapaxes(x @ W_K, -1, -2) / math.sqrt(11)
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            return shares / shares.sum(-1, keepdims=True) @ (x @ W_V)

        assert "expected weights={'W_Q': array" in check(attention).verdict
        report = check(attention, weights={"W_Q": W_Q, "W_K": W_K, "W_V": W_V})
        assert report.agrees, report
        assert any("its own weights, as they were told" in note for note in report.notes)
        assert "W_K is missing" in check(attention, weights={"W_Q": W_Q}).verdict

    def test_layers_of_transformers_are_refused(self):
        bert = pytest.importorskip("transformers.models.bert.modeling_bert")
        config = pytest.importorskip("transformers").BertConfig(hidden_size=12, num_attention_heads=3)
        report = check(bert.BertSelfAttention(config))
        assert "BertSelfAttention is a layer of transformers" in report.verdict
        assert not report.agrees


def test_a_method_is_asked_as_its_object_is():
    class Model:
        def __init__(self, fault):
            self.W_Q, self.W_K, self.W_V = (torch.randn(13, 11) for _ in range(3))
            self.fault = fault

        def attend(self, x):
            q, k, v = ((x @ one)[:, None] for one in (self.W_Q, self.W_K, self.W_V))
            return attended(q, k, v, self.fault)[:, 0]

    assert check(Model(None).attend, mask="causal").agrees
    assert check(Model("no-scale").attend, mask="causal").mistakes == ("no-scale",)


def test_the_smallest_example_shows_x_and_the_weights():
    class Narrow(Separate):
        def __init__(self):
            super().__init__("no-scale")
            self.num_heads = 1
            self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
                nn.Linear(2, 2, bias=False) for _ in range(4)
            )

        def forward(self, x):
            q, k, v = (split(one(x), 1) for one in (self.q_proj, self.k_proj, self.v_proj))
            return self.out_proj(merged(attended(q, k, v, self.fault)))

    text = str(check(Narrow(), mask="causal"))
    assert "  X[0]" in text
    assert "W_Q, W_K, W_V, W_O: 1 on the diagonal, 0 elsewhere" in text


def test_where_an_unknown_mistake_parts():
    class Squared(Separate):
        def forward(self, x):
            q, k, v = (split(one(x)) for one in (self.q_proj, self.k_proj, self.v_proj))
            weights = (q @ k.mT / math.sqrt(WIDTH)).softmax(-1) ** 1.7
            return self.out_proj(merged(weights @ v))

    report = check(Squared(), mask="none")
    assert not report.mistakes
    assert report.step == "weights", report
    assert "rows add up to" in report.parting.pattern
