"""Examples as TOML files: those that ship with Clearhead, and a person's own. docs/examples.md describes the form."""

from __future__ import annotations

import os
import tomllib
from dataclasses import MISSING, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from clearhead.sources.worked.example import Example
from clearhead.sources.worked.matrices import ExampleError, shown
from clearhead.trace.nearest import meant, nearest

LIBRARY = files("clearhead.sources.worked") / "library"

STUDY = "study"
"""The name of the one example that was trained and not made by hand; see docs/study.md."""

DEFAULT_EXAMPLE = "the-dog-chased-the-cat"


def example_names() -> list[str]:
    """The names of the examples made by hand that ship with Clearhead, in alphabetical order.

    Beside them there is "study", a model that was really trained.
    """
    return sorted(Path(entry.name).stem for entry in LIBRARY.iterdir() if entry.name.endswith(".toml"))


def shipped_names() -> list[str]:
    """Everything that can be loaded by its name: the examples made by hand, and the study model."""
    return [*example_names(), STUDY]


def load_example(name_or_path: str | Path) -> Example:
    """An example that ships with Clearhead, by name, or a person's own, by the path of its .toml file.

    Raises:
        ExampleError: no such example or file, or a mistake in it; the message names the file, the field and what was
            expected.
    """
    if not isinstance(name_or_path, str | Path):
        raise ExampleError("", f"expected the name or the path of an example, got {shown(name_or_path)}")
    text = str(name_or_path)
    if text == STUDY:
        from clearhead.sources.worked.study.example import study_example  # its weights are needed by few runs

        return study_example()
    if text in example_names():
        return parse_example((LIBRARY / f"{text}.toml").read_text("utf-8"), text, name=text)
    path = Path(name_or_path)
    if path.suffix != ".toml" and os.path.exists(text):  # never raises, whatever the text
        raise ExampleError("", "is no TOML file; expected the path of a file whose name ends in .toml", text)
    if path.suffix != ".toml":
        expected = f"expected one of {', '.join(shipped_names())}, or the path of a .toml file"
        raise ExampleError("", f"{nothing_there(text)}; {meant(nearest(text, shipped_names()), expected)}")
    return parse_example(_read(path), text, name=path.stem)


def nothing_there(text: str) -> str:
    """That there is neither an example of that name nor a file; a text that can only be a path is taken as one."""
    if os.path.basename(text) != text or "." in text:
        return f"{text}: there is no such file or folder"
    return f"no example is named {text!r}, and there is no such file"


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")  # some editors put a mark at the start
    except UnicodeDecodeError:
        raise ExampleError("", "is not text in UTF-8; expected a TOML file", str(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = getattr(error, "strerror", None) or str(error)
        raise ExampleError("", f"cannot be read ({reason.lower()})", str(path).replace("\0", "\\0")) from None


def parse_example(text: str, source: str, name: str) -> Example:
    """An example from the text of a TOML file; `source` names it in messages."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExampleError("", f"is not valid TOML: {error}", source) from None
    except (ValueError, RecursionError):
        problem = "holds a number of thousands of digits, or is nested very deeply; expected rows of numbers"
        raise ExampleError("", problem, source) from None
    try:
        return Example(**_checked_fields(_with_layers(table)), name=name)
    except ExampleError as error:
        raise ExampleError(error.field, error.problem, source) from None


def _with_layers(table: dict[str, Any]) -> dict[str, Any]:
    """The [[layer]] tables of a file as the field `layers`."""
    if "layers" in table:
        raise ExampleError("layers", "is not known in a file; expected a [[layer]] table for each layer")
    return {"layers" if name == "layer" else name: value for name, value in table.items()}


def _checked_fields(table: dict[str, Any]) -> dict[str, Any]:
    """The table, if its fields are those of an example."""
    known = {field.name: field for field in fields(Example) if field.name != "name"}
    for name in table:
        if name not in known:
            expected = ", ".join("[[layer]]" if name == "layers" else name for name in known)
            raise ExampleError(
                name, f"is not known; {meant(nearest(name, known), f'expected only {expected}')}"
            )
    for field in known.values():
        if field.default is MISSING and field.name not in table:
            raise ExampleError(field.name, "is missing")
    return table
