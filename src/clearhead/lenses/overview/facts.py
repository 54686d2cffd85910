"""How a captured head computes, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from clearhead.core.masks import mask_named
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.recognised import recognised
from clearhead.trace.capture.visible import Named

ROUNDED = {"float16", "bfloat16"}
"""Formats that keep so few digits that the difference from what is worked out here can be seen."""


def facts(attention: Attention, batch: int, head: int) -> list[str]:
    """What there is to know about a head before its numbers: kernel, scale, mask, soft cap, bias, sink, groups."""
    return [*_computed(attention), *_scores(attention, head), mask_in_words(attention, batch, head),
            *_blind(attention, batch, head), *_grouped(attention, head), *attention.notes]  # fmt: skip


def mask_in_words(attention: Attention, batch: int, head: int) -> str:
    """Who may look at whom."""
    pattern = recognised(attention.visible.pattern(batch, head))
    if isinstance(pattern, Named) and pattern.name == "none":
        return "Mask: none. Every query may see every key."
    if isinstance(pattern, Named):
        return f"Mask: {mask_named(pattern.name).says} ({pattern.name})."
    return "Mask: the model's own, which no name describes; which keys a query sees is told cell by cell."


def _computed(attention: Attention) -> Iterator[str]:
    dtype = str(attention.query.dtype)
    if attention.kernel == "":  # of a head by itself
        yield f"It is worked out here in {dtype}."
        return
    yield f"The model computed it with {attention.kernel}, in {dtype}. Here it is worked out again in float64."
    if dtype in ROUNDED:
        yield f"Its queries, keys and values are exactly the model's, which rounds what it makes of them to {dtype}."


def _scores(attention: Attention, head: int) -> Iterator[str]:
    if attention.scale == attention.d_head**-0.5:
        yield f"The scores are divided by √d_head = √{attention.d_head}."
    elif attention.scale == 1:
        yield "The scores are not scaled."
    else:
        yield f"The scores are multiplied by the model's own scale, {attention.scale:.6g}."
    if attention.soft_cap is not None:
        yield f"Then they are bent to stay between −{attention.soft_cap:g} and {attention.soft_cap:g} (soft cap)."
    if attention.bias is not None:
        by = "the distance" if attention.bias.by_distance else "the two positions"
        yield f"A bias that depends on {by} is added to them."
    if attention.sink is not None:
        yield f"A sink with the score {float(attention.sink[head]):.4g} takes a share of every row, and gives nothing."
    if attention.dropout:
        yield f"Dropout of {attention.dropout:g} was on: the model dropped weights at random, which is not shown here."


def _blind(attention: Attention, batch: int, head: int) -> Iterator[str]:
    """Queries that may see nothing, and what the kernel made of them: each kernel something else."""
    runs = attention.visible.pattern(batch, head)
    if isinstance(runs, Named):
        return
    rows = np.flatnonzero(np.diff(runs.row) == 0)
    if not len(rows):
        return
    returned = np.abs(np.asarray(attention.output[batch], dtype=np.float64)[rows, head]).max()
    which = f"Query {rows[0]}" if len(rows) == 1 else f"{len(rows)} queries ({_listed(rows)})"
    what = "0 everywhere" if returned == 0 else f"numbers up to {returned:.3g}"
    yield (
        f"{which} may see nothing: the weights there are 0 here. The kernel returned {what} for that, which is left "
        "out of the comparison."
    )


def _listed(rows: np.ndarray) -> str:
    """Places as text, the first eight."""
    return ", ".join(map(str, rows[:8])) + (" …" if len(rows) > 8 else "")


def _grouped(attention: Attention, head: int) -> Iterator[str]:
    """With which heads it shares keys or values (grouped-query attention, Ainslie et al. 2023)."""
    keys, values = attention.key.shape[1], attention.value.shape[1]
    if keys == values:
        yield from _shared("key and value", attention, attention.key_head, head, keys)
        return
    yield from _shared("key", attention, attention.key_head, head, keys)
    yield from _shared("value", attention, attention.value_head, head, values)


def _shared(
    what: str, attention: Attention, of: Callable[[int], int], head: int, count: int
) -> Iterator[str]:
    together = [other for other in range(attention.heads) if of(other) == of(head)]
    if len(together) > 1:
        yield (
            f"It reads {what} head {of(head)} of {count}, which heads {together[0]} to {together[-1]} "
            "have in common (grouped-query attention)."
        )
