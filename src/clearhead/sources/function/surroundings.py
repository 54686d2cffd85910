"""What belongs to the whole process or thread, and a person's function may leave otherwise: noted, and put back."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

Setting = tuple[str, Callable[[], Any], Callable[[Any], Any]]
"""What it is called, how it is read, and how it is set."""

PARTS = (
    "numpy",
    "numpy.linalg",
    "math",
    "torch",
    "torch.nn.functional",
    "torch.linalg",
    "jax.numpy",
    "jax.nn",
)
"""The modules whose functions are put back where a call has exchanged one."""


class Surroundings:
    """The settings of process and thread, and the functions of the libraries, as they are now."""

    def __init__(self) -> None:
        self._settings = [(one, one[1]()) for one in _settings()]
        self._parts = {name: dict(vars(part)) for name, part in _parts().items()}

    def put_back(self) -> tuple[str, ...]:
        """As they were; what had to be put back, in words."""
        found: list[str] = []
        for (says, read, write), before in self._settings:
            if read() != before:
                with suppress(Exception):  # a folder that is gone cannot be gone back to
                    write(before)
                found.append(says)
        for name, part in _parts().items():
            found += [f"{name}.{key}" for key in _functions_back(self._parts.get(name, {}), part)]
        return tuple(found)


@contextmanager
def put_back() -> Iterator[list[str]]:
    """Whatever happens inside, the surroundings are the same afterwards; the list then says what was not."""
    before, said = Surroundings(), list[str]()
    try:
        yield said
    finally:
        said += before.put_back()


def _settings() -> Iterator[Setting]:
    """Those of the libraries that are loaded."""
    yield "the working directory", _folder, os.chdir
    yield "the environment", lambda: dict(os.environ), _environment
    yield "NumPy's handling of errors", np.geterr, lambda before: np.seterr(**before)
    if torch := sys.modules.get("torch"):
        yield "PyTorch's default type", torch.get_default_dtype, torch.set_default_dtype
        yield "PyTorch's default device", torch.get_default_device, torch.set_default_device
        yield "whether PyTorch keeps gradients", torch.is_grad_enabled, torch.set_grad_enabled
        yield (
            "whether PyTorch is deterministic", torch.are_deterministic_algorithms_enabled,
            torch.use_deterministic_algorithms,
        )  # fmt: skip
        yield "PyTorch's number of threads", torch.get_num_threads, torch.set_num_threads
    if jax := sys.modules.get("jax"):
        yield (
            "whether JAX has float64", lambda: jax.config.jax_enable_x64,
            lambda before: jax.config.update("jax_enable_x64", before),
        )  # fmt: skip


def _folder() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def _environment(before: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(before)


def _parts() -> dict[str, Any]:
    """The modules, and the class of PyTorch's arrays, whose methods can be exchanged as well."""
    parts = {name: sys.modules[name] for name in PARTS if name in sys.modules}
    return parts | ({"torch.Tensor": sys.modules["torch"].Tensor} if "torch" in parts else {})


def _functions_back(before: Mapping[str, Any], part: Any) -> Iterator[str]:
    """The names in a module or class that stood for something else than before; they no longer do.

    New names are imports that a library puts off, except in a class where they cover what it inherits.
    """
    with suppress(Exception):  # things that cannot be compared are compared one by one
        if vars(part) == before:
            return
    now = dict(vars(part))
    for name, value in before.items():
        if callable(value) and now.get(name) is not value:
            setattr(part, name, value)
            yield name
    for name in now if isinstance(part, type) else ():
        if name not in before and any(name in vars(base) for base in part.__mro__[1:]):
            delattr(part, name)
            yield name
