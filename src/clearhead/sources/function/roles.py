"""What the parameters of a person's function are for, found by their names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clearhead.sources.function.answer import Trouble
from clearhead.sources.function.named import bias_names, weight_names

NAMES = {
    "Q": r"q|query|queries|query_states|query_layer|xq",
    "K": r"k|key|keys|key_states|key_layer|xk",
    "V": r"v|value|values|value_states|value_layer|xv",
    "X": r"x|hidden_states|hidden|inputs?|embeddings?|sequence|tokens|src|tgt",
    "context": r"context|memory|y|cross|encoder_hidden_states|key_value_states|kv",
    "mask": r"mask|attn_?mask|attention_?mask|src_mask|tgt_mask",
    "padding": r"(\w*key_)?padding(_mask)?|pad_mask|lengths_mask",
    "causal": r"(is_)?causal|use_causal(_mask)?|masked|autoregressive",
    "scale": r"scale|softmax_scale|scaling|sm_scale",
    "heads": r"(num_|n_|nb_)?(attention_)?heads?|nhead|h",
    "kv_heads": r"(num_|n_)?(kv|key_value)_heads?|n_kv_head",
    "dropout": r"(attn_|attention_)?(dropout|p_drop|drop)(_p|_rate|_prob)?",
    "training": r"(is_)?training|train",
    "return": r"need_weights|(return|output)_(weights|attentions?|attn(_weights)?)",
    "W_QKV": weight_names("QKV", bare=False), "b_QKV": bias_names("QKV"),
    **{f"W_{one}": weight_names(one, bare=False) for one in "QKVO"},
    **{f"b_{one}": bias_names(one) for one in "QKVO"},
}  # fmt: skip
"""The names that a parameter has for each role, whatever their case."""


@dataclass(frozen=True)
class Roles:
    """The parameters of a function by their roles.

    Attributes:
        names: of each role that was found the name of its parameter.
        positional: the names that can only be given by their place, in order.
        required: the roles that have no default.
    """

    names: Mapping[str, str]
    positional: tuple[str, ...] = field(default=())
    required: frozenset[str] = field(default=frozenset())

    def __contains__(self, role: str) -> bool:
        return role in self.names

    @property
    def of_x(self) -> bool:
        """Whether it takes x, of which queries, keys and values are made."""
        return "X" in self.names

    @property
    def weights(self) -> tuple[str, ...]:
        """The roles of its parameters that are weights and biases."""
        return tuple(role for role in self.names if role[:2] in ("W_", "b_"))


def roles_of(function: Callable[..., Any], told: Mapping[str, str], extra: Mapping[str, Any]) -> Roles:
    """What each parameter is for.

    Args:
        function: a function, or an object that is called like one (a module's `forward` says what it takes).
        told: roles by parameter name, as a person told them.
        extra: values for further parameters.

    Raises:
        Trouble: a parameter without a default is not known; its message names it.
    """
    parameters = _parameters(function)
    if parameters is None:
        return Roles({"Q": "q", "K": "k", "V": "v"}, ("q", "k", "v"))
    roles: dict[str, str] = {}
    unknown: list[inspect.Parameter] = []
    for one in parameters:
        if one.name in extra:
            continue
        role = told.get(one.name) or _role(one.name)
        if role == "dropout" and one.default is None:
            continue  # a module or nothing, as in The Annotated Transformer: it is left at nothing
        if role and role not in roles:
            roles[role] = one.name
        elif one.default is inspect.Parameter.empty:
            unknown.append(one)
    bare = [
        one.name for one in parameters if one.default is inspect.Parameter.empty and one.name not in extra
    ]
    if "X" not in roles and not {"Q", "K", "V"} <= set(roles) and len(bare) >= 3:
        free = [
            one for one in bare if one in {other.name for other in unknown} or _role(one) in ("Q", "K", "V")
        ]
        if len(free) == 3:
            roles = {role: name for role, name in roles.items() if name not in free} | dict(
                zip("QKV", free, strict=True)
            )
            unknown = [one for one in unknown if one.name not in free]
    if unknown and unknown[0].name == bare[0] and not {"X", "Q", "K", "V"} & set(roles):
        roles["X"] = unknown.pop(0).name
    if unknown:
        raise Trouble(
            "telling",
            f"it is not clear what its parameter {unknown[0].name!r} is for; expected "
            f"arguments={{{unknown[0].name!r}: ...}} with a value for it, or with one of the roles "
            f"{', '.join(NAMES)} under roles=",
        )
    placed = [one.name for one in parameters if one.kind is one.POSITIONAL_ONLY]
    required = frozenset(role for role, name in roles.items() if name in bare)
    return Roles(roles, tuple(placed), required)


def _role(name: str) -> str | None:
    return next((role for role, names in NAMES.items() if re.fullmatch(names, name, re.IGNORECASE)), None)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """What it takes, the rest (*args, **kwargs) left out; None where it does not say, as a built-in of PyTorch."""
    asked = getattr(function, "forward", function) if hasattr(function, "named_parameters") else function
    try:
        found = inspect.signature(asked).parameters.values()
    except (TypeError, ValueError):
        return None
    return [one for one in found if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
