"""The options that commands share, alone and in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

from clearhead.core.masks import MASKS
from clearhead.core.ops.mask import FILLS
from clearhead.core.optimise import RATES, Optimiser
from clearhead.core.settings import ACTIVATIONS, NORM_PLACES, NORMS, POSITION_SCHEMES
from clearhead.messages.values import Digits
from clearhead.surfaces.cli.groups import Given, Group
from clearhead.trace.notation.numbers import DIGITS


def one_of(name: str, choices: Iterable[str], text: str) -> Any:
    """An option that takes one of some words; another word is a usage error."""
    words = tuple(choices)
    return typer.Option(
        name, help=f"{text} {' | '.join(words)}", metavar=name.lstrip("-").upper(), callback=_checker(words)
    )


def _checker(words: tuple[str, ...]) -> Callable[[str | None], str | None]:
    def check(value: str | None) -> str | None:
        if value is not None and value not in words:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(words)}.")
        return value

    return check


EXAMPLE = "The name of an example (see `clearhead examples`), or the path of a .toml file."

Mask = Annotated[str | None, one_of("--mask", MASKS, "Who may look at whom.")]
MaskFill = Annotated[
    str | None, one_of("--mask-fill", FILLS, "What a forbidden score becomes (0 is the mistake).")
]
Scale = Annotated[bool | None, typer.Option("--scale/--no-scale", help="Divide the scores by √d_head.")]
Positions = Annotated[str | None, one_of("--positions", POSITION_SCHEMES, "How positions are told apart.")]
ScaleEmbeddings = Annotated[
    bool | None,
    typer.Option("--scale-embeddings/--no-scale-embeddings", help="Multiply the embeddings by √d_model."),
]
Heads = Annotated[int | None, typer.Option("--heads", help="How many heads.", min=1)]
Norm = Annotated[str | None, one_of("--norm", NORMS, "How rows are brought to a common size.")]
NormPlace = Annotated[
    str | None, one_of("--norm-place", NORM_PLACES, "Before each part of a layer, or after.")
]
Activation = Annotated[
    str | None, one_of("--activation", ACTIVATIONS, "The curve of the feed-forward network.")
]
Temperature = Annotated[float | None, typer.Option("--temperature", help="What the logits are divided by.")]
Switches = Annotated[
    Given,
    Group(
        mask=Mask, mask_fill=MaskFill, scale=Scale, positions=Positions, scale_embeddings=ScaleEmbeddings, heads=Heads,
        norm=Norm, norm_place=NormPlace, activation=Activation, temperature=Temperature,
    ),
]  # fmt: skip
"""What an example is varied by."""

Kind = Annotated[str | None, one_of("--optimiser", RATES, "How a gradient becomes an update.")]
USUAL = ", ".join(f"{kind} {rate}" for kind, rate in RATES.items())
LearningRate = Annotated[float | None, typer.Option("--learning-rate", help=f"η. Default: {USUAL}.")]
Update = Annotated[Given, Group(optimiser=Kind, learning_rate=LearningRate)]
"""What the update of a training is."""

Dtype = Annotated[
    str | None, typer.Option("--dtype", help="The numbers' type, such as bfloat16. Default: as stored.")
]
Device = Annotated[str | None, typer.Option("--device", help="Where it runs. Default: the CPU.")]
Revision = Annotated[str | None, typer.Option("--revision", help="Of a model on the hub.")]
RemoteCode = Annotated[
    bool, typer.Option("--remote-code", help="Let the model bring Python code of its own, and run it.")
]
Loading = Annotated[Given, Group(dtype=Dtype, device=Device, revision=Revision, remote_code=RemoteCode)]
"""How a model is loaded."""

Decoder = Annotated[
    str | None, typer.Option("--decoder", help="What the decoder of an encoder-decoder model is given.")
]
Generate = Annotated[
    int, typer.Option("--generate", min=0, help="Let it go on by itself for so many tokens.")
]
DigitsShown = Annotated[
    str, one_of("--digits", map(str, DIGITS), "Decimals shown; full is the very number that was computed.")
]
As = Annotated[
    str,
    one_of("--as", ("text", "latex", "markdown"), "How the arithmetic is written, for a paper or a page."),
]
Batch = Annotated[
    int | None,
    typer.Option("--batch", min=0, help="Which sequence of a capture, from 0.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, every number in full.")]
Port = Annotated[
    int | None,
    typer.Option(
        "--port", min=0, max=65535, help="Where to serve; 0: any free port. Default: 8377 or the next free."
    ),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the address.")]


def digits_of(word: str) -> Digits:
    """2, 3, 4 or "full"."""
    return next(digits for digits in DIGITS if str(digits) == word)


def optimiser_of(update: Given) -> Optimiser:
    """The update that is shown: plain gradient descent if none is named.

    Raises:
        ValueError: the learning rate is no finite number above 0.
    """
    return Optimiser(update.get("optimiser", "sgd"), update.get("learning_rate"))
