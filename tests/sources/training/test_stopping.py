"""A PyTorch training that goes wrong or is interrupted, at any moment, leaves a recording that can be gone on from."""

import contextlib
import errno
import itertools
import os
import sys

import numpy as np
import pytest
import torch

from clearhead.sources.training.pytorch import record_training
from clearhead.trace.recording import Diverged, Recording, RecordingError, SavingError

NAN, INFINITY = float("nan"), float("inf")


def straight_line(path, batches, rate=0.1, every=3, show_batch=False):
    """Fit y = 2x with one weight, from w = 0 and by hand: w ← w − rate · d/dw mean (wx − 2x)²."""
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    with record_training(model, path, every=every, optimizer=optimizer) as record:
        for x in batches[record.resume() :]:
            loss = (model(x) - 2 * x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            record.step(loss, batch=x if show_batch else ())
    return record


def batches(count, odd=None, at=None):
    made = [torch.ones(5, 1) for _ in range(count)]
    if at is not None:
        made[at][2] = odd
    return made


def weight(path, step):
    return Recording.open(path).arrays(step)["model/weight"].item()


@pytest.mark.parametrize("odd", [NAN, INFINITY])
@pytest.mark.parametrize("together", [1, 32])
def test_a_batch_that_is_not_finite_is_caught_and_the_last_good_state_kept(
    tmp_path, monkeypatch, odd, together
):
    """With losses read one by one, and 32 at a time as on an accelerator: there the save at step 9 brings it out."""
    monkeypatch.setattr("clearhead.sources.training.pytorch.losses.READ_TOGETHER", together)
    monkeypatch.setattr("clearhead.sources.training.pytorch.losses.AT_ONCE_ON", ())
    with pytest.raises(Diverged) as caught:
        straight_line(tmp_path / "run", batches(11, odd, at=7))
    assert "step 8: the loss is nan; expected finite numbers" in str(caught.value)
    assert str(caught.value).endswith("the last good state, that after step 6, is kept")
    assert (caught.value.step, caught.value.kept, len(caught.value.losses)) == (8, 6, 8)
    recording = Recording.open(tmp_path / "run")
    assert recording.steps == [0, 3, 6]
    # Each step brings w a fifth of the way to 2.
    assert weight(tmp_path / "run", 6) == pytest.approx(2 * (1 - 0.8**6), rel=1e-6)
    # With the batch mended, the same training goes on from there.
    straight_line(tmp_path / "run", batches(11))
    assert weight(tmp_path / "run", 11) == pytest.approx(2 * (1 - 0.8**11), rel=1e-6)


def test_a_batch_that_is_shown_is_told_from_a_training_that_diverged(tmp_path):
    with pytest.raises(Diverged, match="step 8: the batch holds nan or infinity; expected finite numbers"):
        straight_line(tmp_path / "run", batches(11, NAN, at=7), show_batch=True)


def test_a_batch_of_several_tensors_whole_numbers_among_them(tmp_path):
    with record_training(torch.nn.Linear(2, 3), tmp_path / "run", every=9) as record:
        record.step(1.0, batch=(torch.arange(5), torch.ones(3)))
        with pytest.raises(Diverged, match="step 2: the batch holds nan"):
            record.step(1.0, batch=[torch.arange(5), torch.tensor([1.0, INFINITY])])


def test_a_learning_rate_that_is_too_large_is_caught(tmp_path):
    """With rate 5, w − 2 grows nine times a step: its square, the loss, passes float32's 3.4e38 at the 21st."""
    with pytest.raises(
        Diverged, match=r"step 21: the loss is inf; .* a smaller learning rate; .* step 18, is kept"
    ):
        straight_line(tmp_path / "run", batches(99), rate=5.0)
    assert weight(tmp_path / "run", 18) == pytest.approx(2 - 2 * 9.0**18, rel=1e-5)


def test_parameters_that_are_not_finite_are_never_saved(tmp_path):
    """The loss is still finite: only the last update went wrong."""
    model = torch.nn.Linear(2, 3)
    with record_training(model, tmp_path / "run", every=2) as record:
        record.step(1.0)
        with torch.no_grad():
            model.bias[1] = INFINITY
        with pytest.raises(Diverged, match=r"step 2: bias holds nan or infinity; .* step 0, is kept"):
            record.step(1.0)
    assert Recording.open(tmp_path / "run").steps == [0]


def test_a_model_that_is_not_finite_at_the_start_is_refused(tmp_path):
    model = torch.nn.Linear(2, 3)
    torch.nn.init.constant_(model.weight, NAN)
    record = record_training(model, tmp_path / "run", every=2)
    with pytest.raises(RecordingError, match="model: weight holds nan or infinity before the first step"):
        record.__enter__()
    assert Recording.open(tmp_path / "run").steps == []


def test_a_divergence_that_only_the_end_brings_out(tmp_path):
    model = torch.nn.Linear(2, 3)

    def training():
        with record_training(model, tmp_path / "run", every=9) as record:
            record._losses._together = 32
            for loss in (1.0, INFINITY, 1.0):
                record.step(loss)

    with pytest.raises(Diverged, match="step 2: the loss is inf"):
        training()
    assert Recording.open(tmp_path / "run").steps == [0]


def test_after_a_divergence_nothing_is_saved_until_it_is_gone_back(tmp_path):
    model = torch.nn.Linear(2, 3)
    before = model.weight.tolist()
    with record_training(model, tmp_path / "run", every=9) as record:
        torch.nn.init.ones_(model.weight)
        with pytest.raises(Diverged):
            record.step(NAN)
        with pytest.raises(
            RecordingError, match=r"has diverged; expected record.resume\(\), which goes back to step 0"
        ):
            record.step(1.0)
        with pytest.raises(RecordingError, match="has diverged"):
            record.save()
    assert Recording.open(tmp_path / "run").steps == [0]
    with record_training(model, tmp_path / "run", every=9) as record:
        assert record.resume() == 0
        assert model.weight.tolist() == before
        with pytest.raises(Diverged):
            record.step(NAN)
        assert record.resume() == 0
        record.step(0.5)
    assert Recording.open(tmp_path / "run").losses.tolist() == [0.5]


def test_a_learning_rate_of_zero_only_stands_still(tmp_path):
    straight_line(tmp_path / "run", batches(5), rate=0.0)
    assert [weight(tmp_path / "run", step) for step in (0, 3, 5)] == [0, 0, 0]
    assert Recording.open(tmp_path / "run").losses.tolist() == [4] * 5


# ---- a disk that fails while training


def test_a_disk_that_is_full_for_a_while_does_not_stop_the_training(
    loops, uninterrupted, contents, tmp_path, monkeypatch
):
    """The saves at 10 and 15 fail and are said; that at 20 works again, and nothing was lost."""
    training = loops.Training()
    said = (
        "could not be saved because the disk is full; .* the training goes on, and the next save tries again"
    )

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with training.record(tmp_path / "run") as record:
        for step in range(1, 24):
            loss = training.update()
            if step in (10, 15):
                monkeypatch.setattr(os, "fsync", full)
                with pytest.warns(RuntimeWarning, match=f"step {step} {said}"):
                    record.step(loss)
                monkeypatch.undo()
            else:
                record.step(loss)
    assert Recording.open(tmp_path / "run").steps == [0, 5, 20, 23]
    assert contents(tmp_path / "run") == contents(uninterrupted)


def test_an_end_that_cannot_be_saved_is_an_error_and_can_be_tried_again(
    loops, uninterrupted, contents, tmp_path
):
    """The folder goes away; the training is still in memory, and is saved when the folder is back."""
    training, moved = loops.Training(), tmp_path / "moved"
    with training.record(tmp_path / "run") as record:
        for _ in range(22):
            record.step(training.update())
        (tmp_path / "run").rename(moved)
        with pytest.raises(SavingError, match="its folder is gone"):
            record.save()
        moved.rename(tmp_path / "run")
    assert Recording.open(tmp_path / "run").steps == [0, 5, 10, 15, 20, 22]
    loops.Training(seed=13).run(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(uninterrupted)


# ---- Control-C at any moment


STRIDE = 67
"""How many lines lie between one Control-C and the next that is tried; 1 tries all, in many minutes."""


class ControlC:
    """Presses Control-C before a line of these files is executed: before the one with the number `after`."""

    def __init__(self, after, files):
        self.left, self.files, self.pressed = after, files, False

    def __call__(self, frame, event, argument):
        if not frame.f_code.co_filename.endswith(self.files):
            return None
        if event == "line":
            self.left -= 1
            if self.left < 0:
                self.pressed = True
                raise KeyboardInterrupt
        return self


OURS = ("recording.py", "checkpoint.py", "frames.py", "record.py", "losses.py", "parts.py", "randomness.py")
PYTORCH = ("optim/optimizer.py", "optim/adamw.py", "optim/adam.py", "lr_scheduler.py")


def interrupted(training, path, control_c, caught_inside):
    """Three steps, saved after each, with Control-C on the way, which the person's loop may catch and end with."""
    with training.record(path, every=1) as record:
        done = record.resume()
        sys.settrace(control_c)
        try:
            for _ in range(done, 3):
                record.step(training.update())
        except KeyboardInterrupt:
            if not caught_inside:
                raise
        finally:
            sys.settrace(None)
            torch.set_grad_enabled(True)  # the optimizer may have been broken off where it had turned it off


@pytest.mark.filterwarnings(
    "ignore:.* was broken off:UserWarning",
    "ignore:unclosed file:ResourceWarning",  # Control-C came between open() and the block that closes
    "ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning",
)
@pytest.mark.parametrize("caught_inside", [False, True])
@pytest.mark.parametrize(
    ("files", "stride"), [(OURS, STRIDE), (PYTORCH, STRIDE)], ids=["recording", "updating"]
)
def test_control_c_at_any_moment_loses_nothing(loops, tmp_path, files, stride, caught_inside):
    """Before every 67th line of the recording's code, or of the optimizer's, in turn: nothing is damaged, and a second
    run ends with the numbers of an uninterrupted one."""
    loops.Training().run(tmp_path / "whole", until=3, every=1)
    expected = loops.contents(tmp_path / "whole", step=3)
    for after in itertools.count(0, stride):
        path, control_c = tmp_path / f"run-{after}", ControlC(after, files)
        with contextlib.suppress(KeyboardInterrupt):
            interrupted(loops.Training(), path, control_c, caught_inside)
        assert Recording.open(path).newest()[1] == []
        loops.Training(seed=13).run(path, until=3, every=1)
        assert loops.contents(path, step=3) == expected, after
        assert [file.name for file in path.iterdir() if file.name.startswith(".")] == []
        if not control_c.pressed:
            break
    assert after > 15 * stride


@pytest.mark.parametrize(
    "batch",
    [
        {"x": [torch.tensor([1.0, INFINITY])], "name": "sentence"},
        np.array([1.0, NAN]),
        [torch.ones(3), {"scale": NAN}],
        NAN,
    ],
)
def test_what_is_not_finite_is_found_however_deep_in_a_batch(tmp_path, batch):
    with record_training(torch.nn.Linear(3, 2), tmp_path / "run", every=5) as record:
        record.step(0.5, batch={"x": [torch.ones(3)], "count": 7, "nothing": None})
        with pytest.raises(Diverged, match="step 2: the batch holds nan or infinity"):
            record.step(0.5, batch=batch)


@pytest.mark.parametrize("loss", ["0.5", None, 1j, 10**400])
def test_a_loss_that_is_no_number_is_one_sentence(tmp_path, loss):
    says = r"^loss: expected one number, got [a-zN]"
    with record_training(torch.nn.Linear(3, 2), tmp_path / "run", every=5) as record:
        with pytest.raises(RecordingError, match=says):
            record.step(loss)
        record.step(0.5)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"optimizer": 3},
            "^optimizer: expected something with a state_dict and a load_state_dict, got int$",
        ),
        ({"also": {"schedule": object()}}, "^schedule: expected something with a state_dict"),
        ({"also": [3]}, "^also: expected a table of names and parts, got list$"),
    ],
)
def test_a_part_without_a_state_is_named(tmp_path, given, says):
    with pytest.raises(RecordingError, match=says):
        record_training(torch.nn.Linear(3, 2), tmp_path / "run", every=5, **given)
    with pytest.raises(RecordingError, match=r"^model: expected something with a state_dict"):
        record_training(3, tmp_path / "run", every=5)
