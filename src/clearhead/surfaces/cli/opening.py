"""What a name on the command line stands for: an example, or a file or folder in which something was saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clearhead.surfaces.cli.captured import names_a_capture
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.saved import load_capture
from clearhead.trace.trace import Trace
from clearhead.trace.wire import load_trace

if TYPE_CHECKING:
    from clearhead.sources.worked.training.run import TrainingRun
    from clearhead.trace.recording import Recording

SOURCE = (
    "An example (see `clearhead examples`) or a .toml file; or what was saved: a trace, a capture, or the folder of a "
    "training."
)


def saved(source: str) -> Capture | Trace | TrainingRun | Recording | None:
    """What was saved under that name; None if an example is meant.

    Raises:
        ValueError: it cannot be read, or is damaged; the message names it.
    """
    # Only here: to print help nobody needs them.
    from clearhead.sources.worked.training.saved import KIND, load_run
    from clearhead.trace.recording import Recording

    if names_a_capture(source):
        return load_capture(source)
    place = Path(source).expanduser()
    try:
        if Recording.is_in(source):
            recording = Recording.open(source)
            return load_run(source) if recording.header.get("kind") == KIND else recording
        return load_trace(place) if place.is_file() and place.suffix != ".toml" else None
    except OSError as error:
        raise ValueError(f"{source}: cannot be read ({(error.strerror or str(error)).lower()})") from None
