"""What the linear layers around an attention kernel were given: which inputs it had, and where its output went.

A hook before every linear layer keeps a weak reference to its latest input, nothing else; when a kernel is called,
those inside its module are looked at while their inputs are alive. What Q, K and V are made of is found later, from the
numbers (see `below_found`), so that it needs no knowledge of any family.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils.weak import WeakIdKeyDictionary

from clearhead.sources.models.call import Call
from clearhead.sources.models.held import READABLE

MOST_POSITIONS = 512
"""Positions up to which a layer's input is kept where nobody says whether it should be."""

ROWS = 8
"""Rows of what was made of a kernel's output that are kept, to prove how it was made."""

PLAIN = (*READABLE, torch.bfloat16)
"""The formats of matrices that are plain numbers."""

AFTER = 3
"""Linear layers after a kernel among which the one that takes its output is looked for."""

FOLLOWED = 64
"""Passes of a generation in which it is looked for: a layer's matrix is the same in all of them."""

NOTHING = torch.empty(0)
"""Stands for numbers that are not kept."""


@dataclass(frozen=True, eq=False)
class Given:
    """What one linear layer inside an attention module was given before the kernel was called.

    Attributes:
        linear: the layer.
        input: (..., d_model).
    """

    linear: nn.Module
    input: torch.Tensor

    def emptied(self) -> Given:
        """The same without the numbers."""
        return Given(self.linear, NOTHING)


@dataclass(frozen=True, eq=False)
class Taking:
    """The linear layer that was given a kernel's output and nothing else, with what it made of a few rows of it.

    Attributes:
        linear: the layer.
        rows: (rows,) places among the rows of all sequences.
        made: (rows, columns).
    """

    linear: nn.Module
    rows: torch.Tensor
    made: torch.Tensor


class Linears:
    """The linear layers of a model during a capture."""

    def __init__(self, model: nn.Module, below: bool | None = None) -> None:
        self._model, self._below = model, below
        self._latest: dict[int, weakref.ref[torch.Tensor]] = {}
        self._waiting: tuple[Call, int] | None = None
        self._taken: tuple[nn.Module, torch.Tensor] | None = None
        self._out: WeakIdKeyDictionary = WeakIdKeyDictionary()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """For as long as this lasts, every linear layer says what it is given."""
        with ExitStack() as back:
            for module in self._model.modules():
                if is_linear(module):
                    back.callback(module.register_forward_pre_hook(self._before).remove)
                    back.callback(module.register_forward_hook(self._after).remove)
            yield
        self._latest.clear()
        self._waiting = self._taken = None

    def forget(self) -> None:
        """A forward pass begins: what the one before it was given is no input of this one."""
        self._latest.clear()

    def given(self, call: Call, follow: bool = True) -> tuple[Given, ...]:
        """What the linear layers inside the kernel's module were given; its output may be followed from now on."""
        self._waiting = (call, AFTER) if follow else None
        found = []
        for module in call.module.modules():
            reference = self._latest.pop(id(module), None)
            given = None if reference is None else reference()
            if given is not None:
                found.append(Given(module, given))
        return tuple(found)

    def keeps(self, call: Call) -> bool:
        """Whether the inputs of this kernel's layer are to be kept."""
        return call.key.shape[2] <= MOST_POSITIONS if self._below is None else self._below

    def taking(self, output: torch.Tensor) -> Taking | None:
        """What was given a kernel's output, if it was a linear layer."""
        found: Taking | None = self._out.get(output)  # type: ignore[no-untyped-call]
        return found

    def _before(self, module: nn.Module, args: tuple[Any, ...]) -> None:
        if not args or not isinstance(args[0], torch.Tensor):
            return
        given = args[0]
        self._latest[id(module)] = weakref.ref(given)
        if self._waiting is None:
            return
        call, left = self._waiting
        self._waiting = (call, left - 1) if left > 1 else None
        if _alike(given, call.output):
            self._waiting, self._taken = None, (module, call.output)

    def _after(self, module: nn.Module, args: tuple[Any, ...], made: Any) -> None:
        if self._taken is None or self._taken[0] is not module:
            return
        output, self._taken = self._taken[1], None
        if isinstance(made, torch.Tensor):
            rows = made.detach().reshape(-1, made.shape[-1])
            some = torch.linspace(0, len(rows) - 1, min(ROWS, len(rows)), device=made.device).round().long()
            self._out[output] = Taking(module, some, rows[some])


def _alike(given: torch.Tensor, output: torch.Tensor) -> bool:
    """Whether two tensors hold the same numbers, in whatever shape."""
    if (given.numel(), given.dtype, given.device) != (output.numel(), output.dtype, output.device):
        return False
    return torch.equal(given.reshape(-1), output.reshape(-1))


def is_linear(module: nn.Module) -> bool:
    """Whether it may be a plain product with a matrix and a bias: PyTorch's Linear or transformers' Conv1D.

    Layers derived from Linear can compute otherwise. That comes out when their numbers are recomputed; but those whose
    matrix is not one of plain numbers (quantised, or elsewhere until it is needed) need not be tried.
    """
    weight = getattr(module, "weight", None)
    if not isinstance(weight, torch.Tensor) or weight.is_meta or weight.dtype not in PLAIN:
        return False
    if isinstance(module, nn.Linear):
        return weight.shape == (module.out_features, module.in_features)
    return _is_conv1d(module)


def _is_conv1d(module: nn.Module) -> bool:
    return type(module).__name__ == "Conv1D" and type(module).__module__.startswith("transformers.")


def matrix_of(linear: nn.Module) -> tuple[torch.Tensor, torch.Tensor | None]:
    """(inputs, outputs) the matrix of a linear layer as x is multiplied with it, and its bias: no copies."""
    weight, bias = (getattr(linear, name, None) for name in ("weight", "bias"))
    assert weight is not None  # a linear layer has it
    matrix = weight.detach()
    return matrix if _is_conv1d(linear) else matrix.T, None if bias is None else bias.detach()


def unlike(module: nn.Module) -> str:
    """The class of a linear layer inside the module that is none of the plain ones (quantised, adapted), or nothing."""
    for one in module.modules():
        name = type(one).__name__
        if one is not module and not is_linear(one) and ("Linear" in name or "Conv1d" in name):
            return name
    return ""
