"""What stands on a worksheet, as data for the typesetter: strings and numbers, no markup of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from clearhead.core.axes import VOCABULARY
from clearhead.core.expression import Symbol
from clearhead.core.names import taken_apart
from clearhead.core.ops.base import LETTERS
from clearhead.lenses.palette import position_colour
from clearhead.lenses.walkthrough import Layer, Stop, stops
from clearhead.messages.values import Digits
from clearhead.sources.worked import Example
from clearhead.surfaces.worksheet.answers import differing, worked
from clearhead.surfaces.worksheet.copies import is_the_same
from clearhead.surfaces.worksheet.hiding import Hidden
from clearhead.surfaces.worksheet.matrix import CALLED, matrices
from clearhead.surfaces.worksheet.numbers import as_answer, vanishes
from clearhead.surfaces.worksheet.words import cut, one_line, plain_text
from clearhead.trace.notation import mathml
from clearhead.trace.trace import Trace

LONGEST_WORD = 40
"""Characters that a word of the sentence may have at the top of a sheet; a longer one is cut."""


@dataclass(frozen=True)
class Sheet:
    """One variant: what is computed, and which cells are left empty.

    Attributes:
        example: what it is of.
        trace: all of its numbers.
        hidden: the empty cells.
        asked: what was asked to be filled in, in words.
        digits: decimals to round to.
        answers: whether the answers stand in the cells: whether this is the key.
        variant: "Variant 2 of 4 · seed 7", or nothing.
        lacking: characters that no font here has; their numbers are printed.
    """

    example: Example
    trace: Trace
    hidden: Hidden
    asked: str
    digits: Digits
    answers: bool = False
    variant: str = ""
    lacking: frozenset[str] = field(default_factory=frozenset)

    def data(self) -> dict[str, Any]:
        """All that the typesetter is told of it."""
        example, trace = self.example, self.trace
        title = self.title
        count = len(trace.tokens)
        return {
            "title": title,
            "variant": self.variant,
            "look_for": "" if self.variant or not self.answers else self.said(one_line(example.look_for)),
            "words": [
                {
                    "number": at,
                    "colour": position_colour(at, count),
                    "word": cut(token, LONGEST_WORD, self.lacking),
                }
                for at, token in enumerate(trace.tokens)
            ],
            "settings": " · ".join(_switches(example)),
            "task": list(self._task()),
            "letters": list(self._letters()),
            "steps": list(self._steps()),
            "footer": " · ".join(
                part for part in (title, self.variant, "answers" if self.answers else "") if part
            ),
        }

    @property
    def title(self) -> str:
        """What the sheet is called."""
        example = self.example
        return self.said(one_line(example.title) or one_line(example.name) or "Attention, worked by hand")

    def said(self, text: str) -> str:
        """Text that may hold anything, fit to be printed."""
        return plain_text(text, self.lacking)

    def _task(self) -> Iterator[str]:
        boxes = sum(int(mask.sum()) for mask in self.hidden.values())
        if not self.answers:
            what = f"Fill in the {boxes} empty boxes" if boxes > 1 else "Fill in the empty box"
            yield f"{what}: {self.asked}. Round to {self.digits} decimals."
            return
        yield f"The answers, at {self.digits} decimals, worked out from numbers that were not rounded."
        if any(vanishes(float(one), int(self.digits)) for one in self._answers()):
            yield f"{as_answer(1e-9, self.digits)} is a number that is too small for these; 0 is exactly 0."
        if off := differing(self.trace, self.hidden, int(self.digits)):
            yield (
                f"Worked out from the rounded numbers on the sheet, {off} of the {boxes} answers "
                f"{'differs' if off == 1 else 'differ'} in the last digit."
            )

    def _answers(self) -> Iterator[np.ndarray]:
        for name, mask in self.hidden.items():
            yield from self.trace[name].values[mask]

    def _letters(self) -> Iterator[tuple[str, str]]:
        """What each letter of the formulas counts."""
        names = {name for layer, stop in self.stops for name in stop.shown(layer)}
        axes = dict.fromkeys(axis for name in self.trace if name in names for axis in self.trace[name].axes)
        meanings: dict[str, list[str]] = {}
        for axis in axes:
            meanings.setdefault(LETTERS[axis], []).append(CALLED.get(axis, axis))
        yield from (
            (letter, " or ".join(dict.fromkeys(meaning))) for letter, meaning in sorted(meanings.items())
        )

    @cached_property
    def stops(self) -> list[tuple[Layer, Stop]]:
        """The steps up to the last that makes something hidden: what comes after it is not needed."""
        found = [(layer, stop) for layer in self._layers() for stop in stops() if _belongs(layer, stop)]
        last = max(
            (
                at
                for at, (layer, stop) in enumerate(found)
                if self.hidden.keys() & set(layer.present(stop.makes))
            ),
            default=0,
        )
        return found[: last + 1]

    def count(self) -> int:
        """How many numbers and boxes the steps have."""
        names = {name for layer, stop in self.stops for name in stop.shown(layer)}
        return sum(self.trace[name].values.size for name in names)

    @cached_property
    def predicts(self) -> bool:
        """Whether the sheet goes on to the next word, so that every word of E is needed."""
        return any(
            VOCABULARY in self.trace[name].axes
            for layer, stop in self.stops for name in layer.present(stop.makes)
        )  # fmt: skip

    def _layers(self) -> list[Layer]:
        count = int(self.trace.provenance["settings"]["layers"])
        return [Layer(self.trace, number) for number in range(count)]

    def _steps(self) -> Iterator[dict[str, Any]]:
        seen: set[str] = set()
        number = 0
        for layer, stop in self.stops:
            names = [name for name in stop.shown(layer) if name not in seen]
            seen |= set(names)
            if not names:
                continue
            number += 1
            title = f"Layer {layer.number}: {stop.title}" if layer.count > 1 else stop.title
            chains = {name: self._chain(name) for name in names}
            shown_here = [name for name in names if len(chains[name]) == 1]
            elsewhere = [name for name in names if chains[name][-1] not in shown_here]
            yield {
                "number": number,
                "title": title,
                "same": [[_name(one) for one in chains[name]] for name in elsewhere],
                "items": [
                    item
                    for name in shown_here
                    for item in self._items(layer, name, [one for one in names if chains[one][-1] == name])
                ],
            }

    def _chain(self, name: str) -> list[str]:
        """A quantity, the one whose very numbers it holds, and so on: only the last of them has a table."""
        chain = [name]
        while (source := is_the_same(self.trace[chain[-1]])) is not None and source.operation is not None:
            chain.append(source.name)
        return chain

    def _items(self, layer: Layer, name: str, alike: list[str]) -> Iterator[dict[str, Any]]:
        """The matrices of a quantity; above the first its name, those that hold the same numbers, and its formula."""
        quantity = self.trace[name]
        operation = quantity.operation.name if quantity.operation else "given"
        formula = quantity.formula()
        blocks = list(matrices(self, quantity))
        for at, block in enumerate(blocks):
            last = at == len(blocks) - 1
            yield {
                "names": [_name(one) for one in alike] if at == 0 else [],
                "says": layer.says(name, operation) if at == 0 else "",
                "formulas": [mathml.equation(formula)] if formula and at == 0 else [],
                "of": block.pop("of"),
                "block": block,
                "worked": [self.said(line) for line in self._worked(name)] if last else [],
            }

    def _worked(self, name: str) -> Sequence[str]:
        """One answer of a hidden quantity, worked: in the key alone."""
        mask = self.hidden.get(name)
        return worked(self.trace[name], mask, self.digits) if self.answers and mask is not None else ()


def _name(name: str) -> Any:
    return mathml.expression(Symbol(name))


def _belongs(layer: Layer, stop: Stop) -> bool:
    """Whether the step is read in this layer: what is made once for all layers, after them, is read in the last."""
    if not stop.stands(layer) or stop.each:
        return False
    own = any(taken_apart(name)[0] for name in layer.present(stop.makes))
    return layer.count == 1 or own or layer.number == layer.count - 1


def _switches(example: Example) -> list[str]:
    settings = example.settings
    heads = f"{settings.heads} head{'s' if settings.heads > 1 else ''}"
    layers = [f"{settings.layers} layers"] if settings.layers > 1 else []
    return [
        *layers, heads, f"d_model {example.d_model}", f"d_head {example.d_head}", f"mask {settings.mask}",
        f"scaling {'on' if settings.scale else 'off'}", f"positions {settings.positions}",
    ]  # fmt: skip
