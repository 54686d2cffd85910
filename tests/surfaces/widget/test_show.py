"""What `show` takes, what it begins with, and what a person chose, as Python has it."""

import json
import math
from typing import Any

import numpy as np
import pytest

import clearhead as ch
from clearhead.session.bundle import bundle
from clearhead.sources.worked.study.capture import capture_study


@pytest.fixture(scope="module")
def training() -> ch.TrainingRun:
    return ch.train("tea-is-hot", steps=13, optimiser="sgd", learning_rate=0.5, progress=False)


@pytest.fixture(scope="module")
def capture() -> ch.Capture:
    return capture_study("the man saw the woman", 0, ())


def test_the_script_is_the_built_page_byte_for_byte():
    assert ch.show("three-words")._esm.encode() == bundle()


@pytest.mark.parametrize("name", ch.examples())
def test_every_example_its_trace_and_its_name_begin_alike(name):
    example = ch.load(name)
    values = [ch.show(one).value for one in (name, example, ch.run(example))]
    assert values[0]["words"] == list(example.tokens)
    assert values[0]["problem"] is None
    assert values[1] == values[0]
    assert values[2]["words"] == values[0]["words"]
    assert values[2]["settings"] == values[0]["settings"]


@pytest.mark.parametrize(
    ("options", "address"),
    [
        ({}, "example=three-words"),
        ({"cell": "scores[0,2,1]"}, "example=three-words&cell=scores:0:2:1"),
        ({"cell": "weights 0 1 0"}, "example=three-words&cell=weights:0:1:0"),
        # the largest weight of "chase" is that of "cats", 0.77, and mice looks at chase most
        ({"head": 0, "query": 1}, "example=three-words&cell=weights:0:1:0"),
        ({"query": 1}, "example=three-words&cell=weights:0:1:0"),
    ],
)
def test_options_of_an_example(options, address):
    assert ch.show("three-words", **options).address == address


def test_options_of_a_training(training):
    view = ch.show(training, step=7, cell="weights[0,2,1]")
    assert view.address == "example=tea-is-hot&training=sgd:0.5:13&step=7&cell=weights:0:2:1"
    number = training.trace(7)["weights"].values[0, 2, 1]
    assert view.value["cell"] == {"name": "weights[0,2,1]", "number": number}
    assert ch.show(training).value["step"] == 13


def test_a_training_longer_than_a_page_may_ask_for_is_shown():
    long = ch.train("tea-is-hot", steps=2003, optimiser="sgd", learning_rate=0.01, progress=False)
    assert ch.show(long).value["step"] == 2003


def test_options_of_a_capture(capture):
    assert ch.show(capture, layer=1, head=2, query=3).address == "model=.%2Fstudy&block=1&head=2&query=3"
    view = ch.show(capture, layer=1, head=2, cell="weights[3,1]")
    assert view.address == "model=.%2Fstudy&block=1&head=2&worked=1&number=weights:3:1"
    assert view.value["cell"] == {
        "name": "weights[3,1]",
        "number": capture.head(1, 2)["weights"].values[3, 1],
    }
    assert view.value["words"] == ["<start>", "the", "man", "saw", "the", "woman"]
    assert view.value["settings"]["layer"] == 1


def test_a_trace_of_a_trained_step_is_shown_with_its_own_numbers(training):
    trace = training.trace(13)
    view = ch.show(trace, cell="weights[0,3,1]")
    assert view.value["cell"]["number"] == trace["weights"].values[0, 3, 1]


WRONG: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    (3, {}, TypeError, "x: got int; expected a Trace, a Capture, a TrainingRun, a Recording"),
    ("nothing-such", {}, ch.ExampleError, "no example is named 'nothing-such'"),
    ("three-words", {"step": 3}, ValueError, "step: does nothing for an example; expected layer or head or query"),
    ("three-words", {"tower": "encoder"}, ValueError, "tower: does nothing for an example"),
    ("three-words", {"head": 7}, LookupError, "head: 7 is not there; expected a whole number from 0 to 0"),
    ("three-words", {"head": True}, LookupError, "head: True is not there"),
    ("three-words", {"query": -1}, LookupError, "query: -1 is not there; expected a whole number from 0 to 2"),
    ("three-words", {"query": "cats"}, LookupError, "query: 'cats' is not there"),
    ("three-words", {"layer": 1}, LookupError, "layer: 1 is not there; expected a whole number from 0 to 0"),
    ("three-words", {"cell": "weights[0,9,9]"}, LookupError, "cell: index: weights: query goes from 0 to 2, got 9"),
    ("three-words", {"cell": "wieghts[0,0,0]"}, LookupError, "cell: quantity: 'wieghts' is not known"),
    ("three-words", {"cell": "weights["}, ValueError, "cell: 'weights[' is no cell"),
    ("three-words", {"cell": 3}, ValueError, "cell: expected text such as 'weights[0,3,1]', got 3"),
    ("three-words", {"cell": "loss", "head": 0}, ValueError, "head: the cell says it already"),
    ("three-words", {"height": 3}, ValueError, "height: expected a whole number of pixels from 240 to 4000, got 3"),
    ("three-words", {"height": "tall"}, ValueError, "height: expected a whole number of pixels"),
    ("training", {"step": 1000}, LookupError, "step: step 1000 was not recorded; the nearest that were: 11, 12, 13"),
    ("training", {"batch": 0}, ValueError, "batch: does nothing for a training run"),
    ("capture", {"head": 1}, ValueError, "head: is of one layer; expected which, such as layer=0"),
    ("capture", {"layer": 0, "cell": "Q[0,0]"}, ValueError, "cell: is of one head; expected which, such as head=0"),
    ("capture", {"layer": 1, "head": 0, "cell": "weights[99,0]"}, LookupError, "cell: weights: query goes from 0 to 5"),
    ("capture", {"layer": 1, "head": 0, "cell": "wieghts[0,0]"}, LookupError, "cell: no quantity named 'wieghts'"),
    ("capture", {"layer": 9}, LookupError, "layer: 9 is none of this model's"),
    ("capture", {"layer": 1, "head": 9}, LookupError, "head: 9 is none of layer 1's; expected 0 to 3"),
    ("capture", {"layer": 1, "head": 0, "query": 99}, LookupError, "query: 99 is not there"),
    ("capture", {"tower": "encoder"}, ValueError, "tower: is of one layer"),
    ("capture", {"step": 1}, ValueError, "step: does nothing for a capture"),
    ("capture", {"batch": 1}, LookupError, "batch: 1 is not there; expected a whole number from 0 to 0"),
]  # fmt: skip


@pytest.mark.parametrize(("x", "options", "error", "says"), WRONG)
def test_what_is_wrong_is_said_by_name(x, options, error, says, training, capture):
    given = {"training": training, "capture": capture}.get(x, x)
    with pytest.raises(error) as raised:
        ch.show(given, **options)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_head_by_itself_is_shown_with_the_numbers_of_its_trace(capture):
    trace = capture.head(1, 2)
    view = ch.show(trace, query=3, cell="XW_Q[3,1]")
    assert view.address == "model=.%2Fstudy&query=3&worked=1&number=XW_Q:3:1"
    assert view.value["cell"] == {"name": "XW_Q[3,1]", "number": trace["XW_Q"].values[3, 1]}
    assert view.value["words"] == list(trace.tokens)
    assert repr(view) == "AttentionWidget of 'head L1H2 of study'"


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"layer": 1}, ValueError, "layer: does nothing for a head; expected query or cell"),
        ({"query": 6}, LookupError, "query: 6 is not there; expected a whole number from 0 to 5"),
        ({"cell": "wieghts[0,0]"}, LookupError, "cell: no quantity named 'wieghts'"),
    ],
)
def test_what_is_wrong_of_a_head_is_said_by_name(options, error, says, capture):
    with pytest.raises(error) as raised:
        ch.show(capture.head(1, 2), **options)
    assert says in str(raised.value)


def test_one_query_of_a_head_is_refused_with_the_way_to_see_it(capture):
    with pytest.raises(ch.ExampleError, match=r"it has query 3 alone; expected all of the head, .* query=3"):
        ch.show(capture.head(1, 2, query=3))


@pytest.fixture
def recording(tmp_path) -> ch.Recording:
    """Steps 0, 2 and 5 of a training of two parameters, with the losses of five updates; sizes worked out by hand."""
    made = ch.Recording.create(
        tmp_path / "mine", {"kind": "PyTorch training", "torch": "2", "about": {"lr": 3}}
    )
    losses = [7.0, 5.0, 3.0, 2.0, 1.0]
    for step, scale in ((0, 1.0), (2, 2.0), (5, 0.5)):
        arrays = {
            "model/w": np.array([[3.0, 4.0]]) * scale,
            "model/b": np.zeros(3),
            "optimizer/m": np.ones(2),
        }
        made.save(step, arrays, losses[:step])
    return made


def test_a_recording_is_shown_at_its_last_step_or_the_one_asked_for(recording):
    assert ch.show(recording).value["step"] == 5
    view = ch.show(recording, step=2)
    assert (view.address, view.value["problem"]) == ("example=&step=2", None)
    assert repr(view) == "AttentionWidget of 'the training in mine'"
    with pytest.raises(LookupError, match="step: 3 was not saved; the nearest that were: 0, 2, 5"):
        ch.show(recording, step=3)
    with pytest.raises(ValueError, match="head: does nothing for a recording; expected step"):
        ch.show(recording, head=1)


def test_what_is_told_of_a_recording(recording):
    answer = ch.show(recording)._shown.ask({"ask": "recording", "state": {"example": "", "step": 4}})
    data = answer.data
    assert (data["step"], data["saved"]) == (2, [0, 2, 5])
    assert answer.buffers[data["losses"]].tolist() == [7, 5, 3, 2, 1]
    assert data["facts"] == ["Recorded with PyTorch 2.", "lr: 3"]
    # (6, 8): a length of 10 over the root of 2 numbers; 5 away from (3, 4), which is as long as that was
    assert data["parameters"] == [
        {"name": "w", "shape": [1, 2], "size": pytest.approx(10 / 2**0.5), "moved": 1.0},
        {"name": "b", "shape": [3], "size": 0.0, "moved": None},
    ]


def test_a_recording_without_a_saved_step_is_refused(tmp_path):
    with pytest.raises(ch.ExampleError, match="no step of it was saved"):
        ch.show(ch.Recording.create(tmp_path / "empty", {}))


def unscaled(q, k, v):
    scores = q @ k.swapaxes(-1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


@pytest.fixture(scope="module")
def report() -> ch.Report:
    return ch.check(unscaled)


def test_a_report_is_shown_with_the_cell_that_was_asked_for(report):
    view = ch.show(report)
    assert (view.address, view.value["cell"], view._parts) == ("example=", None, ["report"])
    assert repr(view) == "AttentionWidget of 'the report on an attention'"
    small = report.smallest
    for cell, side, trace in (
        ("scaled[1,0]", "right", small.reference),
        ("yours.scaled[1,0]", "yours", small.known),
    ):
        view = ch.show(report, cell=cell)
        assert view.address == f"example=&cell={side}.scaled:1:0"
        number = trace["scaled"].values[1, 0]
        assert view.value["cell"] == {"name": f"{side}.scaled[1,0]", "number": number}
    with pytest.raises(LookupError, match="cell: no quantity named 'scald'; did you mean scaled"):
        ch.show(report, cell="yours.scald[0,0]")
    with pytest.raises(LookupError, match="cell: scaled: key goes from 0 to"):
        ch.show(report, cell="scaled[0,99]")
    with pytest.raises(ValueError, match="step: does nothing for a report; expected cell"):
        ch.show(report, step=1)
    with pytest.raises(LookupError, match="cell: nothing differs here"):
        ch.show(ch.Report(True, "agrees", 0), cell="scaled[0,0]")


def test_a_report_shows_itself_as_the_last_expression(report, in_kernel):
    from clearhead.surfaces.widget.output import view_of

    assert report._repr_mimebundle_() == {"text/plain": repr(report)}  # a terminal
    assert repr(report) == "Report('does not agree: it leaves the scores undivided (no-scale)')"
    in_kernel()
    data, _ = report._repr_mimebundle_()
    assert data["text/plain"] == repr(report)
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "The first step that comes out otherwise: scaled." in data["text/html"]  # where no kernel is
    assert report._display_() is view_of(report)


def test_the_folder_of_a_training_of_an_example_is_shown_as_that_training(training, tmp_path):
    training.save(tmp_path / "run")
    view = ch.show(ch.Recording.open(tmp_path / "run"), step=7)
    assert view.value == ch.show(training, step=7).value


def test_a_sentence_too_long_for_a_page_is_refused():
    with pytest.raises(ch.ExampleError, match="the walkthrough takes up to 64"):
        ch.show(ch.run("three-words", tokens=["cats"] * 67))


def test_value_follows_what_a_page_says_and_has_the_numbers_of_python():
    view = ch.show("three-words")
    state = {"example": "three-words", "mask": "causal", "edits": [
        {"matrix": "E", "row": "cats", "column": 0, "value": 7},
    ]}  # fmt: skip
    view.set_state(
        {"_page": {"state": state, "layer": 0, "cell": {"quantity": "masked", "index": [0, 1, 2]}}}
    )
    assert view.value["settings"]["mask"] == "causal"
    assert view.value["edits"] == state["edits"]
    assert view.value["cell"] == {"name": "masked[0,1,2]", "number": -math.inf}
    json.dumps(view.get_state(["value"]), allow_nan=False)  # what a notebook sends is JSON


def test_every_number_of_value_is_exactly_the_one_in_the_trace():
    trace = ch.run("three-words", mask="causal")
    view = ch.show(trace)
    for name in ("Q", "scores", "weights", "logits"):
        for index in np.ndindex(trace[name].shape):
            cell = {"quantity": name, "index": list(index)}
            view.set_state({"_page": {"state": {"example": "three-words"}, "layer": 0, "cell": cell}})
            assert view.value["cell"]["number"] == trace[name].values[index]


@pytest.mark.parametrize(
    "page",
    [
        {"state": {"example": "three-words", "mask": "wrong"}},
        {"state": {"example": "no-such"}},
        {"state": {"example": "three-words"}, "cell": {"quantity": "weights", "index": [0, 9, 9]}},
    ],
)
def test_a_page_with_a_mistake_is_told_in_value(page):
    view = ch.show("three-words")
    view.set_state({"_page": page})
    assert view.value["problem"]
    assert view.value["cell"] is None


@pytest.mark.parametrize("look", [
    {"tower": "no-such"}, {"layer": 9}, {"batch": 3}, {"layer": 0, "number": {"quantity": "weights", "index": [9, 9]}},
])  # fmt: skip
def test_a_page_of_a_capture_with_a_mistake_is_told_in_value(capture, look):
    view = ch.show(capture)
    view.set_state({"_page": {"state": {"example": ""}, "model": {"model": view._shown.name, **look}}})
    assert view.value["problem"]
    assert view.value["cell"] is None


def test_of_a_long_text_one_row_is_worked_out(hand_captures):
    capture = hand_captures.random_capture("float64", 521, 521)
    view = ch.show(capture, layer=0, head=0, cell="weights[517,2]")
    assert view.value["cell"] == {"name": "weights[517,2]", "number": capture.row(0, 0, 517)[2]}


def test_value_is_not_to_be_written():
    with pytest.raises(Exception, match="read-only"):
        ch.show("three-words").value = {}
