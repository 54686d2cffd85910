"""One layer of a captured model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.below import Below


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of a captured model.

    Attributes:
        tower: which part of the model it belongs to ("encoder", "cross", "vision_model" ...); "" if there is one alone.
        number: its number there, as the model counts its blocks.
        path: the module's path in the model.
        attention: what was captured, or None.
        what: what it is instead of attention (the names of its modules), or why it could not be captured.
        rows: which sequence of tokens its queries are, a key of `Capture.texts`.
        columns: which its keys are.
        beneath: finds what is proven of the arithmetic around its heads; asked once, see `below`.
        named: what its only head is called where that stands by itself, such as "head L3H1"; else "".
    """

    tower: str
    number: int
    path: str
    attention: Attention | None
    what: str = ""
    rows: str = ""
    columns: str = ""
    beneath: Callable[[], Below] = Below
    named: str = ""

    @cached_property
    def below(self) -> Below:
        """The way from the layer's input to Q, K and V, and from what its heads mixed on, where it is proven."""
        return self.beneath()

    @property
    def label(self) -> str:
        """How the layer is called: "L3", or "encoder.L3" where there are several towers."""
        return f"{self.tower}.L{self.number}" if self.tower else f"L{self.number}"

    @property
    def heads(self) -> int:
        """How many query heads it has; 0 if it is no attention layer."""
        return 0 if self.attention is None else self.attention.heads
