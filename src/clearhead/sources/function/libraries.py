"""Arrays of the three libraries that people write attention in, made from NumPy's and back."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

LIBRARIES = ("numpy", "torch", "jax")
TYPES = {
    "numpy": ("float64", "float32", "float16"),
    "torch": ("float64", "float32", "bfloat16", "float16"),
    "jax": ("float32", "bfloat16", "float16"),
}
"""The types each is asked in, the first that it takes; jax has no float64 unless that is switched on."""


def guessed(function: Callable[..., Any]) -> tuple[str, ...]:
    """The libraries the function may want, the likeliest first: those its code names, NumPy, what is loaded."""
    found = named_libraries(function)
    others = [
        library
        for library in LIBRARIES
        if library not in found and (library == "numpy" or library in sys.modules)
    ]
    likely = sorted(
        found, key=lambda library: library == "numpy"
    )  # NumPy is at hand in the other two's code, too
    return (*likely, *others)


def named_libraries(function: Callable[..., Any]) -> list[str]:
    """The libraries that the function's own code names."""
    names = _named_in(function)
    return [library for library in LIBRARIES if library in names]


def unloaded(tried: Iterable[str]) -> tuple[str, ...]:
    """The libraries that are installed and nobody has loaded yet: a function may want one and name none."""
    return tuple(
        library
        for library in LIBRARIES
        if library not in tried and importlib.util.find_spec(library) is not None
    )


def _named_in(function: Any) -> set[str]:
    """The top modules that a function's code, its closure or its class name."""
    kind = type(function)
    modules = {getattr(one, "__module__", None) for one in getattr(kind, "__mro__", ())}
    found = {str(one).partition(".")[0] for one in modules if one}
    code = inspect.unwrap(getattr(function, "__func__", function))  # of what jax.jit or a decorator wraps
    if not hasattr(code, "__globals__"):
        code = getattr(kind, "forward", None) or vars(kind).get("__call__")
    reached = [
        code,
        *(cell.cell_contents for cell in getattr(code, "__closure__", None) or () if _filled(cell)),
    ]
    for one in reached:
        found.add(str(getattr(one, "__module__", "")).partition(".")[0])
        names = getattr(getattr(one, "__code__", None), "co_names", ())
        known = getattr(one, "__globals__", {})
        for name in names:
            value = known.get(name)
            found.add(
                str(getattr(value, "__module__", None) or getattr(value, "__name__", "")).partition(".")[0]
            )
    return found


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  # an empty cell raises
    except ValueError:
        return False
    return True


def library_of(value: Any) -> str:
    """The library whose array it is."""
    if hasattr(value, "detach"):
        return "torch"
    return "numpy" if isinstance(value, np.ndarray) else "jax"


def array(values: np.ndarray, library: str, dtype: str, device: Any = None) -> Any:
    """An array of the library, with numbers in the given type; booleans stay booleans."""
    flag = values.dtype == bool
    if library == "torch":
        import torch

        made = torch.tensor(np.array(values), device=device)
        return made if flag else made.to(getattr(torch, dtype))
    if library == "jax":
        from jax import numpy as jnp

        return jnp.asarray(values) if flag else jnp.asarray(values, dtype=dtype)
    return np.array(values) if flag else np.array(values, dtype=dtype)
