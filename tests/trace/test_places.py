"""Places of files: what cannot be written is told beforehand, and nothing is left of the attempt."""

import os
from pathlib import Path

import pytest

from clearhead.trace.places import file_place

PROC = Path("/proc")
"""A folder that takes no files from anybody, where there is one."""


def test_a_place_that_can_be_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "there.txt").write_text("as it was")
    (tmp_path / "link.txt").symlink_to("there.txt")
    whole = tmp_path.resolve()
    assert file_place("new.txt") == file_place("~/new.txt") == whole / "new.txt"
    assert file_place("link.txt") == file_place(tmp_path / "there.txt") == whole / "there.txt"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.txt", "there.txt"]
    assert (tmp_path / "there.txt").read_text() == "as it was"


@pytest.mark.parametrize(
    ("path", "kind", "says"),
    [
        (".", IsADirectoryError, ".: is a folder; expected the path of a file to write"),
        ("new/", IsADirectoryError, "new/: is a folder; expected the path of a file to write"),
        ("no/x.txt", FileNotFoundError, "no/x.txt: there is no folder 'no' to write it into"),
        (
            "there.txt/x.txt",
            FileNotFoundError,
            "there.txt/x.txt: there is no folder 'there.txt' to write it into",
        ),
        ("", FileNotFoundError, "path: expected the path of a file to write, got ''"),
        (" ", FileNotFoundError, "path: expected the path of a file to write, got ' '"),
        (3, TypeError, "path: expected the path of a file to write, got 3"),
        (os.devnull, OSError, f"{os.devnull}: is no file; expected the path of a file to write"),
        ("a\0b", OSError, "'a\\x00b': is no path ("),
        ("~nobody-of-this-name/x", OSError, "~nobody-of-this-name/x"),
        ("x" * 5000, OSError, "x" * 5000),
    ],
)
def test_a_place_that_cannot_is_one_sentence(tmp_path, monkeypatch, path, kind, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.txt").touch()
    with pytest.raises(kind) as error:
        file_place(path)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert "Errno" not in str(error.value)
    assert [one.name for one in tmp_path.iterdir()] == ["there.txt"]


@pytest.mark.skipif(not PROC.is_dir(), reason="there is no /proc here")
def test_a_folder_that_takes_no_file_is_found_out_by_trying():
    with pytest.raises(
        OSError, match=r"^/proc/x.txt: nothing can be written into the folder '/proc' \("
    ) as error:
        file_place(PROC / "x.txt")
    assert error.value.errno is None
