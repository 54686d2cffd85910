"""What the heads of a model do over a corpus: from files to a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from clearhead.session.corpus.engine import connected, join
from clearhead.session.corpus.failing import CorpusError
from clearhead.session.corpus.given import Say, check, files_of, folder_of, place_of_table
from clearhead.session.corpus.parts import Rows, clear, read_part
from clearhead.session.corpus.readers import STUDY, USUAL, Identity
from clearhead.session.corpus.table import CorpusTable
from clearhead.session.corpus.units import Order, Settings, Unit, units_of
from clearhead.session.corpus.work import Job
from clearhead.session.corpus.workers import Workers, workers

PIECE = 2**15
"""Bytes of a unit; of long sequences more, so that it holds several."""

BYTES_A_TOKEN = 16
"""For that: tokens are shorter, mostly."""


def corpus_statistics(
    model: str | Path,
    files: Sequence[str | Path],
    output: str | Path,
    *,
    length: int | None = None,
    batch_size: int = 1,
    workers: int = 1,
    scheduler: str | None = None,
    threads: int = 1,
    skip: bool = False,
    revision: str | None = None,
    remote_code: bool = False,
    device: str | None = None,
    dtype: str | None = None,
    piece: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    say: Say | None = None,
) -> CorpusTable:
    """What every head of a model does over the texts of a corpus: `head_statistics` of every sequence, in one table.

    Every file is read once to check it, then cut into pieces at the ends of lines, and each piece into sequences of at
    most `length` tokens; none is ever held whole. Every piece writes a part of its own into the folder `output` +
    ".parts", under a name that follows from the file's digest, its bytes and the settings. So a piece that is done
    twice counts once, whoever did it, and a run that was interrupted goes on from the parts that are there. The table
    has the same bytes whatever the number of workers::

        table = ch.corpus_statistics("study", ["a.txt", "b.txt"], "table.parquet")
        print(table.heads().by("induction")[:5])
        print(table.ask("select layer, head, avg(first) from heads group by all order by 3 desc limit 5"))

    Args:
        model: a name or a path, as `load_model` takes it; or "study", the model that comes along.
        files: text files in UTF-8.
        output: the Parquet file to write.
        length: tokens of a sequence at most; None: 512, or what the model takes if that is less.
        batch_size: sequences that go through the model together at most.
        workers: 1: this process; more: so many new processes on this machine, through Dask.
        scheduler: the address of a Dask scheduler; its workers need this package, the files and the output's folder at
            the same paths.
        threads: that the model of each worker runs on; on more than one, sums round differently.
        skip: leave out files that cannot be read, or that the model cannot be given; else the first one ends it.
        revision, remote_code, device, dtype: see `load_model`.
        piece: bytes of a unit of work; None: 32 kB, of long sequences more.
        progress: called with the pieces that are done and how many there are.
        say: called with a sentence for every file that is left out.

    Returns:
        The table.

    Raises:
        ImportError: an engine, or what the model needs, is not installed.
        CorpusError: a file, a setting or the output cannot be used, or the workers are lost; what is done is kept.
        LoadingError: there is no such model.
    """
    check(length, batch_size, workers, threads, piece)
    place = place_of_table(output, files)
    connected().close()  # whether there is an engine at all
    size = piece or max(PIECE, BYTES_A_TOKEN * (length or 0))
    left_out: list[str] = []
    tell = say or (lambda line: None)
    found = files_of(files, size, skip, left_out, tell)
    order = Order(_everywhere(str(model)), revision, remote_code, device, dtype)
    with _workers(workers, scheduler) as some:
        settings = _settings(some.identity(order), length, batch_size, threads)
        folder = folder_of(place)
        run = _Run(some, Job(order, settings, str(folder)), progress, skip, tell)
        try:
            bad = run.all(list(units_of(found, settings)))
        finally:
            with suppress(OSError):  # it stays if there is something in it
                folder.rmdir()
    kept = [file for file in found if file.path not in bad]
    left_out += [file.name for file in found if file.path in bad]
    if not kept:
        raise CorpusError("corpus: no file is left; expected at least one that the model can be given")
    about = {
        "model": str(model), "settings": settings.as_data(), "left_out": left_out,
        "files": [{"name": file.name, "digest": file.digest} for file in kept],
    }  # fmt: skip
    return _joined(place, list(units_of(kept, settings)), about)


def _everywhere(model: str) -> str:
    """A path that every worker understands, whatever folder it was started in; a name stays as it is."""
    path = Path(model).expanduser()
    return str(path.resolve()) if model != STUDY and path.exists() else model


_workers = workers
"""Under a name that the argument of `corpus_statistics` does not hide."""


class _Run:
    """The units of one run, and which files turned out to be bad."""

    def __init__(
        self, some: Workers, job: Job, progress: Callable[[int, int], None] | None, skip: bool, say: Say
    ) -> None:
        self._workers, self._job, self._skip, self._say = some, job, skip, say
        self._progress = progress or (lambda done, total: None)

    def all(self, units: Sequence[Unit]) -> set[str]:
        """Do all that are not done yet; the paths of files that have to be left out.

        Raises:
            CorpusError: a file is bad, and none is to be left out; or what the workers raise.
        """
        folder, bad = Path(self._job.folder), set[str]()
        names = {unit.name: unit for unit in units}  # two files with the same text are read once
        missing = [unit for name, unit in names.items() if read_part(folder, name) is None]
        done = len(names) - len(missing)
        self._progress(done, len(names))
        for unit, fault in self._workers.each(self._job, missing):
            if fault and not self._skip:
                raise CorpusError(f"{fault}; what is done is kept in {folder}")
            if fault and unit.file.path not in bad:
                self._say(f"left out: {fault}")
            if fault:
                bad |= {one.file.path for one in units if one.file.digest == unit.file.digest}
            done += 1
            self._progress(done, len(names))
        return bad


def _settings(identity: Identity, length: int | None, batch_size: int, threads: int) -> Settings:
    most = identity.most
    chosen = length or min(USUAL, most or USUAL)
    if most is not None and chosen > most:
        raise CorpusError(f"length: {chosen} is more than the {most} tokens that the model takes")
    if chosen <= identity.marks:
        raise CorpusError(
            f"length: {chosen} leaves no room beside the {identity.marks} marks around a sequence; expected more"
        )
    return Settings(identity.digest, chosen, batch_size, threads, identity.versions)


def _joined(place: Path, units: list[Unit], about: dict[str, Any]) -> CorpusTable:
    """The table of all parts; they are taken away when it is there."""
    folder = folder_of(place)
    towers: dict[str, None] = {}

    def rows() -> Iterator[tuple[Unit, Rows]]:
        for unit in units:
            found = read_part(folder, unit.name)
            if found is None:
                raise CorpusError(
                    f"{unit}: its part in {folder} is missing or damaged; expected to be run again"
                )
            yield unit, found

    for _, found in rows():  # all are there, before anything is joined
        towers |= dict.fromkeys(found.tower.tolist())
    if not towers:
        raise CorpusError("corpus: the model has no tokens for any of it; expected text that it can read")
    join(rows(), about | {"towers": list(towers)}, place, folder)
    clear(folder, [unit.name for unit in units])
    return CorpusTable(place)
