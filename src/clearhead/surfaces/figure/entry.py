"""What can be drawn, and of what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearhead.lenses.diagnose import Report
from clearhead.sources.worked import Example, run
from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.training import saved
from clearhead.sources.worked.training.run import TrainingRun
from clearhead.surfaces.figure.arithmetic import arithmetic
from clearhead.surfaces.figure.asked import Asked
from clearhead.surfaces.figure.curve import curve
from clearhead.surfaces.figure.heads import layers_of_capture, layers_of_trace, overview, scores
from clearhead.surfaces.figure.look import Look
from clearhead.surfaces.figure.ofcapture import heads_of
from clearhead.surfaces.figure.ofreport import of_report
from clearhead.surfaces.figure.oftrace import of_trace
from clearhead.trace.capture.capture import Capture
from clearhead.trace.explanation import Explanation
from clearhead.trace.recording import Recording
from clearhead.trace.trace import Trace

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes


def drawn(x: object, kind: object, options: Mapping[str, Any], look: Look, ax: Any) -> Axes | np.ndarray:
    """Draw what was asked for; see `clearhead.figure`. `options` are those that were given, not None."""
    asked, x = Asked.read(kind, options), _opened(x)
    with look.settings():
        return _drawn(x, asked, look, ax)


def _opened(x: object) -> object:
    """Of an example, or its name, its trace; of the folder of its training that training; all else as it is."""
    if isinstance(x, str | Path):
        x = load_example(x)
    if isinstance(x, Example):
        return run(x)
    if isinstance(x, Recording) and x.header.get("kind") == saved.KIND:
        return saved.load_run(x.path)
    return x


def _drawn(x: object, asked: Asked, look: Look, ax: Any) -> Axes | np.ndarray:
    if isinstance(x, Trace):
        if asked.kind == "heads" or (asked.kind is None and not asked.options and "weights" not in x):
            asked.only()
            return overview(layers_of_trace(x), look, ax)
        return of_trace(x, asked, look, ax)
    if isinstance(x, Capture):
        return _of_capture(x, asked, look, ax)
    if isinstance(x, TrainingRun | Recording):
        return _of_training(x, asked, look, ax)
    if isinstance(x, Explanation):
        asked.of("its arithmetic, without a kind").only()
        return arithmetic(x, look, ax)
    if isinstance(x, Report):
        return of_report(x, asked, look, ax)
    raise TypeError(
        f"figure: got {type(x).__name__}; expected a Trace, a Capture, a TrainingRun, a Recording, a Report, an "
        "Explanation, an Example or the name of one"
    )


def _of_capture(capture: Capture, asked: Asked, look: Look, ax: Any) -> Axes | np.ndarray:
    if asked.kind not in (None, "heads"):
        return heads_of(capture, asked, look, ax)
    given = asked.only("tower", "batch", "score")
    tower, batch = given.get("tower"), given.get("batch", 0)
    if "score" in given:
        return scores(capture, given["score"], look, tower, batch, ax)
    return overview(layers_of_capture(capture, tower, batch), look, ax)


def _of_training(run: TrainingRun | Recording, asked: Asked, look: Look, ax: Any) -> Axes | np.ndarray:
    if asked.kind in (None, "loss") and "step" not in asked.options:
        return curve(_losses(run), look, ax, asked.only("label").get("label"))
    if not isinstance(run, TrainingRun):
        raise ValueError(f"kind: of a recording only 'loss' can be drawn, got {asked.kind!r}")
    step = asked.options.get("step")
    if step is None:
        raise ValueError(
            f"step: {asked.kind!r} is of one step of the training; expected which, such as step={run.recorded[-1]}"
        )
    return _drawn(run.trace(step), asked.without("step"), look, ax)


def _losses(run: TrainingRun | Recording) -> Sequence[float] | np.ndarray:
    """The loss before each update and, where the model is there to say it, after the last one."""
    return [*run.losses, run.final_loss] if isinstance(run, TrainingRun) and run.losses else run.losses
