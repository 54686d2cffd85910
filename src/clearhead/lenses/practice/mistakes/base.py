"""What a mistake is: one step of the computation, done otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from clearhead.lenses.practice.replay import Work


@dataclass(frozen=True)
class Mistake:
    """A way of getting a step wrong that is known to happen.

    Attributes:
        id: its name for programs.
        says: what is done wrong, so that it can follow "that is what comes out when".
        work: what is done instead of the step's own `forward`.
    """

    id: str
    says: str
    work: Work
