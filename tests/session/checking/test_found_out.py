"""What is found out by itself: libraries that no code names, widths, contexts, compiled modules; and what is said."""

import math

import numpy as np
import pytest

from clearhead.session.checking import check, libraries
from clearhead.sources.function import LIBRARIES

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional


def right(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(-1) @ v


def unscaled(q, k, v):
    return (q @ k.mT).softmax(-1) @ v


def turned(x, base=10000.0):
    """Su et al. 2021 in halves: it takes even widths alone."""
    width = x.shape[-1]
    angles = torch.arange(x.shape[-2])[:, None] * base ** (-torch.arange(0, width, 2) / width)
    cos, sin = (torch.cat([part, part], -1).to(x.dtype) for part in (angles.cos(), angles.sin()))
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


class Attention(nn.Module):
    """Two heads of eight features; with a width of its own for what keys and values are made of."""

    def __init__(self, fault=None, context=None, longest=None):
        super().__init__()
        self.num_heads, self.fault, self.longest = 2, fault, longest
        self.q_proj, self.out_proj = nn.Linear(16, 16), nn.Linear(16, 16)
        self.k_proj, self.v_proj = (nn.Linear(context or 16, 16) for _ in range(2))

    def forward(self, x: torch.Tensor, context: torch.Tensor | None = None):
        if self.longest is not None and x.shape[1] > self.longest:
            raise ValueError(f"at most {self.longest} positions")
        source = x if context is None else context
        q, k, v = self.q_proj(x), self.k_proj(source), self.v_proj(source)
        q, k, v = (one.reshape(one.shape[0], one.shape[1], 2, 8).transpose(1, 2) for one in (q, k, v))
        scores = q @ k.transpose(-1, -2) / (1 if self.fault else math.sqrt(8))
        return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


class Scripted(nn.Module):
    """The same in what torch.jit.script reads."""

    def __init__(self, scale: float):
        super().__init__()
        self.num_heads, self.scale = 2, scale
        self.qkv, self.proj = nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x: torch.Tensor):
        made = self.qkv(x).view(x.shape[0], x.shape[1], 3, 2, 8).permute(2, 0, 3, 1, 4)
        weights = (made[0] @ made[1].transpose(-1, -2) * self.scale).softmax(-1)
        return self.proj((weights @ made[2]).transpose(1, 2).flatten(2))


class TestLibraries:
    """Of code that names none."""

    def test_one_that_nobody_has_loaded_is_tried_where_the_others_do_not_fit(self, monkeypatch):
        monkeypatch.setattr(
            libraries, "guessed", lambda function: ("numpy",)
        )  # as before PyTorch is imported
        report = check(unscaled, mask="none")
        assert report.mistakes == ("no-scale",)
        assert "torch, float64" in report.asked

    def test_it_is_not_loaded_where_another_fits(self, monkeypatch):
        monkeypatch.setattr(libraries, "guessed", lambda function: ("numpy",))
        tried = []
        monkeypatch.setattr(libraries, "unloaded", lambda known: tried.append(known) or ())
        assert not check(lambda q, k, v: v[..., :-1, :]).agrees
        assert not tried

    def test_the_error_is_of_the_library_that_is_meant(self):
        def attention(q, k, v):
            return q.softmax(-1) @ k.mT @ v @ v

        verdict = check(attention, mask="none").verdict
        assert "it raises RuntimeError" in verdict
        assert "ndarray" not in verdict

    def test_jax_mapped_over_heads_with_a_mask(self):
        jax = pytest.importorskip("jax")

        def single(q, k, v, mask=None):
            scores = q @ k.T / math.sqrt(q.shape[-1])
            if mask is not None:
                scores = jax.numpy.where(mask, scores, -jax.numpy.inf)
            return jax.nn.softmax(scores, -1) @ v

        report = check(jax.vmap(jax.vmap(single)))
        assert report.agrees, report
        assert "(batch, heads, positions, d_head)" in report.asked

    def test_named_libraries_are_known(self):
        assert set(LIBRARIES) == {"numpy", "torch", "jax"}


class TestArguments:
    """Functions that do not name what they take."""

    @pytest.mark.parametrize("attention", [right, unscaled])
    def test_all_in_one(self, attention):
        def placed(*args):
            return attention(*args)

        def named(**kwargs):
            return attention(kwargs["q"], kwargs["k"], kwargs["v"])

        def wrapped(*args, **kwargs):
            return attention(*args, **kwargs)

        def first(query, *others):
            return attention(query, *others)

        for function in (placed, named, wrapped, first):
            assert check(function, mask="none").agrees == (attention is right), function

    def test_roles_of_a_builtin_are_refused(self):
        with pytest.raises(ValueError, match="roles: it does not say what its parameters are"):
            check(F.scaled_dot_product_attention, roles={"query": "Q"})


class TestWidths:
    """Of heads and of contexts."""

    def test_another_width_where_none_that_is_odd_runs(self):
        def attention(q, k, v):
            return right(turned(q), turned(k), v)

        report = check(attention, mask="none", rotary="halves")
        assert report.agrees, report
        untold = check(attention, mask="none")
        assert not untold.agrees
        assert any("asked with heads of width 8, as d_head= would tell" in note for note in untold.notes)

    def test_one_that_is_fixed(self):
        def attention(q, k, v):
            return unscaled(*(one.reshape(*one.shape[:-1], 4, 16).flatten(-2) for one in (q, k, v)))

        report = check(attention, mask="none")
        assert report.mistakes == ("no-scale",)
        assert any("heads of width 64" in note for note in report.notes)

    @pytest.mark.parametrize("fault", [None, "no-scale"])
    def test_a_context_of_another_width(self, fault):
        report = check(Attention(fault, context=24))
        assert report.agrees == (fault is None), report
        assert report.mistakes == ((fault,) if fault else ())

    def test_a_width_that_no_parameter_has_is_asked_for(self):
        class Other(Attention):
            def forward(self, x, other=None):
                return super().forward(x, other)

        report = check(Other(context=24))
        assert "its W_K takes a width of 24 and its W_Q of 16" in report.verdict
        assert "expected roles={...: 'context'}" in report.verdict
        assert check(Other(context=24), roles={"other": "context"}).agrees


class TestCompiled:
    """What torch.compile and torch.jit make of a module is asked as the module."""

    def test_compiled(self):
        report = check(torch.compile(Attention("no-scale"), backend="eager"))
        assert report.mistakes == ("no-scale",)

    @pytest.mark.parametrize("scale", [8**-0.5, 1.0])
    @pytest.mark.filterwarnings("ignore:::torch")
    def test_scripted_and_traced(self, scale):
        module = Scripted(scale).eval()
        kept = [one.clone() for one in module.parameters()]
        made = torch.jit.script(module), torch.jit.trace(module, torch.randn(2, 5, 16))
        for one in made:
            report = check(one, mask="none", heads=2)
            assert report.agrees == (scale < 1), report
            assert all(torch.equal(a, b) for a, b in zip(kept, one.parameters(), strict=True))

    def test_a_path_is_that_of_the_module_itself(self):
        class Nameless(Attention):
            def __init__(self):
                super().__init__()
                self.first = self.q_proj

        compiled = torch.compile(Nameless(), backend="eager")
        assert check(compiled, weights={"W_Q": "q_proj.weight"}).agrees


class TestWhatIsSaid:
    """Of a function that does not run, its own sentence; and no more hints than help."""

    def test_an_order_of_axes_in_which_it_happens_to_run_does_not_hide_what_it_says(self):
        """As (positions, batch, D) there are two positions of five sentences."""
        verdict = check(Attention(longest=4)).verdict
        assert "it raises ValueError: at most 4 positions (line " in verdict

    def test_its_own_sentence_of_another_order_of_axes(self):
        def attention(q, k, v):
            weights = torch.einsum("td,sd->ts", q, k)
            if len(q) > 2:
                raise AssertionError("at most two tokens")
            return weights @ v

        verdict = check(attention).verdict
        assert "; as (positions, d_head) it raises AssertionError: at most two tokens (line " in verdict

    def test_what_it_says_of_the_likelier_order_is_a_note(self):
        def attention(q, k, v):
            if q.ndim == 4:
                raise ValueError("one sentence at a time")
            return unscaled(q, k, v)

        report = check(attention, mask="none")
        assert report.mistakes == ("no-scale",)
        assert any(
            note.startswith("asked as (batch, heads, positions, d_head), it raises ValueError: one sentence")
            for note in report.notes
        )

    def test_and_where_the_width_of_a_head_is_fixed_as_well(self):
        def attention(q, k, v):
            q, k, v = (one.reshape(*one.shape[:2], -1, 10).transpose(1, 2) for one in (q, k, v))
            return right(q, k, v).transpose(1, 2).flatten(2)

        assert "heads=" not in check(attention, mask="none").verdict  # no width that is tried fits
        assert check(attention, mask="none", heads=3, d_head=10).agrees

    @pytest.mark.parametrize("helps", [False, True])
    def test_the_number_of_heads_is_asked_for_where_it_helps(self, helps):
        def attention(q, k, v):
            if not helps:
                raise RuntimeError("no")
            batch, length, width = q.shape
            q, k, v = (one.reshape(batch, length, 4, width // 4).transpose(1, 2) for one in (q, k, v))
            return right(q, k, v).transpose(1, 2).reshape(batch, length, width)

        verdict = check(attention, mask="none").verdict
        assert ("expected heads=" in verdict) == helps
        assert not helps or check(attention, mask="none", heads=4).agrees

    def test_weights_that_lie_the_other_way(self):
        def attention(x, W_Q, W_K, W_V):
            return right(x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT)

        class Holding:
            def __init__(self):
                self.W_Q, self.W_K, self.W_V = (np.eye(11) for _ in range(3))

            def __call__(self, x):
                q, k, v = (x @ one.T for one in (self.W_Q, self.W_K, self.W_V))
                e = np.exp(scores := q @ k.swapaxes(-1, -2) / math.sqrt(11), dtype=scores.dtype)
                return e / e.sum(-1, keepdims=True) @ v

        for function in (attention, Holding()):
            report = check(function, mask="none")
            assert "projection-transposed" in report.mistakes
            assert any("check it with weights='out, in'" in note for note in report.notes), report
            assert "projection-transposed" not in check(function, mask="none", weights="out, in").mistakes


def sharing(spread):
    """Each head of keys and values for so many of queries as there are to one of them."""

    def attention(q, k, v):
        times = q.shape[1] // k.shape[1]
        return right(q, spread(k, times), spread(v, times))

    return attention


SHARES = "it takes fewer heads of keys and values, too: with heads={heads}, kv_heads={kv_heads} it {verdict}"


@pytest.mark.parametrize(
    ("spread", "told", "note"),
    [
        (
            lambda x, times: x.repeat(1, times, 1, 1),
            {},
            SHARES.format(heads=4, kv_heads=2, verdict="does not agree: it hands the key and value heads out in turn"),
        ),
        (
            lambda x, times: x.repeat_interleave(times, 1),
            {},
            SHARES.format(heads=4, kv_heads=2, verdict="agrees with the reference"),
        ),
        (
            lambda x, times: x.repeat_interleave(times, 1),
            {"heads": 15},
            SHARES.format(heads=15, kv_heads=3, verdict="agrees with the reference"),
        ),
        (lambda x, times: x, {}, None),  # as it comes, it does not go together
        (lambda x, times: x.repeat_interleave(times, 1), {"heads": 3}, None),  # one alone might just be broadcast
    ],
    ids=["tiled", "in groups", "of fifteen", "not at all", "of three"],
)  # fmt: skip
def test_heads_of_which_nothing_was_told_are_asked_where_it_takes_them(spread, told, note):
    report = check(sharing(spread), mask="none", layout="bhtd", **told)

    assert report.agrees
    said = [one for one in report.notes if "fewer heads" in one]
    assert len(said) == (note is not None)
    assert all(one.startswith(note) for one in said), report
