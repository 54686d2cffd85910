"""What the checker says: one line, then the evidence."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from clearhead.lenses.diagnose.mistakes.base import Mistake
from clearhead.lenses.diagnose.parting import Parting
from clearhead.lenses.diagnose.smallest import Smallest
from clearhead.lenses.diagnose.written import lines_of
from clearhead.trace.shown import Shown


@dataclass(frozen=True, repr=False)
class Report(Shown):
    """The verdict on a person's attention. In a notebook it shows itself, with both walkthroughs side by side.

    Attributes:
        agrees: whether every answer is the reference's, up to rounding. Never true of what was not seen.
        mistakes: the names of the mistakes that reproduce the answers; none where it agrees or nothing known does.
        step: the first quantity that comes out otherwise, such as "scaled"; None where it agrees or could not be asked.
        verdict: one sentence.
        notes: what is no mistake and good to know: the type it looks like, dropout, what its mask means ...
        asked: how it was asked: library, type, order of axes, mask, number of questions.
        off: the largest difference that is left to the reference, or to the reference with the mistakes.
        dtype: the type whose rounding explains that difference.
        seed: of the questions' numbers.
        found: the mistakes, with what each does, where it is met, and how it is mended.
        parting: where the numbers part, if nothing known explains them.
        smallest: the smallest example on which the numbers differ.
        possible: other explanations that could not be told from this one, and what would tell.
    """

    agrees: bool
    verdict: str
    seed: int
    mistakes: tuple[str, ...] = ()
    step: str | None = None
    notes: tuple[str, ...] = ()
    asked: str = ""
    off: float | None = None
    dtype: str | None = None
    found: tuple[Mistake, ...] = ()
    parting: Parting | None = None
    smallest: Smallest | None = None
    possible: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        """Whether it agrees."""
        return self.agrees

    def __repr__(self) -> str:
        """The verdict alone."""
        return f"Report({self.verdict!r})"

    def __str__(self) -> str:
        """The verdict in the first line; the evidence after it."""
        return "\n".join(_lines(self))

    def to_json(self) -> str:
        """All of it as JSON: numbers in full precision, arrays as lists."""
        return json.dumps(self.as_dict(), ensure_ascii=False)

    def as_dict(self) -> dict[str, Any]:
        """All of it in plain types."""
        return {
            "agrees": self.agrees, "verdict": self.verdict, "mistakes": list(self.mistakes), "step": self.step,
            "notes": list(self.notes), "asked": self.asked, "off": self.off, "dtype": self.dtype, "seed": self.seed,
            "found": [
                {"name": one.name, "step": one.step, "says": one.says, "seen": one.seen, "mend": one.mend}
                for one in self.found
            ],
            "parting": asdict(self.parting) if self.parting else None,
            "smallest": self.smallest.as_dict() if self.smallest else None,
            "possible": list(self.possible),
        }  # fmt: skip


def _lines(report: Report) -> list[str]:
    lines = [report.verdict]
    if report.asked:
        lines += ["", report.asked]
    if report.step:
        lines += [f"The first step that comes out otherwise: {report.step}."]
    lines += [f"Or: {one}" for one in report.possible]
    lines += [f"Note: {one}" for one in report.notes]
    if report.smallest:
        lines += ["", *lines_of(report.smallest)]
    for one in report.found:
        lines += ["", f"{one.name} is met as: {one.seen}.", f"Usually mended so: {one.mend}"]
    return lines
