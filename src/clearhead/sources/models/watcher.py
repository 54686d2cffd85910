"""Sees attention that a model computes by itself: calls of PyTorch's kernel, and products around a softmax.

A mode of PyTorch's function level (`torch.overrides.TorchFunctionMode`) is told of every function that is called. It
follows only what descends from a product of two activations, under weak references: nothing lives longer for it than
the scores themselves do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from clearhead.sources.models.call import Call
from clearhead.sources.models.watcher_arguments import is_weight, opened, tensors_of
from clearhead.sources.models.watcher_derive import derive
from clearhead.sources.models.watcher_functions import KINDS, MULTIPLIED, name_of
from clearhead.sources.models.watcher_graph import (
    EXP,
    PRODUCT,
    SOFTMAX,
    Node,
    NotUnderstoodError,
    ancestors,
    found,
)  # fmt: skip
from clearhead.sources.models.watcher_mixed import Mixed
from clearhead.sources.models.watcher_product import Product, product_of
from clearhead.sources.models.watcher_sdpa import sdpa_call
from clearhead.sources.models.watcher_steps import Steps
from clearhead.sources.models.watcher_where import computing

Keep = Callable[[Call, Any], Any]
Refuse = Callable[[torch.nn.Module, str], None]

WEIGHTS_OF_WEIGHTS = (
    "it multiplies weights with weights, so that no single softmax of queries and keys gives its output"
)
BY_HAND = "it makes its weights from exponentials by itself rather than with a softmax"
SEVERAL = "it adds up the weights of several softmaxes before they meet the values"
FUSED = (
    "PyTorch's fused path of nn.MultiheadAttention, in which nothing can be seen, was off for the capture; where a run "
    "takes it, its numbers differ from these by rounding, and at padding by more"
)
CLOSED = "this PyTorch computes it in a way that cannot be watched"


class Watcher(TorchFunctionMode):
    """Hands every attention that is computed while it is on, outside `silent`, to `keep`, or its reason to `refuse`."""

    def __init__(self, model: torch.nn.Module, keep: Keep, refuse: Refuse) -> None:
        super().__init__()
        self._modules = {id(module) for module in model.modules()}
        self._keep, self._refuse = keep, refuse
        self._steps = Steps()
        self._quiet = 0
        self._fused = torch.backends.mha.get_fastpath_enabled()
        self._how: dict[Any, Callable[..., Any] | None] = {
            functional.scaled_dot_product_attention: self._kernel,
            functional.multi_head_attention_forward: self._whole,
        }

    def let_go(self) -> None:
        """Drop its own methods: else all that `keep` holds of the run would stay until garbage is collected."""
        self._how.clear()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """In here nothing is seen."""
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """PyTorch calls this in place of a function."""
        if (
            torch.compiler.is_compiling()
        ):  # a kernel is being compiled (flex_attention): it is not to have this in it
            return func(*args, **(kwargs or {}))
        try:
            how = self._how[func]
        except KeyError:
            how = self._how[func] = self._handler(func)
        if how is None or self._quiet:
            return func(*args, **(kwargs or {}))
        return how(func, args, kwargs or {})

    def _handler(self, func: Any) -> Callable[..., Any] | None:
        name = name_of(func)
        if name in MULTIPLIED:
            return self._product
        return self._steps.step if name in KINDS else None

    def _product(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A product: of weights and values, or the beginning of a chain."""
        name, steps = name_of(func), self._steps
        operands = list(tensors_of(args, kwargs))[-2:]
        if name == "rmatmul":
            operands.reverse()
        nodes = [steps.known.get(one) for one in operands]
        factors = [steps.factors.get(one) or 1.0 for one in operands]
        result = func(*args, **kwargs)
        form = product_of(name, args, kwargs)
        if form is None or not isinstance(result, torch.Tensor) or not result.is_floating_point():
            return result
        sources = [found(node, SOFTMAX) for node in nodes]
        if any(sources):
            self._mixed(form, nodes, sources, result)
        elif any(map(_exponential, nodes)):
            self._give_up(BY_HAND)
        elif not any(map(is_weight, operands)):
            steps.begin(name, args, kwargs, form, result, (factors[0], factors[1]))
        return result

    def _mixed(
        self, form: Product, nodes: list[Node | None], sources: list[list[Node]], result: torch.Tensor
    ) -> None:
        """Weights times values."""
        where = computing(self._modules)
        if where is None:
            return
        module, sizes = where
        if all(sources):
            self._refuse(module, WEIGHTS_OF_WEIGHTS)
            return
        left = bool(sources[0])
        weights, softmaxes = nodes[0 if left else 1], sources[0 if left else 1]
        assert weights is not None  # it has a softmax among its ancestors
        try:
            if len(softmaxes) > 1:
                raise NotUnderstoodError(SEVERAL)
            call = derive(Mixed(softmaxes[0], weights, form, left, result), module, sizes)
        except NotUnderstoodError as error:
            self._refuse(module, str(error))
        else:
            self._keep(self._noted(call), call.output)

    def _noted(self, call: Call) -> Call:
        """With what is to be said of a module for which PyTorch may have another path."""
        inside = isinstance(call.module, torch.nn.MultiheadAttention) and not call.module.training
        return replace(call, notes=(*call.notes, FUSED)) if inside and self._fused else call

    def _give_up(self, reason: str) -> None:
        where = computing(self._modules)
        if where is not None:
            self._refuse(where[0], reason)

    def _kernel(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """PyTorch's own kernel."""
        result = func(*args, **kwargs)
        where = computing(self._modules)
        if where is None:
            return result
        try:
            call = sdpa_call(*where, args, kwargs, result)
        except NotUnderstoodError as error:
            self._refuse(where[0], str(error))
            return result
        kept = self._keep(self._noted(call), call.output)
        # something else only where a switch was thrown
        return result if kept is call.output else kept.transpose(1, 2).reshape(result.shape)

    def _whole(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """PyTorch's multi-head attention as one function: its own code, run where its steps are seen."""
        steps = opened(func)
        if steps is None:
            self._give_up(CLOSED)
            return func(*args, **kwargs)
        with self:
            return steps(*args, **kwargs)


def _exponential(node: Node | None) -> bool:
    """Whether a tensor was made with an exponential of scores."""
    return node is not None and any(one.kind == EXP for one in ancestors(node, (PRODUCT, SOFTMAX)))


@contextmanager
def watching(model: torch.nn.Module, keep: Keep, refuse: Refuse) -> Iterator[Watcher]:
    """For as long as this lasts, what the model computes by itself is told to `keep` or `refuse`.

    PyTorch's fused path of nn.MultiheadAttention, which no mode sees, is off meanwhile.
    """
    watcher = Watcher(model, keep, refuse)
    with ExitStack() as stack:
        stack.callback(watcher.let_go)
        stack.callback(torch.backends.mha.set_fastpath_enabled, torch.backends.mha.get_fastpath_enabled())
        torch.backends.mha.set_fastpath_enabled(False)
        stack.enter_context(watcher)
        yield watcher
