"""Rotary positions with given angles: pairs of features are turned by the cosines and sines that a model made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cases, Cell, Difference, Expression, Product, Sum, Symbol
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull

LAYOUTS = ("halves", "interleaved")
"""Which features are turned together, of the first r: k and k + r/2, or 2p and 2p + 1."""


@dataclass(frozen=True)
class RotateBy(Operation):
    """The first features are turned in pairs, each pair by its own angle at each position; the others pass unchanged.

    Su et al. 2021 (RoFormer), equation 15, has neighbours as pairs, "interleaved", as GPT-J has; GPT-NeoX and Llama
    have halves. That only some of the features are turned comes from GPT-J and GPT-NeoX-20B (Black et al. 2022, section
    2.1). Cosines and sines are given, so that every way of making angles (stretched, by frequency, in sections) is this
    operation.

    Attributes:
        pairs: one of `LAYOUTS`.
        rotated: how many features are turned; even.
        back: turn by the same angles the other way, as the gradient does.
    """

    name = "rotate_by"
    pairs: str
    rotated: int
    back: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no way to pair features, in one sentence."""
        if self.pairs not in LAYOUTS:
            raise ValueError(
                f"rotate_by: pairs {self.pairs!r} is not known; expected one of {', '.join(LAYOUTS)}"
            )
        if self.rotated < 0 or self.rotated % 2:
            raise ValueError(f"rotate_by: {self.rotated} features make no pairs; expected an even number")

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """x (heads, positions, d_head), cosines and sines (positions, rotated / 2), to the shape of x."""
        x, cos, sin = inputs
        sin = -sin if self.back else sin
        result = x.copy()
        lower, upper = self._places()
        first, second = x[..., lower], x[..., upper]
        result[..., lower] = first * cos - second * sin
        result[..., upper] = second * cos + first * sin
        return result

    def _places(self) -> tuple[slice, slice]:
        """Where the first and the second features of all pairs stand."""
        if self.pairs == "halves":
            return slice(0, self.rotated // 2), slice(self.rotated // 2, self.rotated)
        return slice(0, self.rotated, 2), slice(1, self.rotated, 2)

    def _features(self, pair: int) -> tuple[int, int]:
        """The two features of a pair."""
        first, second = (range(self.rotated)[places][pair] for places in self._places())
        return first, second

    def _pair(self, feature: int) -> int:
        """The pair of a feature that is turned."""
        return feature % (self.rotated // 2) if self.pairs == "halves" else feature // 2

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The feature times the cosine, minus or plus its partner times the sine; or the feature itself."""
        *before, position, feature = index
        if feature >= self.rotated:
            return Cell(0, index)
        pair = self._pair(feature)
        first, second = self._features(pair)
        cos, sin = (Cell(slot, _angle(index, pair, inputs[slot])) for slot in (1, 2))
        own = Product((Cell(0, index), cos))
        other = Product((Cell(0, (*before, position, second if feature == first else first)), sin))
        return Difference(own, other) if (feature == first) != self.back else Sum((own, other))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """A feature feeds itself and its partner, or only itself; an angle both features of its pair, in every head."""
        *before, last = index
        if slot:
            everywhere = (None,) * (inputs[0].ndim - len(index))
            return [(*everywhere, *before, feature) for feature in self._features(last)]
        if last >= self.rotated:
            return [index]
        return [(*before, feature) for feature in self._features(self._pair(last))]

    def formula(self, output: str, *inputs: str) -> Equation:
        """The first feature of a pair turns against its partner, the second with it."""
        *before, position, k = self.letters()
        half, pairs = self.rotated // 2, self.pairs == "halves"
        after, ahead = (f"{k}+{half}", f"{k}−{half}") if pairs else (f"{k}+1", f"{k}−1")
        own_pair, its_pair = (k, ahead) if pairs else (f"{k}/2", f"({k}−1)/2")

        def turned(partner: str, pair: str, against: bool) -> Expression:
            own, other = (Symbol(inputs[0], (*before, position, feature)) for feature in (k, partner))
            cos, sin = (Symbol(name, (position, pair)) for name in inputs[1:])
            terms = Product((own, cos)), Product((other, sin))
            return Difference(*terms) if against != self.back else Sum(terms)

        where = f"{k} < {half}" if pairs else f"{k} < {self.rotated} is even"
        elsewhere = f"{half} ≤ {k} < {self.rotated}" if pairs else f"{k} < {self.rotated} is odd"
        cases = (
            (turned(after, own_pair, True), f"where {where}"),
            (turned(ahead, its_pair, False), f"where {elsewhere}"),
            (Symbol(inputs[0], self.letters()), "elsewhere"),
        )
        return Equation(Symbol(output, self.letters()), Cases(cases))

    def program(self, module: str, *inputs: str) -> Program:
        """A function of the heads, the cosines and the sines."""
        name, (minus, plus) = ("rotate_by_back", "+-") if self.back else ("rotate_by", "-+")
        lower, upper = (_written(places) for places in self._places())
        copied = "x.clone()" if module == "torch" else "x.copy()"
        helper = f"""\
def {name}(x, cos, sin):
    first, second, result = x[..., {lower}], x[..., {upper}], {copied}
    result[..., {lower}] = first * cos {minus} second * sin
    result[..., {upper}] = second * cos {plus} first * sin
    return result
"""
        return Program(f"{name}({', '.join(inputs)})", helper)

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull | None:
        """The gradient turned the other way; nothing flows to the angles, which follow from positions."""
        if slot:
            return None
        return Pull(RotateBy(inputs[0].axes, self.pairs, self.rotated, not self.back), (GRADIENT, 1, 2))

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says which features pass unchanged."""
        if index[-1] < self.rotated:
            return None
        return f"only the first {self.rotated} features are turned: this one passes unchanged"


def _angle(index: Index, pair: int, angles: np.ndarray) -> Index:
    """The place of a pair's cosine or sine: at the position of the cell, whichever head it is in."""
    *before, _ = index
    return (*before[len(before) - angles.ndim + 1 :], pair)


def _written(places: slice) -> str:
    step = f":{places.step}" if places.step else ""
    return f"{places.start}:{places.stop}{step}"
