"""The weights of the zoo's models are those that the models hand out themselves, on transformers' eager kernels."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from clearhead.trace.capture.recompute import weights_of  # noqa: E402 (after what it needs)

APART = {
    "falcon-alibi": {"": "its eager kernel scales ALiBi's numbers too, PyTorch's gets them as they are"},
    "gemma2": {"4.57": "PyTorch's kernel leaves the soft cap out"},
    "gpt2-depth-scaled": {"4.57": "PyTorch's kernel is not told that deeper layers scale by less"},
    "llama4_text": {
        "": "its second text has a chunk of padding alone, and kernels differ in rows that see nothing"
    },
    "t5gemma": {"4.57": "PyTorch's kernel leaves the soft cap out"},
}
"""Rows whose two kernels give different outputs, by the beginning of the version of transformers: a capture shows the
kernel that ran, so here the eager one is captured."""

OTHERWISE = {
    "git": {"4.57": "its vision tower is not asked for them"},
    "llava": {"4.57": "its vision tower is not asked for them"},
    "prophetnet": {"": "it hands out scores, before the softmax"},
    "qwen2_vl": {"": "the blocks of its vision tower drop them"},
    "qwen2_5_vl": {"": "the blocks of its vision tower drop them"},
    "qwen3_vl": {"": "the blocks of its vision tower drop them"},
    "recurrent_gemma": {"4.57": "it hands out none"},
    "siglip": {"": "its pooling hands out the mean of the heads"},
    "siglip_vision_model": {"": "its pooling hands out the mean of the heads"},
    "squeezebert": {"": "it hands out scores, before the softmax"},
    "vipllava": {"4.57": "its vision tower is not asked for them"},
    "wavlm": {"": "it hands out the mean of the heads, once for each head"},
}
"""Rows of which some layers do not hand out their weights; the test holds for the others."""


def is_in(exceptions, name):
    return any(transformers.__version__.startswith(start) for start in exceptions.get(name, ()))


def test_the_weights_are_the_models_own(observed, capture, zoo):
    """1e-6, and as much more as the largest score is beyond 1: a score of 30 in float32 has an error of 2e-6.

    The two runs are two kernels, so what enters the second layer already differs by the rounding of the first.
    """
    tiny = observed.tiny
    close, otherwise = compared(capture, zoo.Own(tiny))
    assert bool(otherwise) == is_in(OTHERWISE, tiny.name), otherwise
    assert all(close.values()) != is_in(APART, tiny.name), close
    if is_in(APART, tiny.name):
        eager = zoo.observe(zoo.build(tiny, attn_implementation="eager"), tiny).capture
        close, otherwise = compared(eager, zoo.Own(tiny))
        assert all(close.values())
        assert not otherwise


def compared(capture, own):
    """For every layer whether its weights are near those that the model hands out; the layers that hand out none."""
    close, otherwise = {}, []
    for layer in capture.attentions():
        attention = layer.attention
        theirs = own.of(layer.path, (attention.sequences, attention.heads, attention.queries, attention.keys))
        if theirs is None:
            otherwise.append(layer.label)
            continue
        differences = []
        for batch in range(attention.sequences):
            ours = np.stack([weights_of(attention, batch, head) for head in range(attention.heads)])
            seeing = np.stack(
                [attention.visible.table(batch, head).any(1) for head in range(attention.heads)]
            )
            differences.append(np.abs(ours - theirs[batch].double().numpy())[seeing].max(initial=0))
        close[layer.label] = max(differences) <= 1e-6 * largest_score(attention)
    return close, otherwise


def largest_score(attention):
    """The largest product of a query and a key, scaled; 1 at least."""
    query, key = (np.asarray(held[:], dtype=np.float64) for held in (attention.query, attention.key))
    key = np.repeat(key, attention.heads // key.shape[1], axis=1)
    return max(1.0, np.abs(query @ key.swapaxes(2, 3) * attention.scale).max())
