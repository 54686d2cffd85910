"""The statistics of every head of a capture."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clearhead.lenses.statistics.scores import SCORES
from clearhead.lenses.statistics.table import HeadStatistics, HeadTable
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.layer import Layer


def head_statistics(
    capture: Capture,
    tower: str | None = None,
    batch: int = 0,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> HeadTable:
    """What every head does, in numbers: means over the queries, of a text of any length (see `Capture.overview`).

    Texts of up to 128 tokens, and models in float64, are worked out in float64; all others in float32, to about 1e-6
    where scores are small, and to a few times their own rounding (2^-24 of the largest) where they are not.

    Left out are queries that are padding or may see nothing, and for each score those for which it is not defined: for
    the token before, say, a query that has none or may not see it. A score without any such query is None. A weight is
    a share of its row, from 0 to 1.

    * entropy: −Σ p log2 p of a row, in bits; a sink counts as one more place. 2^entropy is how many keys it is spread
      over, if evenly. `spread` is the entropy divided by the largest that the row can have, of queries that see
      more than one place.
    * first: the weight on the first token that is not padding (Xiao et al. 2023, Efficient streaming language models
      with attention sinks, section 3).
    * previous, next: the weight on the token before and on the token after (previous-token heads: Elhage et al. 2021,
      A mathematical framework for transformer circuits).
    * induction: of a token that stood there before, the weight on all that followed it then (Olsson et al. 2022,
      In-context learning and induction heads, "prefix matching"). A token that follows itself does not count as its
      own follower.
    * duplicate: of a token that stood there before, the weight on all those places (Wang et al. 2022, Interpretability
      in the wild, section 3, "duplicate token heads").
    * distance: the mean distance of query and key in tokens, weighted by the weights.
    * sink: the share that a sink takes; None without one.

    Two tokens are the same if their numbers in the vocabulary are; marks ("special" tokens) and padding are never the
    same, and positions whose number is not known have no induction and duplicate scores. Where the keys are another
    text (cross-attention) nothing stands before: entropy, first and sink alone are defined.

    Example::

        for head in ch.head_statistics(capture).by("induction")[:3]:
            print(head.label, head.induction)

    Args:
        capture: the model on its text.
        tower: only the heads of this part of the model; None: all.
        batch: which sequence.
        progress: called with the layers that are done and how many there are.

    Returns:
        One entry a head, layer by layer; `print` shows them as a table.

    Raises:
        LookupError: there is no such tower or sequence.
    """
    if tower is not None and tower not in capture.towers:
        raise LookupError(f"tower: {tower!r} is none of this model's; expected {capture.tower_names}")
    layers = [layer for layer in capture.attentions() if tower in (None, layer.tower)]
    found: list[HeadStatistics] = []
    for done, layer in enumerate(layers, 1):
        found += _of_layer(capture, layer, batch)
        if progress is not None:
            progress(done, len(layers))
    return HeadTable(found)


def _of_layer(capture: Capture, layer: Layer, batch: int) -> Iterator[HeadStatistics]:
    attention = layer.attention
    assert attention is not None  # only such layers are asked for
    if not 0 <= batch < attention.sequences:
        raise LookupError(
            f"batch: {batch!r} is none of this capture's; expected 0 to {attention.sequences - 1}"
        )
    overview = capture.overview_of(layer)
    for head in range(attention.heads):
        scores = {name: overview.score(name, batch, head) for name in SCORES}
        yield HeadStatistics(layer.tower, layer.number, head, **scores)
