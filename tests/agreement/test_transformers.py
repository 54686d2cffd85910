"""Tiny random GPT-2 and Llama models of Hugging Face transformers, with our numbers: logits, and every gradient.

GPT-2's attention has biases that ours has not: they are 0, as its own initialisation leaves them.
"""

import numpy as np
import pytest
import torch

import clearhead as ch

pytestmark = pytest.mark.filterwarnings("ignore")  # of another package, about itself

transformers = pytest.importorskip(
    "transformers",
    reason="transformers, whose models are compared with here, is not installed; ./check installs it",
)


def run_both(example, model, numbers):
    """The logits and the gradients by the model's own names: theirs, after its parameters were given `numbers`."""
    model = model.double().eval()
    parts = dict(model.named_parameters())
    assert set(numbers) <= set(parts)
    with torch.no_grad():
        for name, part in parts.items():
            part.copy_(torch.tensor(numbers[name]) if name in numbers else torch.zeros_like(part))
    rows = torch.tensor([example.rows])
    logits = model(rows).logits[0]
    torch.nn.functional.cross_entropy(logits[:-1], rows[0, 1:]).backward()
    return logits.detach().numpy(), {name: parts[name].grad.numpy() for name in numbers}


def assert_agrees(example, model, numbers, forward, gradient):
    trace = ch.run(example).backward()
    logits, gradients = run_both(example, model, numbers(example.parameters))
    np.testing.assert_allclose(trace["logits"].values, logits, rtol=forward, atol=forward)
    ours = numbers({name: own_gradient(trace, name) for name in example.parameters})
    for name, theirs in gradients.items():
        np.testing.assert_allclose(ours[name], theirs, rtol=0, atol=gradient, err_msg=name)


def own_gradient(trace, name):
    scope, point, bare = name.rpartition(".")
    return trace[f"{scope}{point}d{bare}"].values


def as_gpt2(ours):
    """Radford et al. 2019, by the names of transformers; its matrices are laid out as ours are."""
    theirs = {
        "transformer.wte.weight": ours["E"], "transformer.wpe.weight": ours["P"],
        "transformer.ln_f.weight": ours["gain_final"], "transformer.ln_f.bias": ours["bias_final"],
    }  # fmt: skip
    for layer in range(2):
        own, its = f"layer{layer}.", f"transformer.h.{layer}."
        theirs[f"{its}attn.c_attn.weight"] = np.hstack([ours[f"{own}W_{part}"] for part in "QKV"])
        theirs[f"{its}attn.c_proj.weight"] = ours[f"{own}W_O"]
        for number, norm in (("1", "ln_1"), ("2", "ln_2")):
            theirs[f"{its}{norm}.weight"] = ours[f"{own}gain_{number}"]
            theirs[f"{its}{norm}.bias"] = ours[f"{own}bias_{number}"]
        for number, name in (("1", "c_fc"), ("2", "c_proj")):
            theirs[f"{its}mlp.{name}.weight"] = ours[f"{own}W_{number}"]
            theirs[f"{its}mlp.{name}.bias"] = ours[f"{own}b_{number}"]
    return theirs


def test_gpt2(random_models):
    """In float64: 1e-12 forwards and 1e-10 for gradients, as everywhere."""
    example = random_models.random_model(
        2, layers=2, heads=2, d_model=6, d_value=3, d_ff=11, norm="layer", affine=("gain", "bias"),
        biases=("b_1", "b_2"), activation="gelu_tanh", positions="learned", masking=("causal", "-inf"), tied=True,
        scale_embeddings=False,
    )  # fmt: skip
    config = transformers.GPT2Config(
        vocab_size=13, n_positions=17, n_embd=6, n_layer=2, n_head=2, n_inner=11, attn_implementation="eager",
        resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
    )  # fmt: skip
    assert_agrees(example, transformers.GPT2LMHeadModel(config), as_gpt2, 1e-12, 1e-10)


def as_llama(ours):
    """Touvron et al. 2023, by the names of transformers; its matrices are transposed."""
    theirs = {
        "model.embed_tokens.weight": ours["E"], "model.norm.weight": ours["gain_final"],
        "lm_head.weight": ours["W_U"].T,
    }  # fmt: skip
    for layer in range(2):
        own, its = f"layer{layer}.", f"model.layers.{layer}."
        for part in "qkvo":
            theirs[f"{its}self_attn.{part}_proj.weight"] = ours[f"{own}W_{part.upper()}"].T
        for name, matrix in (("gate", "W_G"), ("up", "W_1"), ("down", "W_2")):
            theirs[f"{its}mlp.{name}_proj.weight"] = ours[f"{own}{matrix}"].T
        theirs[f"{its}input_layernorm.weight"] = ours[f"{own}gain_1"]
        theirs[f"{its}post_attention_layernorm.weight"] = ours[f"{own}gain_2"]
    return theirs


def test_llama(random_models):
    """Its norms and rotary angles are worked out in float32 whatever the model's type: 1e-7 of numbers up to 10."""
    example = random_models.random_model(
        2, layers=2, heads=3, d_model=6, d_value=2, d_ff=11, norm="rms", affine=("gain",), activation="swiglu",
        positions="rotary", masking=("causal", "-inf"), scale_embeddings=False,
    )  # fmt: skip
    config = transformers.LlamaConfig(
        vocab_size=13, hidden_size=6, intermediate_size=11, num_hidden_layers=2, num_attention_heads=3, head_dim=2,
        num_key_value_heads=3, rms_norm_eps=1e-5, tie_word_embeddings=False, attn_implementation="eager",
    )  # fmt: skip
    assert_agrees(example, transformers.LlamaForCausalLM(config), as_llama, 1e-5, 1e-5)
