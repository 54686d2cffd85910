"""How many heads an object has, by the usual names of that number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

HEADS = (
    "num_heads",
    "n_heads",
    "n_head",
    "nhead",
    "num_attention_heads",
    "heads",
    "nheads",
    "nb_heads",
    "H",
    "h",
)
KV_HEADS = (
    "num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_kv_head", "kv_heads", "num_query_groups", "n_query_groups",
)  # fmt: skip
WIDTH = ("head_dim", "d_head", "dim_head", "head_size", "attention_head_size", "d_k", "d_key")


def counted(owner: Any, paths: Iterable[str], names: tuple[str, ...]) -> int | None:
    """The number that the object, its configuration, or the part of it that holds its weights has under such a name.

    Args:
        owner: the object.
        paths: of its weights.
        names: those that mean the number.
    """
    for holder in _holders(owner, paths):
        for name in names:
            value = getattr(holder, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None


def _holders(owner: Any, paths: Iterable[str]) -> Iterator[Any]:
    """The object and what lies on the way to its weights, each before its configuration."""
    reached = [owner]
    for path in paths:
        one = owner
        for name in path.split(".")[:-1]:
            one = getattr(one, name, None)
            if one is None:
                break
            reached.append(one)
    for one in reached:
        yield one
        for name in ("config", "cfg", "args"):
            if hasattr(one, name):
                yield getattr(one, name)
