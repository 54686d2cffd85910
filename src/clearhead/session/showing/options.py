"""What an option of `ch.show` may be."""

from __future__ import annotations

from typing import Any

from clearhead.trace.notation.cell import parse_cell


def cell_of(text: Any) -> dict[str, Any]:
    """The cell that such a text as "weights[0,3,1]" names, as messages have it."""
    if not isinstance(text, str):
        raise ValueError(f"cell: expected text such as 'weights[0,3,1]', got {text!r}")
    quantity, index = parse_cell(text)
    return {"quantity": quantity, "index": list(index)}


def whole_number(name: str, value: Any, size: int) -> int:
    """An option that counts from 0 to size - 1."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= value < size:
        raise LookupError(f"{name}: {value!r} is not there; expected a whole number from 0 to {size - 1}")
    return int(value)
