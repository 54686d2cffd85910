"""x is added to the output."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result

MISTAKES = (
    Mistake(
        name="input-added",
        step="output",
        says="adds x to its output",
        seen="a residual connection inside the layer, or a block given for its attention",
        mend="Leave it out if the block adds x as well; if it is meant to be here, check what is inside by itself.",
        changes={"output": on_result(lambda run, output: output + run.case.given["X"])},
    ),
)
