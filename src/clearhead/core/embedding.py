"""From words to vectors that know where they stand."""

from __future__ import annotations

from typing import Any

from clearhead.core.attention import Step
from clearhead.core.axes import BATCH, MODEL, POSITION
from clearhead.core.ops import Add, Copy, Lookup, ScaleByRoot, Sinusoid
from clearhead.core.settings import Settings


def embed(step: Step, E: Any, P: Any, rows: tuple[Any, ...], settings: Settings, name: str = "X") -> Any:
    """Look up, scale, add positions. (words, d_model) to (positions, d_model).

    Args:
        step: see `core.attention.Step`.
        E: (words, d_model).
        P: (positions, d_model) for learned positions, else None.
        rows: the row of E of each position; for a batch, one such tuple per sentence, all of one length.
        settings: the switches.
        name: what the result is called.
    """
    batch = (BATCH,) if isinstance(rows[0], tuple) else ()
    length, width, axes = len(rows[0]) if batch else len(rows), E.shape[1], (*batch, POSITION, MODEL)
    embeddings = step("embeddings", Lookup(axes, rows), E)
    scaling = ScaleByRoot(axes, width, "d_model", divide=False) if settings.scale_embeddings else Copy(axes)
    scaled = step("embeddings_scaled", scaling, embeddings)
    if settings.positions == "sinusoidal":
        positions = step("positions", Sinusoid((POSITION, MODEL), length, width))
    elif settings.positions == "learned":
        positions = step("positions", Lookup((POSITION, MODEL), tuple(range(length))), P)
    else:
        return step(name, Copy(axes), scaled)
    return step(name, Add(axes, (axes, (POSITION, MODEL))), scaled, positions)
