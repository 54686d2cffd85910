"""`ch.capture`: the study model by its name, with nothing else installed; and texts with nothing in them."""

import subprocess
import sys

import pytest

import clearhead as ch
from clearhead.sources.worked.study.capture import capture_study

TEXT = "the woman calls bread"

WITHOUT_TORCH = """
import sys; sys.modules["torch"] = sys.modules["transformers"] = None
import clearhead as ch
print(ch.capture("study", "the woman calls bread").layer(1).heads)
print(ch.capture("study", text="the", generate=3, changes="L1H2 off").changes[0])
"""


def test_the_study_model_needs_nothing_installed():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=True)
    assert done.stdout == "4\nL1H2 off\n"


def test_it_is_the_same_capture_wherever_the_text_stands():
    wanted = capture_study(TEXT).weights(1)
    assert (ch.capture("study", TEXT).weights(1) == wanted).all()
    assert (ch.capture("study", text=TEXT).weights(1) == wanted).all()


def test_into_a_store(tmp_path):
    kept = ch.capture("study", TEXT, store=tmp_path / "store", overview=5)
    assert (ch.load_capture(tmp_path / "store").weights(0) == kept.weights(0)).all()
    with pytest.raises(ch.CaptureError, match="overview: a store of the study model has one"):
        ch.capture("study", TEXT, store=tmp_path / "other", overview=False)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "text: expected a text, since the study model reads words; got NoneType"),
        ({"text": [1, 2]}, "text: expected a text, since the study model reads words; got list"),
        ({"text": TEXT, "decoder": "bread"}, "decoder is for a model that is loaded"),
        ({"text": TEXT, "overview": 0.5}, "overview: expected True, False, or how many bins"),
        ({"text": ""}, "text: is empty; expected something to read"),
        ({"text": " \n"}, "text: is empty; expected something to read"),
    ],
)
def test_what_cannot_be_is_one_sentence(given, says):
    with pytest.raises(ch.CaptureError) as error:
        ch.capture("study", **given)
    assert str(error.value).startswith(says)


def test_another_name_is_told_what_makes_a_model_of_it():
    with pytest.raises(
        ch.CaptureError, match=r"'gpt2' is a name; expected what clearhead.load_model\('gpt2'\) gives"
    ):
        ch.capture("gpt2", "a text")
    with pytest.raises(
        ValueError, match=r"study: the model that comes along is not loaded; expected clearhead.capture"
    ):
        ch.load_model("study")
