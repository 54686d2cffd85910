"""Where the output cannot go, and what is left out of it, is said in one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HUGE = "tokens = ['a']\npositions = 'none'\nW_Q = [[1]]\nW_K = [[1]]\nW_V = [[1e200]]\nE = { a = [1] }\n"
"""The output is 1e200, whose square is beyond float64."""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device that is always full")
@pytest.mark.parametrize("arguments", [["examples"], ["walk"], ["--help"], ["--version"]])
def test_a_full_disk_is_one_sentence(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "clearhead", *arguments], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "clearhead: the output cannot be written (no space left on device)\n"


def test_a_closed_output_is_one_sentence():
    command = f'"{sys.executable}" -m clearhead examples >&-'
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "clearhead: the output is closed; expected somewhere to print to\n"


def test_a_comparison_that_overflows_is_left_out_and_said(run, tmp_path: Path):
    path = tmp_path / "huge.toml"
    path.write_text(HUGE)
    text = run("walk", str(path)).stdout
    assert "A comparison beside the main line is left out: contribution_size[0,0]: a number in" in text
    assert "How much did each position really add?" not in text
    assert "What is the scaling for?" in text
    assert "1.0e200" in text
