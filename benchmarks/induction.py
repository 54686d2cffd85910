"""Does the induction head form, in how many steps and seconds, and does it fail without what it needs?

    .venv/bin/python benchmarks/induction.py [--seeds 10] [--others 5]

Required: the best head's score above 0.8 on unseen sequences within 15 seconds on two cores, in at least 9 of 10 seeds.
"""

from __future__ import annotations

import argparse
import time

from table import print_table

from clearhead.sources.worked.training.induction import EVERY, InductionRun, Setting

FORMED = 0.8
LACKING = {
    "one layer": {"layers": 1},
    "no positions": {"positions": "none"},
    "no mask": {"mask": "none"},
    "no scaling": {"scale": False},
    "learned positions": {"positions": "learned"},
}


def watch(setting: Setting) -> tuple[int | None, float, InductionRun]:
    """The step and the seconds at which a head formed (None: it did not), and the finished run."""
    run, begun = InductionRun(setting), time.perf_counter()
    formed, seconds = None, 0.0
    while not run.finished:
        run.advance_to(run.step + EVERY)  # as the page does, a few steps at a time
        if formed is None and run.scores[-1].max() > FORMED:
            formed, seconds = run.step, time.perf_counter() - begun
    return formed, seconds or time.perf_counter() - begun, run


def row(name: str, changes: dict[str, object], seeds: int) -> list[str]:
    """One line of the table."""
    watched = [watch(Setting(seed=seed, **changes)) for seed in range(seeds)]  # type: ignore[arg-type]
    formed = [step for step, _, _ in watched if step is not None]
    seconds = [taken for step, taken, _ in watched if step is not None]
    best = [float(run.scores[-1].max()) for _, _, run in watched]
    loss = [sum(run.losses[-10:]) / 10 for _, _, run in watched]
    return [
        name,
        f"{len(formed)} of {seeds}",
        f"{min(formed)}–{max(formed)}" if formed else "",
        f"{min(seconds):.1f}–{max(seconds):.1f}" if seconds else "",
        f"{min(best):.2f}–{max(best):.2f}",
        f"{min(loss):.3f}–{max(loss):.3f}",
    ]


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--others", type=int, default=5)
    chosen = options.parse_args()
    rows = [row("nothing", {}, chosen.seeds)]
    if chosen.others:
        rows += [row(name, changes, chosen.others) for name, changes in LACKING.items()]
    print_table(["changed", "formed", "at step", "seconds", "best score at the end", "loss"], rows)


if __name__ == "__main__":
    main()
