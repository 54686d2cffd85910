"""Models with no softmax attention: nothing is there to capture."""

from typing import Any

from .given import Given, alone, picture, text
from .row import INNER, LAYERS, POSITIONS, SPECIAL, VOCABULARY, WIDTH, Tiny


def without(name: str, model: str = "AutoModelForCausalLM", inputs: Given = text, **config: Any) -> Tiny:
    return Tiny(name, "without", name, config, model, inputs)


small = {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, **SPECIAL}

WITHOUT = [
    without("mamba", state_size=8, **small),
    without("falcon_mamba", state_size=8, **small),
    without("mamba2", state_size=8, num_heads=8, head_dim=10, n_groups=1, chunk_size=8, **small),
    without("rwkv", inputs=alone, attention_hidden_size=WIDTH, intermediate_size=INNER, **small),
    without("fnet", "AutoModelForMaskedLM", alone, intermediate_size=INNER,
        max_position_embeddings=POSITIONS, **small),
    without("resnet", "AutoModel", picture, embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1]),
]  # fmt: skip
