"""The study model: what was measured on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clearhead.messages import Study, StudyClaim, StudyFailure, StudyPair
from clearhead.session.view import View
from clearhead.sources.worked.study import START, VOCABULARY, load, measured, sentences

SHOWN, SHOWN_SEED = 7, 11
"""How many sentences of the language are offered, and which."""


def study(message: Mapping[str, Any]) -> View:
    """The findings, and sentences to walk through."""
    table = measured()
    seen = table["held_out"]["seen"][0]
    data = Study(
        kind="study",
        vocabulary=list(VOCABULARY),
        sentences=[[START, *sentence] for sentence in sentences(SHOWN, SHOWN_SEED)],
        parameters=table["parameters"],
        trained=f"It was trained on {seen:,} sentences, in {table['trained']['recipe']['steps']:,} steps.",
        accuracy=table["accuracy"],
        best_possible=table["best_possible"],
        held_out=table["held_out"]["sentences"],
        kept=list(load().kept),
        claims=[_claim(claim) for claim in table["claims"]],
        failures=[_failure(failure) for failure in table["failures"]],
        alike=[_pair(pair, table["alike"]["groups"]) for pair in table["alike"]["pairs"]],
    )
    return View(data)


def _claim(claim: Mapping[str, Any]) -> StudyClaim:
    return StudyClaim(
        id=claim["id"], says=claim["says"], found=claim["found"], held=claim["held"], layer=claim["layer"],
        head=claim["head"], score=claim["score"], measured_on=claim["measured_on"], drop=claim["drop"],
        drop_elsewhere=claim["drop_elsewhere"], tokens=claim["tokens"], query=claim["query"], key=claim["key"],
    )  # fmt: skip


def _failure(failure: Mapping[str, Any]) -> StudyFailure:
    return StudyFailure(id=failure["id"], says=failure["says"], found=failure["found"], held=failure["held"])


def _pair(pair: Mapping[str, Any], groups: Sequence[Mapping[str, Any]]) -> StudyPair:
    """Words are used alike if the grammar has them in one group."""
    alike = any(set(pair["words"]) <= set(group["words"]) for group in groups)
    return StudyPair(words=pair["words"], alike=alike, before=pair["before"], after=pair["after"])
