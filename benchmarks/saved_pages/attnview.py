"""attnview's report: the keys of one query of one head as a table, the largest as cards."""

from pathlib import Path

import numpy as np

from saved_pages.peer import HEAD, LAYER, Peer, Picture, Step


def write(weights: np.ndarray, words: list[str], place: Path) -> None:
    import attnview

    layers = tuple(attnview.AttentionPattern.from_data(layer, tokens=words) for layer in weights)
    names = tuple(f"Layer {number}" for number in range(len(layers)))
    attnview.export_html(attnview.AttentionStudy(layers, names), place)


ATTNVIEW = Peer(
    name="attnview",
    package="attnview",
    write=write,
    picture=Picture(
        drawn="() => document.querySelector('#weights tr') !== null",
        steps=(Step(f"#layers button >> nth={LAYER}"), Step("#head", "select", str(HEAD))),
        answered=f"""() => document.getElementById('meta').textContent
            .startsWith('Layer {LAYER} · Head {HEAD} ')""",
    ),
    says="no map: one row of one head in a table, and only its numbers. A head takes two choices, layer and head; the "
    "second is measured",
)
