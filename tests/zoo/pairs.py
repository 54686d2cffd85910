"""Encoder and decoder: the decoder's queries look at the encoder's keys, which are more."""

from functools import partial
from typing import Any

from .given import Given, pair, sound, spectrum, words
from .row import (
    BLOCKS,
    DEEPER,
    HEADS,
    INNER,
    LAYERS,
    PARTS,
    POSITIONS,
    SHORTER,
    SPECIAL,
    VOCABULARY,
    WIDTH,
    WINDOW,
    Tiny,
    stack,
)


def facing(
    encoder: int = DEEPER, decoder: int = LAYERS, heads: int = HEADS, shared: int = HEADS
) -> dict[str, Any]:
    """Every layer of the decoder attends twice: to its own tokens and to the encoder's."""
    return {
        "encoder": (encoder, heads, shared),
        "decoder": (decoder, heads, shared),
        "cross": (decoder, heads, shared),
    }


def seq2seq(
    name: str, config: dict[str, Any], *, of: str = "", model: str = "AutoModelForSeq2SeqLM",
        inputs: Given = pair,
    **facts: Any,
) -> Tiny:  # fmt: skip
    return Tiny(name, "pair", of or name, config, model, inputs, **({"attends": facing()} | facts))


t5 = {
    "vocab_size": VOCABULARY, "d_model": WIDTH, "d_kv": 6, "d_ff": INNER, "num_layers": DEEPER,
    "num_decoder_layers": LAYERS, "num_heads": HEADS, "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 11, "decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 2,
}  # fmt: skip
bart = {
    "vocab_size": VOCABULARY, "d_model": WIDTH, "encoder_layers": DEEPER, "decoder_layers": LAYERS,
    "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS, "encoder_ffn_dim": INNER,
    "decoder_ffn_dim": INNER, "max_position_embeddings": POSITIONS, "decoder_start_token_id": 1, **SPECIAL,
}  # fmt: skip
heard = {"decoder_input_ids": words(SHORTER, seed=2)}
without_positions = {name: value for name, value in bart.items() if name != "max_position_embeddings"}

PAIRS = [
    seq2seq("t5", t5),
    seq2seq("t5-left", t5, of="t5", inputs=partial(pair, "left")),
    seq2seq("mt5", t5),
    seq2seq("umt5", t5),
    seq2seq("longt5", t5 | {"local_radius": 4, "encoder_attention_type": "local"}, plain=False,
        route="mixed", refused=BLOCKS, cannot={"float16": "its mask overflows, and it returns no numbers"}),
    seq2seq("longt5-global", t5 | {"local_radius": 4, "global_block_size": 4,
            "encoder_attention_type": "transient-global"}, of="longt5", plain=False, route="mixed", refused=BLOCKS),
    seq2seq("switch_transformers", t5 | {"num_experts": 3, "num_sparse_encoder_layers": 1,
        "num_sparse_decoder_layers": 1}),
    seq2seq("bart", bart),
    seq2seq("mbart", bart),
    seq2seq("marian", bart),
    seq2seq("pegasus", bart),
    seq2seq("plbart", bart),
    seq2seq("blenderbot", bart),
    seq2seq("blenderbot-small", bart),
    seq2seq("m2m_100", bart),
    seq2seq("nllb-moe", bart | {"num_experts": 3, "encoder_sparse_step": 2, "decoder_sparse_step": 2,
        "expert_capacity": 64}),
    seq2seq("mvp", bart, route="own"),
    seq2seq("bigbird_pegasus", bart | {"attention_type": "original_full"}, route="mixed"),
    seq2seq("pegasus_x", bart | {"block_size": 8, "num_global_tokens": 4, "stagger_local_blocks": False},
        plain=False, route="mixed", refused=PARTS),
    seq2seq("fsmt", bart | {"src_vocab_size": VOCABULARY, "tgt_vocab_size": VOCABULARY, "langs": ["a",
        "b"]}, missing={"4.57": "its decoder has no configuration, which building it asks for"}, route="own"),
    seq2seq("led", without_positions | {"max_encoder_position_embeddings": POSITIONS, "attention_window": 8,
            "max_decoder_position_embeddings": POSITIONS}, plain=False, route="own", refused=PARTS),
    seq2seq("prophetnet", {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_encoder_layers": DEEPER,
        "num_decoder_layers": LAYERS,
        "num_encoder_attention_heads": HEADS, "num_decoder_attention_heads": HEADS, "encoder_ffn_dim": INNER,
        "decoder_ffn_dim": INNER, "max_position_embeddings": POSITIONS, "ngram": 2, "num_buckets": 8,
        "relative_max_distance": 11, "decoder_start_token_id": 1, **SPECIAL,
    }, plain=False, route="own", refused=BLOCKS),
    seq2seq("whisper", without_positions | {"num_mel_bins": 8, "max_source_positions": 31,
            "max_target_positions": POSITIONS, "suppress_tokens": None, "begin_suppress_tokens": None},
            model="WhisperForConditionalGeneration", inputs=lambda: spectrum("input_features", 8, 62,
            **heard)),
    seq2seq("speech_to_text", without_positions | {"input_feat_per_channel": 8, "input_channels": 1,
            "conv_channels": 16, "num_conv_layers": 2, "conv_kernel_sizes": [3, 3],
            "max_source_positions": 64,
            "max_target_positions": POSITIONS}, model="AutoModelForSpeechSeq2Seq",
            inputs=lambda: spectrum("input_features", 62, 8, **heard)),
    seq2seq("moonshine", {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "intermediate_size": INNER,
        "encoder_num_hidden_layers": DEEPER, "decoder_num_hidden_layers": LAYERS,
        "encoder_num_attention_heads": HEADS,
        "decoder_num_attention_heads": HEADS, "max_position_embeddings": POSITIONS,
        "decoder_start_token_id": 1,
        **SPECIAL,
    }, model="AutoModelForSpeechSeq2Seq", inputs=lambda: sound(8_000, **heard)),
    seq2seq("t5gemma", {
        "encoder": stack(DEEPER, shared=2, head_dim=6, query_pre_attn_scalar=11, sliding_window=WINDOW,
                         attn_logit_softcapping=3.0, layer_types=["sliding_attention", "full_attention"] * 2)
                   | {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"]},
        "decoder": stack(LAYERS, shared=2, head_dim=6, query_pre_attn_scalar=11, sliding_window=WINDOW,
                         attn_logit_softcapping=3.0, cross_attention_hidden_size=WIDTH,
                         layer_types=["sliding_attention", "full_attention"]),
        "vocab_size": VOCABULARY, **SPECIAL,
    }, attends=facing(shared=2)),
    seq2seq("encoder-decoder", {
        "encoder": stack(DEEPER, model_type="bert"),
        "decoder": stack(LAYERS, model_type="bert", is_decoder=True, add_cross_attention=True),
        "decoder_start_token_id": 1, "pad_token_id": 0,
    }, model="EncoderDecoderModel"),
]  # fmt: skip
