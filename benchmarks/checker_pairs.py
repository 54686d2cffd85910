"""Two mistakes at once: of all sensible pairs of the library, how many get both names.

.venv/bin/python benchmarks/checker_pairs.py [--each 60] [--seed 0]
"""

import argparse
import sys
from itertools import islice

from table import print_table

from clearhead.lenses.diagnose import explanations
from clearhead.lenses.diagnose.confusion import SETTINGS, sensible


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--each", type=int, default=None, help="pairs drawn in each setting; all if not given"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--settings", type=int, nargs="*", help="numbers of settings; all if not given")
    options = parser.parse_args()
    rows = []
    for place, setting in enumerate(SETTINGS):
        if options.settings and place not in options.settings:
            continue
        asked = first = among = agreed = 0
        for pair, askings in islice(sensible(setting, options.seed), options.each):
            wanted = tuple(sorted(one.name for one in pair))
            found = [one.names for one in explanations(askings)]
            asked, first, among = asked + 1, first + (found[:1] == [wanted]), among + (wanted in found)
            agreed += () in found
            if wanted not in found:
                print(f"{setting.name}: {' and '.join(wanted)} taken for {found[:3]}", file=sys.stderr)
        rows.append((setting.name, asked, first, among, agreed))
    rows.append(("all", *(sum(row[column] for row in rows) for column in range(1, 5))))
    head = ("setting", "pairs", "both names first", "both names", "said to agree")
    print_table(head, [[row[0], *map(str, row[1:])] for row in rows])


if __name__ == "__main__":
    main()
