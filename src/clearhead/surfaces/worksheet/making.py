"""Making a worksheet: its variants, what is hidden in each, its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from clearhead.messages.values import Digits
from clearhead.sources.worked import Example, run
from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.matrices import whole
from clearhead.sources.worked.variants import variant
from clearhead.surfaces.worksheet.chance import dice_of
from clearhead.surfaces.worksheet.checking import Measure, is_good, measured
from clearhead.surfaces.worksheet.copies import with_copies
from clearhead.surfaces.worksheet.hiding import Ask, Hidden, hidden_cells, read_hide
from clearhead.surfaces.worksheet.pages import Sheet
from clearhead.surfaces.worksheet.typeset import drawn, lacking_in, typeset
from clearhead.trace.frames import write_whole
from clearhead.trace.places import file_place

PAPERS = {"a4": "a4", "letter": "us-letter"}
"""Sizes of paper, and what the typesetter calls them."""

DIGITS: tuple[Digits, ...] = (2, 3, 4)
MARGIN = 16
"""Millimetres at the sides."""

MOST_VARIANTS = 100
MOST_NUMBERS = 4000
"""Numbers that a sheet may have, some fifteen pages."""


@dataclass(frozen=True)
class Worksheet:
    """Sheets to be filled in by hand, or their key.

    Attributes:
        sheets: one, or one for each variant.
        paper: "a4" or "letter".
        answers: whether this is the key.
    """

    sheets: tuple[Sheet, ...]
    paper: str
    answers: bool = False

    def key(self) -> Worksheet:
        """The same sheets with the answers in their cells, and one answer of each quantity worked."""
        return replace(self, answers=True, sheets=tuple(replace(one, answers=True) for one in self.sheets))

    @property
    def title(self) -> str:
        """What they are of."""
        return self.sheets[0].title

    @property
    def examples(self) -> tuple[Example, ...]:
        """The example of each sheet, with its numbers."""
        return tuple(sheet.example for sheet in self.sheets)

    def pdf(self) -> bytes:
        """The file: the same bytes whenever it is made of the same things."""
        return typeset(self._data())

    def pictures(self, ppi: float = 100) -> list[bytes]:
        """Each page as a PNG, of so many points an inch."""
        return drawn(self._data(), ppi)

    def _data(self) -> dict[str, Any]:
        """All that the typesetter is told."""
        title = f"{self.title}: answers" if self.answers else self.title
        sheets = [sheet.data() for sheet in self.sheets]
        return {
            "title": title,
            "paper": PAPERS[self.paper],
            "margin": MARGIN,
            "answers": self.answers,
            "sheets": sheets,
        }

    def save(self, path: str | Path) -> None:
        """Write the PDF, all of it or nothing.

        Raises:
            OSError: it cannot be written there; nothing half-written remains.
        """
        place = file_place(path)
        try:
            write_whole(place, [self.pdf()])
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None

    def __repr__(self) -> str:
        """What it is of, and how many boxes it has."""
        boxes = sum(int(mask.sum()) for mask in self.sheets[0].hidden.values())
        count = f"{len(self.sheets)} variants of {boxes}" if len(self.sheets) > 1 else str(boxes)
        what = "Key" if self.answers else "Worksheet"
        return f"{what} of {self.title!r} ({count} {'box' if boxes == 1 else 'boxes'})"


def made(
    example: Example | str | Path,
    hide: str | Iterable[str],
    variants: int,
    seed: int,
    digits: int,
    paper: str,
    variation: Mapping[str, Any],
) -> Worksheet:
    """See `clearhead.worksheet`."""
    given = example if isinstance(example, Example) else load_example(example)
    given = given.vary(**variation) if variation else given
    asks, count, start = read_hide(hide), whole("variants", variants, 0), whole("seed", seed, 0)
    if count > MOST_VARIANTS:
        raise ValueError(f"variants: expected at most {MOST_VARIANTS}, got {count}")
    if digits not in DIGITS:
        raise ValueError(
            f"digits: expected {', '.join(map(str, DIGITS[:-1]))} or {DIGITS[-1]}, got {digits!r}"
        )
    if paper not in PAPERS:
        raise ValueError(f"paper: expected {' or '.join(PAPERS)}, got {paper!r}")
    making = _Making(given, tuple(asks), start, digits)
    sheets = making.variants(count) if count else [making.own()]
    lacking = lacking_in((given.title, given.name, given.look_for, *given.tokens, *given.vocabulary))
    return Worksheet(tuple(replace(one, lacking=lacking) for one in sheets), paper)


@dataclass(frozen=True)
class _Making:
    """What all variants share."""

    example: Example
    asks: tuple[Ask, ...]
    seed: int
    digits: Digits

    def own(self) -> Sheet:
        """The sheet with the example's own numbers.

        Raises:
            ValueError: there is no such quantity to hide, or the sheet would be too long.
        """
        asked = ", ".join(dict.fromkeys(ask.text for ask in self.asks))
        trace = run(self.example)
        hidden = hidden_cells(trace, self.asks, self.seed)
        sheet = Sheet(self.example, trace, hidden, asked, self.digits)
        if (numbers := sheet.count()) > MOST_NUMBERS:
            raise ValueError(
                f"worksheet: it would have {numbers:,} numbers, and takes up to {MOST_NUMBERS:,}; expected a shorter "
                "sentence, a smaller example, or an earlier step to fill in"
            )
        return replace(sheet, hidden=with_copies(trace, hidden))

    def variants(self, count: int) -> list[Sheet]:
        """Sheets with other numbers, no two with the same answers.

        Raises:
            ValueError: no such numbers were found.
        """
        own = self.own()
        measure = measured(own.trace, own.hidden, int(self.digits))
        known: set[bytes] = {_answers(own)}
        sheets: list[Sheet] = []
        for number in range(1, count + 1):
            sheet = self._variant(
                f"Variant {number} of {count} · seed {self.seed}", number, own, measure, known
            )
            if sheet is None:
                raise ValueError(
                    f"variants: no numbers were found for variant {number} of {count} with which every answer is one "
                    "number and none is trivial; expected fewer variants, another seed or other quantities to hide"
                )
            known.add(_answers(sheet))
            sheets.append(sheet)
        return sheets

    def _variant(
        self, label: str, number: int, own: Sheet, measure: Measure, known: set[bytes]
    ) -> Sheet | None:
        """A sheet with other numbers, whose answers are not known from another; None if none was found."""
        found: list[Sheet] = []

        def accept(example: Example) -> bool:
            sheet = replace(own, example=example, trace=run(example), variant=label)
            if _answers(sheet) in known or not is_good(sheet.trace, sheet.hidden, int(self.digits), measure):
                return False
            found.append(sheet)
            return True

        variant(self.example, dice_of("variant", self.seed, number).random, accept)
        return found[0] if found else None


def _answers(sheet: Sheet) -> bytes:
    """What tells the answers of one sheet from those of another."""
    hidden: Hidden = sheet.hidden
    digits = int(sheet.digits)
    parts: Sequence[np.ndarray] = [sheet.trace[name].values[mask] for name, mask in hidden.items()]
    return b"".join(np.round(part, digits).tobytes() for part in parts)
