"""An example: a sentence, its embedding table, the weights of one layer and the switches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from clearhead.core.attention import POSITION_SCHEMES, Settings
from clearhead.core.masks import MASKS
from clearhead.core.ops.mask import FILLS
from clearhead.sources.worked.matrices import (
    ExampleError,
    count,
    is_text,
    plain,
    read_matrix,
    read_table,
    shown,
)

SWITCHES = ("heads", "mask", "mask_fill", "scale", "positions", "scale_embeddings")
"""The fields that are switches: they change how the layer computes, not the numbers it is given."""

MATRICES = ("W_Q", "W_K", "W_V", "W_O", "P")
OPTIONAL = ("W_O", "P")


@dataclass(frozen=True, eq=False, kw_only=True)
class Example:
    """A sentence with everything one attention layer needs. Lists and arrays are both welcome.

    Attributes:
        tokens: the words of the sentence, in order; a word may repeat.
        E: for each word its row of d_model numbers; words that the sentence does not use are allowed.
        W_Q: (d_model, heads * d_head).
        W_K: the shape of W_Q.
        W_V: (d_model, heads * d_value).
        W_O: (heads * d_value, any number of columns), or None: the joined heads are the output.
        P: (positions, d_model), one row per position, for positions="learned" only.
        heads: how many heads; divides the columns of W_Q, W_K and W_V.
        mask: "none" (encoder) or "causal" (decoder).
        mask_fill: what a masked score becomes: "-inf", or "0", the mistake that leaks.
        scale: whether scores are divided by root(d_head).
        positions: "none", "sinusoidal", "learned", "rotary" or "alibi".
        scale_embeddings: whether embeddings are multiplied by root(d_model), as Vaswani et al. 2017, section 3.4, do;
            None: exactly when positions are sinusoidal.
        title: a few words.
        look_for: one sentence on what to look for.
        name: the name it was loaded by.

    Raises:
        ExampleError: something does not fit; the message names the field and what was expected.
    """

    tokens: tuple[str, ...]
    E: Mapping[str, np.ndarray]
    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray | None = None
    P: np.ndarray | None = None
    heads: int = 1
    mask: str = "none"
    mask_fill: str = "-inf"
    scale: bool = True
    positions: str = "sinusoidal"
    scale_embeddings: bool | None = None
    title: str = ""
    look_for: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        """Read and check every field."""
        for name in SWITCHES:
            self._set(name, plain(getattr(self, name)))
        self._set("tokens", _read_tokens(self.tokens))
        self._set("E", read_table("E", self.E))
        for name in MATRICES:
            if getattr(self, name) is not None or name not in OPTIONAL:
                self._set(name, read_matrix(name, getattr(self, name)))
        self._check_switches()
        self._check_words()
        self._check_sizes()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words of E's rows, in order."""
        return tuple(self.E)

    @property
    def d_model(self) -> int:
        """The length of a row of E."""
        return len(next(iter(self.E.values())))

    @property
    def settings(self) -> Settings:
        """The switches, all decided."""
        scale_embeddings = (
            self.positions == "sinusoidal" if self.scale_embeddings is None else self.scale_embeddings
        )
        return Settings(self.heads, self.mask, self.mask_fill, self.scale, self.positions, scale_embeddings)

    @property
    def head_choices(self) -> tuple[int, ...]:
        """Numbers of heads that divide the columns of W_Q and W_V; with rotary positions d_head must stay even."""
        columns, values = self.W_Q.shape[1], self.W_V.shape[1]
        unit = 2 if self.positions == "rotary" else 1
        return tuple(n for n in range(1, columns + 1) if columns % (n * unit) == 0 and values % n == 0)

    def vary(self, **changes: Any) -> Example:
        """The example with some fields changed, checked again.

        Raises:
            TypeError: a name that is no field of an example.
            ExampleError: the changed example does not fit together.
        """
        known = [field.name for field in fields(self)]
        for name in changes:
            if name not in known:
                raise TypeError(f"{name!r} is no field of an example; expected one of {', '.join(known)}")
        return replace(self, **changes)

    def _check_switches(self) -> None:
        _one_of("mask", self.mask, MASKS)
        _one_of("mask_fill", self.mask_fill, FILLS)
        _one_of("positions", self.positions, POSITION_SCHEMES)
        for name in ("scale", "scale_embeddings"):
            value = getattr(self, name)
            if not isinstance(value, bool) and not (name == "scale_embeddings" and value is None):
                raise ExampleError(name, f"expected true or false, got {value!r}")
        for name in ("title", "look_for", "name"):
            if not isinstance(getattr(self, name), str):
                raise ExampleError(name, f"expected text, got {getattr(self, name)!r}")
        if isinstance(self.heads, bool) or not isinstance(self.heads, int) or self.heads < 1:
            raise ExampleError("heads", f"expected a whole number from 1, got {self.heads!r}")

    def _check_words(self) -> None:
        missing = [word for word in dict.fromkeys(self.tokens) if word not in self.E]
        if missing:
            raise ExampleError(
                "E", f"has no row for {', '.join(map(repr, missing))}; expected one for every word of tokens"
            )

    @property
    def _but_E(self) -> str:
        return f"but the rows of E have {count(self.d_model, 'number')}; expected the same"

    def _check_sizes(self) -> None:
        for name in ("W_Q", "W_K", "W_V"):
            rows = getattr(self, name).shape[0]
            if rows != self.d_model:
                raise ExampleError(name, f"has {count(rows, 'row')}, {self._but_E}")
        if self.W_Q.shape != self.W_K.shape:
            raise ExampleError(
                "W_K", f"is {_size(self.W_K)}, but W_Q is {_size(self.W_Q)}; expected the same size"
            )
        for name in ("W_Q", "W_V"):
            if getattr(self, name).shape[1] % self.heads:
                columns = getattr(self, name).shape[1]
                raise ExampleError(
                    "heads",
                    f"{self.heads} does not divide the {count(columns, 'column')} of {name}; expected a divisor",
                )
        if self.W_O is not None and self.W_O.shape[0] != self.W_V.shape[1]:
            rows, columns = self.W_O.shape[0], self.W_V.shape[1]
            raise ExampleError(
                "W_O", f"has {count(rows, 'row')}, but W_V has {count(columns, 'column')}; expected the same"
            )
        self._check_positions()

    def _check_positions(self) -> None:
        d_head = self.W_Q.shape[1] // self.heads
        if self.positions == "rotary" and d_head % 2:
            raise ExampleError(
                "positions",
                f"rotary turns pairs of features, but d_head is {d_head}; expected an even d_head",
            )
        if self.positions == "learned" and self.P is None:
            raise ExampleError(
                "P", "is missing; expected one row per position, because positions is 'learned'"
            )
        if self.P is not None and self.P.shape[1] != self.d_model:
            raise ExampleError("P", f"has {count(self.P.shape[1], 'column')}, {self._but_E}")
        if self.P is not None and self.positions == "learned" and self.P.shape[0] < len(self.tokens):
            raise ExampleError(
                "P",
                f"has {count(self.P.shape[0], 'row')}, but the sentence has {count(len(self.tokens), 'word')}; "
                "expected a row for each position",
            )


def _read_tokens(tokens: Any) -> tuple[str, ...]:
    tokens = plain(tokens)
    if not isinstance(tokens, list | tuple):
        raise ExampleError("tokens", f"expected a list of words, got {shown(tokens)}")
    words = tuple(tokens)
    if not words:
        raise ExampleError("tokens", "the sentence is empty; expected at least one word")
    for number, word in enumerate(words):
        if not is_text(word):
            raise ExampleError("tokens", f"word {number}: expected text, got {shown(word)}")
    return words


def _one_of(field: str, value: Any, choices: Iterable[str]) -> None:
    if not isinstance(value, str):
        quoted = ", ".join(f'"{choice}"' for choice in choices)
        raise ExampleError(field, f"{shown(value)} is no text; expected one of {quoted}")
    if value not in tuple(choices):
        raise ExampleError(field, f"{value!r} is not known; expected one of {', '.join(choices)}")


def _size(matrix: np.ndarray) -> str:
    return " × ".join(map(str, matrix.shape))
