"""Two processes that train together make one recording (DistributedDataParallel over gloo, on loopback)."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist

from clearhead.trace.recording import Recording

pytestmark = pytest.mark.skipif(
    not dist.is_available() or not dist.is_gloo_available(), reason="PyTorch without gloo"
)

TOGETHER = 1e-10
"""Two processes add the gradients of 7 rows each, one those of 14 rows: the same numbers in another order, so float64's
1e-16 in a gradient. AdamW divides by the gradient's own size, which makes it about 1e-16 of a step, and 23 steps of a
training that does not diverge leave it far below this; measured: 2e-15."""


def start(scenario, folder):
    """The output and the exit code of both processes."""
    environment = os.environ | {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    program = Path(__file__).with_name("rank.py")
    running = [
        subprocess.Popen(
            [sys.executable, program, scenario, str(rank), folder], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        for rank in (0, 1)
    ]  # fmt: skip
    try:
        printed = [process.communicate(timeout=600)[0] for process in running]
    finally:
        for process in running:
            process.kill()
    return printed, [process.returncode for process in running]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("ranks")
    (made / "file").write_text("no folder")
    return made


@pytest.fixture(scope="module")
def printed(folder):
    """What the two ranks printed in the scenario `together`, which must have come to its end."""
    printed, codes = start("together", folder)
    assert codes == [0, 0], printed
    return printed


def test_two_processes_are_one_process_on_the_joined_batch(loops, printed, folder, tmp_path):
    loops.Shared().run(tmp_path / "alone")
    alone, two = Recording.open(tmp_path / "alone"), Recording.open(folder / "joined")
    assert two.steps == alone.steps == [0, 5, 10, 15, 20, 23]
    assert (two.header["ranks"], alone.header["ranks"]) == (2, 1)
    np.testing.assert_allclose(two.losses, alone.losses, rtol=TOGETHER)
    for step in two.steps:
        arrays = two.arrays(step)
        for name, array in alone.arrays(step).items():
            if not name.startswith("random"):
                np.testing.assert_allclose(arrays[name], array, rtol=TOGETHER, atol=TOGETHER)


def test_the_losses_are_means_over_the_ranks(loops, printed, folder):
    """The first two, worked here from both halves of the batch; without training the second would be another one."""
    training = loops.Shared()
    expected = []
    for step in (0, 1):
        halves = training.batch(step)[0::2], training.batch(step)[1::2]
        with torch.no_grad():
            losses = [(training.model(x) - x[:, :2].sin()).square().mean().item() for x in halves]
        expected.append((losses[0] + losses[1]) / 2)
        training.update(training.batch(step))
    assert Recording.open(folder / "joined").losses[:2] == pytest.approx(expected, rel=TOGETHER)


def test_a_recording_of_two_is_read_and_gone_on_from_by_one(loops, printed, folder):
    """Whether or not it was wrapped, the model has the same names; that the generators differ is said."""
    with (
        pytest.warns(RuntimeWarning, match=r"by another number of processes \(2\)"),
        loops.Shared().record(folder / "joined") as record,
    ):
        assert record.resume() == 23


def test_a_nan_in_one_rank_stops_all_of_them_with_one_sentence(printed, folder):
    """Rank 1's batch of step 8 alone holds it; the save at step 10 brings it out, before anything is written."""
    sentence = (
        f"diverged: {folder / 'poisoned'}: step 8: the loss is nan; expected finite numbers, for instance with a "
        "smaller learning rate; the last good state, that after step 5, is kept"
    )
    assert [sentence in lines.splitlines() for lines in printed] == [True, True]
    assert Recording.open(folder / "poisoned").steps == [0, 5]


def test_what_rank_0_cannot_do_all_ranks_are_told(printed, folder):
    for lines in printed:
        assert f"refused: {folder / 'file'}: is a file; expected the path of a new or empty folder" in lines
        assert f"full: {folder / 'full'}: step 7 could not be saved because the disk is full" in lines
    assert ["warned 1 times" in lines for lines in printed] == [True, False]
    assert Recording.open(folder / "full").steps == [0]


def test_two_processes_go_on_bit_for_bit_each_with_its_own_dropout(printed, folder, loops):
    """Stopped after step 13 and resumed from generators that stood elsewhere."""
    arrays = Recording.open(folder / "resumed").arrays(13)
    assert arrays["random/0/torch"].tolist() != arrays["random/1/torch"].tolist()
    assert loops.contents(folder / "resumed") == loops.contents(folder / "dropout")


@pytest.mark.parametrize(
    ("scenario", "killed", "steps"), [("kill-writer", 0, [0, 5]), ("kill-other", 1, [0, 5, 10])]
)
def test_killing_one_process_leaves_a_readable_recording(printed, folder, loops, scenario, killed, steps):
    """Rank 0 is killed while it saves step 10, rank 1 within step 13. The other one ends with an error and does not
    hang, and the newest step is what it is in a run that nobody killed."""
    _, codes = start(scenario, folder)
    assert codes[killed] == -signal.SIGKILL
    assert codes[1 - killed] not in (0, -signal.SIGKILL)
    recording = Recording.open(folder / scenario)
    newest, damage = recording.newest()
    assert (recording.steps, newest.step, damage) == (steps, steps[-1], [])
    for step in steps:
        assert loops.contents(folder / scenario, step) == loops.contents(folder / "dropout", step)
