"""x with its weights as arguments, right and with mistakes, in every form in which they are handed over."""

import math

import numpy as np
import pytest

from clearhead.session.checking import check

HEADS = 3


def softmax(scores, axis=-1):
    shares = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return shares / shares.sum(axis=axis, keepdims=True)


def scaled(scores, d_head, fault, heads=HEADS):
    return {
        "no-scale": scores,
        "scale-multiplied": scores * math.sqrt(d_head),
        "scale-by-d-model": scores / math.sqrt(heads * d_head),
    }.get(fault, scores / math.sqrt(d_head))


def attended(q, k, v, fault=None, heads=HEADS):
    scores = scaled(q @ k.swapaxes(-1, -2), q.shape[-1], fault, heads)
    return softmax(scores, -2 if fault == "softmax-over-queries" else -1) @ v


def split(x, heads, fault=None):
    batch, length, width = x.shape
    if fault == "heads-split-by-reshape":
        return x.reshape(batch, heads, length, width // heads)
    return x.reshape(batch, length, heads, -1).swapaxes(1, 2)


def merged(x, fault=None):
    batch, heads, length, width = x.shape
    return (x if fault == "heads-merged-by-reshape" else x.swapaxes(1, 2)).reshape(
        batch, length, heads * width
    )


class TestWeightsAsArguments:
    """x with W_Q, W_K and W_V."""

    @staticmethod
    def several(fault=None):
        def attention(x, W_Q, W_K, W_V, W_O, num_heads):
            if fault == "projections-mixed-up":
                W_Q, W_K, W_V = W_K, W_V, W_Q
            q, k, v = (split(x @ one, num_heads, fault) for one in (W_Q, W_K, W_V))
            joined = merged(attended(q, k, v, fault, num_heads), fault)
            return joined if fault == "no-output-projection" else joined @ W_O

        return attention

    @staticmethod
    def one_head(fault=None):
        def attention(x, wq, wk, wv):
            if fault == "projection-transposed":
                wq, wk, wv = wq.T, wk.T, wv.T
            return attended(x @ wq, x @ wk, x @ wv, fault)

        return attention

    @staticmethod
    def biased(fault=None):
        def attention(hidden_states, q_proj, k_proj, v_proj, o_proj, q_bias, k_bias, v_bias, o_bias, n_heads):
            x, projections = hidden_states, ((q_proj, q_bias), (k_proj, k_bias), (v_proj, v_bias))
            q, k, v = (
                split(x @ W + (0 if fault == "biases-left-out" else b), n_heads, fault)
                for W, b in projections
            )
            out = merged(attended(q, k, v, fault, n_heads), fault) @ o_proj
            return out if fault == "biases-left-out" else out + o_bias

        return attention

    @staticmethod
    def grouped(fault=None):
        def attention(x, Wq, Wk, Wv, Wo, n_heads, n_kv_heads):
            q, k, v = split(x @ Wq, n_heads), split(x @ Wk, n_kv_heads), split(x @ Wv, n_kv_heads)
            times = n_heads // n_kv_heads
            k, v = (
                np.tile(one, (1, times, 1, 1)) if fault == "groups-tiled" else np.repeat(one, times, 1)
                for one in (k, v)
            )
            return merged(attended(q, k, v, fault, n_heads), fault) @ Wo

        return attention

    @staticmethod
    def fused(fault=None):
        def attention(x, W_qkv, W_o, heads):
            q, k, v = np.split(x @ W_qkv, 3, axis=-1)
            if fault == "projections-mixed-up":
                q, k, v = v, k, q
            q, k, v = (split(one, heads, fault) for one in (q, k, v))
            return merged(attended(q, k, v, fault, heads), fault) @ W_o

        return attention

    @staticmethod
    def by_head(fault=None):
        def attention(x, W_Q, W_K, W_V, W_O):
            q, k, v = (np.einsum("btd,hdk->bhtk", x, one) for one in (W_Q, W_K, W_V))
            return np.einsum("bhtk,hkd->btd", attended(q, k, v, fault), W_O)

        return attention

    @staticmethod
    def square(fault=None):
        """Only for d_model = heads * d_head."""

        def attention(x, W_q, W_k, W_v, W_o, h):
            batch, length, d_model = x.shape
            q, k, v = (
                (x @ one).reshape(batch, length, h, d_model // h).swapaxes(1, 2) for one in (W_q, W_k, W_v)
            )
            joined = attended(q, k, v, fault, h).swapaxes(1, 2).reshape(batch, length, d_model)
            return joined @ (W_o.T if fault == "output-projection-transposed" else W_o)

        return attention

    @staticmethod
    def cross(fault=None):
        def attention(x, context, w_q, w_k, w_v, w_o, heads):
            k, v = context @ w_k, context @ w_v
            if fault == "values-for-keys":
                k = v
            if fault == "keys-for-values":
                v = k
            q, k, v = (split(one, heads) for one in (x @ w_q, k, v))
            return merged(attended(q, k, v, fault, heads), fault) @ w_o

        return attention

    SCORES = ("no-scale", "scale-multiplied", "softmax-over-queries")
    HEADED = (*SCORES, "scale-by-d-model", "heads-merged-by-reshape")
    FORMS = {  # noqa: RUF012
        "several": (*HEADED, "heads-split-by-reshape", "no-output-projection", "projections-mixed-up"),
        "one_head": (*SCORES, "projection-transposed"),
        "biased": (*HEADED, "heads-split-by-reshape", "biases-left-out"),
        "grouped": (*HEADED, "groups-tiled"),
        "fused": (*HEADED, "heads-split-by-reshape", "projections-mixed-up"),
        "by_head": (*SCORES, "scale-by-d-model"),
        "square": (*SCORES, "scale-by-d-model", "output-projection-transposed"),
        "cross": (*HEADED, "values-for-keys", "keys-for-values"),
    }

    @pytest.mark.parametrize("form", FORMS)
    def test_right_ones_agree(self, form):
        report = check(getattr(self, form)(), mask="none")
        assert report.agrees, report
        assert report.off < 1e-12

    @pytest.mark.parametrize(
        ("form", "fault"), [(form, fault) for form, faults in FORMS.items() for fault in faults]
    )
    def test_each_mistake_is_named(self, form, fault):
        report = check(getattr(self, form)(fault), mask="none")
        assert report.mistakes == (fault,), report

    def test_matrices_kept_the_other_way_round_can_be_told(self):
        transposed = self.one_head("projection-transposed")
        report = check(transposed, mask="none")
        assert any("check it with weights='out, in'" in note for note in report.notes)
        assert check(transposed, mask="none", weights="out, in").agrees

    def test_names_of_layers_may_mean_matrices_the_other_way_round(self):
        def attention(x, q_weight, k_weight, v_weight):
            return attended(x @ q_weight.T, x @ k_weight.T, x @ v_weight.T)

        report = check(attention)
        assert report.agrees, report
        assert any("(out, in), for x @ W.T" in note for note in report.notes)

    def test_one_sentence_alone(self):
        def attention(x, W_Q, W_K, W_V):
            q, k, v = x @ W_Q, x @ W_K, x @ W_V
            assert x.ndim == 2
            return softmax(q @ k.T / math.sqrt(W_Q.shape[1])) @ v

        report = check(attention)
        assert report.agrees, report
        assert "(positions, D)" in report.asked

    def test_a_context_that_may_be_left_out(self):
        def attention(x, W_Q, W_K, W_V, context=None):
            source = x if context is None else context
            return attended(x @ W_Q, source @ W_K, source @ W_V)

        assert check(attention).agrees

        def wrong(x, W_Q, W_K, W_V, context=None):
            return (
                attention(x, W_Q, W_K, W_V)
                if context is None
                else attended(x @ W_Q, context @ W_V, context @ W_V)
            )

        assert not check(wrong).agrees

    def test_the_number_of_heads_is_asked_for_by_name(self):
        def attention(x, W_Q, W_K, W_V, W_O):
            return merged(attended(*(split(x @ one, 4) for one in (W_Q, W_K, W_V)))) @ W_O

        report = check(attention, mask="none")
        assert not report.agrees
        assert "heads=" in report.verdict
        assert check(attention, mask="none", heads=4).agrees
