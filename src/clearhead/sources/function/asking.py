"""One way of asking a function: its library, its type, its order of axes, what its mask means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearhead.sources.function.answer import Answer, Trouble
from clearhead.sources.function.calling import called
from clearhead.sources.function.layouts import LAYOUTS, Layout
from clearhead.sources.function.libraries import array, numbers
from clearhead.sources.function.roles import Roles

MEANINGS = {
    "seen": "True where a key may be seen",
    "hidden": "True where a key is hidden",
    "added": "0 where a key may be seen and -inf where it is hidden, added to the scores",
    "ones": "1 where a key may be seen and 0 where it is hidden",
}
"""What a mask that is handed to a function can mean."""

ORDER = ("Q", "K", "V", "X", "context", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O")


@dataclass(frozen=True)
class Manner:
    """How a function is asked.

    Attributes:
        library: one of `libraries.LIBRARIES`.
        dtype: the type of the numbers it is given.
        layout: one of `layouts.LAYOUTS`.
        meaning: one of `MEANINGS`, for a function that takes a mask.
        mask_axes: "full" (batch, heads or 1, queries, keys), "square" (queries, keys), as far as the layout has them.
        returns: the place of the output in what comes back, where that is several things.
        device: a PyTorch device.
    """

    library: str
    dtype: str
    layout: str
    meaning: str = "seen"
    mask_axes: str = "full"
    device: Any = None


@dataclass
class Asked:
    """A function, asked in one manner.

    Attributes:
        function: the person's.
        roles: what its parameters are for.
        manner: how it is asked.
        extra: values for its other parameters.
        time_limit: seconds for one call.
    """

    function: Callable[..., Any]
    roles: Roles
    manner: Manner
    extra: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float = 10.0

    @property
    def layout(self) -> Layout:
        """The order of axes."""
        return LAYOUTS[self.manner.layout]

    def __call__(self, given: Mapping[str, np.ndarray], **more: Any) -> Answer:
        """One call.

        Args:
            given: Q, K, V or X (and context, weights), in the reference's shape.
            more: "mask" (boolean, (batch, heads or 1, queries, keys), True: may be seen), "padding" (batch, keys), "causal",
                "heads", "kv_heads", "scale": given where the function has such a parameter.

        Raises:
            Trouble: it raised, hung, or gave something that is no answer.
        """
        names = self.roles.names
        arrays = {role: self._array(role, given[role]) for role in ORDER if role in given and role in names}
        values: dict[str, Any] = {names[role]: value for role, value in arrays.items()}
        for role, value in more.items():
            if role in names and value is not None:
                values[names[role]] = self._mask(value) if role == "mask" else self._flag(role, value)
        values |= self.extra
        before = {role: numbers(value, role)[0] for role, value in arrays.items()}
        placed = [values.pop(name) for name in self.roles.positional if name in values]
        result, printed = called(lambda: self.function(*placed, **values), self.time_limit)
        changed = tuple(
            names[role]
            for role, value in arrays.items()
            if not np.array_equal(numbers(value, role)[0], before[role])
        )
        return self._answer(result, given, printed, changed)

    def _array(self, role: str, values: np.ndarray) -> Any:
        shaped = self.layout.give(values) if role in ("Q", "K", "V", "X", "context") else values
        return array(np.ascontiguousarray(shaped), self.manner.library, self.manner.dtype, self.manner.device)

    def _mask(self, seen: np.ndarray) -> Any:
        """The mask as the function wants it."""
        manner, layout = self.manner, self.layout
        seen = seen.reshape((1,) * (4 - seen.ndim) + seen.shape)
        if manner.mask_axes == "square" or layout.name in ("td", "tD"):
            seen = seen[0, 0]
        elif layout.name in ("htd", "thd"):
            seen = seen[0]
        elif layout.name == "btd":
            seen = seen[:, 0]
        if manner.meaning == "added":
            values = np.where(seen, 0.0, -np.inf)
        else:
            values = (
                seen
                if manner.meaning == "seen"
                else ~seen
                if manner.meaning == "hidden"
                else seen.astype(np.float64)
            )
        return array(np.ascontiguousarray(values), manner.library, manner.dtype, manner.device)

    def _flag(self, role: str, value: Any) -> Any:
        return self._mask_row(value) if role == "padding" else value

    def _mask_row(self, words: np.ndarray) -> Any:
        values = words if self.manner.meaning in ("seen", "ones") else ~words
        return array(
            values if self.layout.batch else values[0],
            self.manner.library,
            self.manner.dtype,
            self.manner.device,
        )

    def _answer(
        self, result: Any, given: Mapping[str, np.ndarray], printed: bool, changed: tuple[str, ...]
    ) -> Answer:
        parts = [one for one in _parts(result) if one is not None]
        if not parts:
            raise Trouble("kind", "it returns nothing; expected the output, or (output, weights)")
        output, dtype = numbers(parts[0], "what it returns")
        wanted = self.layout.give(self._like(given)).shape
        if output.shape != wanted:
            raise Trouble(
                "shape",
                f"it returns an array of shape {output.shape}; expected {wanted} for {self.layout.says}",
            )
        weights = self._weights(parts[1], given) if len(parts) > 1 else None
        return Answer(self.layout.take(output), weights, dtype, printed, changed)

    def _like(self, given: Mapping[str, np.ndarray]) -> np.ndarray:
        """An array of the output's shape."""
        if "X" in given:
            return np.empty((*given["X"].shape[:-1], _out(given)))
        *before, queries, _ = given["Q"].shape
        groups = given["Q"].shape[-1] // given["K"].shape[-1] if self.layout.heads == "joined" else 1
        return np.empty((*before, queries, given["V"].shape[-1] * groups))

    def _weights(self, value: Any, given: Mapping[str, np.ndarray]) -> np.ndarray | None:
        """Returned weights where they have the shape of weights; a cache or a flag is something else."""
        try:
            weights, _ = numbers(value, "the second thing it returns")
        except Trouble:
            return None
        queries = given["X" if "X" in given else "Q"].shape[-2]
        keys = (given.get("context", given["X"]) if "X" in given else given["K"]).shape[-2]
        if weights.ndim < 2 or weights.shape[-2:] != (queries, keys):
            return None
        if weights.ndim == 4:
            return weights
        if weights.ndim == 2:
            return weights[None, None]
        return (
            weights[:, None]
            if self.layout.heads == "one"
            else weights
            if self.layout.batch
            else weights[None]
        )


def _out(given: Mapping[str, np.ndarray]) -> int:
    return int(given["W_O" if "W_O" in given else "W_V"].shape[-1])


def _parts(result: Any) -> list[Any]:
    """What came back as a list: a tuple's members, a model output's, or the one thing."""
    if isinstance(result, dict):
        return list(result.values())
    if isinstance(result, tuple | list):
        return list(result)
    return [result]
