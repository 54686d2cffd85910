"""The address of a page, as `state/url.ts` of the page writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

Page = Mapping[str, Any]
"""What a page shows, as its store holds it: state, layer, cell, and model where there is one."""

LOOK = {"layer": "block"}
"""Fields of the Model part that are called otherwise in an address, where the walkthrough has the name."""


def address_of(page: Page) -> str:
    """The address of a page."""
    state, look = page["state"], page.get("model")
    fields: dict[str, Any] = {} if look else dict(state)
    if page.get("layer"):
        fields["layer"] = page["layer"]
    if page.get("cell"):
        fields["cell"] = page["cell"]
    fields |= {LOOK.get(name, name): value for name, value in (look or {}).items()}
    return "&".join(f"{name}={_written(value)}" for name, value in fields.items())


def _written(value: Any) -> str:
    """A value as it stands in an address: parts of a cell or a training with colons between them."""
    if isinstance(value, Mapping):
        return ":".join(_written(part) for part in value.values())
    if isinstance(value, list):
        return ":".join(map(_written, value))
    if isinstance(value, bool):
        return str(int(value))
    return quote(str(value), safe="")
