"""Options that belong together, as one parameter of a command; the command line has them one by one all the same."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_origin

Given = Mapping[str, Any]
"""Of a group of options those that were given, by their names as parameters."""

NONE_GIVEN: Given = MappingProxyType({})


class Group(dict[str, Any]):
    """What each option of a group is annotated with, by its name; one is not given where it is None or False."""


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command as Typer reads it: a parameter `Annotated[Given, Group(...)]` gives way to the options of its group.

    The command itself gets those that were given. So an option that several commands have is written down once, and a
    command names the groups it takes.
    """
    parameters: list[inspect.Parameter] = []
    groups: dict[str, list[inspect.Parameter]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        group = _group_of(parameter.annotation)
        if group is None:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        groups[parameter.name] = [_option(name, annotation) for name, annotation in group.items()]
        parameters += groups[parameter.name]

    @wraps(command)
    def expanded(**given: Any) -> None:
        taken = {
            group: {one.name: value for one in options if (value := given.pop(one.name)) is not one.default}
            for group, options in groups.items()
        }
        command(**given, **taken)

    expanded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for first
    expanded.__annotations__ = {one.name: one.annotation for one in parameters}
    return expanded


def _group_of(annotation: Any) -> Group | None:
    if get_origin(annotation) is not Annotated:
        return None
    return next((one for one in get_args(annotation) if isinstance(one, Group)), None)


def _option(name: str, annotation: Any) -> inspect.Parameter:
    """An option as a parameter that need not be given: a flag that is off, or anything that may be None."""
    default = False if get_args(annotation)[0] is bool else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
