"""Temporary folders of a process that was killed are removed by the next one, and those of a live one never."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from clearhead.trace.capture import passing

CHILD = """
import sys
from clearhead.trace.capture.passing import passing_folder
folder = passing_folder()
(folder / "layer").write_bytes(b"numbers")
print(folder, flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.skipif(passing.fcntl is None, reason="nothing can be told without locks")


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The system's temporary files, for this test alone."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


@pytest.fixture
def child():
    with subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.folder = Path(process.stdout.readline().strip())
        yield process
        process.kill()


def test_what_a_killed_process_left_is_removed_and_what_a_live_one_has_stays(child, temporary):
    mine = passing.passing_folder()
    assert child.folder.parent == mine.parent == temporary
    passing.remove_left()
    assert (child.folder / "layer").read_bytes() == b"numbers"
    child.send_signal(signal.SIGKILL)
    child.wait(60)
    assert child.folder.exists()
    other = passing.passing_folder()
    assert not child.folder.exists()
    assert mine.exists()
    for folder in (mine, other):
        passing.remove_passing(folder)
    assert list(temporary.iterdir()) == []


def test_nothing_else_is_touched(temporary):
    (temporary / "clearhead-notes").mkdir()
    (temporary / f"{passing.PREFIX}file").write_text("mine")
    (temporary / "elsewhere").mkdir()
    (temporary / f"{passing.PREFIX}link").symlink_to(temporary / "elsewhere")
    passing.remove_left()
    assert len(list(temporary.iterdir())) == 4


def test_a_folder_that_was_taken_before_it_was_locked_is_given_up(temporary, monkeypatch):
    """Another process removes it, or holds its lock to do so, just when it was made."""
    made, taken, mkdtemp = [], [], tempfile.mkdtemp

    def made_and_taken(prefix):
        folder = mkdtemp(prefix=prefix)
        made.append(Path(folder))
        if len(made) == 1:
            Path(folder).rmdir()
        if len(made) == 2:
            taken.append(os.open(folder, os.O_RDONLY))
            passing.fcntl.flock(taken[0], passing.fcntl.LOCK_EX)
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", made_and_taken)
    found = passing.passing_folder()
    os.close(taken[0])
    assert len(made) == 3
    assert found == made[2]
    passing.remove_passing(found)


def test_many_at_once_each_keep_their_own():
    found, threads = [], []
    for _ in range(13):
        threads.append(threading.Thread(target=lambda: found.append(passing.passing_folder())))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 13
    assert all(folder.is_dir() for folder in found)
    for folder in found:
        passing.remove_passing(folder)
