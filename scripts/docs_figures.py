#!/usr/bin/env python3
"""Draws the figures of the tutorial again: runs the code of its pages and keeps what that saves in docs/images.

`tests/test_docs.py` compares what lies there with what the code draws.
"""

from __future__ import annotations

import doctest
import os
import shutil
import sys
import tempfile
from pathlib import Path

from environment import ROOT

TUTORIAL = ROOT / "docs" / "tutorial"
IMAGES = ROOT / "docs" / "images"


def main() -> int:
    """Run every page in an empty folder; return 1 if one of its examples prints something else."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for page in sorted(TUTORIAL.glob("*.md")):
            failed += doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed
        for drawn in sorted(Path(folder).glob("*.svg")):
            shutil.copy(drawn, IMAGES / drawn.name)
            print(f"docs/images/{drawn.name}")
        os.chdir(ROOT)  # a folder that one stands in cannot be removed everywhere
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
