"""What the places along axes are called: the words of a sentence, of a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

from clearhead.core.axes import KEY, SENTENCE_AXES, VOCABULARY


@dataclass(frozen=True)
class Words:
    """The words that axes run over.

    Attributes:
        tokens: of the sentence, by position.
        vocabulary: of E's rows.
        keys: what the keys are where that is another text than the queries (cross-attention).
    """

    tokens: tuple[str, ...] = ()
    vocabulary: tuple[str, ...] = ()
    keys: tuple[str, ...] | None = None

    def along(self, axis: str) -> tuple[str, ...]:
        """The words of an axis, by place; none where it counts something else."""
        if axis == KEY and self.keys is not None:
            return self.keys
        return self.tokens if axis in SENTENCE_AXES else self.vocabulary if axis == VOCABULARY else ()


NO_WORDS = Words()
"""Those of a quantity that stands in no trace yet: none."""
