"""The numbers in what a person's code keeps or gives back: an array of any library, or Python's own lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearhead.sources.function.answer import Trouble

REAL = ("float", "bfloat")
"""How the names of the types begin whose numbers are asked for."""


def numbers(value: Any, what: str) -> tuple[np.ndarray, str]:
    """The numbers of an array of any of the libraries, or of nested lists, as float64, and their type there.

    Args:
        value: the array.
        what: what it is, for the message.

    Raises:
        Trouble: it is no array of real floating-point numbers, or its numbers are not to be had.
    """
    if isinstance(value, list | tuple):
        found, dtype = listed(value)
        if found is None:
            kind = type(value).__name__
            raise Trouble(
                "kind", f"{what} is a {kind} that makes no array of numbers; expected rows of one length"
            )
    else:
        found, dtype = None, _type(value, what)
    if not dtype.startswith(REAL):
        raise Trouble("kind", f"{what} has the type {dtype}; expected floating-point numbers")
    if found is not None:
        return found, dtype
    try:
        if hasattr(value, "detach"):  # a copy: what happens to the tensor later is not seen here
            return np.array(value.detach().cpu().double().numpy()), dtype
        return np.asarray(value).astype(np.float64), dtype
    except Exception as error:  # whatever an array of any library says to being read
        raise Trouble(
            "kind",
            f"{what} cannot be read ({' '.join(str(error).split())}); expected a dense array of numbers",
        ) from error


def _type(value: Any, what: str) -> str:
    """The type of an array's numbers.

    Raises:
        Trouble: it is no array, or one without numbers.
    """
    if hasattr(value, "detach"):
        if str(getattr(value, "layout", "torch.strided")) != "torch.strided":
            kind = str(value.layout).rpartition(".")[2]
            raise Trouble("kind", f"{what} is a sparse tensor ({kind}); expected a dense one")
        if getattr(value, "is_meta", False):
            raise Trouble(
                "kind", f"{what} is on the device meta, where there are no numbers; expected it on another"
            )
        return str(value.dtype).rpartition(".")[2]
    if hasattr(value, "__array__"):
        return str(getattr(value, "dtype", "object"))
    raise Trouble("kind", f"{what} is {_kind(value)}; expected an array of NumPy, PyTorch or JAX")


def listed(value: Any) -> tuple[np.ndarray | None, str]:
    """Nested lists of numbers as one array, and the type of the numbers; None where they make none."""
    leaf = value
    while isinstance(leaf, list | tuple) and len(leaf):
        leaf = leaf[0]
    if isinstance(leaf, list | tuple):
        return None, ""
    dtype = str(getattr(leaf, "dtype", "")).rpartition(".")[2] or _plain_type(leaf)
    try:
        return np.array(_plain(value), dtype=np.float64), dtype
    except Exception:  # rows of several lengths, or no numbers at all
        return None, dtype


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return numbers(value, "")[0] if hasattr(value, "dtype") else value


def _plain_type(leaf: Any) -> str:
    return "float64" if isinstance(leaf, float) else type(leaf).__name__


def _kind(value: Any) -> str:
    return "None" if value is None else f"of the type {type(value).__name__}"
