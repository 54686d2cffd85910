"""An example: a sentence, its embedding table, the weights of every layer and the switches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from clearhead.core.names import scope
from clearhead.core.parameters import LAYER_AXES, SHARED_AXES, is_used
from clearhead.core.settings import Settings
from clearhead.sources.worked.fitting import check_sizes, check_switches, check_words, read_tokens
from clearhead.sources.worked.matrices import ExampleError, plain, read_matrix, read_row, read_table, shown
from clearhead.trace.nearest import meant, nearest

SWITCHES = (
    "heads", "mask", "mask_fill", "scale", "positions", "scale_embeddings", "norm", "norm_place", "activation",
    "temperature", "predict",
)  # fmt: skip
"""The fields that are switches: they change how the model computes, not the numbers it is given."""

REQUIRED = ("W_Q", "W_K", "W_V")
"""What every layer has."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Example:
    """A sentence with everything one attention layer needs, or a whole transformer. Lists and arrays are both welcome.

    Attributes:
        tokens: the words of the sentence, in order; a word may repeat.
        E: for each word its row of d_model numbers; words that the sentence does not use are allowed.
        W_Q: (d_model, heads * d_head). This and what follows up to bias_2 is the one layer of a model of one layer.
        W_K: the shape of W_Q.
        W_V: (d_model, heads * d_value).
        W_O: (heads * d_value, any number of columns), or None: the joined heads are the output.
        W_1: (d_model, d_ff), and W_2: (d_ff, d_model), the feed-forward network; both or neither.
        W_2: see W_1.
        b_1: (d_ff,), and b_2: (d_model,), what the feed-forward network adds; optional.
        b_2: see b_1.
        W_G: (d_model, d_ff), the gate of activation="swiglu".
        gain_1: (d_model,), and bias_1: what the norm beside attention multiplies by and adds; optional.
        bias_1: see gain_1.
        gain_2: (d_model,), and bias_2: the same for the norm beside the feed-forward network.
        bias_2: see gain_2.
        layers: the layers of a model of several, each a table with the names above; then those fields stay empty.
        P: (positions, d_model), one row per position, for positions="learned" only.
        gain_final: (d_model,), and bias_final: the same for the norm after the last layer of a pre-norm model.
        bias_final: see gain_final.
        W_U: (d_model, words of E), the unembedding; None: tied, the logits are the last vectors times E^T.
        heads: how many heads; divides the columns of W_Q, W_K and W_V.
        mask: "none" (encoder) or "causal" (decoder).
        mask_fill: what a masked score becomes: "-inf", or "0", the mistake that leaks.
        scale: whether scores are divided by root(d_head).
        positions: "none", "sinusoidal", "learned", "rotary" or "alibi".
        scale_embeddings: whether embeddings are multiplied by root(d_model), as Vaswani et al. 2017, section 3.4, do;
            None: exactly when positions are sinusoidal.
        norm: "none", "layer" or "rms".
        norm_place: "pre" (before attention and feed-forward) or "post" (after each, the way around added).
        activation: "relu", "gelu", "gelu_tanh" or "swiglu".
        temperature: what the logits are divided by; above 0.
        predict: whether the model goes on past attention to the next word; None: whenever it can, that is, when the
            output of attention has d_model columns.
        title: a few words.
        look_for: one sentence on what to look for.
        name: the name it was loaded by.

    Raises:
        ExampleError: something does not fit; the message names the field and what was expected.
    """

    tokens: tuple[str, ...]
    E: Mapping[str, np.ndarray]
    W_Q: np.ndarray | None = None
    W_K: np.ndarray | None = None
    W_V: np.ndarray | None = None
    W_O: np.ndarray | None = None
    gain_1: np.ndarray | None = None
    bias_1: np.ndarray | None = None
    W_G: np.ndarray | None = None
    W_1: np.ndarray | None = None
    b_1: np.ndarray | None = None
    W_2: np.ndarray | None = None
    b_2: np.ndarray | None = None
    gain_2: np.ndarray | None = None
    bias_2: np.ndarray | None = None
    layers: Sequence[Mapping[str, np.ndarray]] = ()
    P: np.ndarray | None = None
    gain_final: np.ndarray | None = None
    bias_final: np.ndarray | None = None
    W_U: np.ndarray | None = None
    heads: int = 1
    mask: str = "none"
    mask_fill: str = "-inf"
    scale: bool = True
    positions: str = "sinusoidal"
    scale_embeddings: bool | None = None
    norm: str = "none"
    norm_place: str = "pre"
    activation: str = "relu"
    temperature: float = 1.0
    predict: bool | None = None
    title: str = ""
    look_for: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        """Read and check every field."""
        for name in SWITCHES:
            self._set(name, plain(getattr(self, name)))
        self._set("tokens", read_tokens(plain(self.tokens)))
        self._set("E", read_table("E", self.E))
        for name, axes in (LAYER_AXES | SHARED_AXES).items():
            if (given := getattr(self, name)) is not None:
                self._set(name, read_row(name, given) if len(axes) == 1 else read_matrix(name, given))
        self._set("layers", self._read_layers())
        check_switches(self)
        check_words(self)
        check_sizes(self)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _read_layers(self) -> tuple[dict[str, np.ndarray], ...]:
        """The tables of `layers`; empty if there is one layer, whose matrices are fields of their own."""
        alone = [name for name in LAYER_AXES if getattr(self, name) is not None]
        given = self.layers
        if not isinstance(given, list | tuple):
            raise ExampleError("layers", f"expected a list of layers, got {shown(given)}")
        if given and alone:
            raise ExampleError(alone[0], "stands beside layers; expected it inside the layer it belongs to")
        if not given:
            for name in REQUIRED:
                if getattr(self, name) is None:
                    raise ExampleError(name, "is missing")
        if len(given) == 1:  # one layer is written without a table
            for name, value in _read_layer("", given[0]).items():
                self._set(name, value)
            return ()
        return tuple(_read_layer(scope(number, len(given)), layer) for number, layer in enumerate(given))

    @property
    def layer_weights(self) -> tuple[Mapping[str, np.ndarray], ...]:
        """The matrices of each layer by their bare names, however many layers there are."""
        if self.layers:
            return tuple(self.layers)
        present = {name: getattr(self, name) for name in LAYER_AXES}
        return ({name: value for name, value in present.items() if value is not None},)

    @property
    def scopes(self) -> tuple[str, ...]:
        """What stands before the names of each layer: see `core.names.scope`."""
        count = len(self.layers) or 1
        return tuple(scope(layer, count) for layer in range(count))

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """Every array the example is given, by its full name: "E", "P", "W_Q" or "layer0.W_Q" ..., "W_U"."""
        found: dict[str, Any] = {"E": np.array(list(self.E.values())), "P": self.P}
        for before, layer in zip(self.scopes, self.layer_weights, strict=True):
            found |= {before + name: layer[name] for name in LAYER_AXES if name in layer}
        found |= {name: getattr(self, name) for name in SHARED_AXES if name != "P"}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def used_parameters(self) -> dict[str, np.ndarray]:
        """Those of them that a run with these switches has a use for."""
        given, settings = self.parameters, self.settings
        return {name: value for name, value in given.items() if is_used(name, given, settings)}

    @classmethod
    def of_parameters(
        cls, parameters: Mapping[str, np.ndarray], *, tokens: Sequence[str], vocabulary: Sequence[str], layers: int,
        **switches: Any,
    ) -> Example:  # fmt: skip
        """An example from its arrays by full name, as `parameters` gives them, and its other fields."""
        scopes = [scope(layer, layers) for layer in range(layers)]
        tables = [
            {name: parameters[before + name] for name in LAYER_AXES if before + name in parameters}
            for before in scopes
        ]
        shared: dict[str, Any] = {name: parameters[name] for name in SHARED_AXES if name in parameters}
        E = dict(zip(vocabulary, parameters["E"], strict=True))
        return cls(tokens=tuple(tokens), E=E, layers=tables, **shared, **switches)

    def with_parameters(self, parameters: Mapping[str, np.ndarray]) -> Example:
        """The example with other numbers in some of its arrays; the names are those of `parameters`."""
        changes: dict[str, Any] = {name: value for name, value in parameters.items() if "." not in name}
        if "E" in changes:
            changes["E"] = dict(zip(self.E, changes["E"], strict=True))
        if self.layers:
            changes["layers"] = [
                {name: parameters.get(before + name, value) for name, value in layer.items()}
                for before, layer in zip(self.scopes, self.layer_weights, strict=True)
            ]
        return replace(self, **changes)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words of E's rows, in order."""
        return tuple(self.E)

    @property
    def rows(self) -> tuple[int, ...]:
        """The row of E of each position."""
        row_of = {word: row for row, word in enumerate(self.E)}
        return tuple(row_of[token] for token in self.tokens)

    @property
    def d_model(self) -> int:
        """The length of a row of E."""
        return len(next(iter(self.E.values())))

    @property
    def d_head(self) -> int:
        """The length of a query."""
        return int(self.layer_weights[0]["W_Q"].shape[1]) // self.heads

    @property
    def predicts(self) -> bool:
        """Whether the model goes on past attention to the next word."""
        if self.predict is None:
            layer = self.layer_weights[0]
            return bool(layer["W_O" if "W_O" in layer else "W_V"].shape[1] == self.d_model)
        return self.predict

    @property
    def settings(self) -> Settings:
        """The switches, all decided."""
        scaled = self.positions == "sinusoidal" if self.scale_embeddings is None else self.scale_embeddings
        return Settings(
            self.heads, self.mask, self.mask_fill, self.scale, self.positions, scaled, self.norm, self.norm_place,
            self.activation, float(self.temperature), len(self.layer_weights), self.predicts,
        )  # fmt: skip

    @property
    def head_choices(self) -> tuple[int, ...]:
        """Numbers of heads that divide the columns of W_Q and W_V; with rotary positions d_head must stay even."""
        unit = 2 if self.positions == "rotary" else 1
        shapes = [(layer["W_Q"].shape[1], layer["W_V"].shape[1]) for layer in self.layer_weights]
        fits = [
            n for n in range(1, min(map(min, shapes)) + 1)
            if all(columns % (n * unit) == 0 and values % n == 0 for columns, values in shapes)
        ]  # fmt: skip
        return tuple(fits)

    def __repr__(self) -> str:
        """The sentence and the sizes, in one line."""
        layers = len(self.layer_weights)
        sizes = f"d_model {self.d_model}, heads {self.heads}, {layers} layer{'s' if layers > 1 else ''}"
        return f"Example of {' '.join(self.tokens)!r} ({sizes})"

    def vary(self, **changes: Any) -> Example:
        """The example with some fields changed, checked again.

        Raises:
            TypeError: a name that is no field of an example.
            ExampleError: the changed example does not fit together.
        """
        known = [field.name for field in fields(self)]
        for name in changes:
            if name not in known:
                instead = meant(nearest(name, known), f"expected one of {', '.join(known)}")
                raise TypeError(f"{name!r} is no field of an example; {instead}")
        return replace(self, **changes)


def _read_layer(before: str, layer: Any) -> dict[str, np.ndarray]:
    """One table of `layers`, its arrays in the order of `LAYER_AXES`."""
    field = before.rstrip(".") or "layers"
    if not isinstance(layer, Mapping):
        raise ExampleError(field, f"expected a table of matrices, got {shown(layer)}")
    for name in layer:
        if name not in LAYER_AXES:
            instead = meant(nearest(name, LAYER_AXES), f"expected only {', '.join(LAYER_AXES)}")
            raise ExampleError(field, f"{name!r} is not known; {instead}")
    for name in REQUIRED:
        if name not in layer:
            raise ExampleError(f"{before}{name}", "is missing")
    read = {1: read_row, 2: read_matrix}
    return {
        name: read[len(axes)](before + name, layer[name])
        for name, axes in LAYER_AXES.items()
        if name in layer
    }
