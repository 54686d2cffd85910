"""Whether the parts of an example fit together: one sentence for each way in which they may not."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.core.masks import MASKS
from clearhead.core.ops.mask import FILLS
from clearhead.core.settings import ACTIVATIONS, NORM_PLACES, NORMS, POSITION_SCHEMES
from clearhead.sources.worked.matrices import ExampleError, count, is_text, shown

if TYPE_CHECKING:
    from clearhead.sources.worked.example import Example

CHOICES: dict[str, Iterable[str]] = {
    "mask": MASKS, "mask_fill": FILLS, "positions": POSITION_SCHEMES, "norm": NORMS, "norm_place": NORM_PLACES,
    "activation": ACTIVATIONS,
}  # fmt: skip


def check_switches(example: Example) -> None:
    """Every switch has one of its values, every text is text."""
    for name, choices in CHOICES.items():
        one_of(name, getattr(example, name), choices)
    for name in ("scale", "scale_embeddings", "predict"):
        value = getattr(example, name)
        if not isinstance(value, bool) and not (name != "scale" and value is None):
            raise ExampleError(name, f"expected true or false, got {value!r}")
    for name in ("title", "look_for", "name"):
        if not isinstance(getattr(example, name), str):
            raise ExampleError(name, f"expected text, got {getattr(example, name)!r}")
    if isinstance(example.heads, bool) or not isinstance(example.heads, int) or example.heads < 1:
        raise ExampleError("heads", f"expected a whole number from 1, got {example.heads!r}")
    heat: Any = example.temperature
    number = isinstance(heat, int | float) and not isinstance(heat, bool)
    if not number or not 0 < heat <= sys.float_info.max:
        raise ExampleError("temperature", f"expected a number above 0, got {shown(heat)}")


def check_words(example: Example) -> None:
    """Every word of the sentence has a row in E."""
    missing = [word for word in dict.fromkeys(example.tokens) if word not in example.E]
    if missing:
        raise ExampleError(
            "E", f"has no row for {', '.join(map(shown, missing))}; expected one for every word of tokens"
        )


def check_sizes(example: Example) -> None:
    """Every matrix fits the ones it meets."""
    for before, layer in zip(example.scopes, example.layer_weights, strict=True):
        _check_attention(example, before, layer)
        _check_feed_forward(example, before, layer)
        for name in ("gain_1", "bias_1", "gain_2", "bias_2", "b_2"):
            _check_row(example, before + name, layer.get(name), example.d_model)
    for name in ("gain_final", "bias_final"):
        _check_row(example, name, getattr(example, name), example.d_model)
    _check_positions(example)
    _check_next_word(example)


def _but_E(example: Example) -> str:
    return f"but the rows of E have {count(example.d_model, 'number')}; expected the same"


def _check_attention(example: Example, before: str, layer: Mapping[str, np.ndarray]) -> None:
    for name in ("W_Q", "W_K", "W_V"):
        rows = layer[name].shape[0]
        if rows != example.d_model:
            raise ExampleError(before + name, f"has {count(rows, 'row')}, {_but_E(example)}")
    W_Q, W_K, W_V, W_O = layer["W_Q"], layer["W_K"], layer["W_V"], layer.get("W_O")
    if W_Q.shape != W_K.shape:
        raise ExampleError(
            f"{before}W_K", f"is {_size(W_K)}, but {before}W_Q is {_size(W_Q)}; expected the same size"
        )
    for name in ("W_Q", "W_V"):
        if layer[name].shape[1] % example.heads:
            raise ExampleError(
                "heads", f"{example.heads} does not divide the {count(layer[name].shape[1], 'column')} of "
                f"{before}{name}; expected a divisor",
            )  # fmt: skip
    if W_O is not None and W_O.shape[0] != W_V.shape[1]:
        rows, columns = W_O.shape[0], W_V.shape[1]
        raise ExampleError(
            f"{before}W_O",
            f"has {count(rows, 'row')}, but {before}W_V has {count(columns, 'column')}; expected the same",
        )
    d_head = W_Q.shape[1] // example.heads
    if example.positions == "rotary" and d_head % 2:
        raise ExampleError(
            "positions", f"rotary turns pairs of features, but d_head is {d_head}; expected an even d_head"
        )


def _check_feed_forward(example: Example, before: str, layer: Mapping[str, np.ndarray]) -> None:
    W_1, W_2 = layer.get("W_1"), layer.get("W_2")
    if W_1 is None or W_2 is None:
        for name in ("W_1", "W_2", "W_G", "b_1", "b_2"):
            if name in layer:
                other = "W_2" if name == "W_1" else "W_1"
                raise ExampleError(
                    f"{before}{other}", f"is missing; expected one, because there is {before}{name}"
                )
        return
    if W_1.shape[0] != example.d_model:
        raise ExampleError(f"{before}W_1", f"has {count(W_1.shape[0], 'row')}, {_but_E(example)}")
    if W_2.shape != W_1.shape[::-1]:
        raise ExampleError(
            f"{before}W_2", f"is {_size(W_2)}, but {before}W_1 is {_size(W_1)}; expected {_size(W_1.T)}"
        )
    _check_row(example, f"{before}b_1", layer.get("b_1"), W_1.shape[1])
    W_G = layer.get("W_G")
    if W_G is None and example.activation == "swiglu":
        raise ExampleError(
            f"{before}W_G", "is missing; expected the gate's matrix, because activation is 'swiglu'"
        )
    if W_G is not None and W_G.shape != W_1.shape:
        raise ExampleError(
            f"{before}W_G", f"is {_size(W_G)}, but {before}W_1 is {_size(W_1)}; expected the same size"
        )


def _check_row(example: Example, name: str, row: np.ndarray | None, width: int) -> None:
    if row is not None and row.shape != (width,):
        raise ExampleError(
            name, f"has {count(len(row), 'number')}; expected {width}, one for each column it meets"
        )


def _check_positions(example: Example) -> None:
    if example.positions == "learned" and example.P is None:
        raise ExampleError("P", "is missing; expected one row per position, because positions is 'learned'")
    if example.P is not None and example.P.shape[1] != example.d_model:
        raise ExampleError("P", f"has {count(example.P.shape[1], 'column')}, {_but_E(example)}")
    if example.P is not None and example.positions == "learned" and example.P.shape[0] < len(example.tokens):
        raise ExampleError(
            "P",
            f"has {count(example.P.shape[0], 'row')}, but the sentence has {count(len(example.tokens), 'word')}; "
            "expected a row for each position",
        )


def _check_next_word(example: Example) -> None:
    several = len(example.layer_weights) > 1
    if several and example.predict is False:
        raise ExampleError("predict", "is false, but there are several layers; expected true, or one layer")
    meant = example.predict is None and (example.W_1 is not None or example.W_U is not None)
    if several or example.predict or meant:
        for before, layer in zip(example.scopes, example.layer_weights, strict=True):
            last = "W_O" if "W_O" in layer else "W_V"
            if (columns := layer[last].shape[1]) != example.d_model:
                raise ExampleError(
                    before + last, f"has {count(columns, 'column')}, but its result is added to X, whose rows have "
                    f"{count(example.d_model, 'number')}; expected the same (or predict = false: attention alone)",
                )  # fmt: skip
    W_U, words = example.W_U, len(example.E)
    if W_U is not None and W_U.shape != (example.d_model, words):
        raise ExampleError(
            "W_U", f"is {_size(W_U)}; expected {example.d_model} × {words}: a column for each word of E"
        )


def one_of(field: str, value: Any, choices: Iterable[str]) -> None:
    """See that a switch has one of its values.

    Raises:
        ExampleError: it has not; the message names the values there are.
    """
    if not isinstance(value, str):
        quoted = ", ".join(f'"{choice}"' for choice in choices)
        raise ExampleError(field, f"{shown(value)} is no text; expected one of {quoted}")
    if value not in tuple(choices):
        raise ExampleError(field, f"{value!r} is not known; expected one of {', '.join(choices)}")


def read_tokens(tokens: Any) -> tuple[str, ...]:
    """The sentence: at least one word, every word text."""
    if not isinstance(tokens, list | tuple):
        raise ExampleError("tokens", f"expected a list of words, got {shown(tokens)}")
    words = tuple(tokens)
    if not words:
        raise ExampleError("tokens", "the sentence is empty; expected at least one word")
    for number, word in enumerate(words):
        if not is_text(word):
            raise ExampleError("tokens", f"word {number}: expected text, got {shown(word)}")
    return words


def _size(matrix: np.ndarray) -> str:
    return " × ".join(map(str, matrix.shape))
