"""What a function takes is found out: names of parameters, orders of axes, libraries, weights as arguments."""

import math

import numpy as np
import pytest

from clearhead.session.checking import check
from clearhead.sources.function import LAYOUTS, Trouble, roles_of
from clearhead.sources.function.lying import ORDERS, cut, from_reference, to_reference
from clearhead.sources.function.named import weight_named


def softmax(scores):
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True)


def attended(q, k, v):
    return softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])) @ v


class TestLibraries:
    """NumPy, PyTorch and JAX, found by the function's own code."""

    def test_torch(self):
        torch = pytest.importorskip("torch")

        def attention(x, W_Q, W_K, W_V, fault=None):
            q, k, v = x @ W_Q, x @ W_K, x @ W_V
            return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1) @ v

        assert "torch, float64" in check(attention).asked

    @pytest.mark.parametrize("jitted", [False, True])
    @pytest.mark.parametrize("form", ["q, k, v", "x"])
    def test_jax(self, jitted, form):
        jax = pytest.importorskip("jax")

        def inner(q, k, v, fault=None):
            scores = jax.numpy.einsum("...qd,...kd->...qk", q, k)
            return jax.nn.softmax(scores if fault else scores / math.sqrt(q.shape[-1]), -1) @ v

        def of_x(x, W_Q, W_K, W_V):
            return inner(x @ W_Q, x @ W_K, x @ W_V)

        def unscaled(x, W_Q, W_K, W_V):
            return inner(x @ W_Q, x @ W_K, x @ W_V, "no-scale")

        right, wrong = (
            (of_x, unscaled) if form == "x" else (inner, lambda q, k, v: inner(q, k, v, "no-scale"))
        )
        right, wrong = (jax.jit(one) if jitted else one for one in (right, wrong))
        report = check(right, library="jax", mask="none", layout=None if form == "x" else "bhtd")
        assert report.agrees, report
        assert "jax, float32" in report.asked
        assert check(wrong, library="jax", mask="none", layout=None if form == "x" else "bhtd").mistakes == (
            "no-scale",
        )

    def test_an_object_with_arrays_of_jax(self):
        jax = pytest.importorskip("jax")

        class Model:
            def __init__(self, fault=None):
                keys = jax.random.split(jax.random.key(0), 3)
                self.W_Q, self.W_K, self.W_V = (jax.random.normal(key, (13, 11)) for key in keys)
                self.fault = fault

            def __call__(self, x):
                q, k, v = x @ self.W_Q, x @ self.W_K, x @ self.W_V
                scores = q @ k.swapaxes(-1, -2) / (1 if self.fault else math.sqrt(11))
                return jax.nn.softmax(scores, -1) @ v

        model = Model()
        before = np.asarray(model.W_Q)
        assert check(model, mask="none").agrees
        assert np.array_equal(before, model.W_Q)
        assert check(Model("no-scale"), mask="none").mistakes == ("no-scale",)

    def test_arrays_of_numpy_in_frozen_objects(self):
        class Model:
            __slots__ = ("W_K", "W_Q", "W_V")

            def __init__(self):
                random = np.random.default_rng(0)
                for name in self.__slots__:
                    object.__setattr__(self, name, random.normal(size=(13, 11)))
                    getattr(self, name).flags.writeable = False

            def __call__(self, x):
                return attended(x @ self.W_Q, x @ self.W_K, x @ self.W_V)

            def __setattr__(self, name, value):
                raise AttributeError("frozen")

        assert check(Model(), mask="none").agrees


class TestRoles:
    """Names of parameters."""

    def test_names_in_use(self):
        def attention(
            hidden_states, Wq, to_k, v_proj, c_proj, bq, bias_k, v_bias, *, num_heads, is_causal=False, ctx=1
        ):
            """Nothing is called here."""

        roles = roles_of(attention, {"ctx": "context"}, {})
        assert roles.names == {
            "X": "hidden_states", "W_Q": "Wq", "W_K": "to_k", "W_V": "v_proj", "W_O": "c_proj", "b_Q": "bq",
            "b_K": "bias_k", "b_V": "v_bias", "heads": "num_heads", "causal": "is_causal", "context": "ctx",
        }  # fmt: skip
        assert "heads" in roles.required
        assert "causal" not in roles.required

    def test_the_first_is_x_where_nothing_else_is_known(self):
        assert roles_of(lambda words, W_Q, W_K, W_V: None, {}, {}).names["X"] == "words"

    def test_three_that_are_not_known_are_q_k_and_v(self):
        assert roles_of(lambda a, b, c: None, {}, {}).names == {"Q": "a", "K": "b", "V": "c"}

    def test_one_that_is_not_known_is_asked_for(self):
        with pytest.raises(Trouble, match="not clear what its parameter 'banana' is for"):
            roles_of(lambda q, k, v, banana: None, {}, {})
        assert "banana" not in roles_of(lambda q, k, v, banana: None, {}, {"banana": 1}).names.values()

    @pytest.mark.parametrize(
        ("path", "meant"),
        [
            ("q_proj.weight", ("Q", False)), ("attn.k_proj.bias", ("K", True)),
            ("attention.self.query.weight", ("Q", False)),
            ("to_out.0.weight", ("O", False)), ("in_proj_weight", ("QKV", False)), ("in_proj_bias", ("QKV", True)),
            ("c_attn.weight", ("QKV", False)), ("c_proj.weight", ("O", False)), ("Wqkv.weight", ("QKV", False)),
            ("qkv_proj.weight", ("QKV", False)), ("query_key_value.bias", ("heads", True)),
            ("dense.weight", ("O", False)),
            ("to_kv.weight", ("KV", False)), ("W_Q", ("Q", False)), ("b_O", ("O", True)),
            ("q_proj_weight", ("Q", False)),
            ("heads.2.key.weight", ("K", False)), ("o_proj.weight", ("O", False)), ("wv", ("V", False)),
            ("norm.weight", None), ("rotary.inv_freq", None), ("bias_k", ("K", True)),
            ("linear_v.kernel", ("V", False)),
        ],
    )  # fmt: skip
    def test_names_of_weights(self, path, meant):
        assert weight_named(path) == meant


class TestLying:
    """How weights lie in their arrays."""

    @pytest.mark.parametrize("order", ORDERS)
    @pytest.mark.parametrize(
        ("role", "shape"), [("W_Q", (7, 15)), ("W_O", (15, 7)), ("b_K", (15,)), ("b_O", (7,))]
    )
    def test_there_and_back(self, order, role, shape):
        matrix = np.arange(math.prod(shape), dtype=float).reshape(shape)
        assert np.array_equal(to_reference(from_reference(matrix, order, role, 3), order, role), matrix)

    def test_by_head(self):
        matrix = np.array([[1.0, 2, 3, 4], [5, 6, 7, 8]])
        assert from_reference(matrix, "by head", "W_Q", 2).tolist() == [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]

    def test_fused_one_after_the_other_and_head_by_head(self):
        assert cut(2, 2, 6, "QKV", by_head=False) == {"Q": (0, 1), "K": (2, 3), "V": (4, 5)}
        assert cut(2, 2, 6, "QKV", by_head=True) == {"Q": (0, 3), "K": (1, 4), "V": (2, 5)}
        assert cut(2, 1, 4, "QKV", by_head=False) == {"Q": (0, 1), "K": (2,), "V": (3,)}
        with pytest.raises(ValueError, match="7 columns cannot be cut"):
            cut(1, 1, 7, "QKV", by_head=False)


class TestLayouts:
    """Orders of axes."""

    @pytest.mark.parametrize("name", LAYOUTS)
    def test_there_and_back(self, name):
        layout = LAYOUTS[name]
        heads = 1 if layout.heads == "one" else 3
        shape = (
            (2 if layout.batch else 1, heads, 5, 7)
            if layout.heads != "joined"
            else (2 if layout.batch else 1, 5, 21)
        )
        array = np.random.default_rng(0).normal(size=shape)
        assert np.array_equal(layout.take(layout.give(array)), array)
        assert layout.give(array).ndim == len(name)

    @pytest.mark.parametrize(
        ("form", "axes"),
        [("btD", "(batch, positions, D)"), ("tbD", "(positions, batch, D)"), ("tD", "(positions, D)")],
    )
    def test_told_and_found(self, form, axes):
        layout = LAYOUTS[form]

        def attention(q, k, v, n_heads):
            if q.ndim != len(form):
                raise ValueError("another number of axes")
            q, k, v = (layout.take(one) for one in (q, k, v))
            apart = (one.reshape(*one.shape[:2], n_heads, -1).swapaxes(1, 2) for one in (q, k, v))
            return layout.give(attended(*apart).swapaxes(1, 2).reshape(q.shape))

        for report in (check(attention), check(attention, layout=form)):
            assert report.agrees, report
            assert axes in report.asked


class TestFurtherKeys:
    """Other numbers of keys than of queries."""

    @pytest.mark.parametrize(("later", "says"), [(False, "top left"), (True, "bottom right")])
    def test_where_a_causal_mask_stands_is_a_note(self, later, says):
        def attention(q, k, v):
            scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
            shift = scores.shape[-1] - scores.shape[-2] if later else 0
            seen = np.tril(np.ones(scores.shape[-2:], bool), shift)
            return softmax(np.where(seen, scores, -np.inf)) @ v

        report = check(attention, layout="bhtd")
        assert report.agrees, report
        assert any(f"begins at the {says}, which is a convention" in note for note in report.notes)

    def test_what_shows_with_further_keys_alone_is_no_agreement(self):
        def attention(q, k, v):
            return attended(q, k[..., : q.shape[-2], :], v[..., : q.shape[-2], :])

        report = check(attention, layout="bhtd", mask="none")
        assert not report.agrees

    def test_functions_for_as_many_keys_as_queries_are_no_less_right(self):
        def attention(q, k, v):
            if q.shape != k.shape:
                raise ValueError("one length")
            return attended(q, k, v)

        assert check(attention, layout="bhtd", mask="none").agrees


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"layout": "dht"}, "layout: 'dht' is not known; expected one of 'bhtd'"),
        ({"library": "cupy"}, "library: 'cupy' is not known; expected one of 'numpy', 'torch', 'jax'"),
        ({"mask_means": "no"}, "mask_means: 'no' is not known"),
        ({"rotary": "thirds"}, "rotary: 'thirds' is not known; expected one of 'halves', 'interleaved'"),
        ({"heads": 0}, "heads: expected a whole number from 1, got 0"),
        ({"heads": True}, "heads: expected a whole number from 1, got True"),
        ({"d_head": 2.5}, "d_head: expected a whole number from 1, got 2.5"),
        ({"heads": 5, "kv_heads": 3}, "kv_heads: 5 heads cannot share 3 evenly"),
        ({"time_limit": 0}, "time_limit: expected seconds above 0, got 0"),
        ({"time_limit": float("inf")}, "time_limit: expected seconds above 0, got inf"),
        ({"time_limit": "1"}, "time_limit: expected seconds above 0, got '1'"),
        ({"seed": -1}, "seed: expected a whole number from 0 to 4294967295, got -1"),
        ({"seed": 2**32}, "seed: expected a whole number from 0 to 4294967295, got 4294967296"),
        ({"scale": "x"}, "scale: expected a finite number, got 'x'"),
        ({"scale": math.nan}, "scale: expected a finite number, got nan"),
        ({"scale": True}, "scale: expected a finite number, got True"),
        ({"soft_cap": 0.0}, "soft_cap: expected a finite number above 0, got 0.0"),
        ({"rotary_base": -1}, "rotary_base: expected a finite number above 0, got -1"),
        ({"alibi": "yes"}, "alibi: expected True or False, got 'yes'"),
        ({"mask": 3}, "mask: expected a name, such as 'causal', got int"),
        ({"layout": ["bhtd"]}, "layout: ['bhtd'] is not known"),
        ({"roles": ["Q"]}, "roles: expected a dict, got list"),
        ({"arguments": "dropout"}, "arguments: expected a dict, got str"),
        ({"weights": 3}, "weights: expected a dict, got int"),
        ({"roles": {"z": "Q"}}, "roles: it has no parameter 'z'; expected one of q, k, v"),
        ({"arguments": {"z": 3}}, "arguments: it has no parameter 'z'; expected one of q, k, v"),
        ({"roles": {"q": "Q", "k": "Q"}}, "roles: 'Q' is that of q and of k; expected one parameter for it"),
        ({"device": "nowhere"}, "device: 'nowhere' cannot be used here ("),
        ({"device": "meta"}, "device: 'meta' cannot be used here ("),
        ({"weights": "sideways"}, "weights: 'sideways' is not known; expected one of 'in, out'"),
        ({"weights": {"W_X": "a"}}, "weights: 'W_X' is not known; expected one of 'W_Q'"),
        ({"roles": {"q": "question"}}, "roles, of q: 'question' is not known; expected one of 'Q'"),
    ],
)
def test_keywords_that_are_not_known_are_refused_in_one_sentence(keywords, says):
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        check(lambda q, k, v: v, **keywords)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="expected a function or a module, got int"):
        check(3)


def torch_only(q, k, v):
    """A function whose code names no library, with methods that only PyTorch's arrays have."""
    return (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1) @ v


def test_a_type_is_given_by_a_library_that_has_it():
    assert "torch, bfloat16" in check(torch_only, dtype="bfloat16", library="torch").asked
    with pytest.raises(ValueError, match=r"dtype: 'float99' is not known; expected one of 'float64', "):
        check(torch_only, dtype="float99")
    with pytest.raises(ValueError, match=r"dtype: 'bfloat16' is not known"):
        check(torch_only, dtype="bfloat16", library="numpy")
