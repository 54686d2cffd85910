"""Three typefaces of plain blocks, so that a picture of the page is the same whatever fonts a machine has.

At a quarter of its size no text is legible anyway; what remains of it is where it stands, how large it is and how dark.
The blocks keep that: letters, capitals and digits, points and signs have different shapes, and the three families
different widths, so that a title in the wrong family moves. The tables are those of the OpenType specification.
"""

import struct

EM = 1000
ASCENT, DESCENT = 900, -250
WIDTHS = {"Blocks Serif": 500, "Blocks Sans": 560, "Blocks Math": 530}
"""Advance of a letter in thousandths of the em."""

MISSING, EMPTY, LOW, TALL, POINT, SIGN = range(6)
FORMS = {LOW: (0.9, 0, 500), TALL: (0.9, 0, 700), POINT: (0.4, 0, 150), SIGN: (0.9, 300, 400)}
"""Of each glyph: the part of the advance that the block covers, its lower and its upper edge."""

CHARACTERS = [
    (0x20, 0x20, EMPTY),
    (0x21, 0x2A, TALL),
    (0x2B, 0x2B, SIGN),
    (0x2C, 0x2C, POINT),
    (0x2D, 0x2D, SIGN),
    (0x2E, 0x2E, POINT),
    (0x2F, 0x39, TALL),
    (0x3A, 0x3B, POINT),
    (0x3C, 0x3E, SIGN),
    (0x3F, 0x60, TALL),
    (0x61, 0x7A, LOW),
    (0x7B, 0x9F, TALL),
    (0xA0, 0xA0, EMPTY),
    (0xA1, 0x1FFF, TALL),
    (0x2000, 0x200F, EMPTY),
    (0x2010, 0x2015, SIGN),
    (0x2016, 0x2211, TALL),
    (0x2212, 0x2212, SIGN),
    (0x2213, 0x10FFFF, TALL),
]
"""First and last character of each run, and the glyph that draws it."""


def typefaces() -> dict[str, bytes]:
    """The fonts by family."""
    return {family: _typeface(family, advance) for family, advance in WIDTHS.items()}


def _typeface(family: str, advance: int) -> bytes:
    """A TrueType font for every character."""
    glyphs = [b"", b""] + [_block(advance, *FORMS[glyph]) for glyph in sorted(FORMS)]
    offsets = [sum(len(glyph) for glyph in glyphs[:count]) for count in range(len(glyphs) + 1)]
    return _file(
        {
            b"OS/2": _os2(advance),
            b"cmap": _cmap(),
            b"glyf": b"".join(glyphs),
            b"head": struct.pack(
                ">4I2H2q4h2H3h",
                *(0x10000, 0x10000, 0, 0x5F0F3CF5, 0b1011, EM, 0, 0),
                *(0, DESCENT, EM, ASCENT, 0, 8, 2, 1, 0),
            ),
            b"hhea": struct.pack(
                ">I3hH11hH", 0x10000, ASCENT, DESCENT, 0, advance, 0, 0, advance, 1, *[0] * 7, len(glyphs)
            ),
            b"hmtx": b"".join(struct.pack(">Hh", advance, 0) for _ in glyphs),
            b"loca": struct.pack(f">{len(offsets)}I", *offsets),
            b"maxp": struct.pack(">I14H", 0x10000, len(glyphs), 4, 1, 0, 0, 2, *[0] * 8),
            b"name": _name(family),
            b"post": struct.pack(">Ii2h5I", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
        }
    )


def _block(advance: int, part: float, bottom: int, top: int) -> bytes:
    """One rectangle in the middle of its advance, as four points on the curve."""
    margin = round(advance * (1 - part) / 2)
    left, right = margin, advance - margin
    xs = struct.pack(">4h", left, 0, right - left, 0)
    ys = struct.pack(">4h", bottom, top - bottom, 0, bottom - top)
    glyph = struct.pack(">5hHH", 1, left, bottom, right, top, 3, 0) + bytes([1, 1, 1, 1]) + xs + ys
    return glyph + bytes(-len(glyph) % 4)


def _cmap() -> bytes:
    """Format 13: many characters, one glyph."""
    groups = b"".join(struct.pack(">3I", *run) for run in CHARACTERS)
    table = struct.pack(">2H3I", 13, 0, 16 + len(groups), 0, len(CHARACTERS)) + groups
    return struct.pack(">4HI", 0, 1, 3, 10, 12) + table


def _os2(advance: int) -> bytes:
    sizes = (650, 600, 0, 75, 650, 600, 0, 350, 50, 300)  # sub- and superscripts, the line through
    return struct.pack(
        ">HhHHH10hh10s4I4s3H3h2H2I2h3H",
        *(4, advance, 400, 5, 0, *sizes, 0, bytes(10), 1, 0, 0, 0, b"none", 0b1000000, 0x20, 0xFFFF),
        *(ASCENT, DESCENT, 0, ASCENT, -DESCENT, 1, 0, 500, 700, 0, 0x20, 1),
    )


def _name(family: str) -> bytes:
    texts = [(1, family), (2, "Regular"), (3, family), (4, family), (6, family.replace(" ", ""))]
    records, storage = b"", b""
    for number, text in texts:
        encoded = text.encode("utf-16-be")
        records += struct.pack(">6H", 3, 1, 0x409, number, len(encoded), len(storage))
        storage += encoded
    return struct.pack(">3H", 0, len(texts), 6 + len(records)) + records + storage


def _file(tables: dict[bytes, bytes]) -> bytes:
    """The table directory and the tables, each on a multiple of four bytes."""
    step = 2 ** (len(tables).bit_length() - 1)
    head = struct.pack(
        ">I4H", 0x10000, len(tables), step * 16, step.bit_length() - 1, (len(tables) - step) * 16
    )
    directory, body = b"", b""
    start = len(head) + 16 * len(tables)
    for tag, content in sorted(tables.items()):
        padded = content + bytes(-len(content) % 4)
        checksum = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        directory += struct.pack(">4s3I", tag, checksum, start + len(body), len(content))
        body += padded
    return head + directory + body
