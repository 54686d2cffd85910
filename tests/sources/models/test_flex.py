"""A kernel that compiles itself and takes its mask as a rule: PyTorch's flex_attention."""

import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import clearhead as ch  # noqa: E402 (after the skips)

LENGTH, WINDOW, PADDING = 19, 7, 3

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # PyTorch's compiler warns of its own parts
    pytest.mark.skipif(shutil.which("g++") is None, reason="PyTorch compiles this kernel with g++"),
]


def test_a_window_and_padding_on_flex_attention():
    torch.manual_seed(0)
    sizes = {"hidden_size": 20, "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 23}
    config = transformers.MistralConfig(
        vocab_size=101, num_hidden_layers=1, sliding_window=WINDOW, bos_token_id=0, eos_token_id=0, **sizes
    )
    model = transformers.MistralForCausalLM(config).eval()
    model.set_attn_implementation("flex_attention")
    mask = torch.ones(2, LENGTH, dtype=torch.long)
    mask[1, -PADDING:] = 0
    given = {"input_ids": torch.randint(101, (2, LENGTH)), "attention_mask": mask}
    with torch.no_grad():
        expected = model(**given).logits
    capture = ch.capture(model, inputs=given)
    assert capture.agreement.agrees
    assert capture.agreement[0].kernel == "flex_attention"
    with torch.no_grad():
        assert torch.equal(model(**given).logits, expected)
    seen = (capture.weights(0, batch=1) > 0).sum(axis=-1)
    place = np.arange(LENGTH)
    visible = np.minimum(place + 1, LENGTH - PADDING) - np.maximum(place + 1 - WINDOW, 0)
    assert (seen == visible).all()
