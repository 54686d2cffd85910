"""How far a run is whose layers are taken one by one: told in heads."""

from __future__ import annotations

import torch

from clearhead.sources.models.inputs import Given
from clearhead.sources.models.stacks import uses_of
from clearhead.sources.models.watching import Progress, Saying, blocks_of
from clearhead.trace.capture.attention import Attention


class Told:
    """Tells how many heads of all layers are done, and how many there are, as far as that is known before."""

    def __init__(self, progress: Progress, layers: int) -> None:
        """For one run.

        Args:
            progress: what is told; in words too, if it is a `Saying`.
            layers: how many are expected.
        """
        self._progress, self._layers = progress, layers
        self._layer, self._size = 0, 1

    def begins(self, layer: int, attention: Attention) -> None:
        """A layer is looked at now."""
        self._layer, self._size = layer, attention.sequences * attention.heads
        self._tell(0)

    def heads(self, done: int, of: int) -> None:
        """So many of its heads are done."""
        self._tell(self._size * done // max(1, of))

    def ends(self) -> None:
        """All of them are, and the layer is kept."""
        self._tell(self._size)

    def _tell(self, done: int) -> None:
        layers = max(self._layers, self._layer + 1)
        if isinstance(self._progress, Saying):
            self._progress.say(f"Layer {self._layer + 1} of {layers}, {done} of {self._size} heads")
        self._progress(self._layer * self._size + done, layers * self._size)


def layers_expected(model: torch.nn.Module, given: Given, generate: int) -> int:
    """How many layers a run will have: as its configuration says, or one for each block."""
    uses = uses_of(getattr(model, "config", None), given, generate)
    return sum(one.stack.layers for one in uses) or len(blocks_of(model))
