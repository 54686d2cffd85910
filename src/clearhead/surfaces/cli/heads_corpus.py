"""`clearhead heads --corpus`, and `clearhead heads` of the table that it wrote."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.style import Style
from rich.text import Text

from clearhead.lenses.statistics import SCORES
from clearhead.surfaces.cli.bars import bar, say
from clearhead.surfaces.cli.failing import fail, one_sentence, to_be_written
from clearhead.surfaces.cli.groups import Given
from clearhead.surfaces.cli.heads_table import DRAWN, NOTHING, Cell, cell, lined, picture
from clearhead.surfaces.cli.marks import DIM
from clearhead.surfaces.cli.output import make_console, print_json, print_lines, printable
from clearhead.trace.notation.numbers import format_number

if TYPE_CHECKING:
    from clearhead.session.corpus import Answer, CorpusTable, HeadSpread, SpreadTable

MAGIC = b"PAR1"
"""How a Parquet file begins."""


@dataclass(frozen=True)
class Chosen:
    """Which heads to print, and in what order; None: all, as they come."""

    sort: str | None = None
    top: int | None = None
    layer: int | None = None
    tower: str | None = None


def is_table(path: str) -> bool:
    """Whether a Parquet file is there, or is meant."""
    try:
        with Path(path).expanduser().open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError, RuntimeError):
        return path.endswith(".parquet")


def of_corpus(
    model: str, files: Sequence[str], output: str, given: Given, sql: str | None, chosen: Chosen, json: bool
) -> None:
    """Run a model over files, and print what its heads do, or the answer to a question.

    Args:
        model: its name or path.
        files: the corpus.
        output: the table to write.
        given: the options of `clearhead.corpus_statistics` that were given.
        sql: the question.
        chosen: which heads to print.
        json: whether as JSON.
    """
    from clearhead.session.corpus import corpus_statistics

    with _sentences(), to_be_written(output), bar("Running the model over the corpus") as tell:
        table = corpus_statistics(model, files, output, progress=tell, say=say, **given)
    _print(table, sql, chosen, json)


def of_table(path: str, sql: str | None, chosen: Chosen, json: bool) -> None:
    """Print what the heads of a table do, or the answer to a question."""
    from clearhead.session.corpus import CorpusTable

    with _sentences():
        table = CorpusTable(Path(path).expanduser())
    _print(table, sql, chosen, json)


@contextmanager
def _sentences() -> Iterator[None]:
    with one_sentence():
        try:
            yield
        except ImportError as error:
            fail(str(error))


def _print(table: CorpusTable, sql: str | None, chosen: Chosen, json: bool) -> None:
    if sql is not None:
        with _sentences():
            answer = table.ask(sql)
        _print_answer(answer, json)
        return
    with _sentences():
        every = table.heads(chosen.tower)
        heads = _chosen(every, chosen)
    if json:
        print_json([_as_data(head) for head in heads])
        return
    console = make_console()
    print_lines(console, _lines(table, every, heads, chosen.sort, console))


def _chosen(table: SpreadTable, asked: Chosen) -> SpreadTable:
    if asked.layer is not None:
        found = [head for head in table if head.layer == asked.layer]
        if not found:
            raise LookupError(f"layer: {asked.layer} is none of this table's")
        table = type(table)(found)
    if asked.sort is not None:
        table = table.by(asked.sort)
    return table[: asked.top]


def _lines(
    table: CorpusTable, every: SpreadTable, heads: SpreadTable, sort: str | None, console: Console
) -> Iterator[Text]:
    """The title, the picture of the means, and the means with their deviations."""
    files, length = len(table.about["files"]), table.about["settings"]["length"]
    of = f"Corpus of {files} file{'s' if files != 1 else ''} through {table.about['model']}"
    facts = f"{every[0].sequences:,} sequences of at most {length:,} tokens, {every[0].tokens:,} in all"
    yield Text(printable(of), "bold") + Text(f"  {facts}", "dim")
    for name in table.about["left_out"]:
        yield Text(printable(f"left out: {name}"), "dim")
    yield Text("")
    yield from picture(every.means, sort or DRAWN, console)
    yield Text("")
    names = heads.scores
    yield from lined(names, sort, [(head.label, [_spread(head, name) for name in names]) for head in heads])


def _spread(head: HeadSpread, name: str) -> Cell:
    """The mean and the standard deviation, tinted as the mean is."""
    spread = head.scores[name]
    if spread is None:
        return NOTHING, DIM
    text, style = cell(head.mean, name)
    return f"{text} ±{format_number(spread.deviation)}", style


def _as_data(head: HeadSpread) -> dict[str, Any]:
    scores = {name: None if (found := head.scores[name]) is None else asdict(found) for name in SCORES}
    about = {"tower": head.tower, "layer": head.layer, "sequences": head.sequences, "tokens": head.tokens}
    return {"head": head.label, "number": head.head, **about, **scores}


def _print_answer(answer: Answer, json: bool) -> None:
    if json:
        rows = [[_plain(value) for value in row] for row in answer.rows]
        print_json({"columns": list(answer.columns), "rows": rows})
        return
    print_lines(make_console(), (Text(printable(line), Style()) for line in str(answer).splitlines()))


def _plain(value: Any) -> Any:
    """What JSON can hold: numbers, strings, lists and tables of them; anything else as it is written."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
