"""What is not there, or is something else, is called what it is; what cannot be written is told before any work."""

import shutil
from pathlib import Path

import pytest

import clearhead as ch
from clearhead.sources.worked.study.capture import capture_study
from clearhead.surfaces.cli.opening import named_after

PROC = Path("/proc")
"""A folder that takes no files from anybody, where there is one."""

LOST = {
    "why": ["weights[0,0,0]"], "table": ["weights"], "html": ["-o", "a.html"], "figure": ["-o", "a.svg"], "heads": [],
}  # fmt: skip
"""The commands that open what was saved, and what they are given beside it."""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with something of each kind."""
    monkeypatch.chdir(tmp_path)
    capture_study("the woman calls bread").save("mine.safetensors")
    ch.run("three-words").save("trace")
    (tmp_path / "notes.txt").write_text("no capture")
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.fixture
def said(run, one_sentence, here):
    """What a command says of such a source; nothing is left behind."""
    before = sorted(here.iterdir())

    def said_by(command, source):
        sentence = one_sentence(run(command, source, *LOST[command]))
        assert sorted(here.iterdir()) == before
        return sentence

    return said_by


@pytest.mark.parametrize("command", LOST)
def test_a_path_that_is_not_there(said, command):
    assert (
        "mine.safetensor: there is no such file or folder; did you mean mine.safetensors? Expected "
        in said(command, "mine.safetensor")
    )
    for path in ("runs/mine", "x.cap", "none.toml", "./mine"):
        assert f"{path}: there is no such file or folder; " in said(command, path)


@pytest.mark.parametrize("command", LOST)
def test_what_is_there_and_something_else(said, command):
    for source in ("notes.txt", "empty", *([] if command in ("html", "figure") else ["trace"])):
        sentence = said(command, source)
        assert f"{source}: is none of what can be opened here; expected " in sentence
        assert "a capture (see `clearhead capture`)" in sentence


@pytest.mark.parametrize("command", [command for command in LOST if command != "heads"])
def test_a_name_that_no_example_has(said, command):
    assert "no example is named 'three-wrods', and there is no such file; did you mean three-words?" in said(
        command, "three-wrods"
    )
    assert (
        "no example is named 'xyzzy', and there is no such file; expected an example (`clearhead ex"
        in said(command, "xyzzy")
    )


def test_heads_are_those_of_captures(said):
    assert "three-words: is an example; expected a capture" in said("heads", "three-words")


def test_a_file_that_is_called_as_an_example_is_not_in_its_way(run, here):
    shutil.copy("notes.txt", "three-words")
    assert run("why", "three-words", "weights[0,0,0]").exit_code == 0
    assert run("html", "three-words", "-o", "a.html").exit_code == 0


@pytest.mark.skipif(not PROC.is_dir(), reason="there is no /proc here")
@pytest.mark.parametrize(
    "arguments",
    [
        ["html", "lost", "-o", "/proc/a.html"],
        ["figure", "lost", "-o", "/proc/a.svg"],
        ["worksheet", "lost", "-o", "/proc/a.pdf"],
        ["worksheet", "lost", "-o", "a.pdf", "--key", "/proc/a.pdf"],
        ["table", "lost", "weights", "-o", "/proc/a.md"],
        ["capture", "lost", "--text", "the", "-o", "/proc/a.safetensors"],
        ["capture", "lost", "--text", "the", "--overview", "-o", "/proc/a"],
        ["model", "lost", "--store", "/proc/a", "--no-browser"],
        ["heads", "lost", "--corpus", "lost.txt", "-o", "/proc/a.parquet"],
    ],
)
def test_a_folder_that_takes_no_file_is_told_first(run, one_sentence, here, arguments):
    """The source is not there either: what is said shows that nothing was opened before."""
    before = sorted(here.iterdir())
    sentence = one_sentence(run(*arguments))
    assert "nothing can be written into the folder '/proc' (" in sentence
    assert "Errno" not in sentence
    assert sorted(here.iterdir()) == before


def test_html_says_what_it_does_where_there_is_no_terminal(run, here):
    done = run("html", "three-words")
    assert done.stderr == "three-words: working out the page, every state of it\n"
    assert done.stdout.startswith("Saved in three-words-page.html (")
    assert (here / "three-words-page.html").exists()


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("three-words", "three-words-page.html"),
        ("deep/mine.toml", "mine-page.html"),
        ("cap.safetensors", "cap-page.html"),
        ("runs/v1.5/", "v1.5-page.html"),
    ],
)
def test_a_file_is_called_after_what_it_is_made_of(source, name):
    assert named_after(source, "page", ".html") == name
