"""What a person tells of their function, checked before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from numbers import Integral, Real
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
        _one_of("rotary", self.rotary, ("halves", "interleaved"))
        for name in ("heads", "kv_heads", "d_head"):
            _whole(name, getattr(self, name), 1)
        _whole("seed", self.seed, 0, 2**32 - 1)
        _finite("scale", self.scale)
        _finite("soft_cap", self.soft_cap, above=0)
        _finite("rotary_base", self.rotary_base, above=0)
        _finite("time_limit", self.time_limit, above=0, where="seconds")
        if not isinstance(self.alibi, bool):
            raise ValueError(f"alibi: expected True or False, got {self.alibi!r}")
        self._mappings()
        if self.heads and self.kv_heads and self.heads % self.kv_heads:
            raise ValueError(
                f"kv_heads: {self.heads} heads cannot share {self.kv_heads} evenly; expected a divisor"
            )
        if self.mask is not None:
            if not isinstance(self.mask, str):
                raise ValueError(f"mask: expected a name, such as 'causal', got {type(self.mask).__name__}")
            mask_named(self.mask)
        if self.device is not None:
            _usable(self.device)

    def _mappings(self) -> None:
        for keyword in ("roles", "arguments", "weights"):
            value = getattr(self, keyword)
            if not isinstance(value, Mapping) and not (keyword == "weights" and isinstance(value, str)):
                raise ValueError(f"{keyword}: expected a dict, got {type(value).__name__}")
        if isinstance(self.weights, str):
            _one_of("weights", self.weights, ORDERS)
        else:
            for role in self.weights:
                _one_of("weights", role, ROLES)
        whose: dict[str, str] = {}
        for name, role in self.roles.items():
            _one_of(f"roles, of {name}", role, NAMES)
            if whose.setdefault(role, name) != name:
                raise ValueError(
                    f"roles: {role!r} is that of {whose[role]} and of {name}; expected one parameter for it"
                )

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
    if value is not None and not (isinstance(value, str) and value in known):
        raise ValueError(f"{name}: {value!r} is not known; expected one of {', '.join(map(repr, known))}")


def _whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    if value is None:
        return
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        to = "" if most is None else f" to {most}"
        raise ValueError(f"{name}: expected a whole number from {least}{to}, got {value!r}")


def _finite(name: str, value: Any, above: float | None = None, where: str = "a finite number") -> None:
    if value is None:
        return
    real = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if not real or (above is not None and value <= above):
        beyond = "" if above is None else f" above {above:g}"
        raise ValueError(f"{name}: expected {where}{beyond}, got {value!r}")


def _usable(device: Any) -> None:
    """Refuse a device on which no array can be made and read back."""
    try:
        import torch  # only here: no other keyword needs it

        torch.zeros(1, device=device).cpu()
    except Exception as error:  # of another kind for each device that is not there
        raise ValueError(
            f"device: {str(device)!r} cannot be used here ({' '.join(str(error).split())}); expected such as 'cpu'"
        ) from error
