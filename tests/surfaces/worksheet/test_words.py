"""Words above columns have little room: what is cut stays readable, and no number of a character is cut in two."""

import pytest

from clearhead.surfaces.worksheet.words import cut


@pytest.mark.parametrize(
    ("token", "lacking", "shown"),
    [
        ("dog", "", "dog"),
        ("incredible", "", "incredi…"),
        ("中文", "", "中文"),
        ("中", "中文", "‹U+4E2D›"),
        ("中文", "中文", "…"),
        ("a中", "中文", "a…"),
        ("ab\u202ecd", "", "ab…"),
        ("x" * 10_000, "", "xxxxxxx…"),
        ("", "", "∅"),
    ],
)
def test_at_most_eight_columns(token, lacking, shown):
    assert cut(token, 8, lacking) == shown
