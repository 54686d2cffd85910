"""One way of asking a function: its library, its type, its order of axes, what its mask means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from clearhead.sources.function import handing, taking
from clearhead.sources.function.answer import Answer
from clearhead.sources.function.calling import called
from clearhead.sources.function.form import Form
from clearhead.sources.function.held import Held
from clearhead.sources.function.layouts import LAYOUTS, Layout
from clearhead.sources.function.manner import Manner
from clearhead.sources.function.reading import numbers
from clearhead.sources.function.roles import Roles

ORDER = (
    "Q", "K", "V", "X", "context", "W_Q", "W_K", "W_V", "W_QKV", "W_O", "b_Q", "b_K", "b_V", "b_QKV", "b_O",
)  # fmt: skip


@dataclass
class Asked:
    """A function, asked in one manner.

    Attributes:
        function: the person's.
        roles: what its parameters are for.
        manner: how it is asked.
        form: what the questions consist of.
        extra: values for its other parameters.
        time_limit: seconds for one call.
        held: the object with the weights in it, for a function that has them inside.
    """

    function: Callable[..., Any]
    roles: Roles
    manner: Manner
    form: Form
    extra: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float = 10.0
    held: Held | None = None

    @property
    def layout(self) -> Layout:
        """The order of axes."""
        return LAYOUTS[self.manner.layout]

    def __call__(
        self, given: Mapping[str, np.ndarray], weights: Mapping[str, np.ndarray] | None = None, **more: Any
    ) -> Answer:
        """One call.

        Args:
            given: Q, K, V; or X, perhaps with context and values; in the reference's shape.
            weights: with X, as the reference has them.
            more: "mask" (boolean, (batch, heads or 1, queries, keys), True: may be seen), "padding" (batch, keys),
                "causal", "heads", "kv_heads", "scale": given where the function has such a parameter.

        Raises:
            Trouble: it raised, hung, or gave something that is no answer.
        """
        names, weights = self.roles.names, weights or {}
        arrays = handing.arrays(given, weights, self.roles, self.manner, self.form)
        values: dict[str, Any] = {names[role]: arrays[role] for role in ORDER if role in arrays}
        for role, value in more.items():
            if role in names and value is not None:
                values[names[role]] = handing.other(role, value, self.manner, self.form)
        values |= self.extra
        before = {role: numbers(value, role)[0] for role, value in arrays.items()}
        placed = [values.pop(name) for name in self.roles.positional if name in values]
        function = partial(self.held, weights, self.manner.dtype) if self.held else self.function
        came = called(lambda: function(*placed, **values), self.time_limit)
        changed = tuple(
            names[role]
            for role, value in arrays.items()
            if not np.array_equal(numbers(value, role)[0], before[role])
        )
        took = taking.taken(came.result, given, weights, self.layout, self.manner.place)
        return Answer(
            took.output, took.weights, took.dtype, came.printed, changed, took.place, came.disturbed
        )
