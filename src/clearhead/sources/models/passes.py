"""One run of a model with its attention recorded; the model is afterwards as it was, also after an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from clearhead.sources.models.recorder import Recorder
from clearhead.sources.models.registry import standing_in


@contextmanager
def recorded(model: torch.nn.Module, recorder: Recorder) -> Iterator[None]:
    """Whatever the model computes in here is recorded, without gradients."""
    with ExitStack() as stack:
        hook = model.register_forward_pre_hook(lambda *_: recorder.next_pass())
        stack.callback(hook.remove)
        stack.enter_context(torch.no_grad())
        stack.enter_context(standing_in(model, recorder.keep))
        yield


def run(model: torch.nn.Module, recorder: Recorder, call: Callable[[], Any]) -> Any:
    """What the call returns, with the model's attention recorded on the way."""
    with recorded(model, recorder):
        return call()
