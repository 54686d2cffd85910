"""Position colours: far enough from the page and from each other, by the published formulas written again here."""

import itertools
import math

import pytest
from coloraide import Color

from clearhead.lenses.palette import DARK, LIGHT, position_colour


def linear(colour):
    """sRGB to linear light (IEC 61966-2-1)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(colour):
    """WCAG 2.1, relative luminance."""
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("colours", "page"), [(LIGHT, "#ffffff"), (DARK, "#16181d")], ids=["light", "dark"])
def test_twelve_colours_that_stand_out_from_the_page(colours, page):
    """At least 3:1, WCAG 2.1 success criterion 1.4.11."""
    assert len(set(colours)) == 12
    assert all(contrast(colour, page) >= 3 for colour in colours)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", ["protan", "deutan"])
def test_twelve_colours_are_told_apart_without_red_or_green(colours, sight):
    """CIEDE2000 of at least 12 between any two, as simulated by coloraide."""
    seen = [Color(colour).filter(sight) for colour in colours]
    assert min(a.delta_e(b, method="2000") for a, b in itertools.combinations(seen, 2)) >= 12


def test_contrast_of_black_and_white():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_up_to_twelve_positions_keep_their_colour(theme):
    colours = LIGHT if theme == "light" else DARK
    for count in (1, 5, 12):
        assert [position_colour(at, count, theme) for at in range(count)] == list(colours[:count])


@pytest.mark.parametrize(("theme", "page"), [("light", "#ffffff"), ("dark", "#16181d")])
@pytest.mark.parametrize("count", [13, 64])
def test_more_positions_are_a_ramp_in_order(theme, page, count):
    """Lightness rises from one position to the next, and every colour stands out from the page."""
    colours = [position_colour(at, count, theme) for at in range(count)]
    assert len(set(colours)) == count
    lightness = [luminance(colour) for colour in colours]
    assert all(a < b for a, b in itertools.pairwise(lightness[:: count // 12]))
    assert all(contrast(colour, page) >= 3 for colour in colours)
    assert all(math.isfinite(value) for value in lightness)
