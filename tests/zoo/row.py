"""What one row of the zoo says, and the sizes that rows share: all different, so that no two can be confused."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

BATCH, LENGTH, SHORTER, PADDING = 2, 23, 13, 5
"""Texts, their tokens, the tokens of a decoder that reads a longer text, and the padding of the second text."""

VOCABULARY, POSITIONS, WINDOW = 101, 67, 7
LAYERS, DEEPER = 2, 3
"""Layers of a stack; of the encoder or the picture's tower where a model has two stacks."""

HEADS, FEWER = 4, 2
"""Query heads, and the key/value heads they share."""

WIDTH, HEAD, INNER = 40, 6, 48
"""d_model; d_head where a configuration says it apart (4 × 6 is not 40); the feed-forward network's width."""

IMAGE, PATCH = 35, 7
"""A picture of 35 × 35 in patches of 7 × 7: 25 of them."""

SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}

Attends = dict[str, tuple[int, int, int]]


@dataclass(frozen=True)
class Tiny:
    """A tiny model of one family, and what is known of its attention from its configuration.

    Attributes:
        name: The family, and the variant where there is more than one row of it.
        kind: "decoder", "encoder", "pair" (encoder and decoder), "vision", "audio", "multimodal" or "without" (no
            softmax attention at all).
        type: What transformers calls the family: a version that has no such type skips the row.
        config: The configuration's settings.
        model: An auto class or a class of transformers, by name.
        inputs: Makes the inputs of the forward.
        attends: For every stack with softmax attention: its layers, query heads and key/value heads.
        repeated: How many layers hand their kernel the keys repeated, once for each query head, by the beginning of the
            version of transformers, where their configuration says there are fewer: {"4.57": 2}.
        missing: Why the family cannot run with a version of transformers: {"4.57": "…"}, by the version's beginning.
        scores: The type in which Q Kᵀ is worked out whatever the model's type is, where the family fixes one.
        plain: Whether every layer has one matrix Q Kᵀ per head; not so in sparse, pooled and approximate attention.
        route: Through what the layers attend, in the newest transformers: "registry" (the attention function that is
            registered under the setting's name), "own" (code of the family's), or "mixed".
        calls: Calls of the registered function, where they are not one a layer.
        refused: Why a capture of it, or of some of its layers, is refused: words of the reason, by the beginning of the
            version of transformers; {"": "…"} in every version.
        cannot: Formats in which the model itself does not run, and why: {"float64": "…"}.
    """

    name: str
    kind: str
    type: str
    config: dict[str, Any]
    model: str
    inputs: Callable[[], dict[str, Any]]
    attends: Attends = field(default_factory=dict)
    repeated: dict[str, int] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    scores: str = ""
    plain: bool = True
    route: str = "registry"
    calls: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    cannot: dict[str, str] = field(default_factory=dict)

    @property
    def layers(self) -> int:
        """Layers with softmax attention, of all stacks together."""
        return sum(layers for layers, _, _ in self.attends.values())


PARTS = {"": "its scores are put together from parts"}
BLOCKS = {"": "its scores have another axis beside sequences, heads, queries and keys"}
"""Words of reasons for refusing, in every version."""

FACTS = ("attends", "repeated", "missing", "scores", "plain", "route", "calls", "refused", "cannot")


def sorted_out(settings: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is said about the model, and what is left for its configuration."""
    facts = {name: value for name, value in settings.items() if name in FACTS}
    return facts, {name: value for name, value in settings.items() if name not in FACTS}


def stack(
    layers: int = LAYERS, heads: int = HEADS, shared: int | None = None, **changes: Any
) -> dict[str, Any]:
    """The settings under the names most configurations use; `shared` key/value heads where they are fewer."""
    own = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": INNER,
        "max_position_embeddings": POSITIONS,
        **SPECIAL,
    }
    if shared is not None:
        own["num_key_value_heads"] = shared
    return own | changes


def tower(layers: int = DEEPER, **changes: Any) -> dict[str, Any]:
    """The settings of a stack that reads the patches of a picture."""
    return {
        "hidden_size": WIDTH,
        "num_hidden_layers": layers,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "image_size": IMAGE,
        "patch_size": PATCH,
        **changes,
    }
