"""Position colours: one colour per position of the sentence, everywhere that position appears."""

from __future__ import annotations

import math

LIGHT = (
    "#711c98", "#659c64", "#994407", "#aa6078", "#76151a", "#a276fb", "#3179a6", "#279ea4", "#d76821", "#78204f",
    "#013bfb", "#1b714c",
)  # fmt: skip
"""Twelve colours for positions on white: at least 3:1 contrast, and told apart under protan and deutan vision."""

DARK = (
    "#8e77aa", "#97f464", "#eb7d06", "#db0f75", "#ee9685", "#903bdb", "#209af7", "#1f7775", "#9b532a", "#d093ad",
    "#b2c2f9", "#69f5c6",
)  # fmt: skip
"""The same for a dark page (#16181d)."""

RAMPS = {"light": ((0.36, 300.0), (0.65, 55.0)), "dark": ((0.55, 300.0), (0.93, 95.0))}
"""For more than twelve positions: from and to, as OKLCH lightness and hue (the hue goes up through 360)."""

RAMP_CHROMA = 0.14


def position_colour(position: int, count: int, theme: str = "light") -> str:
    """The colour of one position as #rrggbb.

    Up to twelve positions have a colour of their own. More than twelve share an ordered ramp, which shows order; which
    position it is, the printed number says.

    Args:
        position: from 0.
        count: how many positions the sentence has.
        theme: "light" or "dark".
    """
    if count <= len(LIGHT):
        return (LIGHT if theme == "light" else DARK)[position]
    (light_0, hue_0), (light_1, hue_1) = RAMPS[theme]
    along = position / (count - 1)
    turn = (hue_1 - hue_0) % 360
    return _from_oklch(light_0 + along * (light_1 - light_0), RAMP_CHROMA, hue_0 + along * turn)


def _from_oklch(lightness: float, chroma: float, hue: float) -> str:
    """OKLCH to sRGB (Ottosson 2020, "A perceptual color space for image processing"), clipped to the gamut."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _gamma(channel)):02x}" for channel in linear)


def _gamma(channel: float) -> float:
    clipped = min(max(channel, 0.0), 1.0)
    return 12.92 * clipped if clipped <= 0.0031308 else 1.055 * clipped ** (1 / 2.4) - 0.055
