"""Widgets without a notebook: what they would send is kept."""

from collections.abc import Callable
from typing import Any

import pytest

import clearhead as ch

SENTENCE = ("<b>x</b>", "b c", "a" * 10_000)
"""Words that are markup, hold a space, and have no end."""


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, list[Any]]]:
    """The messages that widgets send, with their buffers."""
    from clearhead.surfaces.widget.widget import AttentionWidget

    messages: list[tuple[Any, list[Any]]] = []
    monkeypatch.setattr(
        AttentionWidget, "send", lambda self, content, buffers=(): messages.append((content, list(buffers)))
    )
    return messages


@pytest.fixture
def odd() -> ch.Trace:
    """A trace of odd words."""
    rows = {word: [1.0 + at, 2.0] for at, word in enumerate(SENTENCE)}
    eye = [[1.0, 0.0], [0.0, 1.0]]
    return ch.run(ch.Example(tokens=SENTENCE, E=rows, W_Q=eye, W_K=eye, W_V=eye, mask="causal"))


@pytest.fixture
def in_kernel(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Pretends that a notebook asks."""
    return lambda: monkeypatch.setattr("clearhead.surfaces.widget.output._in_kernel", lambda: True)
