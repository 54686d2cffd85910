"""Pictures as a model takes them, through the model's own processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.loading import first_line
from clearhead.trace.installing import pip


def through(processor: Any, images: Any, text: Any, dtype: torch.dtype) -> dict[str, Any]:
    """What the processor makes of one picture or several, and of the text beside them.

    Args:
        processor: an image processor of transformers, or one of pictures and text.
        images: a picture of Pillow, an array, a path, or a list of these.
        text: a text, several, or None.
        dtype: the format of the model's numbers.

    Raises:
        CaptureError: there is no processor, or it cannot read this.
    """
    if processor is None:
        raise CaptureError(
            "images: they need the model's processor; expected processor= (load_model(name).processor), or "
            "pixel_values in inputs="
        )
    several = images if isinstance(images, list | tuple) else [images]
    read = [_opened(one) for one in several]
    wants_text = getattr(processor, "tokenizer", None) is not None
    if wants_text and text is None:
        raise CaptureError("text: this model reads a text beside its pictures; expected one")
    words = {"text": text, "padding": isinstance(text, list)} if wants_text else {}
    try:
        made = processor(images=read, return_tensors="pt", **words)
    except Exception as error:  # each processor has errors of its own
        raise CaptureError(f"images: the model's processor cannot read this ({first_line(error)})") from None
    return {
        name: value.to(dtype) if isinstance(value, torch.Tensor) and value.is_floating_point() else value
        for name, value in made.items()
    }


def _opened(image: Any) -> Any:
    if not isinstance(image, str | Path):
        return image
    try:
        from PIL import Image, UnidentifiedImageError
    except ModuleNotFoundError:
        raise CaptureError(
            f"images: reading a file needs Pillow; expected `{pip('pillow')}` before"
        ) from None
    try:
        with Image.open(image) as opened:
            return opened.convert("RGB")
    except FileNotFoundError:
        raise CaptureError(f"images: there is no file {image}; expected the path of a picture") from None
    except (UnidentifiedImageError, OSError) as error:
        raise CaptureError(f"images: {image} is no picture that can be read ({first_line(error)})") from None
