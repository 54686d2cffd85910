"""A small PyTorch training with everything that could make a resumed run differ: dropout, AdamW, a schedule, batches
drawn from three generators, batch norm's running statistics, a bfloat16 layer."""

import random

import numpy as np
import torch
from torch import nn

from clearhead.sources.training.pytorch import record_training
from clearhead.trace.recording import Recording

INPUTS, HIDDEN, BATCH = 3, 5, 7
STEPS, EVERY = 23, 5


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(INPUTS, HIDDEN)
        self.norm = nn.BatchNorm1d(HIDDEN)
        self.drop = nn.Dropout(0.3)
        self.middle = nn.Linear(HIDDEN, HIDDEN, dtype=torch.bfloat16)
        self.last = nn.Linear(HIDDEN, INPUTS, bias=False)
        self.last.weight = nn.Parameter(self.first.weight.detach().T.clone())
        self.register_buffer("mask", torch.tensor([0.0, -torch.inf, 0.0]))

    def forward(self, x):
        hidden = self.drop(self.norm(self.first(x)).relu())
        hidden = self.middle(hidden.bfloat16()).float()
        return (self.last(hidden) + self.mask).log_softmax(-1)


class Training:
    """A model with its optimizer and schedule, drawn from a seed."""

    def __init__(self, seed=11, rate=0.02):
        torch.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed)
        self.model = Model()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=rate, weight_decay=0.1)
        self.schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, factor=0.7, patience=1)

    def batch(self):
        scale = random.uniform(0.5, 2) + np.random.uniform(0, 1)
        return torch.randn(BATCH, INPUTS) * scale

    def update(self):
        """One step; its loss."""
        x = self.batch()
        loss = -self.model(x)[:, 0].mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.schedule.step(loss.item())
        return loss

    def record(self, path, every=EVERY, **more):
        return record_training(
            self.model, path, every=every, optimizer=self.optimizer, also={"schedule": self.schedule}, **more
        )

    def run(self, path, until=STEPS, every=EVERY, **more):
        """Train up to a step, from where the recording is; return the record."""
        with self.record(path, every, **more) as record:
            for _ in range(record.resume(), until):
                record.step(self.update())
        return record


class Shared:
    """A training in float64 that one process can do alone or two can share: each takes every other row of a batch."""

    rows, batches = 14, 23

    def __init__(self, dropout=0.0):
        torch.manual_seed(11)
        layers = [nn.Linear(INPUTS, HIDDEN), nn.Tanh(), nn.Dropout(dropout), nn.Linear(HIDDEN, 2)]
        self.model = nn.Sequential(*layers).double()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.02)

    def batch(self, step):
        """All rows of a step's batch, drawn from the number of the step."""
        return torch.randn(
            self.rows, INPUTS, dtype=torch.float64, generator=torch.Generator().manual_seed(step)
        )

    def update(self, x):
        loss = (self.model(x) - x[:, :2].sin()).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss

    def record(self, path):
        return record_training(self.model, path, every=EVERY, optimizer=self.optimizer)

    def run(self, path, rank=0, ranks=1, until=batches):
        with self.record(path) as record:
            for step in range(record.resume(), until):
                record.step(self.update(self.batch(step)[rank::ranks]))
        return record


def contents(path, step=STEPS):
    """All that is saved of a step, comparable: the arrays' bytes, the losses' bytes and the state."""
    checkpoint = Recording.open(path).checkpoint(step)
    arrays = {name: (array.dtype, array.shape, array.tobytes()) for name, array in checkpoint.arrays.items()}
    return arrays, checkpoint.losses.tobytes(), checkpoint.state
