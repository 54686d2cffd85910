"""The weights of the zoo's models are those that the models hand out themselves, on transformers' eager kernels."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from clearhead.trace.capture.recompute import weights_of  # noqa: E402 (after what it needs)

pytestmark = pytest.mark.skipif(
    transformers.__version__.startswith("4."),
    reason="which models of transformers 4 hand out something else than the weights of the kernel is not kept up here",
)

APART = {
    "falcon-alibi": (0, "its eager kernel scales ALiBi's numbers too, PyTorch's gets them as they are"),
    "llama4_text": (
        1,
        "its second text has a chunk of padding alone, and kernels differ in rows that see nothing",
    ),
}
"""Rows whose two kernels give different outputs, and from which layer on; what is shown is of the kernel that ran."""

OTHERWISE = {
    "prophetnet": "it hands out scores, before the softmax",
    "qwen2_vl": "the blocks of its vision tower drop them",
    "qwen2_5_vl": "the blocks of its vision tower drop them",
    "qwen3_vl": "the blocks of its vision tower drop them",
    "siglip": "its pooling hands out the mean of the heads",
    "siglip_vision_model": "its pooling hands out the mean of the heads",
    "squeezebert": "it hands out scores, before the softmax",
    "wavlm": "it hands out the mean of the heads, once for each head",
}
"""Rows of which some layers do not hand out their weights; the test holds for the others."""


def test_the_weights_are_the_models_own(observed, capture, zoo):
    """1e-6, and as much more as the largest score is beyond 1: a score of 30 in float32 has an error of 2e-6.

    The two runs are two kernels, so what enters the second layer already differs by the rounding of the first.
    """
    tiny = observed.tiny
    own = zoo.Own(tiny)
    otherwise = []
    for layer in capture.attentions():
        attention = layer.attention
        theirs = own.of(layer.path, (attention.sequences, attention.heads, attention.queries, attention.keys))
        if theirs is None:
            otherwise.append(layer.label)
            continue
        if tiny.name in APART and layer.number >= APART[tiny.name][0]:
            continue
        for batch in range(attention.sequences):
            ours = np.stack([weights_of(attention, batch, head) for head in range(attention.heads)])
            seeing = np.stack(
                [attention.visible.table(batch, head).any(1) for head in range(attention.heads)]
            )
            difference = np.abs(ours - theirs[batch].double().numpy())[seeing]
            assert difference.max() <= 1e-6 * largest_score(attention), layer.label
    assert bool(otherwise) == (tiny.name in OTHERWISE), otherwise


def largest_score(attention):
    """The largest product of a query and a key, scaled; 1 at least."""
    query, key = (np.asarray(held[:], dtype=np.float64) for held in (attention.query, attention.key))
    key = np.repeat(key, attention.heads // key.shape[1], axis=1)
    return max(1.0, np.abs(query @ key.swapaxes(2, 3) * attention.scale).max())
