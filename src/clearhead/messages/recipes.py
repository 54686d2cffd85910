"""How every cell of a layer came about, for a page that works out the arithmetic of any of them by itself.

A recipe is a shape and its numbers, see `clearhead.lenses.patterns`.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from clearhead.messages.state import State

Shape = list[object]
"""Nested lists, as `clearhead.lenses.patterns.flat` describes them. Recursive, hence object."""

Rule = list[int | float | str]
"""How a number follows from the place of the cell.

["is", number]: always this one; one that is not finite is written "inf", "-inf" or "nan". ["at", axis, more]: the
index on that axis, and more. ["row", place]: the entry, in that one of the reply's buffers, of the cell's row, counted
in reading order along all axes but the last. ["of", place]: that of the cell's rank among those of its variant.
"""


class Variant(TypedDict):
    """A shape, and the rules for its whole numbers and for its numbers."""

    shape: Shape
    ints: list[Rule]
    floats: list[Rule]


class Recipe(TypedDict):
    """The recipes of all cells of a quantity. `which` is a place in the reply's buffers: the variant of each cell.

    Without it all cells are of the first variant.
    """

    variants: list[Variant]
    which: NotRequired[int]


class Fed(TypedDict):
    """The cells of `quantity` that each cell has a part in: as `Recipe`, but a shape has a list for each pattern.

    It says of every axis "place", which takes a whole number, or "every".
    """

    quantity: str
    variants: list[Variant]
    which: NotRequired[int]


class QuantityRecipes(TypedDict):
    """One quantity. `recipes` is null if it was given.

    `latex` is what LaTeX has before and after the indices of a cell, `formula` the general formula as text. `notes` is
    what is said of cells beside their arithmetic, as `recipes`: a shape is the pieces of a sentence, which has a whole
    number between any two of them, and it is empty where nothing is said.
    """

    inputs: list[str]
    recipes: Recipe | None
    feeds: list[Fed]
    latex: list[str]
    formula: str
    notes: NotRequired[Recipe]


class Recipes(TypedDict):
    """The quantities of a layer, and those of none."""

    kind: Literal["recipes"]
    quantities: dict[str, QuantityRecipes]


class AskRecipes(TypedDict):
    """How did every cell of a layer (the first, if none is named) come about?"""

    ask: Literal["recipes"]
    state: State
    layer: NotRequired[int]
