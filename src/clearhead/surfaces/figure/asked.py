"""What a person asked to be drawn: a kind, and options of which none may be without effect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

CELL = re.compile(r"\s*([^\s\[\],]+)\s*\[([-\d,\s]+)\]\s*", re.ASCII)
"""A cell's address, weights[0,3,1]."""


@dataclass(frozen=True)
class Asked:
    """What was asked for.

    Attributes:
        kind: a kind, a name or a cell as it was written; None: the usual one.
        names: the names of quantities that it says.
        cell: the indices, where it is a cell of the one name.
        options: those that were given.
    """

    kind: str | None
    names: tuple[str, ...]
    cell: tuple[int, ...] | None
    options: Mapping[str, Any]

    @classmethod
    def read(cls, kind: object, options: Mapping[str, Any]) -> Asked:
        """A kind taken apart.

        Raises:
            ValueError: it is no text and no list of names.
        """
        if kind is None:
            return cls(None, (), None, options)
        if isinstance(kind, str):
            cell = CELL.fullmatch(kind)
            if cell and all(number.strip().removeprefix("-").isdigit() for number in cell[2].split(",")):
                return cls(kind.strip(), (cell[1],), tuple(map(int, cell[2].split(","))), options)
            names = tuple(name.strip() for name in kind.split(","))
        else:
            names = tuple(kind) if isinstance(kind, list | tuple) else ()
        if not names or not all(isinstance(name, str) and name for name in names):
            raise ValueError(f"kind: expected a kind, a quantity's name or a list of names, got {kind!r}")
        return cls(", ".join(names), names, None, options)

    def only(self, *usable: str) -> Mapping[str, Any]:
        """The options, if none of them would do nothing here.

        Raises:
            ValueError: one would.
        """
        unfit = [name for name in self.options if name not in usable]
        if unfit:
            what = "here" if self.kind is None else f"for {self.kind!r}"
            takes = f"; expected {' or '.join(usable)}" if usable else ""
            raise ValueError(f"{unfit[0]}: does nothing {what}{takes}")
        return self.options

    def of(self, expected: str) -> Asked:
        """The same, if no kind was named.

        Raises:
            ValueError: one was.
        """
        if self.kind is not None:
            raise ValueError(f"kind: {self.kind!r} cannot be drawn of this; expected {expected}")
        return self

    def without(self, *names: str) -> Asked:
        """The same without some options."""
        return replace(
            self, options={name: value for name, value in self.options.items() if name not in names}
        )
