"""The measured table as the tables of docs/study.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from clearhead.sources.worked.study.jobs import EDGES, KINDS
from clearhead.sources.worked.study.measure import ELSEWHERE

BEGIN, END = "<!-- measured: {} -->", "<!-- end -->"


def renewed(text: str, table: dict[str, Any]) -> str:
    """The page with each measured part between its marks written anew."""
    for name, part in parts(table).items():
        pattern = re.escape(BEGIN.format(name)) + r"\n.*?" + re.escape(END)
        whole = f"{BEGIN.format(name)}\n{part}\n{END}"
        text = re.sub(pattern, lambda _, whole=whole: whole, text, flags=re.DOTALL)  # type: ignore[misc]
    return text


def parts(table: dict[str, Any]) -> dict[str, str]:
    """Each measured part of the page by its name."""
    return {
        "predictions": _predictions(table),
        "claims": _claims(table),
        "heads": _heads(table["heads"]),
        "failures": _failures(table),
        "heads without the pressure": _heads(table["without the pressure"]["heads"]),
        "alike": _alike(table["alike"]),
    }


def _predictions(table: dict[str, Any]) -> str:
    rows = [
        ("next-word accuracy", f"{table['accuracy']:.4f}", f"{table['best_possible']:.4f}",
         f"{table['accuracy'] / table['best_possible']:.1%}"),
        ("loss (nats a word)", f"{table['loss']:.4f}", f"{table['best_loss']:.4f}", ""),
    ]  # fmt: skip
    return (
        f"{table['parameters']:,} parameters, measured on {table['held_out']['sentences']:,} sentences, none of them "
        f"among the {table['held_out']['seen'][0]:,} it was trained on:\n\n"
        + _rows(("", "the model", "best possible", "share"), rows)
    )


def _claims(table: dict[str, Any]) -> str:
    rows = [
        (claim["id"], f"layer {claim['layer']}, head {claim['head']}", f"{claim['score']:.2f}",
         "" if claim["score_crossed"] is None else f"{claim['score_crossed']:.2f} ({claim['crossed']})",
         f"{claim['places']} in {claim['measured_on']} sentences", f"{claim['drop']:.0%}",
         f"{claim['drop_elsewhere']:.1%}", "yes" if claim["held"] else "no")
        for claim in table["claims"]
    ]  # fmt: skip
    head = ("job", "head", "weight on the right word", "with a wrong word nearer", "measured on", "lost without it",
            "lost elsewhere", "bears out")  # fmt: skip
    return _rows(head, rows)


def _heads(heads: list[dict[str, Any]]) -> str:
    names = (*KINDS, EDGES, ELSEWHERE)
    rows = [
        (f"{head['layer']}, {head['head']}", *(f"{head['scores'][kind]:.2f}" for kind in KINDS),
         *(f"{head['drops'][name]:.0%}" for name in names))
        for head in heads
    ]  # fmt: skip
    return _rows(
        ("layer, head", *(f"weight: {kind}" for kind in KINDS), *(f"lost: {name}" for name in names)), rows
    )


def _failures(table: dict[str, Any]) -> str:
    return "\n".join(
        f"- *{failure['says']}* **{'So it was' if failure['held'] else 'Not so here'}.** {failure['found']}"
        for failure in table["failures"]
    )


def _alike(alike: dict[str, Any]) -> str:
    rows = [(" ".join(row["words"]), row) for row in alike["pairs"]]
    rows += [(f"all {row['group']}", row) for row in alike["groups"]]
    rows += [("all words with all words", alike["all words"])]
    return _rows(
        ("words", "cosine before", "after"),
        [(name, f"{row['before']:.2f}", f"{row['after']:.2f}") for name, row in rows],
    )


def _rows(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(head)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
