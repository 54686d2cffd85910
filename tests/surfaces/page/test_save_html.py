"""Saving a page: what it says, what is refused, and what strange words do to it."""

import os
import re
from dataclasses import replace

import numpy as np
import pytest

import clearhead as ch
from clearhead.surfaces.page import save_html
from clearhead.trace.capture.token import Token

STRANGE = (
    "</script><script>window.broken = 1</script>", "<!--<script>", "<img src=x onerror='window.broken=1'>",
    "x" * 10_000, "{policy}", "\u2028\u0000\r\n", "$", "&lt;", "漢字 🙂",
)  # fmt: skip


def strange(capture):
    """The capture with strange words for its tokens, its model and its text."""
    words = tuple(Token(STRANGE[at % len(STRANGE)], at, None, None) for at in range(7))
    about = {"model": STRANGE[0], "text": [STRANGE[1], STRANGE[3]], "notes": [STRANGE[2]]}
    return replace(capture, texts={"text": (words, words)}, provenance=about)


def test_no_word_gets_out_of_its_place(tmp_path, hand_captures, ask_page):
    saved = save_html(strange(hand_captures.random_capture()), tmp_path / "page.html")
    page = saved.path.read_text(encoding="utf-8")
    opened = re.findall(r"<\s*/?\s*(\w+)", page)
    assert set(opened) <= {"html", "head", "meta", "title", "body", "noscript", "script"}
    assert opened.count("script") == 2 * (page.count('type="text/plain"') + 1)
    assert "window.broken = 1" not in re.sub(r"<title>.*?</title>", "", page, flags=re.DOTALL)
    [models] = ask_page(saved.path, [{"ask": "models"}])
    name = models["data"]["models"][0]["name"]
    [head] = ask_page(saved.path, [{"ask": "head", "state": {"model": name}}])
    assert [token["text"] for token in head["data"]["queries"]] == list(STRANGE[:7])


def test_it_says_how_large_it_is_and_how_exact(tmp_path, hand_captures):
    saved = save_html(hand_captures.random_capture(), tmp_path / "page.html", worked=False)
    assert saved.size == saved.path.stat().st_size
    assert saved.says.startswith(
        "This page keeps every weight in whole steps of 0.0001; no weight differs by more than"
    )
    assert saved.says in str(saved)
    assert os.fspath(saved) == str(tmp_path / "page.html")
    exact = save_html("three-words", tmp_path / "example.html")
    assert exact.says == ""
    assert str(exact).endswith("kB)")


def test_float32_keeps_what_the_model_had(tmp_path, hand_captures):
    saved = save_html(hand_captures.random_capture("float32"), tmp_path / "page.html", precision="float32")
    assert "in float32" in saved.says
    furthest = float(re.search(r"more than (\S+) from", saved.says)[1].replace("−", "-"))
    assert furthest < 1e-7  # the bias of that capture is float64


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
@pytest.mark.parametrize("precision", ["short", "float32"])
def test_a_capture_in_any_format(tmp_path, hand_captures, dtype, precision):
    assert (
        save_html(hand_captures.random_capture(dtype), tmp_path / "page.html", precision=precision).size
        > 100_000
    )


def test_numbers_that_are_none_are_kept(tmp_path, hand_captures, ask_page):
    """A model may have computed NaN: the page shows it as it is."""
    capture = hand_captures.random_capture()
    first = capture.layers[0]
    value = np.array(first.attention.query)
    value[:, :, 3] = np.nan
    broken = replace(capture, layers=(replace(first, attention=replace(first.attention, query=value)),))
    for worked in (True, False):
        saved = save_html(broken, tmp_path / "page.html", worked=worked)
        state = {"model": "random"}
        [head] = ask_page(saved.path, [{"ask": "head", "state": state}])
        weights = head["buffers"][head["data"]["weights"]]
        assert weights[3 * 7 : 4 * 7] == ["NaN"] * 7
        assert all(isinstance(number, int | float) for number in weights[: 3 * 7])


def test_a_text_that_is_too_long_is_refused(tmp_path, hand_captures):
    from clearhead.trace.capture.attention import Attention
    from clearhead.trace.capture.visible import Named, Visible

    capture = hand_captures.random_capture()
    long = 513
    held = np.zeros((1, 1, long, 3), np.float32)
    attention = Attention(
        held, held, held, held.transpose(0, 2, 1, 3), 1.0, Visible(((Named("causal", long, long),),)), "sdpa"
    )
    tokens = (tuple(Token("w", 0, None, None) for _ in range(long)),)
    longer = replace(
        capture, layers=(replace(capture.layers[0], attention=attention),), texts={"text": tokens}
    )
    with pytest.raises(
        ValueError, match="text: random has read 513 tokens; a page is saved of a capture of at most 512"
    ):
        save_html(longer, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_way_to_keep_numbers_is_refused(tmp_path, hand_captures):
    with pytest.raises(ValueError, match="precision: expected 'short' or 'float32', got 'long'"):
        save_html(hand_captures.random_capture(), tmp_path / "page.html", precision="long")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("thing", [3, None, [1, 2], np.zeros(3)], ids=str)
def test_what_cannot_be_shown_is_refused(tmp_path, thing):
    with pytest.raises(
        TypeError,
        match="expected a Trace, a Capture, a TrainingRun, a Recording, a Report, an Example or the name of one",
    ):
        save_html(thing, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told_before_the_work(tmp_path):
    told = []
    with pytest.raises(IsADirectoryError, match="is a folder; expected the path of a file to write"):
        save_html("three-words", tmp_path, tell=lambda *how: told.append(how))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        save_html("three-words", tmp_path / "none" / "page.html", tell=lambda *how: told.append(how))
    with pytest.raises(OSError, match=r"a{300}"):
        save_html("three-words", tmp_path / ("a" * 300))
    with pytest.raises(ValueError, match=r"expected a name that ends in \.html, got '.*page\.pdf'"):
        save_html("three-words", tmp_path / "page.pdf", tell=lambda *how: told.append(how))
    assert told == []
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_stays_when_the_new_one_cannot_be_written(tmp_path, monkeypatch):
    place = tmp_path / "page.html"
    place.write_text("the old one", encoding="utf-8")
    from clearhead.surfaces.page import saving

    def pieces(*given):
        yield b"the first half of the new one"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saving, "document", pieces)
    with pytest.raises(OSError, match="No space left on device") as told:
        save_html("three-words", place)
    assert told.value.filename == str(place)
    assert place.read_text(encoding="utf-8") == "the old one"
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_without_the_built_page_nothing_is_written(tmp_path, monkeypatch):
    from clearhead.surfaces.page import document

    def missing():
        raise FileNotFoundError("the page has not been built; run `npm ci`")

    monkeypatch.setattr(document, "bundle", missing)
    with pytest.raises(FileNotFoundError, match="the page has not been built"):
        save_html("three-words", tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_progress_is_told(tmp_path, hand_captures):
    told = []
    save_html(hand_captures.random_capture(), tmp_path / "page.html", tell=lambda *how: told.append(how))
    assert told == [(done + 1, 40) for done in range(40)]  # 2 texts, 4 layers, 5 heads


def test_it_is_public():
    assert ch.save_html is save_html
