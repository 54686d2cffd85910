"""How much each key adds to each query's row: the weight times the length of what it is a weight of."""

from __future__ import annotations

import numpy as np

from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.held import precise
from clearhead.trace.capture.projecting import output_rows
from clearhead.trace.capture.recompute import weights_of

CONTRIBUTION_IS = (
    "The length of weight × value × W_O: how much this head adds for a key, not only how strongly it looks there. It "
    "is what one head adds before biases, norms and the other heads, which can add to it or take it away again."
)
"""What the numbers are, and what they are not, in words."""


def contribution(
    capture: Capture, layer: int, head: int, *, batch: int = 0, tower: str | None = None
) -> np.ndarray:
    """How much one head adds to each query for each key: `|weight × (value × W_O)|` (Kobayashi et al. 2020, section 3).

    Attention is not only a weight (their title): a key with a large weight and a short value adds little. A sink adds
    nothing, nor does a head that is switched off.

    Args:
        capture: what was captured.
        layer: the layer's number in its tower.
        head: the query head.
        batch: the sequence.
        tower: the part of the model; the main one if it is not said.

    Returns:
        (query, key) float64, in the units of the layer's output.

    Raises:
        LookupError: there is no such layer, head or sequence.
        ValueError: the matrix W_O is not known; the message says why.

    Example::

        ch.contribution(capture, 3, 1)[7]     # how much each token adds to token 7 in head 1 of layer 3
    """
    found = capture.place(layer, head, batch, tower)
    attention, below = found.attention, found.below
    assert attention is not None  # place() gives no other
    if below.W_O is None:
        why = below.why.get("W_O", "It is not known which matrix the heads go through.")
        raise ValueError(
            f"{found.label}: contributions need the matrix W_O that the heads go through. {why} Expected a layer whose "
            "output is the mixed values times a matrix."
        )
    if head in attention.off:
        return np.zeros((attention.queries, attention.keys))
    value = precise(attention.value, batch, attention.value_head(head))
    added = value @ output_rows(attention, below.W_O, head)
    # the length of w · v is |w| times that of v: no (query, key, model) array is needed
    return np.abs(weights_of(attention, batch, head)) * np.linalg.norm(added, axis=1)
