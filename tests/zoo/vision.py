"""Models that see."""

from functools import partial
from typing import Any

import torch

from .given import Given, picture, randoms
from .row import (
    BATCH,
    BLOCKS,
    DEEPER,
    HEADS,
    IMAGE,
    INNER,
    LAYERS,
    PATCH,
    WIDTH,
    Tiny,
    tower,
)


def sees(
    name: str,
    config: dict[str, Any],
    *,
    of: str = "",
    model: str = "AutoModel",
    inputs: Given = picture,
    **facts: Any,
) -> Tiny:
    facts = {"attends": {"vision": (DEEPER, HEADS, HEADS)}} | facts
    return Tiny(name, "vision", of or name, config, model, inputs, **facts)


def film() -> dict[str, Any]:
    """Two films of four frames."""
    return {"pixel_values": torch.randn(BATCH, 4, 3, IMAGE, IMAGE, generator=randoms(3))}


mlp = {
    "hidden_size": WIDTH,
    "num_hidden_layers": DEEPER,
    "num_attention_heads": HEADS,
    "mlp_ratio": 2,
    "image_size": IMAGE,
    "patch_size": PATCH,
}
swin = {
    "image_size": 32,
    "patch_size": 2,
    "embed_dim": 16,
    "depths": [2, 1],
    "num_heads": [2, 4],
    "window_size": 4,
}
detector = {
    "d_model": WIDTH, "encoder_layers": DEEPER, "decoder_layers": LAYERS, "encoder_attention_heads": HEADS,
    "decoder_attention_heads": HEADS, "encoder_ffn_dim": INNER, "decoder_ffn_dim": INNER, "num_queries": 11,
    "use_timm_backbone": False, "use_pretrained_backbone": False, "backbone": None,
    "backbone_config": {"model_type": "resnet", "embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1,
    1],
                        "out_features": ["stage2"]},
}  # fmt: skip
looking = {
    "encoder": (DEEPER, HEADS, HEADS),
    "decoder": (LAYERS, HEADS, HEADS),
    "cross": (LAYERS, HEADS, HEADS),
}

VISION = [
    sees("vit", tower()),
    sees("deit", tower()),
    sees("beit", tower(use_relative_position_bias=True)),
    sees("data2vec-vision", tower(use_shared_relative_position_bias=True), route="own"),
    sees("dinov2", mlp),
    sees("dinov2_with_registers", mlp | {"num_register_tokens": 3}),
    sees("dinov3_vit", tower(hidden_size=48, num_register_tokens=3)),
    sees("ijepa", tower()),
    sees("vit_msn", tower()),
    sees("yolos", tower(num_detection_tokens=11, image_size=[IMAGE, IMAGE])),
    sees("vit_mae", tower(decoder_hidden_size=24, decoder_num_hidden_layers=LAYERS,
        decoder_num_attention_heads=2,
         decoder_intermediate_size=31, mask_ratio=0.25), model="ViTMAEForPreTraining",
         inputs=partial(picture, noise=torch.linspace(0, 1, 25).expand(BATCH, 25)),
         attends={"encoder": (DEEPER, HEADS, HEADS), "decoder": (LAYERS, 2, 2)}),
    sees("swin", swin, inputs=partial(picture, 32), attends={"first": (2, 2, 2), "second": (1, 4, 4)}),
    sees("swinv2", swin, inputs=partial(picture, 32), attends={"first": (2, 2, 2), "second": (1, 4, 4)},
        route="own"),
    sees("segformer", {"num_encoder_blocks": 2, "depths": [2, 1], "sr_ratios": [2, 1], "hidden_sizes": [16,
        24],
         "patch_sizes": [7, 3], "strides": [4, 2], "num_attention_heads": [2, 4], "mlp_ratios": [2, 2],
         "decoder_hidden_size": 16}, inputs=partial(picture, 32), attends={"first": (2, 2, 2), "second": (1,
         4, 4)}),
    sees("pvt", {"num_encoder_blocks": 2, "depths": [2, 1], "sequence_reduction_ratios": [2, 1],
         "hidden_sizes": [16, 24], "patch_sizes": [4, 2], "strides": [4, 2], "num_attention_heads": [2, 4],
         "mlp_ratios": [2, 2], "image_size": 32}, inputs=partial(picture, 32),
         attends={"first": (2, 2, 2), "second": (1, 4, 4)}, route="own"),
    sees("detr", detector, model="DetrForObjectDetection", inputs=partial(picture, 64), attends=looking),
    sees("conditional_detr", detector, model="ConditionalDetrForObjectDetection", inputs=partial(picture, 64),
         attends=looking),
    sees("table-transformer", detector, model="TableTransformerForObjectDetection", inputs=partial(picture,
        64),
         attends=looking, route="own"),
    sees("clip_vision_model", tower()),
    sees("siglip_vision_model", tower(), attends={"vision": (DEEPER, HEADS, HEADS), "pool": (1, HEADS,
        HEADS)}, route="mixed"),
    sees("videomae", tower(num_frames=4, tubelet_size=2),
         inputs=film),
    sees("vivit", tower(num_frames=4, tubelet_size=[2, PATCH, PATCH]),
         inputs=film),
    sees("dpt", tower(backbone_out_indices=[0, 1, 2], neck_hidden_sizes=[8, 8, 8], is_hybrid=False)),
    sees("pixtral", tower(head_dim=10), attends={"vision": (DEEPER, HEADS, HEADS)}),
    sees("hiera", {"embed_dim": 16, "image_size": [32, 32], "patch_size": [7, 7], "patch_stride": [4, 4],
        "patch_padding": [3, 3],
         "depths": [1, 1], "num_heads": [2, 4], "mlp_ratio": 2.0, "num_query_pool": 1, "query_stride": [2, 2],
         "masked_unit_size": [4, 4], "masked_unit_attention": [True, False]}, inputs=partial(picture, 32),
         plain=False, refused=BLOCKS,
         attends={"first": (1, 2, 2), "second": (1, 4, 4)}, route="own"),
]  # fmt: skip
