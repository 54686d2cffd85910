"""A whole stack of blocks against PyTorch's own `TransformerEncoder`, forwards and backwards, in float64.

Its attention has biases that ours has not: they are set to 0 and stay out of the comparison.
"""

import numpy as np
import pytest
import torch

import clearhead as ch

FORWARD, GRADIENT = 1e-12, 1e-10

OURS_OF = {
    "self_attn.out_proj.weight": "W_O", "linear1.weight": "W_1", "linear1.bias": "b_1", "linear2.weight": "W_2",
    "linear2.bias": "b_2", "norm1.weight": "gain_1", "norm1.bias": "bias_1", "norm2.weight": "gain_2",
    "norm2.bias": "bias_2",
}  # fmt: skip


def encoder(example, d_ff):
    """PyTorch's stack with the example's numbers; PyTorch keeps its matrices transposed."""
    width, before = example.d_model, example.norm_place == "pre"
    layer = torch.nn.TransformerEncoderLayer(
        width, example.heads, d_ff, dropout=0.0, activation=example.activation, batch_first=True,
        norm_first=before, dtype=torch.float64,
    )  # fmt: skip
    last = torch.nn.LayerNorm(width, dtype=torch.float64) if before else None
    stack = torch.nn.TransformerEncoder(
        layer, len(example.layer_weights), norm=last, enable_nested_tensor=False
    )
    with torch.no_grad():
        for module, weights in zip(stack.layers, example.layer_weights, strict=True):
            stacked = np.hstack([weights["W_Q"], weights["W_K"], weights["W_V"]]).T
            module.self_attn.in_proj_weight.copy_(torch.tensor(stacked))
            module.self_attn.in_proj_bias.zero_()
            module.self_attn.out_proj.bias.zero_()
            parts = dict(module.named_parameters())
            for theirs, ours in OURS_OF.items():
                parts[theirs].copy_(torch.tensor(weights[ours].T))
        if last is not None:
            last.weight.copy_(torch.tensor(example.gain_final))
            last.bias.copy_(torch.tensor(example.bias_final))
    return stack


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_place", ["pre", "post"])
@pytest.mark.parametrize(("layers", "heads", "d_ff", "length"), [(1, 2, 11, 7), (2, 3, 13, 5), (3, 1, 7, 11)])
def test_transformer_encoder(random_models, layers, heads, d_ff, length, norm_place, activation, mask):
    example = random_models.random_model(
        layers * 1009 + d_ff, layers=layers, heads=heads, d_model=3 * heads, d_value=3, d_ff=d_ff, length=length,
        norm="layer", norm_place=norm_place, affine=("gain", "bias"), biases=("b_1", "b_2"), activation=activation,
        masking=(mask, "-inf"),
    )  # fmt: skip
    trace = ch.run(example).backward()
    first, final = example.scopes[0], example.scopes[-1]
    end = f"{final}hidden" if norm_place == "post" else "final_norm"
    gradient_of_end = f"{final}dhidden" if norm_place == "post" else "dfinal_norm"

    stack = encoder(example, d_ff)
    X = torch.tensor(trace[f"{first}X"].values[None], requires_grad=True)
    later = torch.ones(length, length, dtype=torch.bool).triu(1) if mask == "causal" else None
    out = stack(X, mask=later)
    np.testing.assert_allclose(trace[end].values, out[0].detach().numpy(), rtol=FORWARD, atol=FORWARD)

    out.backward(torch.tensor(trace[gradient_of_end].values[None]))
    assert_gradient(trace[f"{first}dX"].values, X.grad[0].numpy())
    for before, module in zip(example.scopes, stack.layers, strict=True):
        for part, theirs in zip("QKV", module.self_attn.in_proj_weight.grad.chunk(3), strict=True):
            assert_gradient(trace[f"{before}dW_{part}"].values, theirs.numpy().T)
        parts = dict(module.named_parameters())
        for theirs, ours in OURS_OF.items():
            assert_gradient(trace[f"{before}d{ours}"].values, parts[theirs].grad.numpy().T)


def assert_gradient(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=GRADIENT)
