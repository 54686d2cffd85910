"""The recipes of every cell of a layer as one view: what a page needs to work out the arithmetic of any of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from clearhead.core.expression import Symbol
from clearhead.core.names import scope, taken_apart
from clearhead.lenses.patterns import Patterns, Rule, Variants
from clearhead.messages import Fed, QuantityRecipes, Recipe, Recipes
from clearhead.messages import Variant as VariantView
from clearhead.session.states import States
from clearhead.session.view import View, whole
from clearhead.sources.worked.run import with_asides
from clearhead.trace.notation import latex, text
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace


def recipes(states: States, message: Mapping[str, Any]) -> View:
    """For every quantity of one layer, and of none: recipes, where the cells go, and what is said of them."""
    trace = states.loop(message)
    layers = trace.provenance["settings"]["layers"]
    layer = whole(message, "layer", 0, layers - 1) if "layer" in message else 0
    trace, here = with_asides(trace, layer), ("", scope(layer, layers))
    return recipes_of(trace, [name for name in trace if taken_apart(name)[0] in here], Patterns())


def recipes_of(trace: Trace, names: Iterable[str], patterns: Patterns) -> View:
    """How every cell of these quantities came about.

    Args:
        trace: what they are of.
        names: which.
        patterns: finds their patterns, and remembers those of quantities that are made alike.
    """
    buffers: list[np.ndarray] = []
    return View(Recipes(kind="recipes", quantities=recipes_into(buffers, trace, names, patterns)), buffers)


def recipes_into(
    buffers: list[np.ndarray], trace: Trace, names: Iterable[str], patterns: Patterns
) -> dict[str, QuantityRecipes]:
    """The same, their numbers added to the buffers of a view that has others."""
    return {name: _of(trace, trace[name], patterns, buffers) for name in names}


def _of(trace: Trace, quantity: Quantity, patterns: Patterns, buffers: list[np.ndarray]) -> QuantityRecipes:
    formula, made, notes = quantity.formula(), patterns.recipes(quantity), patterns.notes(quantity)
    found = QuantityRecipes(
        inputs=[given.name for given in quantity.inputs],
        recipes=_recipe(made, buffers) if made else None,
        feeds=[
            Fed(quantity=consumer.name, **_recipe(patterns.feeds(quantity, consumer, slot), buffers))
            for consumer, slot in trace.consumers(quantity.name)
        ],
        latex=_around_indices(quantity),
        formula=text.equation(formula) if formula else "",
    )
    if notes is not None:
        found["notes"] = _recipe(notes, buffers)
    return found


def _around_indices(quantity: Quantity) -> list[str]:
    """What LaTeX has before and after the indices of a cell; of a single number the whole."""
    if not quantity.axes:
        return [latex.symbol(Symbol(quantity.name)), ""]
    before, _, after = latex.symbol(Symbol(quantity.name, ("0",))).rpartition("0")
    return [before, after]


def _recipe(given: Variants, buffers: list[np.ndarray]) -> Recipe:
    found = Recipe(
        variants=[
            VariantView(
                shape=list(one.shape),
                ints=[_rule(rule, buffers) for rule in one.ints],
                floats=[_rule(rule, buffers) for rule in one.floats],
            )
            for one in given.variants
        ]
    )
    if len(given.variants) > 1:
        few = len(given.variants) <= 256
        found["which"] = _put(buffers, given.which.astype(np.uint8 if few else np.int32))
    return found


def _rule(rule: Rule, buffers: list[np.ndarray]) -> list[int | float | str]:
    if isinstance(rule[1], np.ndarray):
        column = rule[1].astype(np.int32) if rule[1].dtype.kind == "i" else rule[1]
        return [rule[0], _put(buffers, column)]
    if not math.isfinite(rule[1]):
        return [rule[0], str(rule[1])]  # JSON has no such numbers
    return list(rule)


def _put(buffers: list[np.ndarray], array: np.ndarray) -> int:
    buffers.append(array)
    return len(buffers) - 1
