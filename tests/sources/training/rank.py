"""One of two processes that train together; `test_ranks.py` starts both: rank.py SCENARIO RANK FOLDER."""

import errno
import os
import random
import signal
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from loops import Shared
from torch.nn.parallel import DistributedDataParallel

from clearhead.trace.recording import Diverged, RecordingError

SCENARIO, RANK, FOLDER = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])


class InTwo(Shared):
    """With gradients that the two processes share, and dropout that each draws for itself."""

    def __init__(self, dropout=0.0, seed=0):
        super().__init__(dropout)
        self.model = DistributedDataParallel(self.model)
        for draw in (torch.manual_seed, random.seed, np.random.seed):
            draw(seed + RANK)

    def run(self, path, **more):
        return super().run(path, rank=RANK, ranks=2, **more)


class Dying(InTwo):
    """In which one process is killed: before it moves the file of step 10 to its place, or within step 13."""

    def update(self, x):
        loss = super().update(x)
        self.done = getattr(self, "done", 0) + 1
        if SCENARIO == "kill-writer" and RANK == 0 and self.done == 10:
            os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        if SCENARIO == "kill-other" and RANK == 1 and self.done == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        return loss


class Poisoned(InTwo):
    """In which rank 1 alone gets a nan, at step 8."""

    def batch(self, step):
        x = super().batch(step)
        if step == 7:
            x[1, 0] = float("nan")  # a row of rank 1
        return x


def together():
    """What needs no killing. Each line that is printed is one that the test looks for in both ranks."""
    InTwo().run(FOLDER / "joined")
    InTwo(dropout=0.3, seed=3).run(FOLDER / "dropout")
    InTwo(dropout=0.3, seed=3).run(FOLDER / "resumed", until=13)
    InTwo(dropout=0.3, seed=17).run(FOLDER / "resumed")
    try:
        Poisoned().run(FOLDER / "poisoned")
    except Diverged as error:
        print(f"diverged: {error}")
    try:
        InTwo().record(FOLDER / "file").__enter__()
    except RecordingError as error:
        print(f"refused: {error}")
    full_disk()


def full_disk():
    """Only rank 0 sees the disk; both learn that the end could not be saved."""

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    fsync, training = os.fsync, InTwo()
    try:
        with training.record(FOLDER / "full") as record, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for step in range(7):
                os.fsync = full
                record.step(training.update(training.batch(step)[RANK::2]))
            print(f"warned {len(said)} times")
            record.save()
    except OSError as error:
        print(f"full: {error}")
    os.fsync = fsync


def leave_together():
    """Both have printed all they have to say, and only then both end, with nothing of gloo taken down.

    A process whose partner closes its connections while it is still taking down its own is sometimes aborted by gloo.
    """
    dist.barrier()
    (FOLDER / f"left-{SCENARIO}-{RANK}").touch()
    while not (FOLDER / f"left-{SCENARIO}-{1 - RANK}").exists():
        time.sleep(0.01)
    sys.stdout.flush()
    os._exit(0)


SCENARIOS = {
    "together": together,
    "kill-writer": lambda: Dying(dropout=0.3, seed=3).run(FOLDER / SCENARIO),
    "kill-other": lambda: Dying(dropout=0.3, seed=3).run(FOLDER / SCENARIO),
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    # A file to meet at and the loopback interface: no port to find free, and nothing leaves the machine.
    dist.init_process_group("gloo", init_method=f"file://{FOLDER}/meet-{SCENARIO}", rank=RANK, world_size=2)
    SCENARIOS[SCENARIO]()
    leave_together()
