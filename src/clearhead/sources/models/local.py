"""Models from files on this machine.

What transformers raises for files that it cannot make a model of depends on the model, and the tokenizers library
raises `Exception` itself; so whatever it is becomes the end of one sentence.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import load_file

from clearhead.sources.models.loading import PICKLES, Loaded, LoadingError, Say, first_line
from clearhead.trace.capture.arguments import argument

TOKENIZER_FILES = (
    "tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model",
    "sentencepiece.bpe.model",
)  # fmt: skip
PROCESSOR_FILES = ("preprocessor_config.json", "processor_config.json")

IN_A_LAYER = re.compile(r"\.\d+\.")
"""Parameters whose names count: those of a layer. Without one of them, the model is not the one that was saved."""

SHARD = re.compile(r"-\d+-of-(\d+)$")


@dataclass(frozen=True)
class Order:
    """What was asked for: the name for sentences, and how to load."""

    name: str
    remote_code: bool
    dtype: torch.dtype | None
    say: Say

    def fault(self, sentence: str) -> LoadingError:
        """The error that says it of this model."""
        return LoadingError(f"{self.name}: {sentence}")


def from_folder(folder: Path, order: Order) -> Loaded:
    """A model as `save_pretrained` leaves it."""
    config = read_config(folder, order)
    if not any((folder / name).is_file() for name in ("model.safetensors", "model.safetensors.index.json")):
        raise order.fault(f"it has no model.safetensors{_instead(folder)}")
    return _loaded(folder, config, order)


def from_file(file: Path, order: Order) -> Loaded:
    """A single file of weights, beside its config.json."""
    if shard := SHARD.search(file.stem):
        raise order.fault(f"it is one of {int(shard[1])} files; expected the folder that they are in")
    config = read_config(file.parent, order)
    try:
        state = load_file(file)
    except (SafetensorError, OSError) as error:
        raise order.fault(f"it is no safetensors file, or is cut short ({first_line(error)})") from None
    return _loaded(file.parent, config, order, state)


def from_gguf(file: Path, order: Order) -> Loaded:
    """A GGUF file, from the cache if it was converted before."""
    from clearhead.sources.models.converted import converted

    return converted(file, order)


def _instead(folder: Path) -> str:
    """What a folder without safetensors holds instead, as the end of a sentence."""
    files = sorted(path.name for path in folder.iterdir())
    if adapters := [name for name in files if name.startswith("adapter_")]:
        return f" but an adapter ({adapters[0]}); expected the model with the adapter merged into it"
    if pickles := [name for name in files if Path(name).suffix in PICKLES]:
        return f" but {pickles[0]}, a pickle, which may run code and is not read; expected safetensors"
    if files_of_gguf := [name for name in files if name.endswith(".gguf")]:
        return f" but {files_of_gguf[0]}; expected the path of that file"
    return "; expected one, as `save_pretrained` writes it"


def read_config(folder: Path, order: Order) -> Any:
    """The configuration that a folder holds."""
    file = folder / "config.json"
    if not file.is_file():
        raise order.fault(f"there is no config.json in {folder}{_instead(folder)}")
    try:
        written = json.loads(file.read_text("utf-8"))
        model_type = written.get("model_type")
    except (ValueError, AttributeError):
        raise order.fault("its config.json is damaged; expected a JSON table") from None
    known = model_type in transformers.CONFIG_MAPPING
    if "auto_map" in written and not known and not order.remote_code:
        allowed = argument("remote_code", True)
        expected = f"{allowed}, if you trust it" if allowed else "a model without"
        raise order.fault(f"it brings Python code of its own, which would be run; expected {expected}")
    if not known and "auto_map" not in written:
        raise order.fault(
            f"transformers {transformers.__version__} has no model of type {model_type!r}; expected one that it has"
        )
    try:
        with quiet():
            return transformers.AutoConfig.from_pretrained(folder, trust_remote_code=order.remote_code)
    except Exception as error:
        raise order.fault(f"its config.json cannot be read ({first_line(error)})") from None


def model_class(config: Any, *, remote_code: bool = False) -> Any:
    """The class that a model was saved from, so that each weight has its place; the bare model if none is named."""
    own = getattr(config, "auto_map", None) or {}
    if remote_code and own:
        wanted = [name for name in own if name.startswith("AutoModel") and hasattr(transformers, name)]
        if wanted:
            return getattr(transformers, min(wanted, key=lambda name: (name == "AutoModel", name)))
    for name in getattr(config, "architectures", None) or ():
        found = getattr(transformers, name, None)
        if isinstance(found, type) and issubclass(found, transformers.PreTrainedModel):
            return found
    return transformers.AutoModel


def kind_of(model: Any) -> str:
    """What sort of model it is; see `Loaded.kind`."""
    config, name = model.config, type(model).__name__
    if hasattr(config, "text_config") and (
        hasattr(config, "vision_config") or hasattr(config, "audio_config")
    ):
        return "towers"
    if config.is_encoder_decoder:
        return "encoder-decoder"
    if model.main_input_name == "pixel_values":
        return "vision"
    if model.main_input_name in ("input_values", "input_features"):
        return "audio"
    if "CausalLM" in name or "LMHead" in name:
        return "causal"
    return "masked" if "MaskedLM" in name else "base"


def _loaded(folder: Path, config: Any, order: Order, state: dict[str, Any] | None = None) -> Loaded:
    """The model from its weights, and what lies beside them in the folder."""
    order.say(f"{order.name}: reading the weights")
    chosen = model_class(config, remote_code=order.remote_code)
    if state is None:
        model = read_weights(chosen, folder, order)
    else:
        model = read_weights(chosen, None, order, config=config, state_dict=state)
    tokenizer, processor, notes = _beside(folder, order)
    return Loaded(model, tokenizer, processor, order.name, kind_of(model), notes)


def read_weights(chosen: Any, source: Path | None, order: Order, **given: Any) -> Any:
    """A model of the chosen class, with every weight of its layers from the file."""
    try:
        with quiet():
            model, found = chosen.from_pretrained(
                source, dtype=order.dtype or "auto", use_safetensors=True, trust_remote_code=order.remote_code,
                output_loading_info=True, **given,
            )  # fmt: skip
    except Exception as error:
        raise order.fault(f"transformers cannot load it ({first_line(error)})") from None
    missing = sorted(found["missing_keys"])
    if any(IN_A_LAYER.search(name) for name in missing) or len(missing) == len(model.state_dict()):
        raise order.fault(
            f"{len(missing)} of its parameters are not in the file, such as {missing[0]}; expected all of them"
        )
    if missing:
        warnings.warn(
            f"{order.name}: {', '.join(missing)} are not in the file and were made up at random; what depends on them "
            "means nothing",
            RuntimeWarning,
            stacklevel=2,
        )
    return model.eval()


def _beside(folder: Path, order: Order) -> tuple[Any, Any, tuple[str, ...]]:
    """The tokenizer and the processor, where there are some, and notes about those that could not be read."""
    made: list[Any] = []
    notes: list[str] = []
    for what, auto, files in (
        ("tokenizer", transformers.AutoTokenizer, TOKENIZER_FILES),
        ("processor", transformers.AutoProcessor, PROCESSOR_FILES),
    ):
        made.append(None)
        if any((folder / name).is_file() for name in files):
            try:
                with quiet():
                    made[-1] = auto.from_pretrained(folder, trust_remote_code=order.remote_code)
            except Exception as error:
                notes.append(f"its {what} cannot be read ({first_line(error)})")
    return made[0], made[1], tuple(notes)


@contextmanager
def quiet() -> Iterator[None]:
    """Without transformers' progress bars and advice, for the time of a block."""
    logging: Any = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
