"""PyTorch's own attention modules are captured whatever way they are called, and compute what they always do."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from clearhead.sources.models.passes import run  # noqa: E402
from clearhead.sources.models.recorder import Recorder, attention_of  # noqa: E402
from clearhead.trace.capture.agreement import agreement_of  # noqa: E402
from clearhead.trace.capture.recompute import weights_of  # noqa: E402

SEQUENCES, QUERIES, KEYS, HEADS, WIDTH = 2, 5, 7, 3, 33

ROUNDING = 2e-6
"""A weight is at most 1: some units in the last place of float32."""


@pytest.fixture(params=[True, False], ids=["batch first", "positions first"])
def first(request):
    return request.param


def module(first, **options):
    torch.manual_seed(23)
    return nn.MultiheadAttention(WIDTH, HEADS, batch_first=first, **options).eval()


def given(length, first, seed):
    x = torch.randn(SEQUENCES, length, WIDTH, generator=torch.Generator().manual_seed(seed))
    return x if first else x.transpose(0, 1)


def captured(model, *args, **kwargs):
    recorder = Recorder(model)
    result = run(model, recorder, lambda: model(*args, **kwargs))
    assert recorder.refused == {}
    return [attention_of(layer) for layer in recorder.layers.values()], result


MASKS = {
    "none": {},
    "boolean": {"attn_mask": torch.ones(QUERIES, KEYS, dtype=torch.bool).triu(3)},
    "added": {"attn_mask": torch.linspace(-2, 2, QUERIES * KEYS).view(QUERIES, KEYS)},
    "padding": {"key_padding_mask": torch.tensor([[False] * 7, [False] * 4 + [True] * 3])},
    "each head": {
        "attn_mask": torch.linspace(-1, 1, SEQUENCES * HEADS * QUERIES * KEYS).view(-1, QUERIES, KEYS)
    },
}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("asks", [True, False], ids=["weights asked for", "no weights"])
def test_multi_head_attention(first, mask, asks):
    """The weights that the module itself hands over are the reference; asked not to, it takes another kernel."""
    model, query, other = module(first), given(QUERIES, first, 3), given(KEYS, first, 5)
    with torch.no_grad():
        _, weights = model(query, other, other, need_weights=True, average_attn_weights=False, **MASKS[mask])
        plain, _ = model(query, other, other, need_weights=asks, **MASKS[mask])
    (attention,), (output, _) = captured(model, query, other, other, need_weights=asks, **MASKS[mask])
    assert torch.equal(plain, output)
    assert (attention.sequences, attention.heads) == (SEQUENCES, HEADS)
    assert attention.scale == pytest.approx(11**-0.5, rel=1e-12)
    for batch in range(SEQUENCES):
        for head in range(HEADS):
            np.testing.assert_allclose(
                weights_of(attention, batch, head), weights[batch, head].double().numpy(), atol=ROUNDING
            )
    assert agreement_of(attention, "L0").agrees


def test_one_sequence_without_a_batch():
    model, x = module(True), torch.randn(KEYS, WIDTH, generator=torch.Generator().manual_seed(3))
    (attention,), _ = captured(model, x, x, x)
    assert (attention.sequences, attention.heads, attention.queries) == (1, HEADS, KEYS)
    assert agreement_of(attention, "L0").agrees


@pytest.mark.parametrize(
    "options", [{"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": WIDTH, "vdim": WIDTH}]
)
def test_keys_of_its_own_count_too(options):
    model, x = module(True, **options), given(KEYS, True, 3)
    (attention,), _ = captured(model, x, x, x)
    assert attention.keys == KEYS + (0 if "kdim" in options else 1)
    assert agreement_of(attention, "L0").agrees


def test_self_attention_is_seen_where_inference_would_take_one_fused_step():
    """An even number of heads, all from one tensor: there PyTorch has a path that no mode sees, off in a capture."""
    torch.manual_seed(23)
    model = nn.MultiheadAttention(WIDTH - 1, 4, batch_first=True).eval()
    x = given(KEYS, True, 3)[..., 1:]
    assert torch.backends.mha.get_fastpath_enabled()
    (attention,), (output, _) = captured(model, x, x, x, need_weights=False)
    assert torch.backends.mha.get_fastpath_enabled()
    assert agreement_of(attention, "L0").agrees
    with torch.no_grad():
        plain, _ = model(x, x, x, need_weights=False)
    np.testing.assert_allclose(plain, output, atol=1e-5)  # another kernel: the order of the sums differs
    assert any("fused path" in note for note in attention.notes)


@pytest.mark.parametrize("norm_first", [True, False])
def test_an_encoder_of_pytorch(norm_first):
    torch.manual_seed(29)
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 41, batch_first=True, norm_first=norm_first)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    layers, _ = captured(
        model, given(KEYS, True, 3), mask=nn.Transformer.generate_square_subsequent_mask(KEYS)
    )
    assert len(layers) == 2
    for attention in layers:
        np.testing.assert_array_equal(attention.visible.table(0, 0), np.tri(KEYS, dtype=bool))
        assert agreement_of(attention, "L0").agrees


def test_a_decoder_of_pytorch_has_two_attentions_a_layer():
    torch.manual_seed(29)
    model = nn.TransformerDecoderLayer(WIDTH, HEADS, 41, batch_first=True).eval()
    own, cross = captured(model, given(QUERIES, True, 3), given(KEYS, True, 5))[0]
    assert (own.queries, own.keys) == (QUERIES, QUERIES)
    assert (cross.queries, cross.keys) == (QUERIES, KEYS)
    assert agreement_of(cross, "L0").agrees
