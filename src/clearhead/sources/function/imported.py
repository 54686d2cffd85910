"""A function or module that is named on the command line: `my_module.py:my_attention`, `package.module:Name`."""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

MOST_NAMED = 6


def imported(place: str) -> Callable[..., Any]:
    """What stands at that place, imported as Python imports it: its module is run.

    Args:
        place: the path of a file or the name of a module, a colon, and a name in it, with dots for a name in a name. A
            class is called without arguments, to get the object that is asked.

    Raises:
        ValueError: there is no such file, module or name, or it cannot be called; or the module itself raises.
    """
    module_name, colon, name = place.rpartition(":")
    if not colon or not module_name or not name:
        raise ValueError(f"{place!r} names no function; expected such as my_module.py:my_attention")
    found: Any = _module(module_name)
    for part in name.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{module_name} has no {part!r}{_hint(part, found)}")
        found = getattr(found, part)
    if isinstance(found, type):
        found = _made(place, found)
    if not callable(found):
        raise ValueError(f"{place} is of the type {type(found).__name__}; expected a function or a module")
    return found


def _hint(part: str, holder: Any) -> str:
    """The names that are near; where none is, those of its own functions and classes."""
    names = {name: value for name, value in vars(holder).items() if not name.startswith("_")}
    own = [
        name
        for name, value in names.items()
        if callable(value) and getattr(value, "__module__", None) == getattr(holder, "__name__", "")
    ]
    near = get_close_matches(part, names, 3) or own[:MOST_NAMED]
    return f"; expected one of {', '.join(near)}" if near else ""


def _made(place: str, kind: type) -> Any:
    try:
        return kind()
    except Exception as error:
        raise ValueError(
            f"{place} is a class, and cannot be made without arguments ({error}); expected a name that stands for "
            "an object of it"
        ) from error


def _module(name: str) -> ModuleType:
    path = Path(name)
    try:
        if path.suffix == ".py":
            return _from_file(path)
        sys.path.insert(0, os.getcwd())  # as `python -m` does
        try:
            return importlib.import_module(name)
        finally:
            sys.path.pop(0)
    except ImportError as error:
        raise ValueError(_not_imported(name, error)) from error
    except (Exception, SystemExit) as error:
        inside = _inside(error)
        where = f" (line {inside[-1].lineno} of {Path(inside[-1].filename).name})" if inside else ""
        raise ValueError(f"{name} cannot be imported: {type(error).__name__}: {error}{where}") from error


def _not_imported(name: str, error: ImportError) -> str:
    """That there is no such module; or that it is there, and itself imports what is not."""
    inside = _inside(error)
    if not inside:
        missing = error.name if error.name is not None else name
        return f"{name}: no module named {missing!r}; expected the path of a .py file, or a module"
    where = f"line {inside[-1].lineno} of {Path(inside[-1].filename).name}"
    if not isinstance(error, ModuleNotFoundError):
        return f"{name} cannot be imported: {where} ({inside[-1].line}) raises ImportError: {error}"
    return f"{name} cannot be imported: {where} ({inside[-1].line}) needs the module {error.name!r}, which is not there"


def _inside(error: BaseException) -> list[traceback.FrameSummary]:
    """The lines of the imported code that led to the error."""
    frames = traceback.extract_tb(error.__traceback__)
    own = (Path(__file__), Path(importlib.__file__ or ""))
    return [one for one in frames if not one.filename.startswith("<frozen") and Path(one.filename) not in own]


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ModuleNotFoundError(f"{path} is no file", name=str(path))
    name = (
        f"{path.stem}_checked" if path.stem in sys.modules else path.stem
    )  # it takes no other module's place
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles look it up by its name
    sys.path.insert(0, str(path.parent.resolve()))  # its neighbours
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]  # half of it is no module
        raise
    finally:
        sys.path.pop(0)
    return module
