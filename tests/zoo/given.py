"""The inputs of the zoo's models: always the same numbers, with padding."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from .row import BATCH, IMAGE, LENGTH, PADDING, SHORTER, VOCABULARY

Given = Callable[[], dict[str, Any]]


def randoms(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def words(length: int, *, batch: int = BATCH, up_to: int = 89, seed: int = 1) -> torch.Tensor:
    """Token ids, (batch, length), none of them special: from 5 on, and below the ids that stand for pictures."""
    return torch.randint(5, min(up_to, VOCABULARY), (batch, length), generator=randoms(seed))


def text(padded: str = "right", length: int = LENGTH, **others: Any) -> dict[str, Any]:
    """Two texts, the second padded on the "right", on the "left", or on no side (""), and other inputs as they are."""
    ids = words(length)
    seen = torch.ones_like(ids)
    if padded == "right":
        seen[-1, -PADDING:] = 0
    elif padded == "left":
        seen[-1, :PADDING] = 0
    return {"input_ids": ids * seen} | ({"attention_mask": seen} if padded else {}) | others


def boxed() -> dict[str, Any]:
    """Two texts and where on a page each token stands: left, top, right, bottom."""
    corners = torch.randint(0, 29, (BATCH, LENGTH, 4), generator=randoms(6))
    return text(bbox=torch.cat((corners[..., :2], corners[..., :2] + corners[..., 2:]), -1))


def ending(at: int = 17) -> dict[str, Any]:
    """Two texts, right-padded, with the token that ends a text (2) at one place: some models pool there."""
    given = text()
    given["input_ids"][:, at] = 2
    return given


def pair(padded: str = "right", **others: Any) -> dict[str, Any]:
    """A text for the encoder and a shorter one for the decoder."""
    return text(padded, decoder_input_ids=words(SHORTER, seed=2), **others)


def picture(size: int = IMAGE, channels: int = 3, **others: Any) -> dict[str, Any]:
    """Two pictures, (batch, channels, size, size)."""
    return {"pixel_values": torch.randn(BATCH, channels, size, size, generator=randoms(3)), **others}


def sound(samples: int = 1_600, padded: bool = True, **others: Any) -> dict[str, Any]:
    """Two recordings, the second shorter if they are padded."""
    heard = {"input_values": torch.randn(BATCH, samples, generator=randoms(4))}
    if padded:
        heard["attention_mask"] = torch.ones(BATCH, samples, dtype=torch.long)
        heard["attention_mask"][-1, -samples // 4 :] = 0
    return heard | others


def spectrum(name: str, *shape: int, **others: Any) -> dict[str, Any]:
    """Features of a recording under the name the model has for them."""
    return {name: torch.randn(BATCH, *shape, generator=randoms(5)), **others}


def both(*givens: Given) -> Given:
    """The inputs of several together."""
    return lambda: {name: value for given in givens for name, value in given().items()}


def holding(
    token: int, first: int, count: int, *pictures: Given, padded: bool = True, **others: Any
) -> Given:
    """Texts in which `count` places from `first` on stand for what a picture or a recording is turned into."""

    def given() -> dict[str, Any]:
        own = text("", LENGTH + count)
        own["input_ids"][:, first : first + count] = token
        own["attention_mask"] = torch.ones_like(own["input_ids"])
        if padded:
            own["attention_mask"][-1, -PADDING:] = 0
        return own | both(*pictures)() | others

    return given


left = partial(text, "left")
alone = partial(text, "")
