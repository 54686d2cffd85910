"""CircuitsVis's attention heads: every head of a group as a small map, and the one under the pointer large below.

A page with its script inside, as CircuitsVis gives without a network. With one it asks for the npm package
`circuitsvis` instead, which npm's registry does not have.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from saved_pages.peer import HEAD, LAYER, Peer, Picture, Step, whole_page

NOTE_EACH_DRAWING = """
const clear = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    this.canvas.drawnAt = performance.now();
    return clear.apply(this, box);
};
"""
"""A chart clears its canvas whenever it is drawn."""


def write(weights: np.ndarray, words: list[str], place: Path) -> None:
    """All heads in one group, as its users show more than a layer: by their names."""
    layers, heads, *square = weights.shape
    names = [f"L{layer}H{head}" for layer in range(layers) for head in range(heads)]
    write_group(weights.reshape(layers * heads, *square), names, words, place)


def write_layer(weights: np.ndarray, words: list[str], place: Path) -> None:
    names = [f"L{LAYER}H{head}" for head in range(weights.shape[1])]
    write_group(weights[LAYER], names, words, place)


def write_group(weights: np.ndarray, names: list[str], words: list[str], place: Path) -> None:
    from circuitsvis.attention import attention_heads

    whole_page(attention_heads(weights, words, attention_head_names=names).local_src, place)


CIRCUITSVIS = Peer(
    name="CircuitsVis, all heads",
    package="circuitsvis",
    write=write,
    picture=Picture(
        prepare=NOTE_EACH_DRAWING,
        drawn="""() => {
            const charts = [...document.querySelectorAll('canvas')];
            return charts.length > 1 && charts.every((chart) => chart.drawnAt);
        }""",
        steps=(Step(f"h4:text-is('L{LAYER}H{HEAD}')", "hover"),),
        answered=f"""() => document.querySelector('h2').textContent === 'L{LAYER}H{HEAD}'
            && [...document.querySelectorAll('canvas')].at(-1).drawnAt > asked""",
    ),
    says="the pointer on a small map shows it large: measured from there, without a click",
)

ONE_LAYER = replace(
    CIRCUITSVIS, name="CircuitsVis, one layer", write=write_layer, says="12 heads of the 144 are in the page"
)
