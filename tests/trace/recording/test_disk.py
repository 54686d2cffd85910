"""A disk that fails while a recording is written: one sentence, and everything that was there before is as it was."""

import errno
import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest

from clearhead.trace.recording import Recording, RecordingError, SavingError

ARRAYS = {"E": np.arange(35.0).reshape(5, 7)}


@pytest.fixture
def recording(tmp_path):
    made = Recording.create(tmp_path / "run", {})
    made.save(3, ARRAYS, [1.0, 0.5, 0.25])
    return made


def names(recording):
    return sorted(file.name for file in recording.path.iterdir())


def failing(code):
    def fail(*_):
        raise OSError(code, os.strerror(code))

    return fail


REASONS = [
    (errno.ENOSPC, "because the disk is full; expected room on the disk"),
    (errno.EACCES, "because there is no permission to write there; expected a folder that can be written to"),
    (errno.EROFS, "because the disk can only be read; expected a folder that can be written to"),
    (errno.EIO, "because input/output error; expected a folder that can be written to"),
]


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize(("code", "says"), REASONS, ids=lambda value: str(value)[:12])
def test_a_save_that_fails_is_one_sentence_and_touches_nothing(recording, monkeypatch, call, code, says):
    monkeypatch.setattr(os, call, failing(code))
    with pytest.raises(SavingError) as caught:
        recording.save(5, {"E": ARRAYS["E"] + 1}, [])
    monkeypatch.undo()
    sentence = f"{recording.path}: step 5 could not be saved {says} (nothing in memory is lost)"
    assert str(caught.value) == sentence
    assert caught.value.errno == code
    assert names(recording) == ["recording.json", "step-00000003.checkpoint"]
    assert recording.arrays(3)["E"].tolist() == ARRAYS["E"].tolist()
    recording.save(5, ARRAYS, [])  # and it can be tried again
    assert recording.steps == [3, 5]


def test_replacing_a_step_that_fails_keeps_the_old_one(recording, monkeypatch):
    monkeypatch.setattr(os, "replace", failing(errno.ENOSPC))
    with pytest.raises(SavingError):
        recording.save(3, {"E": ARRAYS["E"] + 1}, [])
    assert recording.arrays(3)["E"].tolist() == ARRAYS["E"].tolist()


def test_a_folder_that_goes_away(recording):
    gone = recording.path.rename(recording.path.with_name("moved"))
    with pytest.raises(
        SavingError, match=r"run: step 5 .* because its folder is gone; expected the folder to stay"
    ):
        recording.save(5, ARRAYS, [])
    with pytest.raises(RecordingError, match="run: step 3 was not saved"):
        recording.arrays(3)
    assert recording.steps == []
    gone.rename(recording.path)
    recording.save(5, ARRAYS, [])
    assert recording.steps == [3, 5]


def test_a_folder_that_became_a_file(recording):
    recording.path.rename(recording.path.with_name("moved"))
    recording.path.write_text("a file")
    with pytest.raises(SavingError, match="because its folder is gone"):
        recording.save(5, ARRAYS, [])


def test_a_recording_that_cannot_be_begun(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(
        SavingError, match=r"file/run: no folder can be made there; expected a path inside a folder$"
    ):
        Recording.create(tmp_path / "file" / "run", {})
    monkeypatch.setattr(os, "fsync", failing(errno.ENOSPC))
    with pytest.raises(SavingError, match=r"run: a recording could not be saved because the disk is full"):
        Recording.create(tmp_path / "run", {})
    assert list((tmp_path / "run").iterdir()) == []


def test_the_error_travels_between_processes(recording, monkeypatch):
    monkeypatch.setattr(os, "fsync", failing(errno.ENOSPC))
    with pytest.raises(SavingError) as caught:
        recording.save(5, ARRAYS, [])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.errno) == (SavingError, str(caught.value), errno.ENOSPC)


@pytest.mark.parametrize("call", ["open", "fsync", "replace"])
def test_an_interrupted_save_leaves_nothing_behind(recording, monkeypatch, call):
    """At each call of the system that a save makes, Control-C comes before it is made."""

    def interrupt(*_):
        raise KeyboardInterrupt

    if call == "open":
        monkeypatch.setattr("pathlib.Path.open", interrupt)
    else:
        monkeypatch.setattr(os, call, interrupt)
    with pytest.raises(KeyboardInterrupt):
        recording.save(5, ARRAYS, [])
    monkeypatch.undo()
    assert names(recording) == ["recording.json", "step-00000003.checkpoint"]


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="the system has no limit on the size of files")
def test_a_file_that_the_system_really_cuts_off(recording):
    """A limit of 4096 bytes on what a process may write stands for a full disk: half of the step is written."""
    program = f"""
import resource, signal, numpy as np
from clearhead.trace.recording import Recording
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
Recording.open({str(recording.path)!r}).save(5, {{"E": np.zeros(9973)}}, [])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "step 5 could not be saved because the file would be larger than is allowed" in done.stderr
    assert names(recording) == ["recording.json", "step-00000003.checkpoint"]
    assert recording.newest()[0].step == 3


def test_a_process_killed_while_it_saves_leaves_every_step_readable(recording):
    """Killed just before the finished file is moved to its place, which no handler can tidy up after."""
    program = f"""
import os, signal, numpy as np
from clearhead.trace.recording import Recording
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Recording.open({str(recording.path)!r}).save(3, {{"E": np.zeros(7)}}, [])
"""
    done = subprocess.run([sys.executable, "-c", program])
    assert done.returncode == -signal.SIGKILL
    assert len(names(recording)) == 3  # the part is still there
    assert recording.newest()[1] == []
    assert recording.arrays(3)["E"].tolist() == ARRAYS["E"].tolist()
    Recording.open(recording.path).save(5, ARRAYS, [])
    assert names(recording) == ["recording.json", "step-00000003.checkpoint", "step-00000005.checkpoint"]
