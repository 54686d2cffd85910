"""Which layers of two captures stand beside each other, and what keeps two captures from being compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.token import Token

Tokens = tuple[Token, ...]


@dataclass(frozen=True, eq=False)
class Pair:
    """The same attention layer in both captures.

    Attributes:
        a, b: the layers.
        depth: how many layers ran before it, those without attention among them.
        asks: boolean (sequences, queries): True where the query is no padding.
        asked: boolean (sequences, keys): the same of the keys.
    """

    a: Layer
    b: Layer
    depth: int
    asks: np.ndarray
    asked: np.ndarray

    @property
    def attentions(self) -> tuple[Attention, Attention]:
        """What was captured of both."""
        assert self.a.attention is not None  # only such layers are paired
        assert self.b.attention is not None
        return self.a.attention, self.b.attention

    @property
    def label(self) -> str:
        """How the layer is called."""
        return self.a.label


@dataclass(frozen=True, eq=False)
class Aligned:
    """The layers that both have.

    Attributes:
        pairs: in the order in which they ran.
        said: what is in one of the captures alone, as sentences.
    """

    pairs: tuple[Pair, ...]
    said: tuple[str, ...]


def aligned(a: Capture, b: Capture) -> Aligned:
    """Put the layers of two captures side by side.

    Raises:
        CaptureError: they have read other tokens, or have no attention layer in common; the message is one sentence.
    """
    names = _towers(a, b)
    others = {(names.get(one.tower), one.number): one for one in b.layers}
    pairs: list[Pair] = []
    said = _lengths(a, b)
    for depth, layer in enumerate(a.layers):
        other = others.get((layer.tower, layer.number))
        if layer.attention is None or other is None:
            continue
        if other.attention is None:
            said.append(f"{layer.label}: attention in a; in b {other.what}.")
            continue
        asks, asked = _same(a, b, layer, other, True), _same(a, b, layer, other, False)
        pairs.append(Pair(layer, other, depth, asks, asked))
    if not pairs:
        raise CaptureError(
            f"b: has no attention layer that a has (a: {_listed(a)}; b: {_listed(b)}); expected two captures of "
            "one model"
        )
    said += [f"{one.label}: attention in b; in a {what}." for one, what in _refused(a, b, names)]
    return Aligned(tuple(pairs), tuple(said))


def _towers(a: Capture, b: Capture) -> dict[str, str]:
    """What the towers of b are called in a: the same, or whatever, where each has one alone."""
    if len(a.towers) == len(b.towers) == 1:
        return {b.towers[0]: a.towers[0]}
    return {tower: tower for tower in b.towers}


def _lengths(a: Capture, b: Capture) -> list[str]:
    """Layers and towers that one of them has alone."""
    said, names = [], _towers(a, b)
    for tower in dict.fromkeys((*a.towers, *names.values())):
        counts = [
            sum(
                name.get(one.tower, one.tower) == tower and one.attention is not None
                for one in capture.layers
            )
            for capture, name in ((a, {}), (b, names))
        ]
        if counts[0] != counts[1]:
            of = f" of {tower}" if tower else ""
            said.append(
                f"{counts[0]} layers with attention{of} in a, {counts[1]} in b; compared as far as both go."
            )
    return said


def _refused(a: Capture, b: Capture, names: dict[str, str]) -> list[tuple[Layer, str]]:
    own = {(one.tower, one.number): one for one in a.layers}
    found = ((one, own.get((names.get(one.tower, ""), one.number))) for one in b.attentions())
    return [(one, mine.what) for one, mine in found if mine is not None and mine.attention is None]


def _listed(capture: Capture) -> str:
    labels = [layer.label for layer in capture.attentions()]
    return ", ".join(labels if len(labels) < 5 else [*labels[:2], "...", labels[-1]])


def _same(a: Capture, b: Capture, layer: Layer, other: Layer, queries: bool) -> np.ndarray:
    """Boolean (sequences, positions): where there is no padding; refused if the two have read other tokens.

    Raises:
        CaptureError: see `aligned`.
    """
    rows = [one.rows if queries else one.columns for one in (layer, other)]
    mine, theirs = a.texts[rows[0]], b.texts[rows[1]]
    if len(mine) != len(theirs):
        raise CaptureError(
            f"b: has {len(theirs)} sequences where a has {len(mine)}; expected the same texts in both"
        )
    for batch, (one, two) in enumerate(zip(mine, theirs, strict=True)):
        _same_tokens(one, two, f" of sequence {batch}" if len(mine) > 1 else "")
    return np.array([[not token.padding for token in row] for row in mine])


def _same_tokens(mine: Tokens, theirs: Tokens, which: str) -> None:
    for place, (one, two) in enumerate(zip(mine, theirs, strict=False)):
        if one.text != two.text or (one.id != two.id and -1 not in (one.id, two.id)):
            raise CaptureError(
                f"tokens: the first that differs is token {place}{which}, {_named(one)} in a and {_named(two)} in b; "
                "expected two captures of the same tokens"
            )
    if len(mine) != len(theirs):
        place = min(len(mine), len(theirs))
        longer = "a" if len(mine) > len(theirs) else "b"
        more = max(mine, theirs, key=len)[place]
        raise CaptureError(
            f"tokens: token {place}{which}, {_named(more)}, is there in {longer} alone ({len(mine)} tokens in a, "
            f"{len(theirs)} in b); expected two captures of the same tokens"
        )


def _named(token: Token) -> str:
    return f"“{token.text}”" if token.id < 0 else f"“{token.text}” ({token.id})"
