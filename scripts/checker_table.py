"""The table of mistakes in docs/checker-table.md: what convicts each, and what each is taken for.

python scripts/checker_table.py            write the page
python scripts/checker_table.py --check    fail if it is not what would be written
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from clearhead.lenses.diagnose import LIBRARY, Mistake
from clearhead.lenses.diagnose.confusion import SETTINGS, convicts, verdicts

PAGE = Path(__file__).resolve().parent.parent / "docs" / "checker-table.md"
HEAD = """\
# The mistakes that the checker knows

`clearhead.check` names a mistake when the reference with that one step done otherwise gives the function's numbers on
every question. This page is worked out from the library itself: `scripts/checker_table.py` writes it, and `./check`
fails when it is not what would be written.

Each mistake was made in every setting below in which it changes anything, and the checker was asked what it is: every
mistake against every verdict. *convicted by* is the first question on which its numbers are neither the reference's nor
those of any other mistake, in the first setting that has one. *taken for itself* counts the settings in which it was
named, of those in which it was made (a mistake with several variants counts each). Where two mistakes are the same
numbers in a setting both are named; they stand in the last column.

"""


@dataclass
class Result:
    """What became of one name in all settings; it may stand for several variants."""

    made: int = 0
    named: int = 0
    beside: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    """Write the page, or with --check compare it."""
    new = page()
    if "--check" not in sys.argv:
        PAGE.write_text(new, "utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text("utf-8") == new:
        return 0
    print(f"{PAGE} is not what would be generated; run python scripts/checker_table.py", file=sys.stderr)
    return 1


def page() -> str:
    """All of the page."""
    found = results()
    named, made = (sum(getattr(one, what) for one in found.values()) for what in ("named", "made"))
    wrong = [line for one in found.values() for line in one.wrong]
    lines = [
        f"{len(found)} mistakes, {len(SETTINGS)} settings: made {made:,} times, named {named:,} times, "
        f"{len(wrong)} times taken for something else.",
        "",
        "| mistake | what it does | met as | convicted by | taken for itself | the same numbers as |",
        "|---|---|---|---|---|---|",
        *(row(one, found[one.name]) for one in first_of_each()),
        "",
        "## The settings",
        "",
        *(f"- {setting.name}: {len(setting.questions())} questions" for setting in SETTINGS),
    ]
    return HEAD + "\n".join(lines) + "\n"


def first_of_each() -> list[Mistake]:
    """One variant of each name, in the library's order."""
    return list({one.name: one for one in reversed(LIBRARY)}.values())[::-1]


def results() -> dict[str, Result]:
    """Every mistake against every verdict."""
    found = {one.name: Result() for one in LIBRARY}
    for setting in SETTINGS:
        for mistake, verdict in verdicts(setting):
            result, names = found[mistake.name], [name for one in verdict for name in one]
            result.made += 1
            result.named += mistake.name in names
            if mistake.name not in names:
                result.wrong.append(f"{mistake.name} taken for {names} in {setting.name}")
            for other in sorted({*names} - {mistake.name}):
                result.beside[other].append(setting.name)
    return found


def row(mistake: Mistake, result: Result) -> str:
    """One line of the table."""
    same = "; ".join(
        f"`{other}` ({'; '.join(dict.fromkeys(where))})" for other, where in sorted(result.beside.items())
    )
    cells = (
        f"`{mistake.name}`", f"it {mistake.says}", mistake.seen, convicted_by(mistake.name),
        f"{result.named} of {result.made}", same,
    )  # fmt: skip
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def convicted_by(name: str) -> str:
    """The first question that tells it from everything else."""
    variants = [one for one in LIBRARY if one.name == name]
    for setting in SETTINGS:
        for mistake in variants:
            if question := convicts(setting, mistake):
                return f"{question} ({setting.name})"
    return "several questions together"


if __name__ == "__main__":
    sys.exit(main())
