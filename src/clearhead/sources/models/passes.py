"""One run of a model with its attention recorded; the model is afterwards as it was, also after an error."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from clearhead.sources.models.recorder import Recorder
from clearhead.sources.models.registry import Keep, standing_in
from clearhead.sources.models.watcher import watching

ONE_AT_A_TIME = threading.RLock()
"""Functions are stood in for everywhere in the process, so captures of several threads wait for one another."""


@contextmanager
def recorded(model: torch.nn.Module, recorder: Recorder, keep: Keep | None = None) -> Iterator[None]:
    """Whatever the model computes in here is recorded, without gradients; `keep` in the place of the recorder's own."""
    keep = keep or recorder.keep
    thread = threading.get_ident()

    def begins(*_: Any) -> None:
        if threading.get_ident() == thread:  # another thread may use the same model meanwhile
            recorder.next_pass()

    with ExitStack() as stack:
        stack.enter_context(ONE_AT_A_TIME)
        hook = model.register_forward_pre_hook(begins)
        stack.callback(hook.remove)
        stack.enter_context(torch.no_grad())
        stack.enter_context(recorder.linears.watched())
        stack.enter_context(recorder.turns.counted())
        watcher = stack.enter_context(watching(model, keep, recorder.refuse))
        stack.enter_context(standing_in(model, keep, watcher.silent))
        yield


def run(model: torch.nn.Module, recorder: Recorder, call: Callable[[], Any]) -> Any:
    """What the call returns, with the model's attention recorded on the way."""
    with recorded(model, recorder):
        return call()
