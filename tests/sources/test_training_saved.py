"""A training run on the disk: resumed it ends with the same bits; what goes wrong costs at most what was not saved."""

import errno
import json
import os

import numpy as np
import pytest

import clearhead as ch

CORPUS = ["the cat sleeps", "the dog sleeps", "a cat sees the dog", "the dog sees a cat"]
CONFIG = ch.Config(
    d_model=6, heads=2, layers=2, d_ff=7, norm="rms", activation="swiglu", positions="learned", seed=3
)
PLAN = {"batch": 3, "seed": 5, "every": 7}


def same(one, other):
    assert one.losses == other.losses
    assert one.last.step == other.last.step
    assert one.last.parameters.keys() == other.last.parameters.keys()
    for name, values in one.last.parameters.items():
        assert values.tobytes() == other.last.parameters[name].tobytes(), name


@pytest.mark.parametrize("optimiser", ["sgd", "momentum", "adamw"])
def test_resumed_from_the_disk_it_is_the_same_run(tmp_path, optimiser):
    whole = ch.train(CONFIG, CORPUS, steps=31, optimiser=optimiser, **PLAN)
    ch.train(CONFIG, CORPUS, steps=17, optimiser=optimiser, path=tmp_path / "run", **PLAN)
    resumed = ch.resume(tmp_path / "run", 31)
    same(whole, resumed)
    same(whole, ch.load_run(tmp_path / "run"))


def test_resumed_in_memory_it_is_the_same_run():
    whole = ch.train(CONFIG, CORPUS, steps=31, **PLAN)
    same(whole, ch.resume(ch.train(CONFIG, CORPUS, steps=17, **PLAN), 31))


@pytest.mark.parametrize("stop", [1, 6, 7, 8, 13])
def test_interrupted_at_any_step_and_resumed(tmp_path, stop):
    def interrupt(step, loss):
        if step == stop:
            raise KeyboardInterrupt

    run = ch.train(CONFIG, CORPUS, steps=31, path=tmp_path / "run", progress=interrupt, **PLAN)
    assert run.stopped == f"Training was interrupted after step {stop}."
    same(ch.train(CONFIG, CORPUS, steps=31, **PLAN), ch.resume(tmp_path / "run", 31))


def test_a_saved_run_reads_back_as_it_was(tmp_path):
    run = ch.train("mary-saw-tom", steps=5, learning_rate=0.01)
    run.save(tmp_path / "run")
    back = ch.load_run(tmp_path / "run")
    same(run, back)
    assert back.recorded == run.recorded
    assert back.start.tokens == run.start.tokens
    assert back.start.settings == run.start.settings
    assert back.optimiser == run.optimiser
    assert (back.start.title, back.start.name) == (run.start.title, run.start.name)
    for step in run.recorded:
        np.testing.assert_array_equal(back.trace(step)["dE"].values, run.trace(step)["dE"].values)


def test_what_the_switches_have_no_use_for_is_kept_too(tmp_path):
    example = ch.load("only-looking-back").vary(positions="none")
    ch.train(example, steps=2, path=tmp_path / "run")
    assert ch.load_run(tmp_path / "run").start.P.tolist() == example.P.tolist()


def full_disk(monkeypatch, after):
    """From the moment on that `after` files were written, the disk is full."""
    written, replace = [], os.replace

    def refuse(source, target, **rest):
        if len(written) >= after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(target)
        replace(source, target, **rest)

    monkeypatch.setattr(os, "replace", refuse)


def test_a_full_disk_stops_the_run_and_loses_nothing_of_it(tmp_path, monkeypatch):
    full_disk(monkeypatch, after=4)  # the header, and steps 0, 7 and 14
    run = ch.train(CONFIG, CORPUS, steps=31, path=tmp_path / "run", **PLAN)
    monkeypatch.undo()
    assert "Training stopped after step" in run.stopped
    assert "step 21 could not be saved because the disk is full" in run.stopped
    assert ch.load_run(tmp_path / "run").last.step == 14
    run.save(tmp_path / "elsewhere")
    same(ch.train(CONFIG, CORPUS, steps=31, **PLAN), ch.resume(tmp_path / "elsewhere", 31))
    same(ch.train(CONFIG, CORPUS, steps=31, **PLAN), ch.resume(tmp_path / "run", 31))


def test_a_folder_that_goes_away_while_training(tmp_path):
    def remove(step, loss):
        if step == 9:
            (tmp_path / "run").rename(tmp_path / "moved")

    run = ch.train(CONFIG, CORPUS, steps=31, path=tmp_path / "run", progress=remove, **PLAN)
    assert "Training stopped after step" in run.stopped
    assert run.steps >= 14
    same(ch.train(CONFIG, CORPUS, steps=31, **PLAN), ch.resume(run, 31))


def interrupted_at(monkeypatch, number):
    """Control-C at the moment when the file of that number, from 0, is to be put in its place."""
    begun, replace = [], os.replace

    def press(source, target, **rest):
        begun.append(target)
        if len(begun) == number + 1:
            raise KeyboardInterrupt
        replace(source, target, **rest)

    monkeypatch.setattr(os, "replace", press)


def test_an_interrupt_while_the_end_is_saved_loses_nothing(tmp_path, monkeypatch):
    interrupted_at(monkeypatch, 4)  # after the header and steps 0, 7 and 14 comes the end
    run = ch.train(CONFIG, CORPUS, steps=17, path=tmp_path / "run", **PLAN)
    monkeypatch.undo()
    assert run.stopped == "Training was interrupted after step 17."
    same(run, ch.load_run(tmp_path / "run"))


@pytest.mark.parametrize("number", [0, 1])
def test_an_interrupt_before_the_first_step_leaves_a_folder_that_can_be_used(tmp_path, monkeypatch, number):
    """While the header is written, and while the model before its first step is."""
    interrupted_at(monkeypatch, number)
    with pytest.raises(KeyboardInterrupt):
        ch.train(CONFIG, CORPUS, steps=2, path=tmp_path / "run", **PLAN)
    monkeypatch.undo()
    assert ch.train(CONFIG, CORPUS, steps=2, path=tmp_path / "run", **PLAN).recorded == [0, 2]


def test_a_damaged_step_is_passed_over(tmp_path):
    ch.train(CONFIG, CORPUS, steps=21, path=tmp_path / "run", **PLAN)
    newest = max((tmp_path / "run").glob("step-*"))
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    assert ch.load_run(tmp_path / "run").last.step == 14
    same(ch.train(CONFIG, CORPUS, steps=31, **PLAN), ch.resume(tmp_path / "run", 31))


def test_a_folder_that_is_taken_or_holds_no_run(tmp_path):
    ch.train(CONFIG, CORPUS, steps=1, path=tmp_path / "run")
    with pytest.raises(
        ch.RecordingError, match="holds a recording already; expected the path of a new or empty folder"
    ):
        ch.train(CONFIG, CORPUS, steps=1, path=tmp_path / "run")
    with pytest.raises(ch.RecordingError, match="no recording can be read here"):
        ch.resume(tmp_path / "nowhere", 3)
    ch.Recording.create(tmp_path / "other", {"kind": "something else"}).save(0, {}, [])
    with pytest.raises(
        ch.RecordingError, match=r"holds another kind of recording; expected one of clearhead\.train"
    ):
        ch.load_run(tmp_path / "other")


def test_the_last_good_model_is_saved_when_training_diverges(tmp_path):
    run = ch.train(
        CONFIG, CORPUS, steps=31, optimiser="sgd", learning_rate=1e5, path=tmp_path / "run", every=1
    )
    assert run.stopped.startswith("Training stopped: step")
    good = ch.load_run(tmp_path / "run")
    assert good.last.step == run.last.step
    assert np.isfinite(good.final_loss)


def test_a_damaged_first_file_leaves_the_others(tmp_path):
    whole = ch.train("tea-is-hot", steps=7, path=tmp_path / "run")
    (tmp_path / "run" / "step-00000000.checkpoint").write_bytes(b"damaged")
    back = ch.load_run(tmp_path / "run")
    assert back.recorded == [1, 2, 3, 4, 5, 6, 7]
    same(whole, back)
    same(ch.resume(whole, 11), ch.resume(tmp_path / "run", 11))


@pytest.mark.parametrize(
    "change",
    [
        {"optimiser": 3},
        {"vocabulary": ["tea"]},
        {"layers": 2},
        {"batch": "all"},
        {"sentences": [["no", "tea"]]},
        {"tokens": ["no"]},
    ],
)
def test_a_header_that_does_not_fit_is_one_sentence(tmp_path, change):
    ch.train("tea-is-hot", steps=2, path=tmp_path / "run")
    header = tmp_path / "run" / "recording.json"
    content = json.loads(header.read_text())
    content["header"] |= change
    header.write_text(json.dumps(content))
    with pytest.raises(ch.RecordingError, match="does not fit together") as refusal:
        ch.load_run(tmp_path / "run")
    assert "\n" not in str(refusal.value)
