"""The libraries whose arrays a function is handed, the likeliest first, and how it shows that it wants another's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from clearhead.session.checking.told import Told
from clearhead.sources.function import Held, Manner, Trouble, guessed, library_of, unloaded


@dataclass(frozen=True)
class Failed:
    """A way of asking that did not work.

    Attributes:
        manner: the way.
        trouble: what went wrong.
    """

    manner: Manner
    trouble: Trouble


def libraries(
    function: Callable[..., Any], held: Held | None, told: Told, failed: list[Failed]
) -> Iterator[str]:
    """The libraries to try, the likeliest first; at the end those that are installed and nobody has loaded yet."""
    if told.library:
        yield told.library
        return
    for one in held.found.values() if held else ():
        yield library_of(one.value)
        return
    tried = guessed(function)
    yield from tried
    if {one.manner.library for one in failed if of_another_library(one)} >= set(tried):
        yield from unloaded(tried)


FOREIGN = {
    "numpy": ("numpy", "ndarray", "'int' object is not callable"),  # x.size is a number there
    "torch": ("Tensor",),
    "jax": ("ArrayImpl", "jax.Array"),
}
"""What Python's errors name where an array of the library has not the methods that are meant."""


def of_another_library(one: Failed) -> bool:
    """Whether the error says no more than that the array is not of the library that the function is written for."""
    error = one.trouble.__cause__
    return isinstance(error, AttributeError | TypeError) and any(
        word in str(one.trouble) for word in FOREIGN[one.manner.library]
    )
