"""What a person tells of their function, checked before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clearhead.core.masks import mask_named
from clearhead.lenses.diagnose import Spec
from clearhead.sources.function import LAYOUTS, LIBRARIES, MEANINGS, NAMES, ORDERS, ROLES, TYPES


@dataclass(frozen=True)
class Told:
    """The keywords of `clearhead.check`; None: to be found out."""

    layout: str | None = None
    library: str | None = None
    dtype: str | None = None
    device: Any = None
    heads: int | None = None
    kv_heads: int | None = None
    d_head: int | None = None
    mask: str | None = None
    mask_means: str | None = None
    scale: float | None = None
    soft_cap: float | None = None
    rotary: str | None = None
    rotary_base: float = 10000.0
    alibi: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, Any] | str = field(default_factory=dict)
    seed: int = 0
    time_limit: float = 10.0

    def __post_init__(self) -> None:
        """Refuse what is not known, in one sentence."""
        _one_of("layout", self.layout, LAYOUTS)
        _one_of("library", self.library, LIBRARIES)
        types = [TYPES[self.library]] if self.library else TYPES.values()
        _one_of("dtype", self.dtype, dict.fromkeys(one for known in types for one in known))
        _one_of("mask_means", self.mask_means, MEANINGS)
        _one_of("rotary", self.rotary, ("halves", "neighbours"))
        for name in ("heads", "kv_heads", "d_head"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ValueError(f"{name}: expected a whole number from 1, got {value!r}")
        if isinstance(self.weights, str):
            _one_of("weights", self.weights, ORDERS)
        else:
            for role in self.weights:
                _one_of("weights", role, ROLES)
        for name, role in self.roles.items():
            _one_of(f"roles, of {name}", role, NAMES)
        if self.heads and self.kv_heads and self.heads % self.kv_heads:
            raise ValueError(
                f"kv_heads: {self.heads} heads cannot share {self.kv_heads} evenly; expected a divisor"
            )
        if self.mask is not None:
            mask_named(self.mask)
        if not self.time_limit > 0:
            raise ValueError(f"time_limit: expected seconds above 0, got {self.time_limit!r}")

    def spec(self, heads: int, kv_heads: int, joined: bool, mask: str) -> Spec:
        """The reference that is meant."""
        return Spec(
            heads,
            kv_heads,
            joined,
            mask,
            self.scale,
            self.soft_cap,
            self.rotary,
            self.rotary_base,
            self.alibi,
        )


def _one_of(name: str, value: Any, known: Any) -> None:
    if value is not None and value not in known:
        raise ValueError(f"{name}: {value!r} is not known; expected one of {', '.join(map(repr, known))}")
