"""Every ALiBi slope is one head too steep."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result

MISTAKES = (
    Mistake(
        name="alibi-slopes-from-0",
        step="bias",
        says="counts the slopes from head 0 as 2^0, not from 2^(-8 / heads)",
        seen="an exponent of -8 h / heads with h from 0",
        mend="The slope of head h is 2^(-8 (h + 1) / heads), h from 0.",
        changes={"bias": on_result(lambda run, bias: bias * 2 ** (8 / run.case.spec.heads))},
    ),
)
