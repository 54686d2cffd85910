"""What messages call an argument where a command was given: its option, if the command has one."""

from __future__ import annotations

from typing import Any

from clearhead.trace.capture.arguments import Way


def flags_of(command: Any) -> Way:
    """How the options of a command of click are written: `force` is --force, and `below` that is False --no-below."""
    options = {one.name: one for one in command.params if one.param_type_name == "option"}

    def called(name: str, value: Any) -> str | None:
        option = options.get(name)
        if option is None:
            return None
        written = option.secondary_opts if value is False else option.opts
        return next((one for one in written if one.startswith("--")), None)

    return called
