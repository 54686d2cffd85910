"""What figures are coloured with: light and dark as on the page, and grey for print.

Signed numbers go from blue through the paper's own colour at 0 to orange, weights from the paper at 0 to teal; blue and
orange stay apart in all common colour blindnesses. In grey the lightness says the size alone, and hatching the sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from matplotlib.colors import Colormap, LinearSegmentedColormap, to_hex, to_rgb

from clearhead.lenses.palette import position_colour


@dataclass(frozen=True)
class Theme:
    """One set of colours.

    Attributes:
        name: "light", "dark" or "grey".
        paper: what everything stands on.
        ink: text and lines that matter.
        soft: axis names, remarks.
        line: rules that only divide.
        hatch: the strokes over what is masked.
        below: a scale from the paper to the largest number below 0.
        above: the same above 0.
        weights: the same for numbers from 0 on.
    """

    name: str
    paper: str
    ink: str
    soft: str
    line: str
    hatch: str
    below: tuple[str, ...]
    above: tuple[str, ...]
    weights: tuple[str, ...]

    @property
    def colours(self) -> bool:
        """Whether hue may say anything."""
        return self.name != "grey"

    @cached_property
    def signed_map(self) -> Colormap:
        """From the largest number below 0, the paper in the middle, to the largest above."""
        return self._map("signed", (*reversed(self.below), self.paper, *self.above))

    @cached_property
    def weights_map(self) -> Colormap:
        """From the paper at 0 to the end of the scale."""
        return self._map("weights", (self.paper, *self.weights))

    def _map(self, name: str, colours: tuple[str, ...]) -> Colormap:
        made = LinearSegmentedColormap.from_list(f"clearhead-{name}-{self.name}", colours, 512)
        return made.with_extremes(bad=self.paper)

    def of_position(self, position: int, count: int) -> str:
        """The colour of a position; in grey all have one, and the number alone says which it is."""
        return (
            position_colour(position, count, "dark" if self.name == "dark" else "light")
            if self.colours
            else self.soft
        )


THEMES = {
    one.name: one
    for one in (
        Theme(
            "light", "#ffffff", "#1b1c1f", "#5b5d64", "#d9d9d4", "#b9babd",
            ("#d6e6fa", "#9cc5f4", "#579be2", "#2170bd", "#0f4a87"),
            ("#fde5cd", "#fac48f", "#ee9240", "#c3660f", "#874205"),
            ("#d3efe8", "#93d5c5", "#4bae99", "#17806d", "#045146"),
        ),
        Theme(
            "dark", "#16181d", "#ececee", "#a9adb7", "#3a3e47", "#5f636b",
            ("#182b43", "#1d4a7c", "#2a71ba", "#5aa2ea", "#a6cffa"),
            ("#3a2716", "#704114", "#ac6417", "#e3913a", "#fbc893"),
            ("#17332f", "#1b5b50", "#238674", "#4fb8a2", "#a3e3d3"),
        ),
        Theme(
            "grey", "#ffffff", "#000000", "#4a4a4a", "#d5d5d5", "#9a9a9a",
            ("#e4e4e4", "#c0c0c0", "#989898", "#6c6c6c", "#404040"),
            ("#e4e4e4", "#c0c0c0", "#989898", "#6c6c6c", "#404040"),
            ("#e4e4e4", "#c0c0c0", "#989898", "#6c6c6c", "#404040"),
        ),
    )
}  # fmt: skip


def ink_on(colour: object) -> str:
    """Black or white, whichever reads better on a colour; the better of the two has at least 4.58:1."""
    # where both read equally well: (L + 0.05)² = 0.05 · 1.05
    return "#000000" if luminance(colour) > 0.179 else "#ffffff"


def luminance(colour: object) -> float:
    """The relative luminance of a colour (WCAG 2.1)."""
    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(to_hex(colour))]  # type: ignore[arg-type]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), channels, strict=True))
