"""Encoders: models that read a whole text at once."""

from typing import Any

from .given import Given, boxed, left, text
from .row import (
    HEADS,
    INNER,
    LAYERS,
    PARTS,
    POSITIONS,
    SPECIAL,
    VOCABULARY,
    WIDTH,
    WINDOW,
    Tiny,
    sorted_out,
    stack,
)


def encoder(
    name: str, *, of: str = "", model: str = "AutoModelForMaskedLM", inputs: Given = text, **settings: Any
) -> Tiny:
    facts, config = sorted_out(settings)
    return named(name, stack(**config), of=of, model=model, inputs=inputs, **facts)


def named(
    name: str, config: dict[str, Any], *, of: str = "", model: str = "AutoModelForMaskedLM",
        inputs: Given = text,
    **facts: Any,
) -> Tiny:  # fmt: skip
    """An encoder whose configuration has names of its own."""
    facts = {"attends": {"self": (LAYERS, HEADS, HEADS)}} | facts
    return Tiny(name, "encoder", of or name, config, model, inputs, **facts)


tangled = {
    "relative_attention": True, "pos_att_type": ["c2p", "p2c"], "max_relative_positions": 16,
    "type_vocab_size": 0,
}  # fmt: skip
xlm = {
    "vocab_size": VOCABULARY, "emb_dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS, "n_langs": 1,
    "max_position_embeddings": POSITIONS, "pad_index": 0, "bos_index": 1, "eos_index": 2, "unk_index": 3,
    "mask_index": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
sparse = {"plain": False}
no_half = {"bfloat16": "a part of it is always worked out in float32, and meets the rest in a product",
           "float16": "a part of it is always worked out in float32, and meets the rest in a product"}  # fmt: skip

ENCODERS = [
    *(encoder(name) for name in (
        "bert", "roberta", "xlm-roberta", "electra", "camembert", "ernie", "roberta-prelayernorm",
        "xlm-roberta-xl",
        "data2vec-text", "layoutlm",
    )),
    *(encoder(name, route="own") for name in ("megatron-bert", "mpnet", "ibert")),
    encoder("bert-left", of="bert", inputs=left),
    encoder("bert-decoder", of="bert", model="AutoModelForCausalLM", is_decoder=True),
    encoder("bert-generation", model="BertGenerationEncoder"),
    encoder("albert", embedding_size=17),
    named("distilbert", {"vocab_size": VOCABULARY, "dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS,
                         "hidden_dim": INNER, "max_position_embeddings": POSITIONS, "pad_token_id": 0}),
    encoder("deberta", **tangled, route="own"),
    encoder("deberta-v2", position_buckets=8, share_att_key=True, norm_rel_ebd="layer_norm", **tangled,
        route="own"),
    encoder("modernbert", local_attention=2 * WINDOW, global_attn_every_n_layers=2, cls_token_id=1,
        sep_token_id=2,
            layer_types=["full_attention", "sliding_attention"]),
    encoder("eurobert", num_key_value_heads=2, attends={"self": (LAYERS, HEADS, 2)}, mask_token_id=3),
    encoder("convbert", embedding_size=17, conv_kernel_size=3, head_ratio=2,
            attends={"self": (LAYERS, 2, 2)}, route="own"),
    named("xlnet", {"vocab_size": VOCABULARY, "d_model": WIDTH, "n_layer": LAYERS, "n_head": HEADS,
        "d_inner": INNER,
                    **SPECIAL}, model="AutoModel", route="own"),
    named("xlm", xlm, model="XLMWithLMHeadModel", route="own"),
    named("flaubert", xlm, model="FlaubertWithLMHeadModel", route="own"),
    encoder("longformer", attention_window=8, **sparse, route="own", refused=PARTS),
    encoder("big_bird", attention_type="original_full", route="own"),
    encoder("big_bird-sparse", of="big_bird", attention_type="block_sparse", block_size=4,
        num_random_blocks=1,
            max_position_embeddings=128, inputs=lambda: text(length=64), **sparse, route="own", refused=PARTS),
    named("reformer", {
        "vocab_size": VOCABULARY, "hidden_size": 32, "num_attention_heads": HEADS, "attention_head_size": 6,
        "feed_forward_size": INNER, "attn_layers": ["local", "lsh"], "is_decoder": False,
        "axial_pos_shape": [4, 8],
        "axial_pos_embds_dim": [16, 16], "max_position_embeddings": 32, "local_attn_chunk_length": 8,
        "lsh_attn_chunk_length": 8, "num_hashes": 1, "num_buckets": 2, "hash_seed": 0, **SPECIAL,
    }, **sparse, route="own", refused={"": "it makes its weights from exponentials by itself"}),
    named("funnel", {"vocab_size": VOCABULARY, "block_sizes": [1, 1], "num_decoder_layers": 1,
        "d_model": WIDTH,
                     "n_head": HEADS, "d_head": 10, "d_inner": INNER, "pad_token_id": 0},
          attends={"encoder": (2, HEADS, HEADS), "decoder": (1, HEADS, HEADS)}, route="own"),
    encoder("squeezebert", embedding_size=WIDTH, q_groups=2, k_groups=2, v_groups=2, post_attention_groups=1,
            intermediate_groups=2, output_groups=2, route="own"),
    encoder("nystromformer", num_landmarks=4, segment_means_seq_len=24, conv_kernel_size=3,
        inputs=lambda: text("", 24), **sparse, route="own", cannot=no_half,
            refused={"": "it multiplies weights with weights"}),
    encoder("roformer", embedding_size=WIDTH, route="own"),
    encoder("rembert", input_embedding_size=17, output_embedding_size=19, route="own"),
    encoder("esm", mask_token_id=3, position_embedding_type="rotary", emb_layer_norm_before=False,
            token_dropout=False),
    encoder("mobilebert", embedding_size=16, intra_bottleneck_size=20, true_hidden_size=20,
        num_feedforward_networks=1),
    encoder("canine", model="CanineModel", downsampling_rate=4, upsampling_kernel_size=4,
        local_transformer_stride=8,
            num_hash_buckets=67, inputs=lambda: text(length=32), max_position_embeddings=128,
            # its first layer attends once for each of the 4 strides of the text
            attends={"local": (4, HEADS, HEADS), "deep": (LAYERS, HEADS, HEADS), "last": (1, HEADS, HEADS)},
            route="own"),
    encoder("layoutlmv3", model="LayoutLMv3Model", visual_embed=False, coordinate_size=7, shape_size=6,
            max_2d_position_embeddings=64),
    encoder("lilt", model="LiltModel", hidden_size=48, inputs=boxed, channel_shrink_ratio=2,
        max_2d_position_embeddings=64, **sparse, route="own",
            attends={"words": (LAYERS, HEADS, HEADS), "layout": (LAYERS, HEADS, HEADS)}),
    encoder("markuplm", model="MarkupLMModel", max_depth=5, xpath_unit_hidden_size=8),
    encoder("bros", model="BrosModel", hidden_size=64, inputs=boxed, route="own", cannot=no_half),
    encoder("splinter", model="SplinterModel"),
    encoder("xmod", languages=["en_XX"], default_language="en_XX"),
    encoder("nomic_bert"),
    encoder("jina_embeddings_v3"),
    encoder("tapas", type_vocab_sizes=[3, 5, 5, 2, 5, 10, 10], model="TapasModel", route="own"),
    encoder("luke", model="LukeModel", entity_vocab_size=17, entity_emb_size=11,
        use_entity_aware_attention=True, route="own"),
    encoder("roc_bert", pronunciation_vocab_size=31, shape_vocab_size=37, pronunciation_embed_dim=8,
        shape_embed_dim=9),
    encoder("dpr", model="DPRQuestionEncoder"),
]  # fmt: skip
