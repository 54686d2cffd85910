"""What reads the text of a unit: a model of transformers, or the study model. It stays loaded for the next unit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Protocol

from clearhead.session.corpus.failing import CorpusError
from clearhead.session.corpus.units import Order

if TYPE_CHECKING:
    from clearhead.sources.models.loading import Loaded
    from clearhead.trace.capture.capture import Capture

STUDY = "study"
"""The name of the model that comes along."""

USUAL = 512
"""Tokens of a sequence where nothing else is asked for and the model takes as many."""

KINDS = ("causal", "masked", "base", "encoder-decoder")
"""Models that read a text alone."""

ABOUT_ITS_PLACE = frozenset({"_name_or_path", "transformers_version"})
"""Entries of a configuration that change no number."""


@dataclass(frozen=True)
class Identity:
    """What a worker's model is: the same for all, or their results do not belong together.

    Attributes:
        digest: of its parameters, its configuration and its tokenizer.
        most: tokens that it takes at most; None where it has no bound.
        marks: tokens that stand around every sequence.
        versions: of what computes.
    """

    digest: str
    most: int | None
    marks: int
    versions: tuple[tuple[str, str], ...]


class Reader(Protocol):
    """A model that was loaded."""

    @property
    def identity(self) -> Identity:
        """What it is."""

    def sequences(self, text: str, length: int) -> list[Any]:
        """The text cut into sequences of at most `length` tokens, in order."""

    def captures(self, sequences: Sequence[Any], batch: int) -> Iterator[Capture]:
        """All sequences run, up to `batch` of one length together."""


@lru_cache(maxsize=1)
def reader_of(order: Order) -> Reader:
    """The model that is ordered, loaded once in this process.

    Raises:
        ImportError: what loads it is not installed.
        ValueError: it cannot be loaded, or reads no texts.
    """
    return StudyReader(order) if order.name == STUDY else ModelReader(order)


class StudyReader:
    """The study model: its tokens are words."""

    def __init__(self, order: Order) -> None:
        from clearhead.sources.worked.study.model import load

        unfit = [name for name in ("revision", "remote_code", "device", "dtype") if getattr(order, name)]
        if unfit:
            raise CorpusError(f"{unfit[0]}: is for a model that is loaded, which the study model is not")
        model = load()
        sums = hashlib.blake2b(json.dumps(dict(model.config), sort_keys=True).encode(), digest_size=20)
        for name, values in sorted(model.parameters.items()):
            sums.update(name.encode() + values.tobytes())
        self.identity = Identity(
            sums.hexdigest(), len(model.parameters["P"]), 1, versions_of("numpy", "numba")
        )

    def sequences(self, text: str, length: int) -> list[str]:
        """Words in the order of the text; each sequence is then read behind the start mark."""
        from clearhead.sources.worked.study.capture import WORDS

        words: list[str] = WORDS.findall(text)
        step = length - self.identity.marks
        return [" ".join(words[at : at + step]) for at in range(0, len(words), step)]

    def captures(self, sequences: Sequence[str], batch: int) -> Iterator[Capture]:
        """One after the other: it has no batches."""
        from clearhead.sources.worked.study.capture import capture_study

        yield from map(capture_study, sequences)


class ModelReader:
    """A model of transformers with its tokenizer."""

    def __init__(self, order: Order) -> None:
        from clearhead.sources.models.fitting import most_positions
        from clearhead.sources.models.loading import load_model

        self._loaded = loaded = load_model(
            order.name, revision=order.revision, remote_code=order.remote_code, device=order.device,
            dtype=order.dtype,
        )  # fmt: skip
        if loaded.tokenizer is None:
            raise CorpusError(f"{order.name}: has no tokenizer; expected a model that reads texts")
        if loaded.kind not in KINDS:
            raise CorpusError(f"{order.name}: reads more than a text; expected a model of texts alone")
        self._before, self._after = marks_around(loaded.tokenizer)
        pair = loaded.kind == "encoder-decoder"
        self.identity = Identity(
            _digest(loaded), most_positions(loaded.model, pair=pair), len(self._before) + len(self._after),
            versions_of("torch", "transformers", "tokenizers", "numpy", "numba"),
        )  # fmt: skip

    def sequences(self, text: str, length: int) -> list[list[int]]:
        """Ids, each sequence between the marks that the tokenizer puts around a text."""
        ids = self._loaded.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        step = length - self.identity.marks
        return [[*self._before, *ids[at : at + step], *self._after] for at in range(0, len(ids), step)]

    def captures(self, sequences: Sequence[list[int]], batch: int) -> Iterator[Capture]:
        """Only sequences of one length go together, so that none is padded."""
        from clearhead.sources.models.capture import capture

        done = 0
        while done < len(sequences):
            together = [sequences[done]]
            for other in sequences[done + 1 : done + batch]:
                if len(other) != len(together[0]):
                    break
                together.append(other)
            done += len(together)
            yield capture(self._loaded, together, below=False, progress=False)


def marks_around(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The ids that a tokenizer puts before and after a text."""
    bare = list(tokenizer("a", add_special_tokens=False)["input_ids"])
    full = list(tokenizer("a")["input_ids"])
    for at in range(len(full) - len(bare) + 1):
        if bare and full[at : at + len(bare)] == bare:
            return full[:at], full[at + len(bare) :]
    return [], []


def versions_of(*packages: str) -> tuple[tuple[str, str], ...]:
    """The versions of Clearhead and of these packages."""
    found = []
    for name in ("clearhead", *packages):
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:  # which is said too: without Numba sums round otherwise
            found.append((name, "not installed"))
    return tuple(found)


def _digest(loaded: Loaded) -> str:
    """Of all that decides what the model computes of a text."""
    import torch

    model, tokenizer = loaded.model, loaded.tokenizer
    config = {name: value for name, value in model.config.to_dict().items() if name not in ABOUT_ITS_PLACE}
    core = getattr(tokenizer, "backend_tokenizer", None)
    words = core.to_str() if core is not None else json.dumps(tokenizer.get_vocab(), sort_keys=True)
    kind = [type(model).__name__, str(model.device), model.config._attn_implementation]
    sums = hashlib.blake2b(json.dumps([kind, config], sort_keys=True, default=str).encode(), digest_size=20)
    sums.update(words.encode())
    for name, values in model.state_dict().items():
        sums.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        sums.update(values.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return sums.hexdigest()
