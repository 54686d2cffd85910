"""Which layer a call belongs to: a module may be entered several times in a pass, and attend several times in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import torch

from clearhead.sources.models.call import Call


@dataclass(frozen=True)
class Turn:
    """The place of one call among those of its module in one pass.

    Attributes:
        nth: its layer: a module may be several (ALBERT).
        part: which call of its entry this is: a module may attend twice from the same positions (DiffLlama).
        goes_on: whether it is of other positions of the layer that the call before it was of (windows of a picture).
        entry: how often the module had been entered before, as far as it was counted.
    """

    nth: int
    part: int
    goes_on: bool
    entry: int


class Turns:
    """Counts the calls of each module in a pass."""

    def __init__(self) -> None:
        self._entries: Counter[int] = Counter()
        self._last: dict[int, Turn] = {}
        self._hooks: ExitStack | None = None
        self._hooked: set[int] = set()

    @contextmanager
    def counted(self) -> Iterator[None]:
        """For as long as this lasts, entries of the modules that have called once are counted."""
        with ExitStack() as self._hooks:
            yield
        self._hooks = None
        self._hooked.clear()

    def next_pass(self) -> None:
        """A forward pass begins."""
        self._last.clear()
        self._entries.clear()

    def of(self, call: Call, before: Call | None) -> Turn:
        """The turn of a call; nothing is counted.

        Args:
            call: what is called now.
            before: the module's call before it in this pass.
        """
        last, entry = self._last.get(id(call.module)), self._entries[id(call.module)]
        if last is None:
            return Turn(0, 0, False, entry)
        if last.entry != entry:
            return Turn(last.nth + 1, 0, False, entry)
        if before is not None and next_to(before, call):
            return Turn(last.nth, last.part, True, entry)
        return Turn(last.nth + 1, last.part + 1, False, entry)

    def last(self, module: torch.nn.Module) -> Turn | None:
        """The module's latest turn in this pass."""
        return self._last.get(id(module))

    def took(self, module: torch.nn.Module, turn: Turn) -> None:
        """The turn has been taken."""
        place = id(module)
        self._last[place] = turn
        if self._hooks is not None and place not in self._hooked:
            self._hooked.add(place)
            self._hooks.callback(
                module.register_forward_pre_hook(lambda *_: self._entries.update([place])).remove
            )


def next_to(before: Call, call: Call) -> bool:
    """Whether a call's queries, keys and values each lie where those of another end, in the same tensors."""
    return (
        before.scale == call.scale
        and before.kernel == call.kernel
        and all(_follows(getattr(before, part), getattr(call, part)) for part in ("query", "key", "value"))
    )


def _follows(first: torch.Tensor, second: torch.Tensor) -> bool:
    """Whether one tensor goes on where the other ends: a cut along the positions."""
    return (
        first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()
        and first.stride() == second.stride()
        and first.shape[:2] == second.shape[:2]
        and first.shape[3] == second.shape[3]
        and second.storage_offset() == first.storage_offset() + first.shape[2] * first.stride(2)
    )
