"""What each mistake of the library is taken for: in many settings, every mistake against every verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations

import numpy as np

from clearhead.lenses.diagnose.asking import IMPOSSIBLE, Asking, apart, off
from clearhead.lenses.diagnose.case import Case, Spec
from clearhead.lenses.diagnose.mistakes import LIBRARY, Mistake
from clearhead.lenses.diagnose.pipeline import attention_of
from clearhead.lenses.diagnose.probes import Shapes, Sizes, cases, hiding, padded
from clearhead.lenses.diagnose.projected import projected
from clearhead.lenses.diagnose.search import explanations, matters


@dataclass(frozen=True)
class Setting:
    """A kind of attention that a function may be meant to be.

    Attributes:
        name: in words.
        spec: the reference.
        sizes: of the questions.
        handed: whether a mask that no name describes is handed over as well.
        padded: whether padding is.
        weights: the shapes of X and the weights, if queries, keys and values are made of x.
    """

    name: str
    spec: Spec
    sizes: Sizes = field(default_factory=Sizes)
    handed: bool = False
    padded: bool = False
    weights: Shapes | None = None

    def questions(self, seed: int = 0) -> list[Case]:
        """All of them, as `session.checking` asks them."""
        if self.weights is not None:
            return list(projected(self.spec, self.weights, seed))
        made = list(cases(self.spec, self.sizes, seed))
        if self.handed:
            open_ = list(cases(replace(self.spec, mask="none"), self.sizes, seed))[:2]
            made += open_ + [hiding(case, seed) for case in open_]
        if self.padded:
            made += [padded(case) for case in made[:2]]
        return made


def _weights(width: int, joined: int, *, biased: bool) -> Shapes:
    shapes: dict[str, tuple[int, ...]] = {"X": (2, 5, width)}
    shapes |= {f"W_{name}": (width, joined) for name in "QKV"} | {"W_O": (joined, width)}
    return shapes | ({f"b_{name}": (joined,) for name in "QKV"} | {"b_O": (width,)} if biased else {})


EVEN = Sizes(d_head=14, d_value=14)
ONE = Sizes(batch=1)
SETTINGS = (
    Setting("one head", Spec()),
    Setting("one head, one sentence, causal", Spec(mask="causal"), ONE),
    Setting("three heads", Spec(3, 3)),
    Setting("three heads, causal", Spec(3, 3, mask="causal")),
    Setting("three heads, a mask handed over", Spec(3, 3, mask="causal"), handed=True),
    Setting("three heads, padding", Spec(3, 3), padded=True),
    Setting("three heads, causal, padding", Spec(3, 3, mask="causal"), padded=True),
    Setting("three heads, more keys than queries", Spec(3, 3), Sizes(keys=7)),
    Setting("three heads joined, causal", Spec(3, 3, True, "causal")),
    Setting("three heads joined, one sentence", Spec(3, 3, True), ONE),
    Setting("six heads on two, causal", Spec(6, 2, mask="causal")),
    Setting("six heads on two joined", Spec(6, 2, True)),
    Setting("a window, causal", Spec(3, 3, mask="causal & window(3)")),
    Setting("rotary, halves, causal", Spec(3, 3, mask="causal", rotary="halves"), EVEN),
    Setting("rotary, interleaved, six heads on two", Spec(6, 2, rotary="interleaved"), EVEN),
    Setting("ALiBi, causal", Spec(4, 4, mask="causal", alibi=True)),
    Setting("soft cap, causal", Spec(3, 3, mask="causal", soft_cap=2.0)),
    Setting(
        "x with weights and biases, causal", Spec(3, 3, True, "causal"), weights=_weights(33, 33, biased=True)
    ),
    Setting(
        "x with weights and a context",
        Spec(3, 3, True),
        weights={**_weights(33, 33, biased=False), "context": (2, 7, 33)},
    ),
    Setting("x with weights, not square", Spec(2, 2, True), weights=_weights(13, 22, biased=False)),
)


def answered(questions: list[Case], mistakes: tuple[Mistake, ...]) -> list[Asking] | None:
    """The questions, answered with these mistakes; None where they cannot be made in this setting."""
    try:
        answers = [
            attention_of(case, [one.changes for one in mistakes]).values["output"] for case in questions
        ]
    except IMPOSSIBLE:
        return None
    askings = [Asking(case, answer) for case, answer in zip(questions, answers, strict=True)]
    if any(one.output.shape != one.reference.values["output"].shape for one in askings):
        return None
    return askings


def verdicts(setting: Setting) -> Iterator[tuple[Mistake, list[tuple[str, ...]]]]:
    """Of each mistake that changes anything in the setting, what its answers are taken for; the first is the verdict.

    `()` stands for agreement.
    """
    questions = setting.questions()
    made = [(one, askings) for one in LIBRARY if (askings := answered(questions, (one,)))]
    found = [(one, askings) for one, askings in made if any(matters(each, one) for each in askings)]
    library = [one for one, _ in found]
    for mistake, askings in found:
        yield mistake, [one.names for one in explanations(askings, 1, library)]


def convicts(setting: Setting, mistake: Mistake) -> str | None:
    """The first question on which the mistake differs from the reference and from all mistakes of other names."""
    for asking in answered(setting.questions(), (mistake,)) or ():
        limit = asking.allowed("float64")
        others = [(), *((one,) for one in LIBRARY if one.name != mistake.name)]
        if np.isfinite(asking.output).any() and all(off(asking, one) > limit for one in others):
            return asking.case.probe
    return None


def sensible(setting: Setting, seed: int = 0) -> Iterator[tuple[tuple[Mistake, Mistake], list[Asking]]]:
    """All pairs of mistakes that a function can make at once so that both matter, with their answers, in a drawn order.

    The two have different names and do different steps otherwise; neither takes the other back, and no single mistake
    gives the same answers up to the rounding of float32: in a softmax over heads a fill that is the same in all of them
    cancels, however small it is.
    """
    questions = setting.questions()
    alone = [(one, answered(questions, (one,))) for one in LIBRARY]
    found = [(one, made) for one, made in alone if made and any(matters(each, one) for each in made)]
    pairs = list(combinations([one for one, _ in found], 2))
    for place in np.random.default_rng(seed).permutation(len(pairs)):
        one, other = pairs[place]
        if one.name == other.name or set(one.changes) & set(other.changes):
            continue
        both = answered(questions, (one, other))
        right = [asking.reference.values["output"] for asking in both or ()]
        others = [right, *([asking.output for asking in made] for _, made in found)]
        if (
            both
            and all(_differ(both, answers) for answers in others)
            and all(map(partial(_left, both), (one, other)))
        ):
            yield (one, other), both


def _left(askings: list[Asking], mistake: Mistake) -> bool:
    """Whether the mistake alone does not explain the answers, whatever a query gets that has nothing to look at."""
    return any(off(asking, (mistake,)) > asking.allowed("float32") for asking in askings)


def _differ(askings: list[Asking], others: list[np.ndarray]) -> bool:
    return any(
        apart(asking.output, other) > asking.allowed("float32")
        for asking, other in zip(askings, others, strict=True)
    )
