"""`clearhead heads`: what every head of a captured model does, in numbers; or of a model over a corpus."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from clearhead.lenses.statistics import SCORES, HeadTable, head_statistics
from clearhead.surfaces.cli.bars import bar
from clearhead.surfaces.cli.failing import one_sentence
from clearhead.surfaces.cli.groups import NONE_GIVEN, Given, Group, grouped
from clearhead.surfaces.cli.heads_corpus import Chosen, is_table, of_corpus, of_table
from clearhead.surfaces.cli.heads_table import heads_lines
from clearhead.surfaces.cli.opening import look_for
from clearhead.surfaces.cli.options import Batch, Json, Loading, one_of
from clearhead.surfaces.cli.output import make_console, print_json, print_lines
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.saved import load_capture

Which = Annotated[
    Given,
    Group(
        sort=Annotated[
            str | None, one_of("--sort", SCORES, "Sort by this score, the largest first, and draw it.")
        ],
        top=Annotated[int | None, typer.Option("--top", min=1, help="Only so many heads.")],
        layer=Annotated[int | None, typer.Option("--layer", min=0, help="Only the heads of this layer.")],
        tower=Annotated[
            str | None,
            typer.Option("--tower", help="Only this part of a model of several, such as encoder."),
        ],
    ),
]
"""Which heads, and in what order: see `Chosen`."""

Corpus = Annotated[
    Given,
    Group(
        length=Annotated[
            int | None,
            typer.Option(
                "--length", min=1, help="Tokens of a sequence at most. Default: 512, or what the model takes."
            ),
        ],
        batch_size=Annotated[
            int | None,
            typer.Option("--batch-size", min=1, help="Sequences run together at most. Default: 1."),
        ],
        workers=Annotated[
            int | None,
            typer.Option("--workers", min=1, help="Processes that share the work. Default: 1, this one."),
        ],
        scheduler=Annotated[
            str | None,
            typer.Option("--scheduler", help="The address of a Dask scheduler, for its workers."),
        ],
        threads=Annotated[
            int | None,
            typer.Option("--threads", min=1, help="Threads that each model runs on. Default: 1."),
        ],
        skip=Annotated[bool, typer.Option("--skip", help="Leave out files that cannot be read, and say so.")],
    ),
]
"""How a model is run over a corpus."""


@grouped
def heads(
    capture: Annotated[
        str,
        typer.Argument(
            help="The file of a capture (see `clearhead capture`), or the table of a corpus; with --corpus, a model."
        ),
    ],
    files: Annotated[
        list[str] | None, typer.Argument(help="With --corpus: text files (UTF-8).", show_default=False)
    ] = None,
    which: Which = NONE_GIVEN,
    batch: Batch = None,
    corpus: Annotated[
        bool,
        typer.Option("--corpus", help="Run a model over the files, and write one table of all sequences."),
    ] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The table to write, such as table.parquet.")
    ] = None,
    sql: Annotated[
        str | None, typer.Option("--sql", help="Ask the table of a corpus, which is called heads there.")
    ] = None,
    how: Corpus = NONE_GIVEN,
    loading: Loading = NONE_GIVEN,
    json: Json = False,
) -> None:
    """Print what every head of a captured model does: where its weights lie, and what stands there.

    Entropy in bits, distance in tokens; every other score is a share,
    from 0 to 1, on average over the tokens it is defined for: on the
    first token, on the one before or after, on what followed the same
    token earlier (induction), or on the same token earlier (duplicate).

    With --corpus, of a model over many texts: each mean with its standard
    deviation over the sequences, and a Parquet file with a row for every
    sequence and head: clearhead heads gpt2 --corpus *.txt -o table.parquet

    With --json, a list of objects, one a head, with the same names.
    """
    chosen = Chosen(**which)
    given = {**how, **loading}
    if corpus:
        if output is None or not files or batch is not None:
            raise typer.BadParameter(
                "--corpus goes with text files and --output, the table to write; not with --batch."
            )
        of_corpus(capture, files, output, given, sql, chosen, json)
        return
    if unfit := [*given, *(["output"] if output else []), *(["files"] if files else [])]:
        raise typer.BadParameter(f"{unfit[0].replace('_', '-')}: is for a corpus; expected --corpus with it.")
    if sql is not None or is_table(capture):
        _refuse_unused({"batch": batch} if sql is None else {"batch": batch, **which})
        of_table(capture, sql, chosen, json)
        return
    _of_capture(capture, chosen, batch or 0, json)


def _refuse_unused(options: dict[str, object]) -> None:
    """Refuse what would do nothing with a table: a sequence of a capture; and of an answer in SQL, which heads."""
    if unfit := [name for name, value in options.items() if value is not None]:
        raise typer.BadParameter(f"--{unfit[0]}: would do nothing here; expected the question without it.")


def _of_capture(path: str, asked: Chosen, batch: int, json: bool) -> None:
    with one_sentence():
        look_for(path, "capture", "table")
        found = load_capture(path)
        if asked.layer is not None:
            found.layer(asked.layer, asked.tower)
        with bar("Looking at the heads") as tell:
            table = head_statistics(found, asked.tower, batch, progress=tell)
        chosen = _chosen(table, found, asked)
    if json:
        print_json([{"head": head.label, "number": head.head, **_scores(head)} for head in chosen])
        return
    console = make_console()
    print_lines(console, heads_lines(found, table, chosen, asked.sort, console))


def _chosen(table: HeadTable, capture: Capture, asked: Chosen) -> HeadTable:
    """The heads to print; a layer without a tower is that of the main one."""
    if asked.layer is not None:
        of = capture.main if asked.tower is None else asked.tower
        table = HeadTable(head for head in table if (head.tower, head.layer) == (of, asked.layer))
    if asked.sort is not None:
        table = table.by(asked.sort)
    return table[: asked.top]


def _scores(head: object) -> dict[str, object]:
    return {name: value for name, value in asdict(head).items() if name != "head"}  # type: ignore[call-overload]
