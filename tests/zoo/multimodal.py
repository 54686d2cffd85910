"""Models that read what was seen or heard."""

from functools import partial
from typing import Any

import torch

from .given import Given, both, ending, holding, picture, randoms, spectrum, text, words
from .row import (
    BATCH,
    DEEPER,
    FEWER,
    HEAD,
    HEADS,
    IMAGE,
    INNER,
    LAYERS,
    LENGTH,
    PATCH,
    WIDTH,
    WINDOW,
    Tiny,
    stack,
    tower,
)


def mixed(
    name: str,
    config: dict[str, Any],
    model: str,
    inputs: Given,
    *,
    of: str = "",
    shared: int = HEADS,
    **facts: Any,
) -> Tiny:
    facts = {"attends": {"text": (LAYERS, HEADS, shared), "vision": (DEEPER, HEADS, HEADS)}} | facts
    return Tiny(name, "multimodal", of or name, config, model, inputs, **facts)


def one_each() -> dict[str, Any]:
    """Two texts with one picture each, larger."""
    return {"pixel_values": torch.randn(BATCH, 1, 3, 36, 36, generator=randoms(3))}


reads = stack(projection_dim=16)
picture_token = 98
llama = stack(shared=FEWER, model_type="llama")
seen = holding(picture_token, 3, 25, picture)
merged = {
    "depth": DEEPER, "embed_dim": 48, "hidden_size": WIDTH, "num_heads": HEADS, "patch_size": 4,
    "mlp_ratio": 2,
    "spatial_merge_size": 2, "temporal_patch_size": 2,
}  # fmt: skip
markers = {"image_token_id": 98, "video_token_id": 97, "vision_start_token_id": 96, "vision_end_token_id": 95}
turned = {"rope_type": "default", "mrope_section": [1, 2, 2], "rope_theta": 10000.0}


def patches(values: int = 3 * 2 * 4 * 4) -> dict[str, Any]:
    """One text with a picture of 6 × 4 patches, which four by four become six tokens."""
    ids = words(LENGTH, batch=1)
    ids[:, 3], ids[:, 4:10], ids[:, 10] = 96, 98, 95
    return {
        "input_ids": ids, "attention_mask": torch.ones_like(ids),
        "pixel_values": torch.randn(24, values, generator=randoms(3)),
        "image_grid_thw": torch.tensor([[1, 6, 4]]), "mm_token_type_ids": (ids == 98).int(),
    }  # fmt: skip


MULTIMODAL = [
    mixed("clip", {"text_config": reads, "vision_config": tower(), "projection_dim": 16}, "CLIPModel",
        both(ending, picture)),
    mixed("chinese_clip", {"text_config": reads, "vision_config": tower(), "projection_dim": 16},
        "ChineseCLIPModel",
          both(text, picture)),
    mixed("clipseg", {"text_config": reads, "vision_config": tower(), "projection_dim": 16}, "CLIPSegModel",
          both(ending, picture)),
    mixed("siglip", {"text_config": reads | {"projection_size": WIDTH}, "vision_config": tower()},
        "SiglipModel",
          both(text, picture), attends={"text": (LAYERS, HEADS, HEADS), "vision": (DEEPER, HEADS, HEADS),
          "pool": (1, HEADS, HEADS)}, route="mixed"),
    mixed("metaclip_2", {"text_config": reads, "vision_config": tower(), "projection_dim": 16},
        "MetaClip2Model", both(ending, picture)),
    mixed("owlvit", {"text_config": reads, "vision_config": tower(), "projection_dim": 16}, "OwlViTModel",
        both(ending, picture)),
    mixed("altclip", {"text_config": reads | {"project_dim": 16}, "vision_config": tower(),
        "projection_dim": 16}, "AltCLIPModel", both(text, picture)),
    mixed("blip", {"text_config": reads | {"encoder_hidden_size": WIDTH, "sep_token_id": 2},
        "vision_config": tower(), "projection_dim": 16},
          "BlipForConditionalGeneration", both(text, picture),
          attends={"text": (LAYERS, HEADS, HEADS), "cross": (LAYERS, HEADS, HEADS), "vision": (DEEPER,
          HEADS, HEADS)}, route="own"),
    mixed("vilt", stack() | {"image_size": IMAGE, "patch_size": PATCH, "max_image_length": -1}, "ViltModel",
          both(text, partial(picture, IMAGE, pixel_mask=torch.ones(BATCH, IMAGE, IMAGE, dtype=torch.long))),
          attends={"self": (LAYERS, HEADS, HEADS)}, route="own"),
    mixed("visual_bert", stack(visual_embedding_dim=17), "VisualBertModel", both(text,
        lambda: spectrum("visual_embeds", 11, 17)),
          attends={"self": (LAYERS, HEADS, HEADS)}, route="own"),
    mixed("llava", {"text_config": llama, "vision_config": tower(model_type="clip_vision_model"),
          "image_token_index": 98, "image_seq_length": 25, "vision_feature_layer": -1},
          "LlavaForConditionalGeneration",
          seen, shared=FEWER),
    mixed("vipllava", {"text_config": llama, "vision_config": tower(model_type="clip_vision_model"),
          "image_token_index": 98, "image_seq_length": 25, "vision_feature_layers": [-1, -2]},
          "VipLlavaForConditionalGeneration",
          seen, shared=FEWER),
    mixed("paligemma", {"text_config": stack(shared=FEWER, head_dim=HEAD, model_type="gemma"),
          "vision_config": tower(model_type="siglip_vision_model", vision_use_head=False,
          projection_dim=WIDTH), "image_token_index": 98,
          "image_token_id": 98,
          "projection_dim": WIDTH, "hidden_size": WIDTH}, "PaliGemmaForConditionalGeneration", seen,
          shared=FEWER),
    mixed("qwen2_vl", {"text_config": stack(shared=FEWER, rope_parameters=turned, rope_scaling=turned),
          "vision_config": merged, **markers},
          "Qwen2VLForConditionalGeneration", patches, shared=FEWER),
    mixed("qwen2_5_vl", {"text_config": stack(shared=FEWER, rope_parameters=turned, rope_scaling=turned),
          "vision_config": {**merged, "hidden_size": 48, "intermediate_size": INNER,
          "out_hidden_size": WIDTH, "window_size": 16, "fullatt_block_indexes": [1],
          "tokens_per_second": 2}, **markers}, "Qwen2_5_VLForConditionalGeneration", patches, shared=FEWER,
          calls=7),
    mixed("qwen3_vl", {"text_config": stack(shared=FEWER, head_dim=10, rope_parameters=turned,
        rope_scaling=turned),
          "vision_config": {**merged, "hidden_size": 48, "intermediate_size": INNER,
          "out_hidden_size": WIDTH, "num_position_embeddings": 64,
          "deepstack_visual_indexes": [0]}, **markers}, "Qwen3VLForConditionalGeneration", patches,
          shared=FEWER),
    *(mixed(name, {"text_config": llama, "vision_config": tower(image_size=36, patch_size=6),
        "image_token_id": 98, "scale_factor": 2,
            "pad_token_id": 0}, model,
            holding(98, 3, 9, one_each),
            shared=FEWER)
      for name, model in (("idefics3", "Idefics3ForConditionalGeneration"), ("smolvlm",
      "SmolVLMForConditionalGeneration"))),
    mixed("gemma3", {"text_config": stack(shared=FEWER, head_dim=HEAD, query_pre_attn_scalar=11,
        sliding_window=WINDOW,
          layer_types=["sliding_attention", "full_attention"]), "vision_config": tower(image_size=36,
          patch_size=6, vision_use_head=False),
          "image_token_index": 98, "image_token_id": 98, "mm_tokens_per_image": 9, "boi_token_index": 96,
          "eoi_token_index": 95}, "Gemma3ForConditionalGeneration",
          both(holding(98, 3, 9, partial(picture, 36)), lambda: {"token_type_ids": (holding(98, 3,
          9)()["input_ids"] == 98).long()}),
          shared=FEWER),
    mixed("git", stack(vision_config=tower()) , "GitForCausalLM", both(text, picture), route="mixed"),
    mixed("clap", {"text_config": stack(projection_dim=16), "audio_config": {"spec_size": 32,
        "patch_size": 4, "patch_stride": [4, 4],
          "num_mel_bins": 8, "window_size": 4, "patch_embeds_hidden_size": 16, "depths": [2, 1],
          "num_attention_heads": [2, 4],
          "hidden_size": 32, "num_hidden_layers": 2}, "projection_dim": 16}, "ClapModel",
          both(text, lambda: spectrum("input_features", 1, 128, 8)),
          attends={"text": (LAYERS, HEADS, HEADS), "first": (2, 2, 2), "second": (1, 4, 4)}, route="mixed"),
    mixed("vision-encoder-decoder", {"encoder": tower(model_type="vit"), "decoder": stack(model_type="bert",
        is_decoder=True,
          add_cross_attention=True), "decoder_start_token_id": 1, "pad_token_id": 0},
          "VisionEncoderDecoderModel",
          partial(picture, decoder_input_ids=words(LENGTH)),
          attends={"encoder": (DEEPER, HEADS, HEADS), "decoder": (LAYERS, HEADS, HEADS), "cross": (LAYERS,
          HEADS, HEADS)}),
]  # fmt: skip
