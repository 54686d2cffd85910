"""`clearhead html`: one file, or one sentence; what it shows is asked of a browser in tests/browser."""

import pytest

import clearhead as ch


def test_an_example_becomes_one_file(run, tmp_path):
    place = tmp_path / "page.html"
    done = run("html", "three-words", "-o", str(place))
    assert done.exit_code == 0
    assert done.stdout.startswith(f"Saved in {place} (")
    page = place.read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_trace_a_training_and_a_file_of_ones_own(run, tmp_path):
    ch.run("three-words", mask="causal").save(tmp_path / "kept.clearhead")
    ch.train("three-words", steps=3, progress=False).save(tmp_path / "run")
    for source in ("kept.clearhead", "run"):
        done = run("html", str(tmp_path / source), "-o", str(tmp_path / "page.html"))
        assert (done.exit_code, (tmp_path / "page.html").stat().st_size > 100_000) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["lost", "-o", "page.html"], "no example is named 'lost'"),
        (["three-words", "-o", "."], "is a folder; expected the path of a file to write"),
        (["three-words", "-o", "nowhere/page.html"], "there is no folder 'nowhere' to write it into"),
    ],
)
def test_mistakes_are_one_sentence_and_leave_nothing(
    run, one_sentence, tmp_path, monkeypatch, arguments, says
):
    monkeypatch.chdir(tmp_path)
    assert says in one_sentence(run("html", *arguments))
    assert list(tmp_path.iterdir()) == []


def test_what_is_seen_first_and_how_the_example_is_varied(run, tmp_path):
    """The very page that Python saves."""
    here, there = tmp_path / "page.html", tmp_path / "python.html"
    done = run("html", "three-words", "--mask", "causal", "--cell", "weights[0,1,0]", "-o", str(here))
    assert done.exit_code == 0
    ch.save_html(ch.load("three-words").vary(mask="causal"), there, cell="weights[0,1,0]")
    assert here.read_bytes() == there.read_bytes()
    ch.save_html(ch.load("three-words").vary(mask="causal"), there)
    assert here.read_bytes() != there.read_bytes()


def test_what_was_saved_is_not_varied(run, one_sentence, tmp_path):
    ch.run("three-words").save(tmp_path / "kept.clearhead")
    done = run(
        "html", str(tmp_path / "kept.clearhead"), "--mask", "causal", "-o", str(tmp_path / "page.html")
    )
    assert (
        one_sentence(done) == "clearhead: --mask: cannot change what was saved; expected an example with it\n"
    )


def test_a_place_that_is_not_there_is_said_and_leaves_nothing(run, tmp_path):
    done = run("html", "three-words", "--step", "3", "-o", str(tmp_path / "page.html"))
    assert "step: does nothing for an example; expected layer or head or query or cell" in done.stderr
    assert (done.exit_code, list(tmp_path.iterdir())) == (1, [])
