"""One head of a captured model as arrays: what it may not see, what its sink takes."""

from __future__ import annotations

import numpy as np

from clearhead.trace.capture.attention import Attention


def hidden(attention: Attention, batch: int, head: int) -> np.ndarray:
    """uint8 (queries, keys): 1 where a query may not see a key."""
    return (~attention.visible.table(batch, head)).astype(np.uint8)


def sink_share(attention: Attention, weights: np.ndarray) -> np.ndarray | None:
    """(queries,) what the sink takes of each row; None without one. What it takes is taken from nowhere."""
    return None if attention.sink is None else 1.0 - weights.sum(axis=1)
