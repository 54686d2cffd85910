"""The walkthrough of a small example of the checker: its steps, and what each quantity is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clearhead.lenses.walkthrough.captured import CapturedHead, stops_of

SAYS = {
    "scaled": "the scores, scaled",
    "bias": "what is added to each score by position",
    "allowed": "1 where a query may see a key",
    "weights": "how a query shares out its attention",
    "W_O": "mixes the output from what the heads gathered",
    "product": "what the heads gathered, times W_O",
    "b_O": "one number for each column, added at the end",
    "output": "what each position has gathered",
}
"""What a quantity is, where the words for a head of a model would say something else."""

AT_THE_END = "The output"


@dataclass(frozen=True)
class CheckedHead(CapturedHead):
    """The trace of a small example; the function's own may have steps of which only the numbers are known."""

    def says(self, name: str, operation: str) -> str:
        """What a quantity is, in a few words."""
        return SAYS.get(name) or super().says(name, operation)


def checked_steps(reference: CheckedHead) -> Iterator[tuple[str, list[str]]]:
    """The steps of the reference, each with its title and the quantities that no step before it shows."""
    shown: set[str] = set()
    for stop in stops_of(reference):
        names = [name for name in reference.present(stop.quantities) if name not in shown]
        shown.update(names)
        if names:
            yield AT_THE_END if stop.id == "output" else stop.title, names
