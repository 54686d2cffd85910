"""The widget: the page's own script, and a session that answers it in the kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from clearhead.session.bundle import bundle
from clearhead.session.chosen import chosen_on
from clearhead.session.requests import answer
from clearhead.session.showing import Showing
from clearhead.surfaces.widget.still import still_of

REQUEST, REPLY = "request", "reply"
"""The kinds of messages. A request's text and a reply's one buffer are those of `clearhead.session.requests`."""


def _plain(value: Any, widget: Any = None) -> Any:
    """A value as JSON can hold it: what is not finite becomes text, "-inf" for one."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


class AttentionWidget(anywidget.AnyWidget):
    """A live view of a computation; see `clearhead.show`.

    Attributes:
        value: what is chosen and edited, read-only; see `clearhead.session.chosen.chosen_on`.
        address: the same, as the page's address has it. Views follow it.
        height: in pixels.
    """

    value = traitlets.Dict(help="What is chosen and edited.", read_only=True).tag(sync=True, to_json=_plain)
    address = traitlets.Unicode(help="The page's address.").tag(sync=True)
    height = traitlets.Int(help="In pixels.").tag(sync=True)
    _page = traitlets.Dict(help="What the page shows, as its store has it.").tag(sync=True)
    _parts = traitlets.List(traitlets.Unicode(), help="The page's parts.").tag(sync=True)

    def __init__(self, x: object, shown: Showing, height: int) -> None:
        self._x, self._shown = x, shown
        self._still: tuple[dict[str, Any], dict[str, Any]] | None = None
        self._esm = bundle().decode()
        super().__init__(
            address=shown.address, height=height, _page=dict(shown.page), _parts=list(shown.parts)
        )
        self._read()
        self.observe(self._read, "_page")
        self.on_msg(self._asked)

    def _read(self, change: object = None) -> None:
        """Find out anew what is chosen."""
        self.set_trait("value", chosen_on(self._shown, self._page))

    def _asked(self, widget: object, content: Mapping[str, Any], buffers: object) -> None:
        """A request of a view: its reply goes back whole, in one buffer."""
        if content.get("kind") == REQUEST and isinstance(content.get("text"), str):
            self.send({"kind": REPLY, "view": content.get("view")}, [answer(self._shown, content["text"])])

    def __repr__(self) -> str:
        """What it shows, in one line."""
        return f"AttentionWidget of {self._shown.title!r}"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The view, and for where no kernel is: a picture, if Matplotlib is there, a table, and text."""
        data, about = _pair(super()._repr_mimebundle_(**kwargs))
        if self._still is None:
            self._still = still_of(self._x)
        picture, sizes = self._still
        return {**data, **picture, "text/plain": repr(self)}, {**about, **sizes}


def _pair(bundle: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A mime bundle with its metadata, of which IPython allows that there be none."""
    data, about = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
    return data, about
