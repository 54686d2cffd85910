"""Models that hear."""

from functools import partial
from typing import Any

from .given import Given, sound, spectrum, words
from .row import (
    BATCH,
    DEEPER,
    HEADS,
    INNER,
    LENGTH,
    POSITIONS,
    SPECIAL,
    VOCABULARY,
    WIDTH,
    Tiny,
)


def hears(
    name: str,
    config: dict[str, Any],
    *,
    of: str = "",
    model: str = "AutoModel",
    inputs: Given = sound,
    **facts: Any,
) -> Tiny:
    facts = {"attends": {"audio": (DEEPER, HEADS, HEADS)}} | facts
    return Tiny(name, "audio", of or name, config, model, inputs, **facts)


waves = {
    "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": DEEPER, "num_attention_heads": HEADS,
    "intermediate_size": INNER, "conv_dim": [16, 16], "conv_stride": [8, 4], "conv_kernel": [10, 5],
    "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2, "feat_extract_norm": "group", **SPECIAL,
}  # fmt: skip

AUDIO = [
    hears("wav2vec2", waves),
    hears("hubert", waves),
    hears("wavlm", waves | {"num_buckets": 8, "max_bucket_distance": 11}, inputs=partial(sound,
        padded=False), route="own"),
    hears("unispeech", waves),
    hears("unispeech-sat", waves),
    hears("data2vec-audio", {**waves, "conv_pos_kernel_size": 3, "num_conv_pos_embeddings": 2}),
    hears("sew", waves | {"squeeze_factor": 2}),
    hears("wav2vec2-conformer", waves | {"position_embeddings_type": "rotary",
        "conv_depthwise_kernel_size": 3}),
    hears("audio-spectrogram-transformer", {"hidden_size": WIDTH, "num_hidden_layers": DEEPER,
        "num_attention_heads": HEADS,
          "intermediate_size": INNER, "patch_size": 4, "frequency_stride": 4, "time_stride": 4,
          "max_length": 20,
          "num_mel_bins": 16}, inputs=lambda: spectrum("input_values", 20, 16)),
    hears("clap_audio_model", {"spec_size": 32, "patch_size": 4, "patch_stride": [4, 4], "num_mel_bins": 8,
        "window_size": 4,
          "patch_embeds_hidden_size": 16, "depths": [2, 1], "num_attention_heads": [2, 4],
          "hidden_size": 32, "num_hidden_layers": 2,
          "projection_dim": 16},
          inputs=lambda: spectrum("input_features", 1, 128, 8), model="ClapAudioModel",
          attends={"first": (2, 2, 2), "second": (1, 4, 4)}, route="own"),
    hears("parakeet_encoder", {"hidden_size": WIDTH, "num_hidden_layers": DEEPER,
        "num_attention_heads": HEADS,
          "intermediate_size": INNER, "num_mel_bins": 16, "subsampling_conv_channels": 8,
          "conv_kernel_size": 3,
          "max_position_embeddings": 67}, inputs=lambda: spectrum("input_features", 96, 16)),
    hears("musicgen_decoder", {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": DEEPER,
          "num_attention_heads": HEADS, "ffn_dim": INNER, "num_codebooks": 2,
          "max_position_embeddings": POSITIONS,
          **SPECIAL}, model="MusicgenForCausalLM",
          inputs=lambda: {"input_ids": words(LENGTH, batch=2 * BATCH)}),
]  # fmt: skip
