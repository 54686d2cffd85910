"""Clearhead's own pages of a model of GPT-2 small's shape on random words and weights."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from capture_cost import shaped

from saved_pages.peer import HEAD, LAYER, Picture, Step


@dataclass(frozen=True)
class Way:
    """What is kept in a page, as `save_html` is told it."""

    name: str
    options: dict[str, Any]


WEIGHTS = Way("Clearhead, weights in four decimals", {"worked": False})
EXACT = Way("Clearhead, weights as float32", {"worked": False, "precision": "float32"})
WORKED = Way("Clearhead, Q, K and V", {"worked": True})

PICTURE = Picture(
    drawn="() => document.querySelector('.head-place .weight-map canvas') !== null",
    steps=(Step(f".head-cell >> nth={LAYER * 12 + HEAD}"),),
    answered=f"""() => document.querySelector('.model-head h3')?.textContent
        === 'Layer {LAYER}, head {HEAD}'""",
)


def captured(tokens: int) -> Any:
    from clearhead.sources.models.capture import capture

    ids = torch.randint(50257, (1, tokens), generator=torch.Generator().manual_seed(7))
    return capture(shaped(tokens), None, ids, tokens=words_of(tokens), force=True)


def save(capture: Any, place: Path, way: Way) -> None:
    from clearhead import save_html

    print(save_html(capture, place, **way.options).says)


def words_of(tokens: int) -> list[str]:
    ids = torch.randint(50257, (1, tokens), generator=torch.Generator().manual_seed(7))
    return [f" w{number}" for number in ids[0].tolist()]


def keep(capture: Any, place: Path) -> None:
    """The weights (layers, heads, queries, keys) in float32 and the words, for another Python to read."""
    from clearhead.trace.capture.recompute import weights_of

    weights = [
        [weights_of(layer.attention, 0, head) for head in range(layer.heads)]
        for layer in capture.attentions()
    ]
    array = np.array(weights, np.float32)
    np.savez(place, weights=array, words=np.array(words_of(array.shape[-1])))
