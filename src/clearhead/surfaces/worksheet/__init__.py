"""Worksheets: the walkthrough of an example on paper, with cells to fill in by hand, and its key, as PDF."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from clearhead.sources.worked import Example
    from clearhead.surfaces.worksheet.making import Worksheet


def worksheet(
    example: Example | str | Path,
    hide: str | Iterable[str] = ("weights", "output"),
    *,
    variants: int = 0,
    seed: int = 0,
    digits: int = 2,
    paper: str = "a4",
    **variation: Any,
) -> Worksheet:
    """The walkthrough of an example as a sheet to be filled in by hand, up to the last step that is needed.

    Args:
        example: an example, or the name or path of one (see `clearhead.load`).
        hide: what is left empty: quantities ("weights"), parts of one ("weights[0,:]") or a share of its cells,
            chosen by the seed ("weights:30%"); several in a list or with commas between.
        variants: how many sheets with other small numbers, one after the other; 0: the example's own numbers.
        seed: which numbers these are, from 0. The same seed gives the same bytes.
        digits: decimals that answers are rounded to: 2, 3 or 4.
        paper: "a4" or "letter".
        variation: fields of the example to change, for example mask="causal", heads=2.

    Returns:
        The worksheet: `save(path)` writes it, `pdf()` gives its bytes, `key()` is the same with the answers.

    Raises:
        ValueError: something does not fit, there is no such quantity, or no such numbers were found; one sentence.
        ModuleNotFoundError: Typst is not installed; the message says what to do.
    """
    from clearhead.surfaces.worksheet.making import made  # what it stands on is needed with its first use

    return made(example, hide, variants, seed, digits, paper, variation)


__all__ = ["worksheet"]
