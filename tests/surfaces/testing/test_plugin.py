"""`assert_attention` in a person's own tests, with pytest and without."""

import subprocess
import sys

import pytest

import clearhead as ch

TESTS = """
import torch

def right(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, -1) @ v

def unscaled(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1), -1) @ v

def test_right(assert_attention):
    assert_attention(right)

def test_wrong(assert_attention):
    assert_attention(unscaled)
"""


def test_pytest_finds_the_fixture_by_itself(tmp_path):
    (tmp_path / "test_mine.py").write_text(TESTS, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "1 failed, 1 passed" in done.stdout
    assert "AssertionError: unscaled does not agree: it leaves the scores undivided (no-scale)" in done.stdout


def test_the_plugin_loads_nothing_that_takes_time():
    """Whoever has Clearhead installed loads the plugin with every run of pytest."""
    code = "import sys, clearhead.surfaces.testing.plugin; print([n for n in ('torch', 'numpy') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_pytest_the_report_is_the_message():
    def doubled(q, k, v):
        return 2 * v

    with pytest.raises(AssertionError, match=r"^doubled does not agree, and no known mistake explains it"):
        ch.assert_attention(doubled)
