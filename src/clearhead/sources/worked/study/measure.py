"""What the heads of a study model do, measured on sentences: where they look, and what is lost without them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.sources.worked.study.jobs import EDGES, KINDS, Job, jobs
from clearhead.sources.worked.study.language import Sentence, predictions
from clearhead.sources.worked.study.model import NUMBERS, Head, Model, run

ELSEWHERE = "elsewhere"
"""Beside the kinds of jobs: all predictions that are none."""


@dataclass(frozen=True)
class HeldOut:
    """Sentences to measure on, with all that is known about them.

    Attributes:
        sentences: the sentences.
        truth: (sentence, position, vocabulary), the true probabilities of the next word; 0 where nothing is predicted.
        said: (sentence, position), the word that did come next; -1 where nothing is predicted.
        jobs: for each sentence its jobs.
    """

    sentences: Sequence[Sentence]
    truth: np.ndarray
    said: np.ndarray
    jobs: Sequence[Sequence[Job]]

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> HeldOut:
        """All that the grammar knows about these sentences."""
        positions = 1 + max(map(len, sentences))
        truth = np.zeros((len(sentences), positions, len(NUMBERS)))
        said = np.full((len(sentences), positions), -1)
        for row, sentence in enumerate(sentences):
            for position, (word, possible) in enumerate(zip(sentence, predictions(sentence), strict=True)):
                said[row, position] = NUMBERS[word]
                for other, probability in possible.items():
                    truth[row, position, NUMBERS[other]] = probability
        return cls(sentences, truth, said, [jobs(sentence) for sentence in sentences])

    def places(self, kind: str, crossed: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(sentence, query, key) of every job of a kind; with `crossed`, only of those."""
        found = [
            (row, job.query, job.key)
            for row, several in enumerate(self.jobs)
            for job in several
            if job.kind == kind and (job.crossed or not crossed)
        ]
        row, query, key = np.array(found, int).reshape(-1, 3).T
        return row, query, key

    def where(self, kind: str) -> np.ndarray:
        """(sentence, position), boolean: the predictions of this kind; of `ELSEWHERE`, those of none."""
        if kind == ELSEWHERE:
            return (self.said >= 0) & ~np.logical_or.reduce([self.where(each) for each in (*KINDS, EDGES)])
        there = np.zeros(self.said.shape, bool)
        row, query, _ = self.places(kind)
        there[row, query] = True
        return there


@dataclass(frozen=True)
class Quality:
    """How good the predictions of a model are.

    Attributes:
        accuracy: how often the likeliest word comes next, as the grammar expects it.
        best_accuracy: the same for someone who knows the grammar.
        loss: the mean of -ln of the probability given to the word that came next.
        best_loss: what the grammar's own probabilities lose on average.
        shares: for each kind of job, `EDGES` and `ELSEWHERE`: the accuracy there as a share of the best possible.
    """

    accuracy: float
    best_accuracy: float
    loss: float
    best_loss: float
    shares: dict[str, float]


def quality(model: Model, held_out: HeldOut, off: Collection[Head] = ()) -> Quality:
    """How well `model` predicts, without the heads that are `off`."""
    return quality_of(run(model, held_out.sentences, off).probabilities, held_out)


def quality_of(probabilities: np.ndarray, held_out: HeldOut) -> Quality:
    """How good these probabilities of the next word are: (sentence, position, vocabulary).

    A guess counts with the probability with which it comes true: that takes the luck of the draw out of the accuracy.
    """
    truth, counted = held_out.truth, held_out.said >= 0
    guess = probabilities.argmax(-1)
    right = np.take_along_axis(truth, guess[..., None], -1)[..., 0]
    best = truth.max(-1)
    given = np.take_along_axis(probabilities, np.maximum(held_out.said, 0)[..., None], -1)[..., 0]
    surprise = -np.log(truth, out=np.zeros_like(truth), where=truth > 0)
    shares = {
        kind: float(right[there].sum() / best[there].sum())
        for kind in (*KINDS, EDGES, ELSEWHERE)
        for there in [held_out.where(kind)]
    }
    return Quality(
        accuracy=float(right[counted].mean()),
        best_accuracy=float(best[counted].mean()),
        loss=float(-np.log(given[counted]).mean()),
        best_loss=float((truth * surprise).sum(-1)[counted].mean()),
        shares=shares,
    )


def scores(model: Model, held_out: HeldOut, kind: str, crossed: bool = False) -> dict[Head, float]:
    """For each head the mean weight that it gives, from where a job of this kind is done, to the right position."""
    weights = run(model, held_out.sentences).weights
    row, query, key = held_out.places(kind, crossed)
    return {(layer, head): float(weights[layer, row, head, query, key].mean()) for layer, head in model.heads}
