"""How long `clearhead.check` takes for one function: best of three, each verdict and a few forms.

OMP_NUM_THREADS=1 .venv/bin/python benchmarks/checker.py
"""

import time

import torch
from table import print_table

from clearhead.session.checking import check

TIMES = 3


def agrees(q, k, v):
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v


def single(q, k, v):
    return torch.softmax(q @ k.mT, -1) @ v


def pair(q, k, v):
    return torch.softmax(q @ k.mT, -2) @ v


def unknown(q, k, v):
    return torch.tanh(torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)) @ v


def handed(then):
    """With a mask that is handed over: more questions, and more meanings to try."""

    def masked(q, k, v, mask=None):
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return then(torch.softmax(scores, -1)) @ v

    return masked


FUNCTIONS = (
    ("agrees", agrees, {}),
    ("one mistake", single, {}),
    ("two mistakes", pair, {}),
    ("nothing known", unknown, {}),
    ("nothing known, mask told", unknown, {"mask": "none", "layout": "bhtd"}),
    ("agrees, a mask handed over", handed(lambda weights: weights), {}),
    ("nothing known, a mask handed over", handed(torch.tanh), {}),
    ("nothing known, rotary", unknown, {"rotary": "halves", "mask": "causal"}),
)


def main() -> None:
    rows = []
    for name, function, told in FUNCTIONS:
        took, worked = [], []
        for _ in range(TIMES):
            wall, processor = time.perf_counter(), time.process_time()
            report = check(function, **told)
            took.append(time.perf_counter() - wall)
            worked.append(time.process_time() - processor)
        verdict = " and ".join(report.mistakes) or report.verdict.split(",")[0][:40]
        rows.append((name, f"{min(took):.2f} s", f"{min(worked):.2f} s", verdict))
    print_table(("function", "on the clock", "of the processor", "verdict"), rows)


if __name__ == "__main__":
    main()
