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


PLAIN = ("q", "k", "v")
"""What queries, keys and values are called where the function has no names for them."""
REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


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
    parameters = _signature(function)
    if parameters is None:
        return Roles(dict(zip("QKV", PLAIN, strict=True)), PLAIN)
    rest = {one.kind for one in parameters if one.kind in REST}
    parameters = [one for one in parameters if one.kind not in REST]
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
    if rest and "X" not in roles:  # f(*args) or f(**kwargs), or f(q, *args): what is missing of q, k and v
        missing = {role: name for role, name in zip("QKV", PLAIN, strict=True) if role not in roles}
        if inspect.Parameter.VAR_POSITIONAL in rest and missing:
            placed += [roles[role] for role in "QKV" if role in roles and roles[role] not in placed]
            placed += missing.values()
        roles = missing | roles
    return Roles(roles, tuple(placed), required)


def known_parameters(function: Callable[..., Any], told: Mapping[str, str], extra: Mapping[str, Any]) -> None:
    """Refuse what is told of parameters that the function does not have.

    Raises:
        ValueError: it has no parameter of that name, and the message lists those that it has; or it does not say
            which it has.
    """
    parameters = _signature(function)
    if parameters is None:
        if told:
            raise ValueError(
                "roles: it does not say what its parameters are; expected a function around it, written in Python"
            )
        return
    names = [one.name for one in parameters if one.kind not in REST]
    for keyword, given in (("roles", told), ("arguments", extra)):
        for name in given:
            if name in names or (
                keyword == "arguments" and any(one.kind is one.VAR_KEYWORD for one in parameters)
            ):
                continue
            raise ValueError(f"{keyword}: it has no parameter {name!r}; expected one of {', '.join(names)}")


def _role(name: str) -> str | None:
    return next((role for role, names in NAMES.items() if re.fullmatch(names, name, re.IGNORECASE)), None)


def _signature(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """What it takes; None where it does not say, as a built-in of PyTorch."""
    try:
        asked = getattr(function, "_orig_mod", function)  # what torch.compile wraps
        module = hasattr(asked, "named_parameters")
        asked = getattr(asked, "forward", asked) if module else asked
        if (schema := getattr(asked, "schema", None)) is not None:
            return _of_schema(schema.arguments[1:] if module else schema.arguments)
        return list(inspect.signature(asked).parameters.values())
    except (
        Exception
    ):  # beside TypeError and ValueError whatever an object says that is asked for what it has not
        return None


def _of_schema(arguments: Any) -> list[inspect.Parameter]:
    """The parameters of what torch.jit made: its signature in Python says nothing of them."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [
        inspect.Parameter(
            one.name, kind, default=one.default_value if one.has_default_value() else inspect.Parameter.empty
        )
        for one in arguments
    ]
