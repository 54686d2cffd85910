"""How long `import clearhead` takes, over `import numpy`: fresh interpreters, taken in turns, medians compared."""

import argparse
import statistics
import subprocess
import sys
import time

from table import print_table

TARGET = 2.0
PROGRAMS = {"nothing": "pass", "numpy": "import numpy", "clearhead": "import clearhead"}


def seconds(program: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return time.perf_counter() - started


def measure(rounds: int) -> dict[str, list[float]]:
    """Times of whole interpreters; the three programs take turns, so that a busy moment meets them all."""
    for program in PROGRAMS.values():
        seconds(program)  # the first run reads the files from the disk
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(rounds):
        for name, program in PROGRAMS.items():
            times[name].append(seconds(program))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    times = measure(parser.parse_args().rounds)
    bare = statistics.median(times["nothing"])
    rows = [
        [name, f"{1000 * statistics.median(taken):.0f} ms", f"{1000 * min(taken):.0f} ms"]
        for name, taken in times.items()
    ]
    print_table(["a fresh Python importing", "median", "fastest"], rows)
    # The interpreter's own start is taken off: it is the same for both and says nothing about either.
    numpy, clearhead = (statistics.median(times[name]) - bare for name in ("numpy", "clearhead"))
    print(f"\nimport clearhead / import numpy = {clearhead / numpy:.2f} (to stay under {TARGET:.0f})")


if __name__ == "__main__":
    main()
