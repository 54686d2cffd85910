"""Models by name: from the hub, a folder, a safetensors file or a GGUF file. PyTorch is imported with the first use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

PICKLES = frozenset({".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle"})
"""How files of weights end that are pickles: reading one runs whatever code it brings."""

Say = Callable[[str], None]


class LoadingError(ValueError):
    """A model cannot be loaded; the message is one sentence that names it."""


@dataclass(frozen=True)
class Loaded:
    """A model ready to be captured, in evaluation mode.

    Attributes:
        model: a `PreTrainedModel` of transformers.
        tokenizer: its tokenizer; None if it came without.
        processor: what makes its input of pictures or sound; None for a model of texts alone.
        name: what it was asked for by.
        kind: "causal" (the next word from those before it), "masked" (words left out), "encoder-decoder", "towers"
            (pictures or sound beside text), "vision", "audio", or "base" (without a head).
        notes: what a person should know about how it was loaded, each a sentence.
    """

    model: Any
    tokenizer: Any
    processor: Any
    name: str
    kind: str
    notes: tuple[str, ...] = ()


def load_model(
    name: str | Path,
    *,
    revision: str | None = None,
    remote_code: bool = False,
    device: str | torch.device | None = None,
    dtype: str | torch.dtype | None = None,
    progress: Say | None = None,
) -> Loaded:
    """Load a model with its tokenizer. Weights are read from safetensors and GGUF files only, which hold no code.

    A GGUF file is converted once, which may take a minute, into a folder of the person's cache (`$CLEARHEAD_CACHE`,
    else `~/.cache/clearhead`), and opens from there afterwards. Its weights are unpacked to float32 or the asked dtype.

    Args:
        name: the path of a folder that `save_pretrained` wrote, of a `.safetensors` file beside its config.json, or of
            a `.gguf` file; or a name on the hub, such as "gpt2".
        revision: of a model on the hub.
        remote_code: allow a model to bring Python code and run it.
        device: where to put the model; the CPU by default.
        dtype: the numbers' type, such as "bfloat16"; by default as they are stored.
        progress: called with a line of text for each thing that takes a while.

    Raises:
        ImportError: PyTorch, transformers, or what a format needs beside them is not installed.
        LoadingError: there is no such model, or it cannot be loaded.
    """
    if str(name) == "study" and not Path(name).exists():
        raise LoadingError(
            'study: the model that comes along is not loaded; expected clearhead.capture("study", text)'
        )
    try:
        import torch
        import transformers  # noqa: F401 (asked for here so that its absence has a sentence)

        from clearhead.sources.models import local
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers", "huggingface_hub", "safetensors"):
            raise
        from clearhead.trace.installing import install

        raise ImportError(
            f"loading a model needs {error.name}, and it is not installed; expected `{install('models')}` before"
        ) from None
    title, path = str(name), Path(name).expanduser()
    number_type = _dtype(dtype, torch)
    where = _device(device, torch)
    order = local.Order(title, remote_code, number_type, progress or (lambda line: None))
    if path.suffix.lower() in PICKLES:
        raise LoadingError(
            f"{title}: a {path.suffix} file is a pickle, which may run code; expected safetensors or GGUF"
        )
    if path.is_dir():
        loaded = local.from_folder(path, order)
    elif path.suffix.lower() in (".gguf", ".safetensors"):
        if not path.is_file():
            raise LoadingError(f"{title}: there is no such file; expected the path of one")
        loaded = (local.from_gguf if path.suffix.lower() == ".gguf" else local.from_file)(path, order)
    elif path.exists():
        raise LoadingError(f"{title}: expected a folder, a .safetensors file or a .gguf file")
    else:
        if path.is_absolute() or title.startswith((".", "~")):
            raise LoadingError(
                f"{title}: there is nothing there; expected a folder, a .safetensors or a .gguf file"
            )
        loaded = local.from_folder(_from_hub(title, revision, remote_code, order.say), order)
    try:
        loaded.model.to(where)
    except (RuntimeError, AssertionError) as error:
        raise LoadingError(f"{title}: cannot be put on device {where} ({first_line(error)})") from None
    loaded.model.eval()
    loaded.model.config._name_or_path = title  # not the folder of a cache
    return loaded


def first_line(error: BaseException) -> str:
    """What an error says, as part of a sentence."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).rstrip(".:")


def _dtype(dtype: Any, torch: Any) -> Any:
    if dtype is None:
        return None
    found = getattr(torch, dtype, None) if isinstance(dtype, str) else dtype
    if not isinstance(found, torch.dtype) or not found.is_floating_point:
        raise LoadingError(f"dtype: expected float32, float64, bfloat16 or float16, got {dtype!r}")
    return found


def _device(device: Any, torch: Any) -> Any:
    try:
        return torch.device(device or "cpu")
    except (RuntimeError, TypeError) as error:
        raise LoadingError(
            f"device: {device!r} is none ({first_line(error)}); expected one such as 'cpu'"
        ) from None


FILES = ("*.json", "*.txt", "*.model", "*.tiktoken", "*.jinja", "model.safetensors", "model-*.safetensors")
"""What is taken from the hub: configuration, vocabulary, weights; with `remote_code`, Python files too."""


def _from_hub(name: str, revision: str | None, remote_code: bool, say: Say) -> Path:
    """The folder with the model's files, downloaded from the hub where they were not before."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    say(f"{name}: asking the hub")
    patterns = [*FILES, *(["*.py"] if remote_code else [])]
    try:
        folder = snapshot_download(name, revision=revision, allow_patterns=patterns, ignore_patterns=["*/*"])
    except HFValidationError:
        raise LoadingError(
            f"{name}: there is no such folder or file, and it cannot be a name on the hub; expected a path or a name"
        ) from None
    except GatedRepoError:
        raise LoadingError(
            f"{name}: its owner gives it only to those who asked; expected the folder of your own download"
        ) from None
    except RevisionNotFoundError:
        raise LoadingError(f"{name}: the hub has no revision {revision!r} of it") from None
    except RepositoryNotFoundError:
        raise LoadingError(
            f"{name}: there is no such folder or file here, and no such model on the hub"
        ) from None
    except (LocalEntryNotFoundError, OSError):  # not reached, switched off, or broken off
        raise LoadingError(
            f"{name}: there is no such folder or file here, and the hub cannot be reached; expected the path of a "
            "local folder that has config.json and model.safetensors, or of a .gguf file"
        ) from None
    return Path(folder)
