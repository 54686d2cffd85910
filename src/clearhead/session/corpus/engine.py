"""DuckDB: joins the parts to one Parquet file, and answers questions about it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearhead.lenses.statistics import SCORES
from clearhead.session.corpus.failing import CorpusError, lacking, reason
from clearhead.session.corpus.parts import Rows
from clearhead.session.corpus.units import Unit

if TYPE_CHECKING:
    import duckdb

KEY = "clearhead"
"""Under which the file says what made it."""

FIELDS: Mapping[str, str] = {
    "file": "varchar", "sequence": "bigint", "piece_start": "bigint", "piece_stop": "bigint", "tokens": "bigint",
    "tower": "varchar", "layer": "integer", "head": "integer", **dict.fromkeys(SCORES, "double"),
}  # fmt: skip
"""The columns of the table and their types."""


def connected(path: str = ":memory:") -> duckdb.DuckDBPyConnection:
    """A database of its own.

    Raises:
        ImportError: DuckDB is not installed.
    """
    try:
        import duckdb
    except ModuleNotFoundError as error:
        if error.name != "duckdb":
            raise
        raise lacking("duckdb", "the table of a corpus") from None
    return duckdb.connect(path)


def join(units: Iterable[tuple[Unit, Rows]], about: Mapping[str, Any], output: Path, folder: Path) -> None:
    """Write the rows of all units, in their order, as one Parquet file, whole or not at all.

    Args:
        units: with their rows; the units of a file follow each other.
        about: what made them, kept in the file.
        output: the file to write.
        folder: where there is room for what is not written yet.

    Raises:
        CorpusError: it cannot be written.
    """
    import duckdb

    database, unfinished = (
        folder / f"joining.{os.getpid()}",
        output.with_name(f".{output.name}.{os.getpid()}"),
    )
    try:
        with connected(str(database)) as connection:
            connection.execute("set threads = 1")  # rows come out as they went in, the same bytes every time
            columns = ", ".join(f'"{name}" {kind}' for name, kind in FIELDS.items())
            connection.execute(f"create table heads ({columns})")
            _insert(connection, units)
            said = json.dumps(about, sort_keys=True)
            connection.execute(
                f"copy heads to {_quoted(str(unfinished))} "
                f"(format parquet, compression zstd, kv_metadata {{{KEY}: {_quoted(said)}}})"
            )
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, output)
    except (OSError, duckdb.Error) as error:
        raise CorpusError(f"{output}: cannot be written ({reason(error)})") from None
    finally:
        for left in (unfinished, database, database.with_name(f"{database.name}.wal")):
            left.unlink(missing_ok=True)


def _insert(connection: duckdb.DuckDBPyConnection, units: Iterable[tuple[Unit, Rows]]) -> None:
    file, before = "", 0
    scores = ", ".join(f'if(isnan("{name}"), null, "{name}")' for name in SCORES)
    for unit, rows in units:
        if unit.file.path != file:
            file, before = unit.file.path, 0
        part = {
            "sequence": rows.sequence, "tokens": rows.tokens, "tower": rows.tower.astype(object),
            "layer": rows.layer, "head": rows.head,
            **{name: rows.scores[:, at].copy() for at, name in enumerate(SCORES)},
        }  # fmt: skip
        if len(rows.sequence):
            connection.register("part", part)
            connection.execute(
                f"insert into heads select ?, sequence + ?, ?, ?, tokens, tower, layer, head, {scores} from part",
                [unit.file.name, before, unit.piece.start, unit.piece.stop],
            )
            connection.unregister("part")
        before += rows.sequences


@dataclass(frozen=True)
class Answer:
    """What a question was answered.

    Attributes:
        columns: the names.
        rows: the values, one tuple a row.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __str__(self) -> str:
        """A table."""
        cells = [list(self.columns), *([_shown(value) for value in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells
        )


def opened(path: Path) -> tuple[duckdb.DuckDBPyConnection, dict[str, Any]]:
    """The table as the view `heads`, and what made it. Nothing but this file can be read or written from there.

    Raises:
        ImportError: DuckDB is not installed.
        CorpusError: it is no such table.
    """
    connection = connected()
    import duckdb

    if not path.is_file():
        raise CorpusError(f"{path}: there is no such file; expected the table of a corpus")
    place = _quoted(str(path.resolve()))
    try:
        connection.execute(f"set allowed_paths = [{place}]")
        connection.execute("set enable_external_access = false")
        found = connection.execute(f"select key, value from parquet_kv_metadata({place})").fetchall()
        about = dict(found).get(KEY.encode())
        if about is None:
            raise CorpusError(f"{path}: is no table of a corpus; expected one that `clearhead heads` wrote")
        columns = ", ".join(f'"{name}"' for name in FIELDS)
        connection.execute(f"create view heads as select {columns} from read_parquet({place})")
        connection.execute("set lock_configuration = true")
        return connection, json.loads(about)
    except (duckdb.Error, ValueError) as error:
        connection.close()
        if isinstance(error, CorpusError):
            raise
        raise CorpusError(f"{path}: is damaged, or no table of a corpus ({_of_engine(error)})") from None


def answered(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer:
    """The answer to one question in SQL.

    Raises:
        CorpusError: it cannot be answered; the message says what DuckDB says of it.
    """
    import duckdb

    try:
        found = connection.execute(sql)
        if getattr(found, "description", None) is None:
            raise CorpusError("sql: is empty; expected a question such as select avg(first) from heads")
        return Answer(tuple(column[0] for column in found.description), tuple(found.fetchall()))
    except duckdb.Error as error:
        raise CorpusError(f"sql: {_of_engine(error)}; the table heads has {', '.join(FIELDS)}") from None


def _of_engine(error: Exception) -> str:
    """Without "Binder Error" and its like before it."""
    said = reason(error).rstrip("!?")
    kind, colon, rest = said.partition(" Error: ")
    return rest if colon and len(kind) < 30 else said


def _quoted(text: str) -> str:
    """A string of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
