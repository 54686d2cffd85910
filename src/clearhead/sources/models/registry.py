"""Standing in for the attention functions of transformers for the time of a call.

Models of transformers look their attention function up at every call: in the registry `AttentionInterface` under the
name of the model's own setting, or, for "eager", in a function of the modelling module. Here a recording function takes
the place of each under its own name. The model's setting is never touched, so the masks it builds and the branches it
takes by that name are those it always takes; the recording function calls the function whose place it has, and returns
what that returned.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cache, wraps
from typing import Any

import torch

from clearhead.sources.models.call import Call
from clearhead.sources.models.failing import CaptureError

Function = Callable[..., Any]
Keep = Callable[[Call, Any], Any]
"""Takes a call and what the kernel returned, and gives what is returned to the model."""

EAGER = "eager_attention_forward"
"""How the names of the modelling modules' own functions end."""

NEWEST = "5.24"
"""The newest transformers that the tests run over, as pyproject.toml has it."""

OPERANDS = ("module", "query", "key", "value", "attention_mask")
"""What every attention function is given first, in this order, under these names or others."""


@contextmanager
def standing_in(
    model: torch.nn.Module, keep: Keep, within: Callable[[], AbstractContextManager[None]] = nullcontext
) -> Iterator[None]:
    """For as long as this lasts, every attention function that the model looks up tells `keep` of its calls.

    The functions whose place is taken run inside `within()`.

    Raises:
        CaptureError: this transformers has no such registry.
    """
    stand_in = _StandIn(model, keep, within)
    with ExitStack() as back:
        for place, name in list(_registered()) + list(_eager(model)):
            original = place[name]
            mine = name in getattr(place, "_local_mapping", place)
            place[name] = stand_in.of(original, name)
            back.callback(_put_back, place, name, original if mine else None)
        yield


def _put_back(place: Any, name: str, original: Function | None) -> None:
    if original is None:
        del place[name]  # the entry of the class is seen again
    else:
        place[name] = original


def _registered() -> Iterator[tuple[Any, str]]:
    """Every registry of attention functions (a model can have one of its own), and each name in it."""
    if "transformers.modeling_utils" not in sys.modules:
        return  # then no model of transformers is there; a module of PyTorch alone is watched
    try:
        from transformers.modeling_utils import AttentionInterface
    except ImportError:
        raise CaptureError(
            f"this transformers has no registry of attention functions (AttentionInterface); {_known()}"
        ) from None
    seen: set[int] = set()
    for module in list(sys.modules.values()):
        if not getattr(module, "__name__", "").startswith("transformers."):
            continue
        registry = vars(module).get("ALL_ATTENTION_FUNCTIONS")
        if isinstance(registry, AttentionInterface) and id(registry) not in seen:
            seen.add(id(registry))
            yield from ((registry, name) for name in list(registry))
    if not seen:
        raise CaptureError(
            f"this transformers keeps no attention functions in ALL_ATTENTION_FUNCTIONS; {_known()}"
        )


def _known() -> str:
    """What to do where transformers is not as it is known here."""
    from transformers import __version__

    return f"expected transformers 4.57 to {NEWEST}, this is {__version__}: install one of those, or a newer clearhead"


def _eager(model: torch.nn.Module) -> Iterator[tuple[dict[str, Any], str]]:
    """The modelling modules' own functions, where the model's classes find them."""
    files = {cls.__module__ for module in model.modules() for cls in type(module).__mro__}
    for file in sorted(files):
        names = vars(sys.modules[file]) if file in sys.modules else {}
        for name in [name for name, value in names.items() if name.endswith(EAGER) and callable(value)]:
            yield names, name


class _StandIn:
    """Makes the recording functions of one capture."""

    def __init__(
        self, model: torch.nn.Module, keep: Keep, within: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._within = within
        self._modules = {id(module) for module in model.modules()}
        self._keep = keep
        self._thread = threading.get_ident()

    def of(self, original: Function, name: str) -> Function:
        """The recording function in the place of another."""
        kernel = "eager" if name.endswith(EAGER) else name

        @cache  # at the first call: a function that is not used may look as it likes
        def told() -> _Told:
            return _Told(original)

        @wraps(original)  # with its signature, which a capture within this one reads
        def recording(*args: Any, **kwargs: Any) -> Any:
            with self._within():
                result = original(*args, **kwargs)
            module = args[0] if args else kwargs.get("module")
            if id(module) not in self._modules or threading.get_ident() != self._thread:
                return result  # another model's, or another thread's
            with self._within():  # what is computed for a change is not the module's own attention
                return self._keep(_call(told().by(args, kwargs), result, kernel, original), result)

        return recording


class _Told:
    """Reads what an attention function was told, by name, whatever its signature calls it."""

    def __init__(self, original: Function) -> None:
        self._signature = inspect.signature(original)
        first = list(self._signature.parameters)[: len(OPERANDS)]
        if len(first) < len(OPERANDS) or "query" not in first[1] or "key" not in first[2]:
            raise CaptureError(
                f"the attention function {_named(original)} takes {', '.join(first) or 'nothing'} first; "
                f"expected {', '.join(OPERANDS)}, under these names, as transformers {NEWEST} calls them"
            )
        self._renamed = dict(zip(first, OPERANDS, strict=True))

    def by(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Everything the function was told, its defaults included."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        told: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            kind = self._signature.parameters[name].kind
            told.update(
                value if kind is inspect.Parameter.VAR_KEYWORD else {self._renamed.get(name, name): value}
            )
        return told


def _named(function: Function) -> str:
    return f"{function.__module__}.{getattr(function, '__qualname__', type(function).__name__)}"


def _output(result: Any, query: torch.Tensor, original: Function) -> torch.Tensor:
    """What the kernel returned, (sequences, queries, heads, d_value)."""
    output = result[0] if isinstance(result, tuple) and result else result
    sequences, heads, queries, _ = query.shape
    if isinstance(output, torch.Tensor) and output.shape[:2] == (sequences, queries):
        if output.ndim == 4 and output.shape[2] == heads:
            return output.detach()
        if output.ndim == 3 and output.shape[2] % heads == 0:
            return output.detach().view(sequences, queries, heads, -1)
    got = (
        f"a tensor of shape {tuple(output.shape)}"
        if isinstance(output, torch.Tensor)
        else type(output).__name__
    )
    raise CaptureError(
        f"the attention function {_named(original)} returned {got} and no tensor of shape ({sequences}, {queries}, "
        f"{heads}, d_value); {_known()}"
    )


def _call(told: dict[str, Any], result: Any, kernel: str, original: Function) -> Call:
    """The call as it is kept. What a kernel is told and does not use is not part of what it computed."""
    module, query, key, value, mask = (told[name] for name in OPERANDS)
    sink = _sink(told, kernel)
    scale = told.get("scaling")
    if scale is None:
        scale = (
            query.shape[-1] if kernel != "eager" else getattr(module, "head_dim", query.shape[-1])
        ) ** -0.5
    notes: tuple[str, ...] = ()
    if sink is None and _has_sink(told):
        notes = (f"this model has a sink, which its kernel {kernel} leaves out; so it is left out here",)
    soft_cap = told.get("softcap")
    if soft_cap is not None and kernel.endswith("sdpa"):  # PyTorch's sdpa has none, whatever the model passes
        soft_cap = None
        notes += (f"this model has a soft cap, which its kernel {kernel} leaves out; so it is left out here",)
    return Call(
        module, query.detach(), key.detach(), value.detach(), _output(result, query, original), float(scale), kernel,
        mask=mask, causal=_causal(told, kernel), soft_cap=soft_cap, bias=told.get("position_bias"),
        sink=sink, dropout=float(told.get("dropout") or 0.0), notes=notes,
        softmax_dtype="float32" if kernel == "eager" and query.dtype == torch.float64 else "",
    )  # fmt: skip


def _has_sink(told: dict[str, Any]) -> bool:
    return any(one is not None for one in (told.get("s_aux"), getattr(told["module"], "sinks", None)))


def _sink(told: dict[str, Any], kernel: str) -> torch.Tensor | None:
    """The sink's logits, if this kernel uses them: PyTorch's sdpa takes none, whatever the model passes."""
    if kernel.endswith("sdpa"):
        return None
    given = (told.get("s_aux"), told.get("sinks"), getattr(told["module"], "sinks", None))
    return next((one.detach() for one in given if isinstance(one, torch.Tensor)), None)


def _causal(told: dict[str, Any], kernel: str) -> bool:
    """Whether the kernel masks later keys by itself: only where it was given no mask and more than one query."""
    if (
        kernel in ("eager", "flex_attention")
        or told["attention_mask"] is not None
        or told["query"].shape[2] == 1
    ):
        return False
    given = told.get("is_causal")
    return bool(getattr(told["module"], "is_causal", True) if given is None else given)
