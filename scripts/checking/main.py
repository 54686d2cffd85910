"""The command `./check`: sets up, runs the chosen checks, small ones side by side, and sums up."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby

from environment import SetupError

from .oldest import NotHere
from .prepare import prepare_node, prepare_package, prepare_python
from .steps import Step, all_steps


@dataclass(frozen=True)
class Result:
    """How one check ended."""

    name: str
    passed: bool
    seconds: float
    remark: str = ""
    skipped: bool = False


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return 0 when every check passed, 1 when one failed, 2 for a wrong usage."""
    options = _parser().parse_args(arguments)
    started = time.perf_counter()
    try:
        prepare_python()
        prepare_node()
        prepare_package()
    except SetupError as problem:
        print(f"check: {problem}", file=sys.stderr)
        return 1
    steps = all_steps()
    if options.list:
        print("\n".join(f"{step.name:<13} {step.about}" for step in steps))
        return 0
    unknown = set(options.names) - {step.name for step in steps}
    if unknown:
        known = ", ".join(step.name for step in steps)
        print(f"check: no check is called {', '.join(sorted(unknown))}; there are {known}.", file=sys.stderr)
        return 2
    chosen = choose(steps, options.names, options.fast)
    if options.fix:
        for step in chosen:
            if step.fix is not None:
                subprocess.run(step.fix, cwd=step.cwd, stdin=subprocess.DEVNULL, check=False)
    set_up = time.perf_counter() - started
    results = list(run_all(chosen))
    left_out = [step.name for step in steps if step not in chosen]
    return summarise(results, set_up, time.perf_counter() - started, left_out)


def choose(steps: Sequence[Step], names: Sequence[str], fast: bool) -> list[Step]:
    """Return the named checks, or all; the tests in browsers bring the build of the page that they look at."""
    wanted = set(names) or {step.name for step in steps}
    if {"browser", "notebook"} & wanted:
        wanted.add("page-build")
    return [step for step in steps if step.name in wanted and not (fast and step.prepare)]


def run_all(steps: Sequence[Step]) -> Iterator[Result]:
    """Run the checks in their order: a live one alone, those between two live ones as many at a time as there is room.

    A live check shares its tests among all processors itself; the others keep one busy each.
    """
    for live, group in groupby(steps, lambda step: step.live):
        with ThreadPoolExecutor(1 if live else os.cpu_count()) as pool:
            yield from list(pool.map(run, group))


def run(step: Step) -> Result:
    """Run one check and print its line; a failure is followed by its output."""
    started = time.perf_counter()
    if step.live:
        print(f"{step.name:<13} {step.about} ...", flush=True)
    remark, skipped = "", False
    try:
        if step.prepare is not None:
            step.prepare()
        passed, output = _execute(step)
    except NotHere as reason:
        passed, output, remark, skipped = True, "", str(reason), True
    except SetupError as problem:
        passed, output = False, str(problem)
    if passed and not skipped and step.after is not None:
        passed, remark = step.after()
    result = Result(step.name, passed, time.perf_counter() - started, remark, skipped)
    # in one piece, as another check may end at the same time
    print(_line(result) + (f"\n{output.rstrip()}\n" if output and not passed else ""), flush=True)
    return result


def summarise(results: Sequence[Result], set_up: float, total: float, left_out: Sequence[str]) -> int:
    """Print what passed and what failed, with the seconds of each; return the exit code.

    `set_up` is the part of the `total` seconds before the first check; `left_out` are the checks nobody asked for.
    """
    failed = [result.name for result in results if not result.passed]
    print(
        f"\nSummary (checks that run side by side share the processors)\n  {'set-up':<13} {'':<7} {set_up:6.1f} s"
    )
    for result in results:
        print("  " + _line(result))
    if left_out:
        print(f"Left out, as the command line says: {', '.join(left_out)}")
    if failed:
        print(f"{len(failed)} of {len(results)} checks failed in {total:.0f} s: {', '.join(failed)}")
        return 1
    skipped = [result.name for result in results if result.skipped]
    without = (
        f", but for {', '.join(skipped)}, which cannot be made here for the reason above" if skipped else ""
    )
    print(f"All {len(results)} checks passed in {total:.0f} s{without}")
    return 0


def _execute(step: Step) -> tuple[bool, str]:
    """Return whether the command succeeded, and its output unless that was shown live."""
    pipe = None if step.live else subprocess.PIPE
    done = subprocess.run(
        step.command,
        cwd=step.cwd,
        env=dict(os.environ) if step.live else {**os.environ, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=None if step.live else subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return done.returncode == 0, done.stdout or ""


def _line(result: Result) -> str:
    verdict = "skipped" if result.skipped else "passed" if result.passed else "FAILED"
    return f"{result.name:<13} {verdict:<7} {result.seconds:6.1f} s  {result.remark}".rstrip()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./check", description="Set up everything for development and run the checks."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="run only these checks")
    parser.add_argument(
        "--fast", action="store_true", help="leave out the browser and the oldest transformers"
    )
    parser.add_argument("--fix", action="store_true", help="first mend what format and lint can mend")
    parser.add_argument("--list", action="store_true", help="name the checks and stop")
    return parser
