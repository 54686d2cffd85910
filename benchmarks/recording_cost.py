"""What recording adds to a PyTorch loop: the same steps with and without it, taking turns in one run.

Two equal models train on the same batches. After each step of the one comes the same step of the other, in changing
order, so that a busy moment meets both; what saving takes is in the times of the steps that save.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from table import print_table
from torch import nn

from clearhead.sources.training.pytorch import record_training

TARGET, JUDGED = 1.10, 50
"""The ratio to stay under when every 50th step is saved. Every 10th is measured too, to show what saving costs."""

WORDS, POSITIONS, BATCH, HEADS, LAYERS = 101, 31, 32, 4, 2


class Transformer(nn.Module):
    """A small decoder: causal attention, pre-norm, GELU."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, width)
        self.positions = nn.Parameter(torch.randn(POSITIONS, width) / 10)
        layer = nn.TransformerEncoderLayer(
            width, HEADS, 4 * width, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(width), enable_nested_tensor=False)
        self.unembedding = nn.Linear(width, WORDS, bias=False)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(POSITIONS))

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        hidden = self.layers(self.words(words) + self.positions, mask=self.mask, is_causal=True)
        return self.unembedding(hidden)


class Loop:
    """One training, step by step."""

    def __init__(self, width: int) -> None:
        torch.manual_seed(7)
        self.model = Transformer(width)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def step(self, words: torch.Tensor) -> torch.Tensor:
        logits = self.model(words[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten())
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss


@contextmanager
def loops(width: int, every: int) -> Iterator[list[Callable[[torch.Tensor], None]]]:
    """A plain step and a recorded one."""
    plain, recorded = Loop(width), Loop(width)

    def plain_step(words: torch.Tensor) -> None:
        plain.step(words)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        with record_training(recorded.model, path, every=every, optimizer=recorded.optimizer) as record:

            def recorded_step(words: torch.Tensor) -> None:
                record.step(recorded.step(words))

            yield [plain_step, recorded_step]
        size = sum(file.stat().st_size for file in path.iterdir()) / len(record.recording.steps)
        print(f"width {width}, saved every {every} steps: {size / 1e6:.1f} MB each")


def measure(width: int, every: int, rounds: int) -> list[list[float]]:
    """For each round of `every` steps, the seconds of the plain loop and of the recorded one."""
    random = torch.Generator().manual_seed(3)
    batches = [torch.randint(WORDS, (BATCH, POSITIONS + 1), generator=random) for _ in range(every)]
    taken = []
    with loops(width, every) as steps:
        for number in range(-1, rounds):  # the first round warms up
            seconds = [0.0, 0.0]
            for at, words in enumerate(batches):
                for which in (0, 1) if at % 2 else (1, 0):
                    started = time.perf_counter()
                    steps[which](words)
                    seconds[which] += time.perf_counter() - started
            if number >= 0:
                taken.append(seconds)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="how many times a step is saved")
    rounds = parser.parse_args().rounds
    rows, ratios = [], []
    for width, every in ((64, 50), (128, 50), (128, 10)):
        taken = measure(width, every, rounds)
        plain, recorded = (sum(pair[which] for pair in taken) for which in (0, 1))
        each = sorted(with_it / without for without, with_it in taken)
        if every == JUDGED:
            ratios.append(recorded / plain)
        rows.append(
            [
                f"width {width}, every {every}",
                *(f"{1000 * seconds / rounds / every:.2f} ms" for seconds in (plain, recorded)),
                f"{recorded / plain:.3f}",
                f"{statistics.median(each):.3f} ({each[0]:.3f} to {each[-1]:.3f})",
            ]
        )
    head = [
        f"{LAYERS} layers, batch {BATCH}, {POSITIONS} words",
        "plain",
        "recorded",
        "ratio",
        "of the rounds",
    ]
    print_table(head, rows)
    print(f"\nrecorded / plain, every {JUDGED} steps: {max(ratios):.3f} at most (to stay under {TARGET:.2f})")


if __name__ == "__main__":
    main()
