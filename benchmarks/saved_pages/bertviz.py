"""BertViz's model view: every head as a small drawing of lines, and one of them large beside it on a click."""

from pathlib import Path

import numpy as np

from saved_pages.peer import HEAD, LAYER, Peer, Picture, Step, whole_page


def write(weights: np.ndarray, words: list[str], place: Path) -> None:
    import torch
    from bertviz import model_view

    layers = [torch.from_numpy(layer)[None] for layer in weights]
    whole_page(model_view(layers, words, html_action="return").data, place)


BERTVIZ = Peer(
    name="BertViz, model view",
    package="bertviz",
    write=write,
    picture=Picture(
        drawn="() => document.querySelector('#vis svg') !== null",
        steps=(Step(f"#attn_background_{LAYER}_{HEAD}", under=True),),
        answered=f"""() => [...document.querySelectorAll('#vis text.detail')]
            .some((text) => text.textContent === 'Layer {LAYER}, Head {HEAD}')""",
    ),
    says="each weight is a line, hidden ones too",
    scripts={
        "require.min.js": ("requirejs@2.3.6", "require.js"),
        "d3.min.js": ("d3@5.7.0", "dist/d3.min.js"),
        # The page asks for 2.0.0, which npm does not have.
        "jquery.min.js": ("jquery@2.1.0", "dist/jquery.min.js"),
    },
)
