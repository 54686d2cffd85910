"""GGUF files as models: converted by transformers once, kept as safetensors, and opened from there afterwards."""

from __future__ import annotations

import copy
import shutil
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
import transformers

from clearhead.sources.models.gguf import Head, cache_folder, digest, read_head, write_folder
from clearhead.sources.models.loading import Loaded, LoadingError, first_line
from clearhead.sources.models.local import Order, from_folder, kind_of, quiet
from clearhead.trace.installing import install

LAYOUT = 1
"""Counts up when what is kept changes."""


def converted(file: Path, order: Order) -> Loaded:
    """The model of a GGUF file, its weights unpacked to the asked dtype, float32 by default.

    What is kept goes by the file's content, the dtype and the version of transformers, as another version may write the
    configuration in another way.
    """
    head = _head(file, order)
    dtype = order.dtype or torch.float32
    order = replace(order, dtype=dtype)
    name = str(dtype).removeprefix("torch.")
    stored = ", ".join(head.types[:3])
    note = f"the weights are stored as {stored} and were unpacked to {name}"
    place = cache_folder() / "gguf" / f"{digest(file)[:32]}-{name}-{transformers.__version__}-{LAYOUT}"
    if place.is_dir():
        try:
            loaded = from_folder(place, order)
            return replace(loaded, notes=(note, *loaded.notes))
        except LoadingError:
            order.say(f"{order.name}: what was kept of it is damaged, and is made again")
            shutil.rmtree(place, ignore_errors=True)
    order.say(f"{order.name}: unpacking {stored} to {name}, once; this may take a minute")
    model, tokenizer = _unpacked(file, order)
    order.say(f"{order.name}: keeping it in {place}, to open it faster the next time")
    try:
        write_folder(place, lambda part: _keep(model, tokenizer, part))
        loaded = from_folder(place, order)
        if _same(model, loaded.model):
            return replace(loaded, notes=(note, *loaded.notes))
        why = "what was kept is not the same"
        shutil.rmtree(place, ignore_errors=True)
    except Exception as error:
        why = first_line(error)
    notes = (note, f"it could not be kept, and will be unpacked again the next time ({why})")
    return Loaded(model, tokenizer, None, order.name, kind_of(model), notes)


def _head(file: Path, order: Order) -> Head:
    try:
        head = read_head(file)
    except (ValueError, OSError) as error:
        raise order.fault(str(error)) from None
    if head.shards > 1:
        raise order.fault(f"it is one of {head.shards} files; expected them merged into one GGUF file")
    for package in ("gguf", "accelerate"):
        if find_spec(package) is None:
            raise ImportError(
                f"loading a GGUF file needs {package}, and it is not installed; expected `{install('models')}` before"
            )
    return head


def _unpacked(file: Path, order: Order) -> tuple[Any, Any]:
    """The model and the tokenizer as transformers reads them from the file."""
    given: dict[str, Any] = {"gguf_file": file.name}
    try:
        with quiet():
            tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, **given)
            config = transformers.AutoConfig.from_pretrained(file.parent, **given)
            if hasattr(transformers, "GgufConfig"):  # else weights are always unpacked
                given["quantization_config"] = transformers.GgufConfig(dequantize=True)
            # The config is given, else the file's vocabulary would be gone through once more.
            model = _class(config).from_pretrained(file.parent, config=config, dtype=order.dtype, **given)
    except Exception as error:
        raise order.fault(f"transformers cannot read this GGUF file ({first_line(error)})") from None
    return model.eval(), tokenizer


def _class(config: Any) -> Any:
    """The files do not name their class: what speaks, where the model type has such a class; else the bare model."""
    if config.architectures and hasattr(transformers, config.architectures[0]):
        return getattr(transformers, config.architectures[0])
    if config.is_encoder_decoder:
        return transformers.AutoModelForSeq2SeqLM
    speaks = type(config) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING and not _looks_both_ways(config)
    return transformers.AutoModelForCausalLM if speaks else transformers.AutoModel


def _looks_both_ways(config: Any) -> bool:
    """Of types that have both a masked and a causal form, it is the masked one that files are made of."""
    return type(config) in transformers.MODEL_FOR_MASKED_LM_MAPPING


def _keep(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write the model as a plain one: transformers does not save one that remembers being read from a GGUF file."""
    config = copy.deepcopy(model.config)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    config.architectures = [type(model).__name__]
    with torch.device("meta"):  # takes no memory: the weights are the model's own
        plain = type(model)(config)
    plain.load_state_dict(model.state_dict(), assign=True)
    plain.tie_weights()
    with quiet():
        plain.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def _same(one: Any, other: Any) -> bool:
    """Whether two models have the same numbers."""
    first, second = one.state_dict(), other.state_dict()
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
