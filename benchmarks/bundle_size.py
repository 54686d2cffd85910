"""How large the page's script is, as it is and gzipped."""

import gzip
from pathlib import Path

from table import print_table

LIMIT = 125_000
STATIC = Path(__file__).parents[1] / "src" / "clearhead" / "static"


def main() -> None:
    rows = []
    for file in (STATIC / "app.js", STATIC / "index.html"):
        content = file.read_bytes()
        rows.append(
            [file.name, f"{len(content) / 1000:.1f} kB", f"{len(gzip.compress(content, 9)) / 1000:.1f} kB"]
        )
    print_table(["file", "size", "gzipped"], rows)
    print(f"\napp.js gzipped: to stay under {LIMIT // 1000} kB")


if __name__ == "__main__":
    main()
