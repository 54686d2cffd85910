"""The measured table of the study model: every claim, with what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearhead.sources.worked.study.jobs import EDGES, KINDS
from clearhead.sources.worked.study.language import Sentence
from clearhead.sources.worked.study.measure import ELSEWHERE, HeldOut, Quality, quality, quality_of, scores
from clearhead.sources.worked.study.model import NUMBERS, Head, Model, run

ENOUGH = 0.8
"""The mean weight from which a head counts as doing a job."""

NOTICED = 0.1
"""The loss of accuracy (a share of the best possible) from which a head counts as serving a job."""

SAYS = {
    "previous": "A head looks at the previous word: after “either gold” it is “either” that makes “or” come next.",
    "induction": "An induction head continues a repeated phrase: it looks at what came after the same word before.",
    "pronoun": "A head takes “he” to “man” and “she” to “woman”, also when the nearer noun is the wrong one.",
    "agreement": "A head follows grammar: across a clause, it takes the verb to its subject.",
}

NAMES = {
    "previous": "pairs such as either and or", "induction": "repeated phrases", "pronoun": "pronouns",
    "agreement": "agreement", EDGES: "where a repetition begins and ends",
}  # fmt: skip

SHOWN = {
    "previous": "the girl has either gold or milk .",
    "induction": "the woman calls bread milk honey ! bread milk honey !",
    "pronoun": "the man saw the woman and he works .",
    "agreement": "the dogs that saw the king run .",
}
"""For each kind of job the sentence that shows it."""


def heads_at_work(model: Model, held_out: HeldOut) -> list[dict[str, Any]]:
    """Every head: its score on each kind of job, and what each kind of prediction loses without it."""
    whole = quality(model, held_out)
    of_kind = {kind: scores(model, held_out, kind) for kind in KINDS}
    found = []
    for head in model.heads:
        without = quality(model, held_out, [head])
        found.append({
            "layer": head[0],
            "head": head[1],
            "scores": {kind: of_kind[kind][head] for kind in KINDS},
            "drops": {kind: whole.shares[kind] - without.shares[kind] for kind in without.shares},
        })  # fmt: skip
    return found


def claims(model: Model, held_out: HeldOut, at_work: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each kind of job the head that does it best, as measured."""
    return [_claim(model, held_out, kind, at_work) for kind in KINDS]


def _chosen(at_work: Sequence[dict[str, Any]], kind: str) -> dict[str, Any]:
    """The head that looks where it should and is missed when it is off."""
    return max(at_work, key=lambda head: head["scores"][kind] * min(1.0, max(0.0, head["drops"][kind]) / 0.3))


def _claim(model: Model, held_out: HeldOut, kind: str, at_work: Sequence[dict[str, Any]]) -> dict[str, Any]:
    chosen = _chosen(at_work, kind)
    head: Head = (chosen["layer"], chosen["head"])
    row, _, _ = held_out.places(kind)
    crossed = held_out.places(kind, crossed=True)[0]
    score, drops = chosen["scores"][kind], chosen["drops"]
    shown = SHOWN[kind].split()
    job = next(job for job in HeldOut.of([tuple(shown)]).jobs[0] if job.kind == kind)
    served = [other for other in (*KINDS, EDGES) if drops[other] >= NOTICED]
    return {
        "id": kind,
        "says": SAYS[kind],
        "found": _found(score, drops, served, kind) + _needed_too(at_work, chosen, kind),
        "held": score >= ENOUGH and drops[kind] >= NOTICED and drops[ELSEWHERE] < NOTICED,
        "layer": head[0],
        "head": head[1],
        "score": score,
        "score_crossed": scores(model, held_out, kind, crossed=True)[head] if len(crossed) else None,
        "crossed": len(crossed),
        "measured_on": len(np.unique(row)),
        "places": len(row),
        "drop": drops[kind],
        "drop_elsewhere": drops[ELSEWHERE],
        "drops": drops,
        "tokens": ["<start>", *shown],
        "query": job.query,
        "key": job.key,
    }


def _found(score: float, drops: dict[str, float], served: list[str], kind: str) -> str:
    others = [f"{NAMES[other]} ({drops[other]:.0%})" for other in served if other != kind]
    also = f" Others suffer too: {', '.join(others)}." if others else ""
    return (
        f"Mean weight {score:.2f} on the right word; switched off, {drops[kind]:.0%} of these predictions are lost, "
        f"and {max(0.0, drops[ELSEWHERE]):.1%} of those that need none of the four jobs.{also}"
    )


def _needed_too(at_work: Sequence[dict[str, Any]], chosen: dict[str, Any], kind: str) -> str:
    others = [
        f"layer {head['layer']} head {head['head']} ({head['drops'][kind]:.0%})"
        for head in at_work
        if head is not chosen and head["drops"][kind] >= NOTICED
    ]
    return f" Also needed for them: {', '.join(others)}." if others else ""


def seen_so_far(model: Model, sentences: Sequence[Sentence]) -> np.ndarray:
    """The probabilities of the next word when only the words so far are given: (sentence, position, vocabulary).

    With a causal mask that is what one run over the whole sentence gives; without, each beginning needs a run.
    """
    positions = 1 + max(map(len, sentences))
    found = np.full((len(sentences), positions, len(NUMBERS)), 1 / len(NUMBERS))
    for length in range(positions):
        rows = [row for row, sentence in enumerate(sentences) if len(sentence) > length]
        if rows:
            beginnings = [sentences[row][:length] for row in rows]
            found[rows, length] = run(model, beginnings).probabilities[:, length]
    return found


def quality_in_use(model: Model, held_out: HeldOut) -> Quality:
    """How well the model predicts when only the words so far are given."""
    return quality_of(seen_so_far(model, held_out.sentences), held_out)
