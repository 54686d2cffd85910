"""The table of a corpus: what each head does over all sequences, with its spread, and any other question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsIndex, overload

from clearhead.lenses.statistics import SCORES, HeadStatistics, HeadTable
from clearhead.session.corpus.engine import Answer, answered, opened

OF_SOME_TOKENS = ("induction", "duplicate")
"""The scores of those tokens alone that stood there before."""


@dataclass(frozen=True)
class Spread:
    """One score of one head over the sequences for which it is defined.

    Attributes:
        mean: weighted by the sequences' tokens; of `OF_SOME_TOKENS` every sequence counts the same.
        deviation: the standard deviation of the sequences around it, with the same weights.
        least, most: of the sequences.
        sequences: how many.
    """

    mean: float
    deviation: float
    least: float
    most: float
    sequences: int

    def __str__(self) -> str:
        """The mean and the deviation."""
        return f"{self.mean:.2f} ±{self.deviation:.2f}"


@dataclass(frozen=True)
class HeadSpread:
    """One head over a corpus.

    Attributes:
        tower, layer, head: which one, as in `HeadStatistics`.
        sequences: in which it was seen.
        tokens: of all of them.
        scores: by name; None where no sequence has it.
    """

    tower: str
    layer: int
    head: int
    sequences: int
    tokens: int
    scores: Mapping[str, Spread | None]

    @property
    def mean(self) -> HeadStatistics:
        """The means as the statistics of a head."""
        means = {name: None if spread is None else spread.mean for name, spread in self.scores.items()}
        return HeadStatistics(self.tower, self.layer, self.head, **means)

    @property
    def label(self) -> str:
        """How the head is called, such as "L3H1"."""
        return self.mean.label


class SpreadTable(tuple[HeadSpread, ...]):
    """The heads of a model over a corpus, layer by layer; `str` is a table."""

    __slots__ = ()

    @property
    def means(self) -> HeadTable:
        """The means alone."""
        return HeadTable(head.mean for head in self)

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of those scores that some head has."""
        return self.means.scores

    def by(self, score: str) -> SpreadTable:
        """The same heads, the largest mean first; those without it last.

        Raises:
            ValueError: there is no such score.
        """
        places = {(head.tower, head.layer, head.head): head for head in self}
        return SpreadTable(places[mean.tower, mean.layer, mean.head] for mean in self.means.by(score))

    @overload
    def __getitem__(self, place: SupportsIndex) -> HeadSpread: ...
    @overload
    def __getitem__(self, place: slice) -> SpreadTable: ...
    def __getitem__(self, place: SupportsIndex | slice) -> HeadSpread | SpreadTable:
        """One head, or some as a table."""
        found: HeadSpread | Iterable[HeadSpread] = super().__getitem__(place)
        return found if isinstance(found, HeadSpread) else SpreadTable(found)

    def __str__(self) -> str:
        """A row a head, a column a score: its mean and its standard deviation."""
        names = self.scores
        rows = [
            tuple("–" if (found := head.scores[name]) is None else str(found) for name in names)
            for head in self
        ]
        labelled = ((head.label, *row) for head, row in zip(self, rows, strict=True))
        return str(Answer(("head", *names), tuple(labelled)))


class CorpusTable:
    """A table that `clearhead.corpus_statistics` wrote: a row for each file, sequence, tower, layer and head.

    Attributes:
        path: the Parquet file.
        about: what made it: the model, its digest, the settings, the files and those left out.

    Raises:
        ImportError: DuckDB is not installed.
        CorpusError: it is no such table.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        connection, self.about = opened(self.path)
        connection.close()

    def ask(self, sql: str) -> Answer:
        """The answer to a question in SQL, in which the table is called `heads`. It can read and write nothing else.

        Raises:
            CorpusError: it cannot be answered; the message says what DuckDB says of it.
        """
        connection, self.about = opened(self.path)
        with connection:
            return answered(connection, sql)

    def heads(self, tower: str | None = None) -> SpreadTable:
        """Every head over all sequences; of one part of the model, or of all.

        Raises:
            LookupError: there is no such tower.
        """
        towers: list[str] = self.about["towers"]
        if tower is not None and tower not in towers:
            raise LookupError(
                f"tower: {tower!r} is none of this model's; expected {' or '.join(map(repr, towers))}"
            )
        found = [_head(row) for row in self.ask(_aggregates()).rows]
        chosen = (head for head in found if tower in (None, head.tower))
        return SpreadTable(sorted(chosen, key=lambda head: (towers.index(head.tower), head.layer, head.head)))


def _aggregates() -> str:
    """One row a head: (tower, layer, head, sequences, tokens), then five numbers for each score.

    The deviations are taken from the mean in a second pass: the difference of two sums of squares would lose digits.
    """
    weights = {name: "1" if name in OF_SOME_TOKENS else "tokens" for name in SCORES}
    means = ", ".join(
        f'sum("{name}" * {weight}) / sum(if("{name}" is null, 0, {weight})) as m_{name}'
        for name, weight in weights.items()
    )
    spreads = ", ".join(
        f'any_value(m_{name}), sqrt(sum(("{name}" - m_{name}) ** 2 * {weight}) '
        f'/ sum(if("{name}" is null, 0, {weight}))), min("{name}"), max("{name}"), count("{name}")'
        for name, weight in weights.items()
    )
    return (
        f"with means as (select tower, layer, head, {means} from heads group by all) "
        f"select tower, layer, head, count(*), sum(tokens), {spreads} "
        "from heads join means using (tower, layer, head) group by tower, layer, head order by tower, layer, head"
    )


def _head(row: tuple[Any, ...]) -> HeadSpread:
    tower, layer, head, sequences, tokens, *numbers = row
    scores = {}
    for at, name in enumerate(SCORES):
        five = numbers[5 * at : 5 * at + 5]
        scores[name] = Spread(*five) if five[4] else None
    return HeadSpread(tower, layer, head, sequences, int(tokens), scores)
