"""The walkthrough and what belongs to one: a cell's arithmetic, a suggested row, a program, the trace as a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from clearhead.core.ops.base import Index
from clearhead.core.settings import ACTIVATIONS, POSITION_SCHEMES
from clearhead.lenses.compare import difference
from clearhead.lenses.explain import explain
from clearhead.lenses.script import numpy_script, torch_script
from clearhead.lenses.walkthrough import Layer, quantity_views, stop_views
from clearhead.messages import Settings, Walkthrough
from clearhead.session.states import States
from clearhead.session.view import View, one_of, text, whole
from clearhead.sources.worked import Example, ExampleError
from clearhead.sources.worked.files import STUDY
from clearhead.sources.worked.run import with_asides
from clearhead.sources.worked.suggest import suggest_row
from clearhead.trace.notation.numbers import DIGITS
from clearhead.trace.notation.tokens import visible_token
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace
from clearhead.trace.wire import trace_bytes

Difference = Callable[[Quantity], np.ndarray | None]
SCRIPTS = {"numpy": numpy_script, "torch": torch_script}


def walkthrough(states: States, message: Mapping[str, Any]) -> View:
    """One layer, from its words or from the layer before, to its loss and back."""
    example = states.example(message)
    layers = len(example.layer_weights)
    number = whole(message, "layer", 0, layers - 1) if "layer" in message else 0
    layer = Layer(with_asides(states.loop(message), number), number)
    compared, notices = _compared(states, message, number)
    views, buffers = quantity_views(layer, example.used_parameters, compared)
    notices += _added_words(example, states.named(message["state"]["example"]))
    notices += _study_step(message["state"])
    data = Walkthrough(
        kind="walkthrough",
        example={"name": example.name, "title": example.title, "look_for": example.look_for},
        tokens=list(layer.trace.tokens),
        vocabulary=list(layer.trace.vocabulary),
        settings=_settings(example, number),
        layers=layers,
        layer=number,
        quantities=views,
        stops=stop_views(layer),
        notices=[*notices, *layer.trace.provenance["left_out"]],
    )
    return View(data, buffers)


def _compared(states: States, message: Mapping[str, Any], layer: int) -> tuple[Difference | None, list[str]]:
    """What changed in a quantity since the state `before`, and what there is to say about that.

    A state that cannot be run is nothing to compare with; the picture of the present one must not fail for it.
    """
    if message.get("before") is None:
        return None, []
    try:
        before = states.loop(message, "before")
        before = with_asides(before, min(layer, before.provenance["settings"]["layers"] - 1))
    except (ExampleError, OverflowError) as error:
        return None, [f"What was before cannot be shown beside it: {error}."]
    return (lambda quantity: difference(quantity, before.get(quantity.name))), []


def arithmetic(states: States, message: Mapping[str, Any]) -> View:
    """How one cell came about, of whatever layer it is."""
    trace, name, index = cell_of(states, message)
    digits = one_of(message, "digits", DIGITS)
    return View(explain(trace, name, index, digits))


def cell_of(states: States, message: Mapping[str, Any]) -> tuple[Trace, str, Index]:
    """The cell that a message is about, and a trace that has it, with the questions beside its layer's main line."""
    trace = states.loop(message)
    trace = with_asides(trace, _layer_of(message.get("quantity"), trace))
    name = message.get("quantity")
    if not isinstance(name, str) or name not in trace:
        raise ExampleError("quantity", f"{name!r} is not known; {trace.instead_of(name)}")
    index = message.get("index")
    if not isinstance(index, list) or not all(type(number) is int for number in index):
        raise ExampleError("index", f"expected a list of whole numbers, got {index!r}")
    try:
        return trace, name, trace[name].place(tuple(index))
    except IndexError as error:
        raise ExampleError("index", str(error)) from None


def _layer_of(name: Any, trace: Trace) -> int:
    """The layer that a name says it belongs to, or the first."""
    layers = trace.provenance["settings"]["layers"]
    return next((number for number in range(layers) if str(name).startswith(f"layer{number}.")), 0)


def suggestion(states: States, message: Mapping[str, Any]) -> View:
    """A row of E for a word that the example does not know."""
    example = states.example(message)
    word = text(message, "word")
    how = (
        f"The row for “{visible_token(word)}” is a suggestion worked out from its letters, the same for everyone; "
        "it means nothing. Every number of it can be edited."
    )
    return View({"kind": "suggestion", "word": word, "row": suggest_row(example, word), "how": how})


def script(states: States, message: Mapping[str, Any]) -> View:
    """A program that prints the same numbers."""
    flavour = one_of(message, "flavour", SCRIPTS)
    written = SCRIPTS[flavour](states.loop(message))
    return View(
        {"kind": "script", "flavour": flavour, "filename": f"attention_{flavour}.py", "text": written}
    )


def trace_file(states: States, message: Mapping[str, Any]) -> View:
    """The trace as a file."""
    content = np.frombuffer(trace_bytes(states.loop(message)), np.uint8)
    filename = f"{states.example(message).name or 'example'}.clearhead"
    return View({"kind": "trace", "filename": filename, "media_type": "application/octet-stream"}, [content])


def _study_step(state: Mapping[str, Any]) -> list[str]:
    """Of the study model: which moment of its training is shown, if it is not the end."""
    if state["example"] != STUDY or "step" not in state or "training" in state:
        return []
    return [f"This is the study model as it was after {state['step']:,} steps of its training."]


def _added_words(example: Example, original: Example) -> list[str]:
    """Which words of the sentence the example did not come with."""
    added = [f"“{visible_token(word)}”" for word in dict.fromkeys(example.tokens) if word not in original.E]
    if not added:
        return []
    if len(added) == 1:
        return [
            f"{added[0]} is not one of this example's own words: its row of E was added and can be edited."
        ]
    return [
        f"{', '.join(added)} are not this example's own words: their rows of E were added and can be edited."
    ]


def _settings(example: Example, layer: int) -> Settings:
    settings = example.settings
    return Settings(
        heads=settings.heads,
        head_choices=list(example.head_choices),
        mask=settings.mask,  # type: ignore[typeddict-item]  # checked by Example
        mask_fill=settings.mask_fill,  # type: ignore[typeddict-item]
        scale=settings.scale,
        positions=settings.positions,  # type: ignore[typeddict-item]
        position_choices=_position_choices(example),
        scale_embeddings=settings.scale_embeddings,
        norm=settings.norm,  # type: ignore[typeddict-item]
        norm_place=settings.norm_place,  # type: ignore[typeddict-item]
        activation=settings.activation,  # type: ignore[typeddict-item]
        activation_choices=_activation_choices(example),
        temperature=settings.temperature,
        predicts=settings.predicts,
        d_model=example.d_model,
        d_head=example.layer_weights[layer]["W_Q"].shape[1] // settings.heads,
    )


def _position_choices(example: Example) -> Any:
    """The position schemes the example can be switched to: learned needs P, rotary an even d_head."""
    odd = any(layer["W_Q"].shape[1] // example.heads % 2 for layer in example.layer_weights)
    short = example.P is None or example.P.shape[0] < len(example.tokens)
    return [s for s in POSITION_SCHEMES if not (s == "learned" and short) and not (s == "rotary" and odd)]


def _activation_choices(example: Example) -> Any:
    """The activations the example can be switched to: none without a feed-forward network, SwiGLU only with a gate."""
    fed = [layer for layer in example.layer_weights if "W_1" in layer]
    gated = all("W_G" in layer for layer in fed)
    return [name for name in ACTIVATIONS if name != "swiglu" or gated] if fed else []
