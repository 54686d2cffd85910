"""What a comparison of two models says: one line, then where, why, and how the difference grows."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from clearhead.lenses.parting_models.steps import OF_KEYS, TO_A_KEY
from clearhead.lenses.parting_models.telling import lines_of
from clearhead.lenses.parting_models.tolerance import Tolerance
from clearhead.lenses.parting_models.walk import Parting, StepRow
from clearhead.lenses.parting_models.words import NextWords


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two captures side by side; the first line of `str()` is the verdict.

    Attributes:
        agrees: whether every step of every layer, and the next tokens, are as near as the tolerance says.
        verdict: one sentence.
        table: every step of every layer that both have: how far apart the two are, and how far they may be.
        how: the tolerance, and from which formats it follows.
        names: what was compared: model, format and kernel of a and of b.
        differences: what the two do otherwise that has a name (heads, scale, mask ...), as sentences.
        causes: why they part, as far as it can be told, as sentences.
        mistakes: of the checker's library those that make of a's attention what b returned; see `clearhead.check`.
        words: the likeliest next tokens in both.
        notes: what was not compared, and why, as sentences.
        parting: the first place where they part, or None; the attributes below are of it.
        token: the token of that query or key.
    """

    agrees: bool
    verdict: str
    table: tuple[StepRow, ...]
    how: Tolerance
    names: tuple[str, str]
    differences: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    words: tuple[NextWords, ...] = ()
    notes: tuple[str, ...] = ()
    parting: Parting | None = None
    token: str = ""

    @property
    def layer(self) -> str | None:
        """The label of the first layer in which they part, such as "L3"; None where they do not part in any."""
        return None if self.parting is None else self.parting.pair.label

    @property
    def head(self) -> int | None:
        """The first query head that parts there; None where the step is that of all heads."""
        return None if self.parting is None else self.parting.head

    @property
    def heads(self) -> tuple[int, ...]:
        """All query heads that part at that step of that layer."""
        return () if self.parting is None else self.parting.heads

    @property
    def step(self) -> str | None:
        """The first step that parts: hidden, Q, K, V, scores, scaled, masked, weights, mixed, output; "next words"."""
        if self.parting is None:
            return None if all(one.agrees for one in self.words) else "next words"
        return self.parting.step

    @property
    def batch(self) -> int | None:
        """The sequence."""
        return None if self.parting is None else self.parting.batch

    @property
    def query(self) -> int | None:
        """The place of the first query that parts; None of K and V, whose rows are keys."""
        return None if self.parting is None or self.parting.step in OF_KEYS else self.parting.row

    @property
    def key(self) -> int | None:
        """The place of the key: of K and V the first that parts, of scores and weights that which is furthest off."""
        if self.parting is None:
            return None
        if self.parting.step in OF_KEYS:
            return self.parting.row
        return self.parting.cell if self.parting.step in TO_A_KEY else None

    @property
    def feature(self) -> int | None:
        """The feature that is furthest off in that row; None where the row has keys."""
        return None if self.parting is None or self.parting.step in TO_A_KEY else self.parting.cell

    @property
    def values(self) -> tuple[float, float] | None:
        """The number that is furthest off in that row, in a and in b."""
        return None if self.parting is None else self.parting.values

    @property
    def difference(self) -> float:
        """How far that row is off, as a part of its size; where they agree, the largest of all rows."""
        if self.parting is not None:
            return self.parting.off
        return max((row.largest for row in self.table), default=0.0)

    @property
    def tolerance(self) -> float:
        """How far that row may be off; where they agree, how far a row may be in the first layer."""
        return self.how.at(0) if self.parting is None else self.parting.tolerance

    def with_reasons(self, causes: tuple[str, ...], mistakes: tuple[str, ...]) -> Comparison:
        """The same with more reasons, which come first."""
        named = f" ({' or '.join(mistakes)})" if mistakes else ""
        return replace(self, verdict=self.verdict + named, causes=(*causes, *self.causes), mistakes=mistakes)

    def __bool__(self) -> bool:
        """Whether they agree."""
        return self.agrees

    def __repr__(self) -> str:
        """What `print` shows: that is what a person wants at the end of a cell, not the fields."""
        return str(self)

    def __str__(self) -> str:
        """The verdict in the first line; then where, why, and how the difference grows."""
        return "\n".join(lines_of(self))

    def to_json(self) -> str:
        """All of it as JSON: numbers in full, what is no finite number as a word."""
        return json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False)

    def as_dict(self) -> dict[str, Any]:
        """All of it in plain types."""
        at = (
            "layer",
            "head",
            "heads",
            "step",
            "batch",
            "query",
            "key",
            "feature",
            "values",
            "difference",
            "tolerance",
        )
        data = {
            "agrees": self.agrees, "verdict": self.verdict, "a": self.names[0], "b": self.names[1],
            **{name: getattr(self, name) for name in at}, "token": self.token, "differences": self.differences,
            "causes": self.causes, "mistakes": self.mistakes, "formats": self.how.formats,
            "words": [{**asdict(one), "agrees": one.agrees} for one in self.words], "notes": self.notes,
            "table": [asdict(row) for row in self.table],
        }  # fmt: skip
        return {name: _plain(value) for name, value in data.items()}


def _plain(value: Any) -> Any:
    """As JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return {name: _plain(one) for name, one in value.items()} if isinstance(value, dict) else value
