"""What cannot be drawn is one sentence: what, where, what was expected. And tokens are text, whatever they hold."""

import subprocess
import sys
from xml.etree import ElementTree

import pypdf
import pytest

import clearhead as ch
from clearhead.sources.worked.study.capture import capture_study
from clearhead.surfaces.figure.words import LONGEST, word
from clearhead.trace.installing import install

HOSTILE = [
    "$x^2$",
    "</text><script>alert(1)</script>",
    "a" * 10_000,
    "\\$ $",
    "a\x00b\u202e\n",
    "\ufffe",
    "_{",
    "&amp;",
    " ",
]


@pytest.fixture(scope="module")
def cap():
    return capture_study("the woman calls bread")


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("nothing", {}, "no quantity named 'nothing'"),
        ("weights", {"head": 7}, "head goes from 0 to 0, got 7"),
        ("weights", {"layer": 0}, None),
        ("weights", {"layer": 1}, "layer: 1 is not there; expected 0, the only one"),
        ("scores[0,1,0]", {"layer": 3}, "layer: 3 is not there; expected 0, the only one"),
        ("weights[0,1]", {}, "weights: expected 3 whole numbers"),
        ("weights[0,1,9]", {}, "key goes from 0 to 2, got 9"),
        ("X", {"head": 0}, "head: X has none"),
        ("weights", {"score": "induction"}, "score: does nothing for 'weights'; expected layer or head"),
        ("weights", {"batch": 0}, "batch: does nothing"),
        ("lines", {"query": 3}, "query: 3 is no place; expected one from 0 to 2"),
        ("lines", {"head": 2}, "head goes from 0 to 0, got 2"),
        (3, {}, "kind: expected a kind, a quantity's name or a list of names, got 3"),
        ([], {}, "kind: expected a kind"),
        ("weights,", {}, "kind: expected a kind"),
        ("weights", {"width": "wide"}, "width: expected 'column', 'page' or inches from 1 to 40, got 'wide'"),
        ("weights", {"width": 0}, "got 0"),
        ("weights", {"width": float("nan")}, "got nan"),
        ("weights", {"width": True}, "got True"),
        ("weights", {"theme": "blue"}, "theme: expected one of light, dark, grey, got 'blue'"),
        ("weights", {"digits": 7}, "digits: expected one of 2, 3, 4, full, got 7"),
        ("weights", {"ax": 3}, "ax: this draws 1 matrix; expected axes of Matplotlib"),
    ],
)
def test_of_a_trace(causal, kind, options, said):
    if said is None:
        assert causal.figure(kind, **options)
        return
    with pytest.raises((ValueError, LookupError)) as raised:
        causal.figure(kind, **options)
    assert said in str(raised.value.args[0])
    assert "\n" not in str(raised.value.args[0])


def test_of_a_trace_of_several_layers():
    study = ch.run("study")
    with pytest.raises(LookupError, match="layer: 2 is not there; expected 0 to 1"):
        study.figure("weights", layer=2)
    with pytest.raises(ValueError, match="head: there are 4; expected which, from 0 to 3"):
        study.figure("lines", layer=0)
    with pytest.raises(LookupError, match=r"did you mean layer1.weights or layer0.weights\?"):
        study.figure("weights")


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("weights", {}, "layer: 'weights' is of one layer; expected which, such as layer=0"),
        ("nope", {}, "no quantity named 'nope'"),
        ("weights", {"layer": 9}, "layer: 9 is none of this model's"),
        ("weights", {"layer": 0, "head": 9}, "head: 9 is none of layer 0's; expected 0 to 3"),
        ("lines", {"layer": 0}, "head: 'lines' is of one head; expected which, from 0 to 3"),
        ("scores[1,0]", {"layer": 0}, "head: 'scores[1,0]' is of one head"),
        ("heads", {"layer": 0}, "layer: does nothing for 'heads'; expected tower or batch or score"),
        ("heads", {"score": "nice"}, "score: 'nice' is none; expected one of entropy"),
        ("heads", {"tower": "roof"}, "tower: 'roof' is none of this model's"),
        ("heads", {"batch": 1}, "batch: 1 is none of this capture's; expected 0 to 0"),
        ("loss", {"layer": 0, "head": 0}, "no quantity named 'loss'"),
    ],
)
def test_of_a_capture(cap, kind, options, said):
    with pytest.raises((ValueError, LookupError)) as raised:
        ch.figure(cap, kind, **options)
    assert said in str(raised.value.args[0])


def test_of_a_training(tmp_path):
    run = ch.train("tea-is-hot", steps=2, optimiser="sgd", learning_rate=0.5)
    with pytest.raises(
        ValueError, match="step: 'weights' is of one step of the training; expected which, such as step=2"
    ):
        ch.figure(run, "weights")
    with pytest.raises(KeyError, match="step 77 was not recorded"):
        ch.figure(run, "weights", step=77)
    with pytest.raises(ValueError, match="of a recording only 'loss' can be drawn"):
        ch.figure(ch.Recording.create(tmp_path / "own", {}), "weights")
    empty = ch.train("tea-is-hot", steps=0)
    with pytest.raises(ValueError, match="this training has no loss yet"):
        ch.figure(empty)


@pytest.mark.parametrize("wrong", [3, None, [1.0]])
def test_of_what_is_nothing_that_can_be_drawn(wrong):
    with pytest.raises(
        TypeError, match=f"got {type(wrong).__name__}; expected a Trace, a Capture, a TrainingRun"
    ):
        ch.figure(wrong)
    with pytest.raises(ch.ExampleError, match=r"three-word.*did you mean three-words"):
        ch.figure("three-word")


def test_a_figure_that_does_not_fit_says_so():
    trace = ch.run("two-heads")
    with pytest.raises(ValueError, match="do not fit 1 inches; expected a wider figure, or one panel"):
        trace.figure("E", width=1)


@pytest.mark.parametrize("kind", ["weights", "lines", "E", "scores[0,1,2]"])
def test_tokens_are_text_in_every_figure(tmp_path, as_svg, strange, kind):
    trace = strange(*HOSTILE)
    drawn = as_svg(trace.figure(kind, width="page"))
    assert not list(drawn.root.iter("{http://www.w3.org/2000/svg}script"))
    shown = set(drawn.texts)
    if "[" not in kind:
        assert "$x^2$" in shown
        assert "</text><scrip…" in shown
        assert "a" * (LONGEST - 1) + "…" in shown
        assert "\\$ $" in shown
        assert "&amp;" in shown
    ch.save_figure(trace.figure(kind, width="page"), tmp_path / "figure.pdf")
    assert len(pypdf.PdfReader(tmp_path / "figure.pdf").pages) == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_a_token_is_one_short_line_that_xml_can_hold(text):
    shown = word(text)
    assert 0 < len(shown) <= LONGEST
    assert shown.isprintable()
    ElementTree.fromstring(ElementTree.tostring(_element(shown)))


def _element(text):
    element = ElementTree.Element("text")
    element.text = text
    return element


def test_a_font_of_boxes_is_no_font():
    """No font has a picture of what is not assigned; Matplotlib brings one with a box for it."""
    assert word("\u0378") == "‹U+0378›"


def test_a_character_without_a_picture_is_shown_by_its_number(monkeypatch):
    monkeypatch.setattr("clearhead.surfaces.figure.words._other_font", lambda character: None)
    assert word("中") == "‹U+4E2D›"
    assert word("é") == "é"


def test_without_matplotlib_the_message_says_what_to_install():
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import clearhead as ch\n"
        "trace = ch.run('three-words')\n"
        "for call in (trace.figure, lambda: ch.figure(trace), lambda: ch.save_figure(None, 'figure.svg')):\n"
        "    try: call()\n"
        "    except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.count(f"expected `{install('figures')}` before") == 3


def test_naming_figure_loads_no_matplotlib():
    program = "import sys, clearhead as ch; ch.figure, ch.save_figure; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
