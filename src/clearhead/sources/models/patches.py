"""The positions of a tower that reads pictures: its marks and its patches, where they can be counted up exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from clearhead.sources.models.usable import setting
from clearhead.trace.capture.grid import Grid
from clearhead.trace.capture.token import Token

MARKS = (
    (("cls_token", "class_embedding", "class_token"), "class token"),
    (("distillation_token",), "distillation token"),
    (("register_tokens",), "register"),
)
"""Parameters that are put before the patches, in this order, and how they are called."""

AFTER = ("detection_tokens", "detection")
"""A parameter that is put after the patches (YOLOS)."""


@dataclass(frozen=True)
class Patches:
    """The tokens of a picture's positions, and where its patches are among them."""

    name: str
    row: tuple[Token, ...]
    grid: Grid


def patches_of(model: torch.nn.Module, path: str, inputs: Mapping[str, Any], length: int) -> Patches | None:
    """What the positions of a layer are, if they add up to the marks and patches of the tower it lies in; or None."""
    found = _tower(model, path)
    if found is None:
        return None
    tower, config = found
    size = _picture(inputs, config)
    patch = _pair(setting(config, "patch_size"))
    if size is None or patch is None:
        return None
    rows, columns = (pixels // side for pixels, side in zip(size, patch, strict=True))
    before, after = _marks(tower)
    if not rows * columns or length != len(before) + rows * columns + len(after):
        return None
    cells = [f"patch {row},{column}" for row in range(rows) for column in range(columns)]
    tokens = (
        *(_token(mark, True) for mark in before), *(_token(cell, False) for cell in cells),
        *(_token(mark, True) for mark in after),
    )  # fmt: skip
    beside = dict.fromkeys(mark.rstrip("0123456789 ") for mark in (*before, *after))
    name = f"patches {rows} × {columns}" + (f" with {', '.join(beside)}" if beside else "")
    return Patches(name, tokens, Grid(rows, columns, len(before)))


def _tower(model: torch.nn.Module, path: str) -> tuple[torch.nn.Module, Any] | None:
    """The outermost module around a layer whose configuration says how large a patch is: it holds the marks too."""
    parts = path.split(".")
    for end in range(len(parts) + 1):
        module = model.get_submodule(".".join(parts[:end]))
        config = getattr(module, "config", None)
        if setting(config, "patch_size") is None:
            continue
        # stacks that merge their patches from stage to stage, and films, have other positions than these
        if any(setting(config, name) is not None for name in ("depths", "tubelet_size", "window_size")):
            return None
        return module, config
    return None


def _picture(inputs: Mapping[str, Any], config: Any) -> tuple[int, int] | None:
    """Height and width of what the model is given."""
    pixels = inputs.get("pixel_values")
    if not isinstance(pixels, torch.Tensor) or pixels.ndim not in (4, 5):
        return None
    return int(pixels.shape[-2]), int(pixels.shape[-1])


def _marks(tower: torch.nn.Module) -> tuple[list[str], list[str]]:
    """The names of the positions before the patches and after them."""
    own = {name.rpartition(".")[2]: one for name, one in tower.named_parameters()}
    before: list[str] = []
    for names, called in MARKS:
        for parameter in [own[name] for name in names if name in own][:1]:
            count = parameter.shape[-2] if parameter.ndim > 1 else 1
            before += [called] if called != "register" else [f"register {at}" for at in range(count)]
    after = own.get(AFTER[0])
    return before, [f"{AFTER[1]} {at}" for at in range(after.shape[-2])] if after is not None else []


def _pair(size: Any) -> tuple[int, int] | None:
    if isinstance(size, int):
        return size, size
    if isinstance(size, list | tuple) and len(size) == 2:
        return int(size[0]), int(size[1])
    return None


def _token(text: str, special: bool) -> Token:
    return Token(text, -1, None, None, special)
