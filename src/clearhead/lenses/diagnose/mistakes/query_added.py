"""The queries are added to the result."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result

MISTAKES = (
    Mistake(
        name="query-added",
        step="mixed",
        says="adds the queries to the blend",
        seen="the way around the layer put inside it",
        mend="Return the blend alone; what goes around attention is added outside, to the input of the layer.",
        changes={"mixed": on_result(lambda run, mixed: mixed + run.values["Q"])},
    ),
)
