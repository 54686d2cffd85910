"""Situations that people met with other tools, and what is right in each."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from clearhead.sources.models.capture import capture  # noqa: E402
from clearhead.sources.models.failing import CaptureError  # noqa: E402
from clearhead.trace.capture.recompute import rows_of  # noqa: E402

# Older versions of transformers warn of their own code and of what torch will take away.
pytestmark = [pytest.mark.filterwarnings(rf"ignore:::{library}\..*") for library in ("torch", "transformers")]

KERNELS = ["sdpa", "eager"]

ROUNDED = 1e-6
"""Weights in float64 against a model's own in float32: at most 1, so a few roundings of 2^-24."""


@pytest.fixture
def built(zoo):
    """A row of the zoo by name, with its inputs, on a kernel if one is named."""

    def build(name, kernel=None):
        tiny = zoo.ROWS[name]
        if reason := zoo.why_missing(tiny):
            pytest.skip(reason)
        model = zoo.build(tiny)
        if kernel:
            model.set_attn_implementation(kernel)
        return model, tiny.inputs()

    return build


def test_the_default_kernel_gives_the_weights_that_eager_gives(small_models):
    """Asking for weights gave None, nothing, an error, or 40 GB."""
    model, ids = small_models.llama(), torch.tensor([[3, 5, 7, 11, 13]])
    setting = model.config._attn_implementation
    with torch.no_grad():
        before = model(input_ids=ids).logits
        cap = capture(model, None, ids)
        after = model(input_ids=ids).logits
        model.set_attn_implementation("eager")
        theirs = model(input_ids=ids, output_attentions=True).attentions
    assert setting == "sdpa"
    assert torch.equal(before, after)
    assert {layer.kernel for layer in cap.agreement} == {"sdpa"}
    for layer, weights in enumerate(theirs):
        assert np.abs(cap.weights(layer) - weights[0].double().numpy()).max() < 10 * ROUNDED


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_the_mask_survives_the_request(small_models, name, kernel):
    """Asking for weights silently dropped the causal mask."""
    model = getattr(small_models, name)()
    model.set_attn_implementation(kernel)
    cap = capture(model, None, [3, 5, 7, 11, 13])
    above = np.triu(np.ones((5, 5), bool), 1)
    for layer in range(2):
        assert (cap.weights(layer)[:, above] == 0).all()
        assert (cap.weights(layer)[:, ~above] > 0).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_batch_of_gpt2s_shape(small_models, kernel):
    model = small_models.gpt2(n_head=12, n_embd=48, n_layer=1)
    model.set_attn_implementation(kernel)
    cap = capture(model, None, [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
    assert np.stack([cap.weights(0, batch=batch) for batch in range(3)]).shape == (3, 12, 4, 4)
    assert cap.heads == 12
    alone = capture(model, None, [5, 6, 7, 8])
    assert np.abs(cap.weights(0, batch=1) - alone.weights(0)).max() < ROUNDED


def test_the_models_own_scale_and_soft_cap(built):
    """Gemma 2 divides by the root of query_pre_attn_scalar and bounds its scores."""
    model, inputs = built("gemma2", "eager")  # older versions leave the bound out on sdpa
    cap = capture(model, inputs=inputs)
    assert cap.layer(0).attention.scale == pytest.approx(11**-0.5)
    trace = cap.head(0, 1)
    scores, scaled, capped = (trace[name].values for name in ("scores", "scaled", "soft_capped"))
    assert np.allclose(scaled, scores * 11**-0.5, rtol=1e-12)
    assert np.allclose(capped, 3 * np.tanh(scaled / 3), rtol=1e-12)
    assert cap.agreement.agrees


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_padding_changes_no_number(small_models, name, kernel, left):
    model = getattr(small_models, name)()
    model.set_attn_implementation(kernel)
    tokenizer = small_models.tokenizer(left=left)
    texts = ["the man was late", "he said"]
    both = capture(model, tokenizer, texts)
    for batch, text in enumerate(texts):
        alone, row = capture(model, tokenizer, text), both.texts["text"][batch]
        own = np.array([not token.padding for token in row])
        assert [token.text for token in row if not token.padding] == [token.text for token in alone.tokens]
        for layer in range(2):
            weights = both.weights(layer, batch=batch)[:, own]
            assert (weights[:, :, ~own] == 0).all()
            # the model computed both in float32: its own rounding, layer upon layer
            assert np.abs(weights[:, :, own] - alone.weights(layer)).max() < 1e-5


class OneCall(torch.nn.Module):
    """A module that hands fixed tensors to the registered function of a kernel."""

    def __init__(self, kernel, query, key, value, mask):
        super().__init__()
        self.kernel, self.given, self.mask = kernel, (query, key, value), mask
        self.is_causal, self.attention_dropout = False, 0.0
        self.config = transformers.LlamaConfig()

    def forward(self, input_ids):
        attend = transformers.AttentionInterface()[self.kernel]
        return attend(self, *self.given, self.mask, scaling=None)[0]


def test_a_row_that_may_see_nothing_says_so():
    """The case of the report: seed 13, shape (1, 1, 8, 8), rows and columns from 4 on masked."""
    torch.manual_seed(13)
    query, key, value = (torch.randn(1, 1, 8, 8) for _ in range(3))
    mask = torch.zeros(1, 1, 8, 8, dtype=torch.bool)
    mask[..., :4, :4] = True
    cap = capture(OneCall("sdpa", query, key, value, mask), None, [list(range(8))])
    reference = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)

    attention = cap.layer(0).attention
    blind = rows_of(attention, 0, 0).blind
    assert blind.tolist() == [False] * 4 + [True] * 4
    weights = cap.weights(0)[0]
    assert np.isfinite(weights).all()
    assert (weights[4:] == 0).all()
    assert np.allclose(weights[:4].sum(-1), 1, atol=1e-12)
    # what the kernel returned is kept as it was, whatever it is in those rows
    assert np.array_equal(attention.output[0, :, 0], reference[0, 0].numpy(), equal_nan=True)
    agreement = cap.agreement[0]
    assert agreement.agrees
    assert (agreement.blind, agreement.rows, agreement.of) == (4, 4, 8)
    trace = cap.head(0, 0)
    assert trace["weights"].masked[4:].all()
    assert "nothing" in trace["weights"].note((5, 2))


def test_a_sink_takes_its_share_and_raises_no_alarm(built):
    model, inputs = built("gpt_oss")
    cap = capture(model, inputs=inputs)
    assert cap.agreement.agrees
    trace = cap.head(0, 1)
    sink, masked = float(trace["sink"].values), trace["masked"].values
    total = trace["weights"].values.sum(-1)
    share = np.exp(sink) / (np.exp(sink) + np.exp(masked).sum(-1))
    assert np.allclose(total, 1 - share, atol=1e-12)
    assert (total < 1).all()
    assert "sink takes" in trace["weights"].note((3, 1))


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_window_of_8_in_32_tokens(kernel):
    from transformers import MistralConfig, MistralForCausalLM

    sizes = {"hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2}
    torch.manual_seed(3)
    model = MistralForCausalLM(
        MistralConfig(vocab_size=67, intermediate_size=29, sliding_window=8, **sizes)
    ).eval()
    model.set_attn_implementation(kernel)
    cap = capture(model, None, [list(range(5, 37))])
    counts = (cap.weights(0) != 0).sum(-1)
    assert (counts == np.minimum(np.arange(32) + 1, 8)).all()
    assert cap.head(0, 0)["masked"].operation.mask == "causal & window(8)"


def test_four_query_heads_on_two_key_heads(small_models):
    cap = capture(small_models.llama(), None, [3, 5, 7])
    attention = cap.layer(0).attention
    assert [attention.key_head(head) for head in range(4)] == [0, 0, 1, 1]
    assert [attention.value_head(head) for head in range(4)] == [0, 0, 1, 1]
    keys = [cap.head(0, head)["K"].values for head in range(4)]
    assert np.array_equal(keys[0], keys[1])
    assert np.array_equal(keys[2], keys[3])
    assert not np.array_equal(keys[1], keys[2])


def test_a_translation(small_models):
    model, tokenizer = small_models.goes_on(small_models.bart()), small_models.tokenizer(ends=True)
    cap = capture(model, tokenizer, "the man was late", generate=6)
    said = [token.text for token in cap.texts["decoder"][0]]
    cross = cap.layer(1, "cross")
    assert (cross.rows, cross.columns) == ("decoder", "encoder")
    assert cap.weights(1, tower="cross").shape == (3, 6, 5)
    assert np.allclose(cap.weights(1, tower="cross").sum(-1), 1, atol=1e-12)
    trace = cap.head(1, 0, tower="cross")
    assert list(trace.words("query")) == said
    assert list(trace.words("key")) == ["the", " man", " was", " late", "</s>"]


@pytest.mark.parametrize("name", ["falcon-alibi", "modernbert"])
def test_eager_is_not_always_sdpa(built, name):
    """Which kernel ran is said, and the difference is from that one."""
    for kernel in KERNELS:
        model, inputs = built(name, kernel)
        with torch.no_grad():
            plain = model(**inputs)[0]
        cap = capture(model, inputs=inputs)
        assert cap.agreement.agrees
        assert all(layer.kernel in str(cap) for layer in cap.agreement)
        if name == "modernbert":  # whose older versions cannot be set
            assert {layer.kernel for layer in cap.agreement} == {model.config._attn_implementation}
        with torch.no_grad():
            assert torch.equal(model(**inputs)[0], plain)


def test_a_part_of_a_character_says_so(small_models):
    cap = capture(small_models.gpt2(), small_models.tokenizer(), "he 🙂 é")
    texts = [token.text for token in cap.tokens]
    parts = [token.part for token in cap.tokens]
    assert texts[0] == "he"
    assert not parts[0]
    smile = [token for token in cap.tokens if token.start == 3]
    assert len(smile) == 4
    assert all(token.part and token.end == 4 for token in smile)
    assert all(token.text for token in cap.tokens)


def test_every_map_names_its_axes_and_none_is_transposed(small_models):
    model = small_models.bart()
    cap = capture(model, small_models.tokenizer(), "the man was late", decoder="he said")
    for layer in cap.attentions():
        queries, keys = cap.tokens_of(layer)
        trace = cap.head(layer.number, 0, tower=layer.tower)
        for name in ("scores", "weights"):
            assert trace[name].axes == ("query", "key")
            assert trace[name].values.shape == (len(queries), len(keys))
        assert np.allclose(trace["weights"].values.sum(-1), 1, atol=1e-12)
        assert layer.rows in cap.texts
        assert layer.columns in cap.texts


def test_masked_is_not_zero():
    """A key so far below the others that its weight is 0 in float64, beside one that may not be seen."""
    query, key = torch.zeros(1, 1, 3, 2), torch.zeros(1, 1, 3, 2)
    query[..., 0], key[0, 0, 0, 0] = 100.0, -100.0
    mask = torch.ones(3, 3, dtype=torch.bool).tril()[None, None]
    trace = capture(OneCall("sdpa", query, key, torch.ones(1, 1, 3, 2), mask), None, [[1, 2, 3]]).head(0, 0)
    weights = trace["weights"]
    assert weights.values.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5]]
    assert weights.masked.tolist() == [[False, True, True], [False, False, True], [False, False, False]]


@pytest.mark.parametrize("name", ["granitemoehybrid", "jamba", "lfm2"])
def test_attention_in_layer_1_of_2_is_layer_1(built, name):
    model, inputs = built(name)
    cap = capture(model, inputs=inputs)
    assert [(layer.number, layer.attention is not None) for layer in cap.layers] == [(0, False), (1, True)]
    assert cap.layer(1).label == "L1"
    with pytest.raises(LookupError, match=r"layer 0 has no attention to show: .*no softmax attention"):
        cap.layer(0)
    assert "L0: " in str(cap)


@pytest.mark.parametrize("name", ["bert", "modernbert"])
def test_bidirectional_stays_bidirectional(built, name):
    model, inputs = built(name)
    cap = capture(model, inputs=inputs)
    weights = cap.weights(0)
    assert (weights[:, np.triu(np.ones(weights.shape[1:], bool), 1)] != 0).any()
    if name == "bert":
        assert (weights > 0).all()
        assert cap.head(0, 0)["weights"].masked is None


def test_odd_shapes_are_named_rightly(small_models):
    model = small_models.llama()
    with pytest.raises(ValueError, match="4 strings for 3 positions"):
        capture(model, None, [3, 5, 7], tokens=["a", "b", "c", "d"])
    cap = capture(model, None, [3, 5, 7])
    with pytest.raises(LookupError, match="head: 4 is none of layer 0's; expected 0 to 3"):
        cap.head(0, 4)
    with pytest.raises(LookupError, match="batch: 1 is none of layer 0's; expected 0 to 0"):
        cap.weights(0, batch=1)
    with pytest.raises(LookupError, match="layer: 2 is none of this model's; expected one of 0, 1"):
        cap.weights(2)
    with pytest.raises(CaptureError, match="sequences of 1 and 2 tokens"):
        capture(model, None, [[3, 5], [7]])


def test_the_steps_of_a_generation_are_one_triangle(small_models):
    cap = capture(small_models.goes_on(small_models.llama()), None, [3, 5, 7], generate=5)
    assert cap.weights(1).shape == (4, 7, 7)
    assert cap.prompt == 3
    assert cap.head(1, 0)["masked"].operation.mask == "causal"


@pytest.mark.parametrize("left", [True, False])
def test_rows_of_padding_are_marked(small_models, left):
    cap = capture(small_models.llama(), small_models.tokenizer(left=left), ["the man was late", "he said"])
    queries, keys = cap.tokens_of(cap.layer(0), batch=1)
    expected = [True, True, False, False] if left else [False, False, True, True]
    assert [token.padding for token in queries] == [token.padding for token in keys] == expected
    assert all(token.start is None for token in queries if token.padding)


def test_more_than_ten_heads_and_positions(small_models):
    model = small_models.gpt2(n_head=13, n_embd=52, n_layer=1)
    cap = capture(model, None, list(range(3, 26)))
    assert cap.weights(0).shape == (13, 23, 23)
    assert len({token.text for token in cap.tokens}) == 23
    assert len({cap.weights(0)[head].tobytes() for head in range(13)}) == 13
    assert len(cap.head(0, 12).words("key")) == 23


def test_odd_token_texts(small_models):
    odd = ["<b>", "…", "#3", "\n", " ", "", "x" * 997, "a\tb", "\u202e"]
    row = capture(small_models.gpt2(), None, list(range(3, 12)), tokens=odd).tokens
    assert all(token.text and token.text.isprintable() for token in row)
    assert [row[at].text for at in (0, 1, 2, 6)] == ["<b>", "…", "#3", "x" * 997]
    assert row[4].text == "␣"
