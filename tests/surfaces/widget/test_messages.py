"""Requests of a view and their replies; what stands in a saved notebook; what is missing."""

import json
import subprocess
import sys
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import clearhead as ch
from clearhead.session.requests import answer
from clearhead.sources.worked.study.capture import capture_study
from clearhead.surfaces.widget.output import Html, bundle_of, display_of, view_of
from clearhead.surfaces.widget.still import still_of
from clearhead.trace.installing import install
from clearhead.trace.notation.numbers import format_number

REQUEST = json.dumps({"id": 5, "asks": [
    {"ask": "examples"},
    {"ask": "walkthrough", "state": {"example": "three-words"}},
]})  # fmt: skip


def test_a_request_has_one_reply_with_all_in_one_buffer_for_the_view_that_asked(sent):
    view = ch.show("three-words")
    view._handle_custom_msg({"kind": "request", "view": "a view", "text": REQUEST}, [])
    ((content, buffers),) = sent
    assert content == {"kind": "reply", "view": "a view"}
    assert buffers == [answer(view._shown, REQUEST)]


@pytest.mark.parametrize(
    "content", [{}, {"kind": "request"}, {"kind": "request", "text": 3}, {"kind": "other"}]
)
def test_what_is_no_request_is_let_pass(sent, content):
    ch.show("three-words")._handle_custom_msg(content, [])
    assert sent == []


def test_a_view_tells_of_nothing_but_what_it_shows():
    shown = ch.show("three-words")._shown
    assert [one["name"] for one in shown.ask({"ask": "examples"}).data["examples"]] == ["three-words"]
    capture = ch.show(capture_study("the man", 0, ()))._shown
    assert [one["name"] for one in capture.ask({"ask": "models"}).data["models"]] == [capture.name]


def test_one_object_is_one_view_until_it_is_closed():
    trace, other = ch.run("three-words"), ch.run("three-words")
    assert view_of(trace) is view_of(trace)
    assert view_of(trace) is not view_of(other)
    first = view_of(trace)
    first.close()
    assert view_of(trace) is not first


def test_ipython_in_a_terminal_gets_text_alone():
    assert bundle_of(ch.run("three-words")).keys() == {"text/plain"}


class Cells(HTMLParser):
    """The texts of a table's cells, and every tag there is."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_words_are_text_in_what_is_saved(odd, in_kernel):
    in_kernel()
    data, _ = bundle_of(odd)
    page = Cells(data["text/html"])
    assert page.tags == {"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert "<b>x</b>" in page.texts
    assert len(data["text/html"]) < 5000


def test_the_table_has_the_numbers(in_kernel):
    in_kernel()
    data, about = bundle_of(ch.run("three-words"))
    assert "0.77" in Cells(data["text/html"]).texts
    assert data["image/png"].startswith(b"\x89PNG")
    assert about["image/png"]["width"] > 100
    assert data["text/plain"].startswith("Trace of 'cats chase mice'")


def test_a_training_has_its_losses_and_a_capture_its_first_head():
    run = ch.train("tea-is-hot", steps=13, optimiser="sgd", learning_rate=0.5, progress=False)
    texts = Cells(still_of(run)[0]["text/html"]).texts
    assert repr(run) in texts
    assert "13" in texts
    capture = capture_study("the man saw the woman", 0, ())
    texts = Cells(still_of(capture)[0]["text/html"]).texts
    assert "woman" in texts
    assert any("L0H0" in text for text in texts)
    assert "query ↓ key →" in texts


def test_what_has_no_view_is_shown_still_with_the_reason(in_kernel):
    in_kernel()
    head = capture_study("the man saw the woman", 0, ()).head(1, 2, query=3)
    data, _ = bundle_of(head)
    assert "Trace: it has query 3 alone" in data["text/html"]
    assert "<tr><th>saw</th>" in data["text/html"]  # query 3, and not the first word
    assert "widget" not in str(data.keys())
    shown = display_of(head)
    assert isinstance(shown, Html)
    assert shown._mime_()[0] == "text/html"


def test_a_large_capture_is_not_drawn_unasked(monkeypatch):
    monkeypatch.setattr("clearhead.surfaces.widget.still.MOST_DRAWN", 3)
    assert still_of(capture_study("the man", 0, ()))[0].keys() == {"text/html"}


WITHOUT = """
import sys
sys.modules["{missing}"] = None
import clearhead as ch
from clearhead.surfaces.widget import output
output._in_kernel = lambda: True
trace = ch.run("three-words")
try:
    ch.show(trace)
except ImportError as error:
    print(error)
data, _ = trace._repr_mimebundle_()
print(sorted(data))
print(data["text/html"][:200])
"""


def _without(missing: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(missing=missing)], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_missing_anywidget_is_named_with_the_line_that_mends_it():
    said = _without("anywidget")
    assert said.startswith(
        f"notebook views need anywidget, and it is not installed; expected `{install('notebook')}` before\n"
    )
    assert "['image/png', 'text/html', 'text/plain']" in said
    assert "Notebook views need anywidget" in said


def test_without_matplotlib_the_table_is_what_is_saved():
    assert "['application/vnd.jupyter.widget-view+json', 'text/html', 'text/plain']" in _without("matplotlib")


def test_importing_and_running_needs_no_widget():
    program = (
        "import sys, clearhead as ch; ch.run('three-words'); "
        "print([name for name in sys.modules if name.partition('.')[0] in ('anywidget', 'ipywidgets', 'IPython')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_capture_s_table_is_its_weights():
    capture = capture_study("the man saw the woman", 0, ())
    texts = Cells(still_of(capture)[0]["text/html"]).texts
    shown = [float(text) for text in texts if text.replace(".", "", 1).isdigit() and "." in text]
    assert np.isclose(max(shown), capture.weights(0)[0].max(), atol=0.005)


@pytest.mark.parametrize("x", ["three-words", ch.load("three-words")], ids=["its name", "an example"])
def test_what_stands_in_for_an_example_is_its_first_map_of_weights(x):
    data, _ = still_of(x)
    assert "<caption>weights, head 0</caption>" in data["text/html"]
    assert format_number(float(ch.run("three-words")["weights"].values[0, 0, 1])) in data["text/html"]
    assert "image/png" in data


def test_what_stands_in_for_what_cannot_be_loaded_is_its_name():
    assert "<pre>nowhere &lt;b&gt;</pre>" in still_of("nowhere <b>")[0]["text/html"]


def test_what_is_masked_is_no_0_in_the_table(hand_captures):
    """It says so without its colours, which a preview takes away; a weight of 0 that may be seen is 0."""
    seen = np.tril(np.ones((3, 3), dtype=bool))
    weights = [[1, 0, 0], [0, 1, 0], [0.25, 0.75, 0]]
    capture = hand_captures.with_weights([weights], hand_captures.tokens((7, 11, 13)), visible=seen)
    for x in (capture, ch.run("three-words", mask="causal")):
        page = Cells(still_of(x)[0]["text/html"])
        assert page.texts.count("–") == 3
        assert any(text.endswith("; –: masked") for text in page.texts)
    assert (
        Cells(still_of(capture)[0]["text/html"]).texts.count("0") == 2
    )  # beside the diagonal of what is seen
    assert "masked" not in still_of(ch.run("three-words"))[0]["text/html"]
