"""Inspectus's attention: one matrix, the sum of the heads that are chosen, over rows of words, layers and heads."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from saved_pages.peer import HEAD, LAYER, Peer, Picture, Step, whole_page


def write(weights: np.ndarray, words: list[str], place: Path) -> None:
    """What a notebook shows, which is the one way out of it."""
    import inspectus

    shown: list[Any] = []
    with patch("IPython.display.display", shown.append):
        inspectus.attention(weights, words)
    whole_page("".join(part.data for part in shown), place)


INSPECTUS = Peer(
    name="Inspectus",
    package="inspectus",
    write=write,
    picture=Picture(
        drawn="() => document.querySelector('.attention-visualization .matrix rect') !== null",
        steps=(
            Step(f".dimension-values:nth-of-type(3) .value:text-is('{LAYER}')"),
            Step(f".dimension-values:nth-of-type(4) .value:text-is('{HEAD}')"),
        ),
        # The heads that aren't chosen are grey.
        answered="""() => {
            const first = document.querySelectorAll('.dimension-values')[1].querySelector('.value');
            const [red, green, blue] = first.style.backgroundColor.match(/\\d+/g);
            return red === green && green === blue;
        }""",
    ),
    says="no head is drawn beside another: one matrix shows the sum of all that are chosen. A head takes two clicks, "
    "layer and head; the second is measured",
)
