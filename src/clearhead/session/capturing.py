"""`clearhead.capture`, by the name that people import: PyTorch is imported with the first use that needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from clearhead.trace.capture.arguments import argument
from clearhead.trace.capture.failing import CaptureError

if TYPE_CHECKING:
    from pathlib import Path

    import torch

    from clearhead.sources.models.loading import Loaded
    from clearhead.sources.models.watching import Progress
    from clearhead.trace.capture.capture import Capture
    from clearhead.trace.capture.change import Changes

STUDY = "study"
"""The name of the model that comes along."""

NEEDED = ("torch", "transformers")
"""What a capture needs beside Clearhead."""


def capture(
    model: torch.nn.Module | Loaded | str,
    tokenizer: Any = None,
    text: Any = None,
    *,
    decoder: Any = None,
    tokens: Sequence[str] | Sequence[Sequence[str]] | None = None,
    inputs: Mapping[str, Any] | None = None,
    images: Any = None,
    processor: Any = None,
    generate: int = 0,
    changes: Changes | Iterable[Changes] = (),
    below: bool | None = None,
    progress: Progress | bool | None = None,
    force: bool = False,
    store: str | Path | None = None,
    overview: bool | int | None = None,
) -> Capture:
    """Run a model once and keep all that entered its attention: queries, keys, values, masks, and what came of it.

    The model computes as it always does, on the kernel it is set to, and its results are bit for bit what they are
    without; afterwards it is as it was, also after an error. Three things may be otherwise, and `capture.notes` says
    so: the fused path of nn.MultiheadAttention is off, texts padded on the left count their places from their own first
    token, and of a text of more than 2,048 tokens no cache is kept and the logits of the last position alone are made.
    What is kept takes as much memory as the queries, keys, values and outputs themselves; weights are worked out when
    they are asked for, and `capture.agreement` says for each layer how far they lie from the model's own numbers::

        cap = ch.capture(model, tokenizer, "The man said he was late.")
        print(cap)                                # the layers, and how far each lies from the model's own numbers
        cap.weights(3)                            # (head, query, key)
        print(cap.head(3, 1)["weights"].explain(7, 2))
        cap.save("cap.safetensors")               # ch.load_capture reads it back without the model

    Args:
        model: a model of Hugging Face transformers, or any PyTorch module with softmax attention; or what `load_model`
            gave, which brings its tokenizer: `ch.capture(loaded, text)`; or "study", the model that comes along, which
            needs nothing else installed: `ch.capture("study", "the man saw the woman .")`.
        tokenizer: makes tokens of the text; without one, `text` has to be token ids, or `inputs` is given.
        text: a text, a list of texts (a batch, which is padded), or token ids as a list, array or tensor.
        decoder: the same for the decoder of a model that has an encoder and a decoder.
        tokens: names for the positions where there is no tokenizer, of one sequence or of each.
        inputs: what the model's forward takes beside or instead of them, by name, such as pixel_values.
        images: pictures, for a model that sees; they go through the processor.
        processor: makes the inputs of pictures (and the text beside them), such as an AutoProcessor.
        generate: let the model go on by itself for so many tokens, always with the likeliest; 0 for a single run.
        changes: switches on the model, such as "L3H1 off", "L3 no mask" or "L3H1.weights[7,2] = 0.5", one or several.
        below: keep the layers' inputs too, so that a head's numbers can be followed below its queries, keys and values;
            None: where the text is not long.
        progress: a function that is told the parts of the run that are done and how many there are; True for a bar;
            None: a bar in a terminal or a notebook, where it takes a while.
        force: run it though it seems to need more memory or room on the disk than there is.
        store: a folder, new, empty or of the same run that was broken off: each layer is written there while the model
            runs, and its numbers are let go, so that one layer at a time is in memory. What is given back is read from
            there, as `load_capture(store)` reads it.
        overview: look at every head while the model runs, see `Capture.overview`: True, or the number of bins along
            each side; None: with a store.

    Returns:
        The capture.

    Raises:
        ImportError: PyTorch or transformers is not installed.
        CaptureError: the model cannot be captured, cannot be given this, would need more memory or room than there is,
            or the store cannot be written or is of another run; the message says what and why.
        ValueError: a change, a text or its tokens cannot be.
    """
    if isinstance(model, str):
        if model != STUDY:
            loaded = f"clearhead.load_model({model!r})"
            raise CaptureError(f"model: {model!r} is a name; expected what {loaded} gives, or {STUDY!r}")
        unfit = {
            "decoder": decoder,
            "tokens": tokens,
            "inputs": inputs,
            "images": images,
            "processor": processor,
        }
        return _of_study(_text_of(tokenizer, text), generate, changes, store, overview, unfit)
    try:
        from clearhead.sources.models.capture import capture as captured
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        from clearhead.trace.installing import install

        raise ImportError(
            f"capturing a model needs {error.name}, and it is not installed; expected `{install('models')}` before"
        ) from None
    return captured(
        model, tokenizer, text, decoder=decoder, tokens=tokens, inputs=inputs, images=images, processor=processor,
        generate=generate, changes=changes, below=below, progress=progress, force=force, store=store,
        overview=overview,
    )  # fmt: skip


def _text_of(tokenizer: Any, text: Any) -> str:
    """What the study model is to read; as of a model that brings its tokenizer, the text may come second."""
    read = tokenizer if text is None else text
    if not isinstance(read, str):
        raise CaptureError(
            f"text: expected a text, since the study model reads words; got {type(read).__name__}"
        )
    return read


def _of_study(
    text: str,
    generate: int,
    changes: Changes | Iterable[Changes],
    store: Any,
    overview: Any,
    unfit: dict[str, Any],
) -> Capture:
    """The capture of this project's own model."""
    from clearhead.sources.worked.study.capture import capture_study
    from clearhead.trace.capture.change import read_changes
    from clearhead.trace.capture.overview import read_bins
    from clearhead.trace.capture.store_whole import store_capture

    for name, value in unfit.items():
        if value is not None:
            called = argument(name) or name
            raise CaptureError(
                f"{called.rstrip('=')} is for a model that is loaded, which the study model is not"
            )
    bins = read_bins(overview, store)
    made = capture_study(text, generate, read_changes(changes))
    if store is None:
        return made
    if not bins:
        raise CaptureError("overview: a store of the study model has one; expected True, or a number of bins")
    return store_capture(made, store, bins)
