"""From module paths to layers: which tower of the model each belongs to, and its number there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from clearhead.sources.models.recorder import Layer

NEITHER = ("norm", "drop", "mlp", "feed", "ffn", "moe", "expert")
"""Parts of the names of a block's modules that are not what mixes its positions."""


@dataclass(frozen=True)
class Place:
    """Where a layer stands.

    Attributes:
        tower: "" in a model of one tower.
        number: within the tower.
        path: the module's path.
    """

    tower: str
    number: int
    path: str


def block_of(model: torch.nn.Module, path: str) -> tuple[str, int] | None:
    """The list of blocks that a module lies in, and its block's number there; None if it lies in none."""
    parts = path.split(".")
    for end, part in enumerate(parts):
        before = ".".join(parts[:end])
        if part.isdigit() and isinstance(
            model.get_submodule(before), torch.nn.ModuleList | torch.nn.Sequential
        ):
            return before, int(part)
    return None


def places(model: torch.nn.Module, layers: Sequence[Layer]) -> list[Place]:
    """Where each layer stands, in the order given."""
    paths = _where(model, layers)
    blocks = [block_of(model, path) or (path, 0) for path in paths]
    towers = tower_names(
        [(f"{prefix}", layer.cross) for (prefix, _), layer in zip(blocks, layers, strict=True)]
    )
    towers = _with_parts(towers, layers)
    numbers = [number for _, number in blocks]
    crowded = {one for one, count in Counter(zip(towers, numbers, strict=True)).items() if count > 1}
    found, counted = [], Counter[str]()
    for tower, number, path in zip(towers, numbers, paths, strict=True):
        # where a block holds several such layers, or none has a number, they are counted as they ran
        plain = not any(one == tower for one, _ in crowded)
        found.append(Place(tower, number if plain else counted[tower], path))
        counted[tower] += 1
    return found


def _where(model: torch.nn.Module, layers: Sequence[Layer]) -> list[str]:
    """The path of each layer; one module that stands in several blocks (Zamba) is in them in the order of its calls."""
    known: dict[int, list[str]] = {}
    for name, module in model.named_modules(remove_duplicate=False):
        known.setdefault(id(module), []).append(name)
    paths = []
    for layer in layers:
        every = known[id(model.get_submodule(layer.name))]
        paths.append(every[layer.nth] if layer.nth < len(every) > 1 else layer.name)
    return paths


def tower_names(kinds: Sequence[tuple[str, bool]]) -> list[str]:
    """A short name for each kind of layer: a list of blocks, and whether its keys come from elsewhere."""
    own = list(dict.fromkeys(prefix for prefix, _ in kinds))
    short = dict(zip(own, _distinct(own), strict=True))
    crossing = list(dict.fromkeys(prefix for prefix, cross in kinds if cross))
    names = []
    for prefix, cross in kinds:
        if not cross:
            names.append(short[prefix])
        else:
            names.append("cross" if len(crossing) == 1 else f"{short[prefix]}-cross")
    return names


def _with_parts(towers: Sequence[str], layers: Sequence[Layer]) -> list[str]:
    """The names, and where modules attend more than once in one entry also which of these calls it is."""
    several = {tower for tower, layer in zip(towers, layers, strict=True) if layer.part}
    names = []
    for tower, layer in zip(towers, layers, strict=True):
        part = f"call{layer.part + 1}" if tower in several else ""
        names.append("-".join(filter(None, (tower, part))))
    return names


def _distinct(paths: Sequence[str]) -> list[str]:
    """The first part of each path that tells it from the others; "" for one alone."""
    if len(paths) < 2:
        return [""] * len(paths)
    parts = [path.split(".") for path in paths]
    common = 0
    while all(len(one) > common and one[common] == parts[0][common] for one in parts):
        common += 1
    for length in range(1, max(map(len, parts)) + 1):
        names = ["_".join(one[common : common + length]) or "main" for one in parts]
        if len(set(names)) == len(names):
            return names
    return list(paths)


def others(model: torch.nn.Module, layers: Sequence[Layer]) -> list[tuple[str, int, str, str]]:
    """Blocks beside those that were captured: (list of blocks, number, path, what mixes the positions there)."""
    known: dict[str, set[int]] = {}
    for path in _where(model, layers):
        if (block := block_of(model, path)) is not None:
            known.setdefault(block[0], set()).add(block[1])
    found = []
    for prefix, numbers in known.items():
        for number, other in enumerate(model.get_submodule(prefix).children()):
            if number not in numbers:
                found.append((prefix, number, f"{prefix}.{number}", mixer(other)))
    return found


def mixer(block: torch.nn.Module) -> str:
    """The classes of a block's modules that may mix its positions."""
    names = [
        type(child).__name__
        for name, child in block.named_children()
        if not any(part in name.lower() or part in type(child).__name__.lower() for part in NEITHER)
    ]
    return ", ".join(dict.fromkeys(names)) or type(block).__name__
