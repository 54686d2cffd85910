"""The weights that a model hands out itself."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from .build import build
from .observe import drawing_the_same, given
from .row import Tiny


class Own:
    """What a model's attention modules return beside their output, in one run of the eager kernel.

    Attributes:
        result: What the model returned.
    """

    def __init__(self, tiny: Tiny, dtype: torch.dtype = torch.float32) -> None:
        # built so, not set so: some families choose their classes when they are built
        model = build(tiny, dtype, attn_implementation="eager")
        self._returned: dict[int, list[torch.Tensor]] = defaultdict(list)
        for module in model.modules():
            module.register_forward_hook(self._note)
        with torch.no_grad(), drawing_the_same():
            self.result = model(**given(tiny, dtype), output_attentions=True)
        self._handed = list(handed_out(self.result))
        self._modules = dict(model.named_modules(remove_duplicate=False))  # Zamba has one in several places

    def _note(self, module: nn.Module, _given: Any, returned: Any) -> None:
        if isinstance(returned, tuple):
            self._returned[id(module)] += [
                one for one in returned[1:] if isinstance(one, torch.Tensor) and one.ndim == 4
            ]

    def of(self, path: str, shape: tuple[int, ...]) -> torch.Tensor | None:
        """The next weights of that shape that the module returned, or the model for it; None if there are none.

        What some return is no weights: scores, the positions' bias, the mean of the heads.

        Args:
            path: The module's path in the model.
            shape: (sequences, heads, queries, keys).
        """
        for found in (self._returned[id(self._modules[path])], self._handed):
            for place, weights in enumerate(found):
                if tuple(weights.shape) == shape and are_weights(weights):
                    del found[place]
                    return weights
        return None


def are_weights(given: torch.Tensor) -> bool:
    """Whether every row adds up to at most 1, and the heads differ."""
    rows = (given >= 0).all() and (given.sum(-1) < 1 + 1e-5).all()
    return bool(rows) and not torch.equal(given[:, 0], given[:, -1])


def handed_out(result: Any) -> Iterator[torch.Tensor]:
    """Every tensor in what a model returns under a name that ends in "attentions"."""
    if not isinstance(result, dict):
        return
    for name, value in result.items():
        if name.endswith("attentions") and isinstance(value, tuple | list):
            yield from (one for one in value if isinstance(one, torch.Tensor))
        else:
            yield from handed_out(value)
