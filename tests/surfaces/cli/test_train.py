"""`clearhead train`: the loop watched, ended, and gone wrong."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import clearhead as ch
from clearhead.sources.worked.config import Config
from clearhead.sources.worked.training.loop import train
from clearhead.sources.worked.training.saved import load_run
from clearhead.surfaces.cli.learning import Interrupts, read_config
from clearhead.surfaces.cli.losses import chosen_steps, curve
from clearhead.trace.notation.numbers import format_number

SENTENCE = ["the", "cat", "saw", "a", "dog"]
"""What `model` is shown on."""


def losses_of(text):
    return {int(step): loss for step, loss in re.findall(r"^ +(\d+)  (\S+)$", text, re.MULTILINE)}


def test_the_losses_are_those_of_the_loop_and_begin_with_the_trace(run, model):
    done = run("train", model, "--steps", "20")
    assert done.exit_code == 0
    shown = losses_of(done.stdout)
    assert list(shown) == [1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]
    assert shown[1] == format_number(float(ch.run(model)["loss"].values), 4)
    losses = train(model, steps=20).losses
    assert shown == {step: format_number(losses[step - 1], 4) for step in shown}


def test_after_training_every_word_expects_the_one_that_comes(run, model):
    text = run("train", model, "--steps", "200").stdout
    expected = text[text.index("What each position expects now") :].splitlines()[1:]
    for line, word, after in zip(expected, SENTENCE, SENTENCE[1:], strict=False):
        assert re.match(rf"  \d {word} +✓ {after} (0\.9\d|1\.00) ", line)


def test_how_it_was_trained_is_said(run, model, corpus):
    options = ["--steps", "3", "--optimiser", "momentum", "--learning-rate", "0.125"]
    text = run("train", model, corpus, *options).stdout
    assert "\n3 steps of momentum, learning rate 0.125, on 3 sentences\n" in text


def test_batches_and_seeds_are_those_of_the_loop(run, model, corpus):
    how = {"steps": 5, "batch": 2, "seed": 11}
    options = [word for name, value in how.items() for word in (f"--{name}", str(value))]
    losses = train(model, Path(corpus).read_text("utf-8"), **how).losses
    assert losses_of(run("train", model, corpus, *options).stdout) == {
        step: format_number(loss, 4) for step, loss in enumerate(losses, 1)
    }


def test_a_new_model_begins_with_a_config(run, corpus):
    config = "d_model=6 heads=3, d_ff=7 layers=2 tied=false norm=rms"
    losses = train(
        Config(d_model=6, heads=3, d_ff=7, layers=2, tied=False, norm="rms"),
        Path(corpus).read_text("utf-8"),
        steps=3,
    ).losses
    done = run("train", corpus, "--config", config, "--steps", "3")
    assert losses_of(done.stdout) == {step: format_number(loss, 4) for step, loss in enumerate(losses, 1)}


def test_every_field_of_a_config_can_be_given():
    text = "d_model=6 heads=3 layers=2 d_ff=0 tied=false context=13 seed=5 mask=none scale=false positions=learned"
    assert read_config(f"{text} norm=none norm_place=post activation=gelu") == Config(
        d_model=6, heads=3, layers=2, d_ff=0, tied=False, context=13, seed=5, mask="none", scale=False,
        positions="learned", norm="none", norm_place="post", activation="gelu",
    )  # fmt: skip


def test_no_steps_leave_the_model_as_it_is(run, model):
    text = run("train", model, "--steps", "0").stdout
    assert losses_of(text) == {}
    assert "0 steps of adamw" in text
    likeliest = ch.run(model)["probabilities"].values.max(axis=1)
    for position, probability in enumerate(likeliest.tolist()):
        assert re.search(rf"^  {position} \w+ .* {format_number(probability)}\b", text, re.MULTILINE)


def test_a_loss_that_runs_away_is_one_sentence_and_no_success(run, model, one_sentence):
    done = run("train", model, "--optimiser", "sgd", "--learning-rate", "1e6", "--steps", "50")
    assert re.match(r"clearhead: Training stopped: step \d+: .* the last good one\.$", one_sentence(done))
    assert "What each position expects now" not in done.stdout
    assert losses_of(done.stdout)


@pytest.fixture
def pressed_after(monkeypatch):
    """Press Ctrl-C while the given step is done."""

    def press(wanted):
        heed, calls = Interrupts.heed, []

        def pressing(self):
            calls.append(None)
            if len(calls) == wanted:
                signal.raise_signal(signal.SIGINT)
            heed(self)

        monkeypatch.setattr(Interrupts, "heed", pressing)

    return press


def test_ctrl_c_ends_after_the_step_at_hand(run, model, pressed_after, one_sentence):
    pressed_after(7)
    before = signal.getsignal(signal.SIGINT)
    done = run("train", model, "--steps", "100")
    assert "Training was interrupted after step 7. Nothing was kept; " in one_sentence(done, code=130)
    assert "\n7 steps of adamw" in done.stdout
    assert "What each position expects now" in done.stdout
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_does_not_wait():
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
        assert interrupts.asked
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_ctrl_c_in_a_process_of_its_own(model):
    arguments = [sys.executable, "-m", "clearhead", "train", model, "--steps", "1000000000"]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "  step  loss before it\n"
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate()
    assert process.returncode == 130
    assert re.fullmatch(
        r"clearhead: Training was interrupted after step \d+\. Nothing was kept; .*\n", stderr
    )


def test_a_terminal_gets_a_bar_and_then_the_table(run, model):
    text = run("train", model, "--steps", "20", FORCE_COLOR="1", TERM="xterm-256color", NO_COLOR="1").stdout
    plain = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", text)
    assert "━" in plain
    assert "20/20 loss" in plain
    assert list(losses_of(plain)) == [1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]


def test_a_pipe_gets_no_bar(run, model):
    text = run("train", model, "--steps", "20").stdout
    assert "━" not in text
    assert "\x1b" not in text


def test_a_curve_goes_from_zero_to_the_largest():
    assert curve([8, 4, 2, 1]) == "█▄▂▁"
    assert curve([0.0, 0.0]) == "▁▁"
    assert curve([3.0] * 1000) == "█" * 60


def test_the_table_has_the_first_step_the_last_and_tenths():
    assert chosen_steps(range(1, 101)) == [1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
    assert chosen_steps(range(1, 8)) == [1, 2, 3, 4, 5, 6, 7]
    assert chosen_steps(range(1, 1)) == []


def test_a_run_that_is_kept_can_be_looked_at_and_gone_on_with(run, model, corpus, tmp_path):
    folder = str(tmp_path / "my run")
    done = run("train", model, corpus, "--batch", "2", "--steps", "7", "-o", folder)
    assert f"\nKept in {folder}\n" in done.stdout
    on = run("train", "--resume", "-o", folder, "--steps", "13")
    assert (done.exit_code, on.exit_code) == (0, 0)
    whole = train(model, Path(corpus).read_text("utf-8"), batch=2, steps=13)
    shown = losses_of(done.stdout) | losses_of(on.stdout)
    assert shown == {step: format_number(whole.losses[step - 1], 4) for step in shown}
    assert set(losses_of(on.stdout)) == {8, 10, 11, 12, 13}  # of the tenths of thirteen those that are new
    assert load_run(folder).losses == whole.losses


def test_ctrl_c_keeps_the_run_and_says_how_to_go_on(run, model, tmp_path, pressed_after, one_sentence):
    folder = str(tmp_path / "my run")
    pressed_after(7)
    sentence = one_sentence(run("train", model, "--steps", "20", "-o", folder), code=130)
    command = re.search(r"Go on with: clearhead (.*)\n$", sentence)[1]
    assert load_run(folder).steps == 7
    assert run(*shlex.split(command)).exit_code == 0
    assert load_run(folder).losses == train(model, steps=20).losses


def test_the_last_good_model_of_a_loss_that_ran_away_is_kept(run, model, tmp_path, one_sentence):
    folder = str(tmp_path / "run")
    done = run("train", model, "--optimiser", "sgd", "--learning-rate", "1e6", "--steps", "50", "-o", folder)
    step = int(re.search(r"The model after step (\d+) is the last good one", one_sentence(done))[1])
    kept = load_run(folder)
    assert kept.steps == step
    assert np.isfinite(kept.final_loss)


def test_every_says_which_steps_are_kept(run, model, tmp_path):
    folder = str(tmp_path / "run")
    run("train", model, "--steps", "11", "--every", "3", "-o", folder)
    assert load_run(folder).recorded == [0, 3, 6, 9, 11]


def test_a_folder_that_holds_something_is_left_alone(run, model, tmp_path, one_sentence):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear reader")
    folder = str(tmp_path / "full")
    sentence = one_sentence(run("train", model, "-o", folder))
    assert f"{folder}: holds something already; expected a new or empty folder, or --resume" in sentence
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("folder", ["no-such-run", "corpus.txt", "empty"])
def test_going_on_needs_a_run(run, corpus, tmp_path, folder, one_sentence):
    (tmp_path / "empty").mkdir()
    assert folder in one_sentence(run("train", "--resume", "-o", str(tmp_path / folder)))


@pytest.mark.parametrize("folder", ["corpus.txt", "corpus.txt/below", "zero\0"])
def test_a_folder_that_cannot_be_is_one_sentence(run, model, corpus, tmp_path, folder, one_sentence):
    one_sentence(run("train", model, "-o", str(tmp_path / folder)))


@pytest.mark.skipif(
    not os.path.exists("/proc/self"), reason="needs a file system that nothing can be written to"
)
def test_a_folder_that_cannot_be_made_is_one_sentence(run, model, one_sentence):
    assert "/proc/run" in one_sentence(run("train", model, "-o", "/proc/run"))


def test_a_reader_that_leaves_early_ends_the_training(model, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    folder = str(tmp_path / "run")
    arguments = ["train", model, "--steps", "1000000000", "-o", folder]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "clearhead", *arguments],
            stdout=writing,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    finally:
        os.close(writing)
    assert done.returncode == 130
    assert "Training was interrupted after step 1. Go on with: " in done.stderr
    assert load_run(folder).steps == 1
