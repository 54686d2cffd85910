"""What a name on the command line stands for: an example, or a file or folder in which something was saved."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from clearhead.sources.worked.files import nothing_there, shipped_names
from clearhead.surfaces.cli.captured import names_a_capture
from clearhead.surfaces.cli.heads_corpus import is_table
from clearhead.trace.capture.arguments import either
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.saved import load_capture
from clearhead.trace.nearest import meant, nearest
from clearhead.trace.trace import Trace
from clearhead.trace.wire import is_trace, load_trace

if TYPE_CHECKING:
    from clearhead.sources.worked.training.run import TrainingRun
    from clearhead.trace.recording import Recording

SOURCE = (
    "An example (see `clearhead examples`) or a .toml file; or what was saved: a trace, a capture, or the folder of a "
    "training."
)

MOST_LOOKED_AT = 1000
"""Files of a folder among which the one that was meant is looked for."""


def _is_training(source: str) -> bool:
    from clearhead.trace.recording import Recording

    return Recording.is_in(source)


Kind = Literal["example", "capture", "trace", "training", "table"]

THERE: Mapping[Kind, Callable[[str], bool]] = {
    "example": lambda source: source.endswith(".toml"),
    "capture": names_a_capture,
    "trace": is_trace,
    "training": _is_training,
    "table": is_table,
}
"""Whether a file or folder is one, or means to be by its name: what is wrong in it is told when it is read."""

EXPECTED: Mapping[Kind, str] = {
    "example": "an example (`clearhead examples` lists them), the path of a .toml file",
    "capture": "a capture (see `clearhead capture`)",
    "trace": "a saved trace",
    "training": "the folder of a training",
    "table": "the table of a corpus",
}


def look_for(source: str, *kinds: Kind) -> None:
    """Refuse a name under which there is none of these kinds of things; the sentence says what was looked for.

    Raises:
        ValueError: there is no such example, file or folder, or there is, and it is something else.
    """
    if "example" in kinds and source in shipped_names():
        return
    expected = f"expected {either(*(EXPECTED[kind] for kind in kinds))}"
    if os.path.exists(os.path.expanduser(source)):  # never raises, whatever the text
        if not any(THERE[kind](source) for kind in kinds):
            raise ValueError(f"{source}: is none of what can be opened here; {expected}")
    elif source in shipped_names():
        raise ValueError(f"{source}: is an example; {expected}")
    else:
        names = [*(shipped_names() if "example" in kinds else []), *_beside(source)]
        nothing = (
            nothing_there(source) if "example" in kinds else f"{source}: there is no such file or folder"
        )
        raise ValueError(f"{nothing}; {meant(nearest(source, names), expected)}")


def _beside(source: str) -> Iterator[str]:
    """The files and folders that are in the place where this one was looked for, called in the same way."""
    folder, name = os.path.split(source)
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as found:
            for one in islice(found, MOST_LOOKED_AT):
                if name and not one.name.startswith("."):
                    yield os.path.join(folder, one.name)
    except (OSError, ValueError):
        return


def named_after(source: str, what: str, ending: str) -> str:
    """The name of a file for what is made of this, where none was given: "three-words-sheet.pdf"."""
    name = Path(source).absolute().name.removesuffix(".toml").removesuffix(".safetensors")
    return "-".join(filter(None, (name, *re.findall(r"\w+", what)))) + ending


def saved(source: str) -> Capture | Trace | TrainingRun | Recording | None:
    """What was saved under that name; None if an example is meant.

    Raises:
        ValueError: there is nothing of that name, it cannot be read, or is damaged; the message names it.
    """
    # Only here: to print help nobody needs them.
    from clearhead.sources.worked.training.saved import KIND, load_run
    from clearhead.trace.recording import Recording

    look_for(source, "example", "capture", "trace", "training")
    if source in shipped_names():
        return None
    if names_a_capture(source):
        return load_capture(source)
    place = Path(source).expanduser()
    try:
        if Recording.is_in(source):
            recording = Recording.open(source)
            return load_run(source) if recording.header.get("kind") == KIND else recording
        return load_trace(place) if is_trace(source) else None
    except OSError as error:
        raise ValueError(f"{source}: cannot be read ({(error.strerror or str(error)).lower()})") from None
