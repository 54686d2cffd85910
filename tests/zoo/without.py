"""Models with no softmax attention: nothing is there to capture."""

from typing import Any

from .given import Given, alone, picture, text
from .row import INNER, LAYERS, POSITIONS, SPECIAL, VOCABULARY, WIDTH, Tiny, sorted_out


def without(name: str, model: str = "AutoModelForCausalLM", inputs: Given = text, **settings: Any) -> Tiny:
    facts, config = sorted_out(settings)
    return Tiny(name, "without", name, config, model, inputs, **facts)


small = {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, **SPECIAL}
no_transform = "its Fourier transform takes no short format"

WITHOUT = [
    without("mamba", state_size=8, **small),
    without("falcon_mamba", state_size=8, **small),
    without("mamba2", state_size=8, num_heads=8, head_dim=10, n_groups=1, chunk_size=8, **small),
    without("rwkv", inputs=alone, attention_hidden_size=WIDTH, intermediate_size=INNER, **small),
    without("fnet", "AutoModelForMaskedLM", alone, intermediate_size=INNER,
        max_position_embeddings=POSITIONS, cannot={"bfloat16": no_transform, "float16": no_transform}, **small),
    without("resnet", "AutoModel", picture, embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1]),
]  # fmt: skip
