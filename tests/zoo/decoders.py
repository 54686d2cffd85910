"""Decoders: models that read a text from left to right."""

from typing import Any

from .given import Given, left, text
from .row import (
    FEWER,
    HEAD,
    HEADS,
    INNER,
    LAYERS,
    POSITIONS,
    SPECIAL,
    VOCABULARY,
    WIDTH,
    WINDOW,
    Tiny,
    sorted_out,
    stack,
)  # fmt: skip


def decoder(
    name: str, config: dict[str, Any], *, of: str = "", shared: int = HEADS, inputs: Given = text,
    model: str = "AutoModelForCausalLM", **facts: Any,
) -> Tiny:  # fmt: skip
    facts = {"attends": {"self": (LAYERS, HEADS, shared)}} | facts
    return Tiny(name, "decoder", of or name, config, model, inputs, **facts)


def grouped(name: str, *, inputs: Given = text, of: str = "", **settings: Any) -> Tiny:
    """A decoder whose four query heads share two key/value heads."""
    facts, config = sorted_out(settings)
    return decoder(name, stack(shared=FEWER, **config), shared=FEWER, inputs=inputs, of=of, **facts)


def only(layers: int, heads: int = HEADS, shared: int = FEWER) -> dict[str, Any]:
    """So many layers attend, the others do something else."""
    return {"attends": {"self": (layers, heads, shared)}}


repeated = {"repeated": {"4.57": LAYERS}}
# GPT-2's names for the same sizes.
short = {
    "vocab_size": VOCABULARY, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "n_positions": POSITIONS,
    **SPECIAL
}  # fmt: skip
experts = {"num_local_experts": 3, "num_experts_per_tok": 2}
many = {
    "num_experts": 5, "n_routed_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 16,
    "shared_expert_intermediate_size": 24,
}  # fmt: skip
alternating = {"sliding_window": WINDOW, "layer_types": ["sliding_attention", "full_attention"]}
latent = {
    **many, "kv_lora_rank": 12, "q_lora_rank": 13, "qk_nope_head_dim": 6, "qk_rope_head_dim": 8,
    "v_head_dim": 10,
    "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1,
}  # fmt: skip
linear = {
    "layer_types": ["linear_attention", "full_attention"], "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 8, "linear_value_head_dim": 8,
}  # fmt: skip
state = {
    "mamba_n_heads": 8, "mamba_d_head": 10, "mamba_n_groups": 1, "mamba_d_state": 8, "mamba_chunk_size": 8,
    "mamba_expand": 2, "mamba_d_ssm": 80,
}  # fmt: skip

DECODERS = [
    decoder("gpt2", short, inputs=left),
    decoder("gpt2-depth-scaled", short | {"scale_attn_by_inverse_layer_idx": True,
        "reorder_and_upcast_attn": True},
            of="gpt2"),
    decoder("openai-gpt", short, route="own"),
    decoder("gpt_neo", {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_layers": LAYERS, "num_heads": HEADS,
        "intermediate_size": INNER, "max_position_embeddings": POSITIONS, "window_size": WINDOW,
        "attention_types": [[["global", "local"], 1]], **SPECIAL,
    }, scores="float32", route="own"),
    decoder("gpt_neox", stack(rotary_pct=0.4)),
    decoder("gptj", short | {"rotary_dim": 4}, scores="float32"),
    decoder("gpt_bigcode", short, shared=1),
    decoder("codegen", short | {"rotary_dim": 4}, scores="float32"),
    decoder("ctrl", short | {"dff": INNER}),
    decoder("imagegpt", short, model="ImageGPTForCausalImageModeling", route="own"),
    decoder("opt", stack(ffn_dim=INNER, word_embed_proj_dim=WIDTH), inputs=left),
    decoder("bloom", {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "n_layer": LAYERS, "n_head": HEADS,
        **SPECIAL}, route="own"),
    decoder("mpt", {"vocab_size": VOCABULARY, "d_model": WIDTH, "n_layers": LAYERS, "n_heads": HEADS,
                    "max_seq_len": POSITIONS}, route="own"),
    decoder("falcon", stack(), shared=1, route="own"),
    decoder("falcon-alibi", stack(alibi=True, multi_query=False), of="falcon", route="own"),
    decoder("xglm", {"vocab_size": VOCABULARY, "d_model": WIDTH, "num_layers": LAYERS,
        "attention_heads": HEADS,
                     "ffn_dim": INNER, "max_position_embeddings": POSITIONS, **SPECIAL}, route="own",
            cannot={"float64": "its softmax in float32 takes the lowest number of float64 from its mask"}),
    decoder("biogpt", stack()),
    grouped("llama", inputs=left, head_dim=HEAD),
    grouped("mistral", sliding_window=WINDOW, inputs=left),
    grouped("ministral", head_dim=HEAD, **alternating),
    grouped("mixtral", sliding_window=WINDOW, **experts),
    grouped("qwen2", use_sliding_window=True, sliding_window=WINDOW, max_window_layers=1),
    grouped("qwen2_moe", **many, **repeated),
    grouped("qwen3", head_dim=HEAD),
    grouped("qwen3_moe", head_dim=HEAD, **many),
    grouped("qwen3_next", head_dim=8, **only(1), **many, **linear),
    grouped("qwen3_5_text", head_dim=8, **only(1), **linear),
    grouped("gemma", head_dim=HEAD),
    grouped("gemma2", head_dim=HEAD, sliding_window=WINDOW, attn_logit_softcapping=3.0,
        query_pre_attn_scalar=11),
    grouped("gemma3_text", head_dim=HEAD, query_pre_attn_scalar=11, inputs=left, **alternating),
    grouped("gemma3n_text", head_dim=HEAD, vocab_size_per_layer_input=VOCABULARY,
        hidden_size_per_layer_input=8,
            laurel_rank=4, altup_num_inputs=2, activation_sparsity_pattern=[0.0, 0.0], num_kv_shared_layers=0,
            **alternating | {"intermediate_size": [INNER, INNER]}),
    grouped("gemma4_text", head_dim=HEAD, global_head_dim=8, vocab_size_per_layer_input=VOCABULARY,
            hidden_size_per_layer_input=8, num_kv_shared_layers=0, **alternating),
    grouped("vaultgemma", head_dim=HEAD, query_pre_attn_scalar=11, attn_logit_softcapping=None,
        **alternating),
    decoder("phi", stack(shared=HEADS, partial_rotary_factor=0.4)),
    grouped("phi3", sliding_window=WINDOW),
    grouped("phimoe", sliding_window=WINDOW, **experts, **repeated),
    grouped("olmo", clip_qkv=2.0),
    grouped("olmo2"),
    grouped("olmo3", **alternating),
    grouped("olmoe", **many, **repeated),
    grouped("stablelm", **repeated),
    grouped("stablelm-normed", of="stablelm", qk_layernorm=True,
            missing={"4.57": "its norms of queries and keys have no bias, which its initialisation expects"}),
    grouped("starcoder2", sliding_window=WINDOW),
    grouped("cohere"),
    grouped("cohere2", **alternating),
    decoder("deepseek_v2", stack(shared=HEADS, topk_method="greedy", **latent)),
    decoder("deepseek_v3", stack(shared=HEADS, **latent), inputs=left),
    grouped("gpt_oss", head_dim=HEAD, **experts, **alternating),
    grouped("smollm3", no_rope_layers=[1, 0]),
    grouped("granite", attention_multiplier=0.2),
    grouped("granitemoe", attention_multiplier=0.2, **experts),
    grouped("granitemoeshared", attention_multiplier=0.2, shared_intermediate_size=16, **experts),
    grouped("granitemoehybrid", attention_multiplier=0.2, shared_intermediate_size=16, **only(1),
            layer_types=["mamba", "attention"], **experts, **state),
    grouped("llama4_text", head_dim=HEAD, intermediate_size_mlp=INNER, num_local_experts=3,
        attention_chunk_size=WINDOW,
            layer_types=["chunked_attention", "full_attention"], no_rope_layers=[1, 0], moe_layers=[]),
    grouped("jamba", num_experts=3, attn_layer_period=2, attn_layer_offset=1, expert_layer_period=2,
            use_mamba_kernels=False, mamba_d_state=8, mamba_dt_rank=4, repeated={"4.57": 1}, **only(1)),
    grouped("bamba", attn_layer_indices=[1], **only(1), **state),
    grouped("zamba", attn_layer_period=2, attn_layer_offset=1, use_mamba_kernels=False, mamba_d_state=8,
        mamba_dt_rank=4,
            n_mamba_heads=2, attention_head_dim=20, num_hidden_layers=3, layers_block_type=["mamba",
            "hybrid", "hybrid"], **only(2)),
    grouped("zamba2", attn_layer_period=2, layers_block_type=["mamba", "hybrid"], mamba_d_state=8,
        mamba_headdim=10,
            n_mamba_heads=8, mamba_ngroups=1, chunk_size=8, attention_head_dim=20, num_mem_blocks=1,
            use_mem_eff_path=False, **only(1)),
    grouped("falcon_h1", head_dim=HEAD, **state),
    grouped("lfm2", layer_types=["conv", "full_attention"], **only(1)),
    grouped("recurrent_gemma", num_hidden_layers=3, attention_window_size=WINDOW, lru_width=48,
        hidden_size=48,
            block_types=["recurrent", "recurrent", "attention"], repeated={"4.57": 1}, **only(1)),
    grouped("minimax", head_dim=8, layer_types=["linear_attention", "full_attention"], block_size=8,
        **only(1),
            **experts),
    decoder("modernbert-decoder", stack(local_attention=2 * WINDOW, global_attn_every_n_layers=2,
            layer_types=["sliding_attention", "full_attention"])),
    grouped("nemotron", partial_rotary_factor=0.4, **repeated),
    decoder("persimmon", stack(partial_rotary_factor=0.4)),
    grouped("glm", head_dim=8, partial_rotary_factor=0.5),
    grouped("glm4", head_dim=8, partial_rotary_factor=0.5),
    grouped("glm4_moe", head_dim=8, partial_rotary_factor=0.5, first_k_dense_replace=1, n_group=1,
        topk_group=1,
            n_shared_experts=1, **many),
    grouped("ernie4_5", head_dim=HEAD),
    grouped("ernie4_5_moe", moe_num_experts=3, moe_k=2, moe_intermediate_size=16, moe_layer_start_index=1),
    grouped("exaone4", **alternating),
    grouped("helium", head_dim=10),
    decoder("dbrx", {"vocab_size": VOCABULARY, "d_model": WIDTH, "n_layers": LAYERS, "n_heads": HEADS,
                     "max_seq_len": POSITIONS, "attn_config": {"kv_n_heads": FEWER, "clip_qkv": 2.0,
                     "rope_theta": 10000.0}, "ffn_config": {"ffn_hidden_size": INNER, "moe_num_experts": 3,
                     "moe_top_k": 2}}, shared=FEWER, **repeated),
    grouped("doge", keep_window_size=2048),
    grouped("arcee"),
    grouped("apertus"),
    grouped("seed_oss", head_dim=HEAD),
    grouped("hunyuan_v1_dense", head_dim=HEAD),
    grouped("hunyuan_v1_moe", head_dim=HEAD, num_experts=3, moe_topk=2),
    grouped("dots1", first_k_dense_replace=1, n_group=1, topk_group=1, n_shared_experts=1, **many,
        **alternating),
    grouped("bitnet"),
    grouped("flex_olmo", **many),
    # each of its layers attends twice, to the first and to the second half of the values
    grouped("diffllama", attends={"first": (LAYERS, HEADS, FEWER), "second": (LAYERS, HEADS, FEWER)}, **repeated),
    grouped("nanochat"),
    grouped("afmoe", **many, **alternating),
    grouped("ministral3"),
    grouped("lfm2_moe", layer_types=["conv", "full_attention"], num_dense_layers=1, **only(1), **many),
    grouped("exaone_moe", **many, **alternating),
    grouped("minimax_m2", head_dim=HEAD, rotary_dim=4, **experts),
    grouped("jais2"),
    grouped("cwm", head_dim=HEAD, **alternating),
    grouped("jetmoe", kv_channels=10, num_local_experts=3, num_experts_per_tok=2, **only(2, shared=HEADS)),
    grouped("mellum", **many, **alternating),
    decoder("longcat_flash", stack(num_layers=1, shared=HEADS, head_dim=8, ffn_hidden_size=INNER,
        expert_ffn_hidden_size=16, zero_expert_num=1,
            moe_topk=2, **latent)),
    decoder("gpt_neox_japanese", stack(intermediate_multiple_size=1, rotary_pct=0.4), route="own"),
    decoder("trocr", {"vocab_size": VOCABULARY, "d_model": WIDTH, "decoder_layers": LAYERS,
            "decoder_attention_heads": HEADS, "decoder_ffn_dim": INNER,
            "max_position_embeddings": POSITIONS, **SPECIAL}, route="own"),
]  # fmt: skip
