"""A small plot as SVG: lines over two logarithmic axes, each named where it ends."""

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 34, 46

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555")
"""Told apart with any kind of colour vision (Okabe and Ito 2008)."""

LINE = 15
"""Pixels between two names."""


def plot(
    title: str,
    across: str,
    up: str,
    lines: Mapping[str, Sequence[tuple[float, float]]],
    ended: Mapping[str, str],
) -> str:
    """The picture.

    Args:
        title: what is shown.
        across: the name of the x axis.
        up: the name of the y axis.
        lines: by name (x, y) above 0, ascending in x.
        ended: for some of the names why there are no points further on.
    """
    lines = {name: points for name, points in lines.items() if points}
    xs, ys = (sorted({point[axis] for points in lines.values() for point in points}) for axis in (0, 1))
    low, high = 10.0 ** math.floor(math.log10(ys[0])), 10.0 ** math.ceil(math.log10(ys[-1]) + 1e-9)

    def at(x: float, y: float) -> tuple[float, float]:
        wide = math.log(x / xs[0]) / max(math.log(xs[-1] / xs[0]), 1e-9)
        tall = math.log(y / low) / max(math.log(high / low), 1e-9)
        return LEFT + wide * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - tall * (HEIGHT - TOP - BOTTOM)

    made = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="12"><title>{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 20, f"{title}, {up}", "start", 'font-weight="bold"'),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, across),
    ]
    for x in xs:
        place = at(x, low)
        made.append(_line(place, at(x, high), "#eeeeee"))
        made.append(_text(place[0], place[1] + 18, _short(x)))
    for power in range(round(math.log10(low)), round(math.log10(high)) + 1):
        place = at(xs[0], 10.0**power)
        made.append(_line(place, at(xs[-1], 10.0**power), "#dddddd"))
        made.append(_text(place[0] - 8, place[1] + 4, _short(10.0**power), "end"))
    free, names = HEIGHT - BOTTOM + LINE, []
    for number, name in enumerate(sorted(lines, key=lambda name: lines[name][-1][1])):
        colour, places = COLOURS[number % len(COLOURS)], [at(*point) for point in lines[name]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        dashes = 'stroke-dasharray="6 4"' if number >= len(COLOURS) else ""  # a colour that comes again
        made.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" {dashes}/>')
        made += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        x, y = places[-1]
        free = min(free - LINE, y + 4)  # no name on another
        why = f" ({ended[name]})" if name in ended else ""
        halo = 'stroke="white" stroke-width="4" paint-order="stroke"'
        names.append(_text(x + 8, free, name + why, "start", f'fill="{colour}" {halo}'))
    return "\n".join([*made, *names, "</svg>\n"])  # the names above all lines


def _line(begin: tuple[float, float], end: tuple[float, float], colour: str) -> str:
    (x1, y1), (x2, y2) = begin, end
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def _short(value: float) -> str:
    """1024 as "1k", 0.01 as "0.01"."""
    return f"{value / 1024:g}k" if value >= 1024 and value % 1024 == 0 else f"{value:g}"
