"""The model's own run: one forward pass, or as many as words are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.fitting import most_positions
from clearhead.sources.models.inputs import Given
from clearhead.sources.models.usable import setting
from clearhead.trace.capture.arguments import either, without

GREEDY = {
    "do_sample": False, "num_beams": 1, "num_return_sequences": 1, "use_cache": True,
    "cache_implementation": "dynamic", "return_dict_in_generate": False,
}  # fmt: skip
"""Each next word is the likeliest one, and a cache that grows holds the keys and values of those before."""

NO_PLACE = ("out of bounds", "must match the size", "must match the existing size")
"""What PyTorch says where a table has no place for so many positions."""


def check_generate(model: Any, generate: Any) -> None:
    """Refuse a number of words that is none, or a model that goes on with no words.

    Raises:
        CaptureError: says which of the two.
    """
    if isinstance(generate, bool) or not isinstance(generate, int) or generate < 0:
        raise CaptureError(f"generate: expected a whole number of tokens from 0, got {generate!r}")
    if generate and not can_go_on(model):
        raise CaptureError(
            f"generate: {type(model).__name__} does not go on with words; expected "
            f"{either('a model that does (…ForCausalLM, …ForConditionalGeneration)', without('generate'))}"
        )


def otherwise_asked(model: Any, generate: int) -> tuple[str, ...]:
    """A sentence where the model's own settings would have it choose its words in another way."""
    own = getattr(model, "generation_config", None)
    asked = [
        what
        for what, wanted in (
            ("sampling", getattr(own, "do_sample", False)), ("beams", (getattr(own, "num_beams", 1) or 1) > 1)
        )
        if wanted
    ]  # fmt: skip
    if not generate or not asked:
        return ()
    return (f"the model's settings ask for {' and '.join(asked)}; here each next word is the likeliest one",)


def can_go_on(model: Any) -> bool:
    """Whether the model says next words."""
    able = getattr(model, "can_generate", None)
    return bool(able()) if callable(able) else callable(getattr(model, "generate", None))


@dataclass
class Said:
    """What a run gave beside the attention.

    Attributes:
        logits: of its last pass, (sequence, position, vocabulary); of the last position alone if it went on with words.
        ids: (sequence, position) all that the model read while it went on, or None if it did not.
        prompt: how many of them it read in its first pass.
    """

    logits: torch.Tensor | None = None
    ids: torch.Tensor | None = None
    prompt: int = 0


def run(model: Any, given: Given, generate: int, begins: Callable[[], None]) -> Said:
    """Run the model: one pass, or one for each word that it goes on with.

    Args:
        model: the model.
        given: what it is given.
        generate: how many words are asked for.
        begins: told when a pass begins, also one of a part of the model alone, as some (BLIP) go on with.

    Raises:
        CaptureError: the text is too long for a table that the model has.
    """
    with _too_long_said(model, given, generate):
        if not generate:
            return Said(_logits(model(**given.inputs)))
        said = Said()
        with _listening(model, said, begins):
            model.generate(**given.inputs, max_new_tokens=generate, **GREEDY, **_filler(model))
    return said


@contextmanager
def _listening(model: torch.nn.Module, said: Said, begins: Callable[[], None]) -> Iterator[None]:
    """Every pass of what says words is heard: what it reads, and what it says last."""
    inner = [
        one for one in model.modules() if one is not model and hasattr(one, "can_generate") and can_go_on(one)
    ]
    # a part is heard only where the whole model does not run: the whole's own passes would be heard twice
    running = [False]

    def before(module: torch.nn.Module, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        if module is model:
            running[0] = True
        elif not running[0]:
            begins()
        if module is model or not running[0]:
            _read(said, module, args, named)

    def after(module: torch.nn.Module, args: Any, output: Any) -> None:
        if module is model or not running[0]:
            logits = _logits(output)
            said.logits = None if logits is None or logits.ndim != 3 else logits[:, -1:]

    with ExitStack() as stack:
        for module in (model, *inner):
            stack.callback(module.register_forward_pre_hook(before, with_kwargs=True).remove)
            stack.callback(module.register_forward_hook(after).remove)
        yield


def _read(said: Said, module: torch.nn.Module, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Add the ids of one pass; without a cache a pass reads again all that came before."""
    name = (
        "decoder_input_ids" if setting(getattr(module, "config", None), "is_encoder_decoder") else "input_ids"
    )
    ids = named.get(name, args[0] if args and name == "input_ids" else None)
    if not isinstance(ids, torch.Tensor) or ids.ndim != 2:
        return
    if said.ids is None or ids.shape[1] > said.ids.shape[1]:
        said.prompt = said.prompt or ids.shape[1]
        said.ids = ids
    else:
        said.ids = torch.cat([said.ids, ids], 1)


@contextmanager
def _too_long_said(model: Any, given: Given, generate: int) -> Iterator[None]:
    """A model that has no place for so many tokens ends with an error about an index: a sentence in its place."""
    try:
        yield
    except (IndexError, RuntimeError) as error:
        most = most_positions(model)
        read = given.length + max(0, generate - 1)
        about_places = isinstance(error, IndexError) or any(said in str(error) for said in NO_PLACE)
        if not about_places or most is None or read <= most:
            raise
        raise CaptureError(
            f"text: {read} tokens are longer than this model's {most} positions; expected at most {most}"
        ) from None


def _logits(output: Any) -> torch.Tensor | None:
    logits = getattr(output, "logits", None)
    return logits if isinstance(logits, torch.Tensor) else None


def _filler(model: Any) -> dict[str, int]:
    """The end mark as padding where the model names no padding, as `generate` would choose it with a warning."""
    config = getattr(model, "generation_config", None)
    ends = setting(config, "eos_token_id")
    if setting(config, "pad_token_id") is not None or ends is None:
        return {}
    return {"pad_token_id": ends[0] if isinstance(ends, list) else ends}
