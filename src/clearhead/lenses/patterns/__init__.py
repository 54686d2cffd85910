"""The recipes of all cells of a quantity as one or a few patterns, so that they can be kept where nothing computes."""

from clearhead.lenses.patterns.flat import Flat, flat
from clearhead.lenses.patterns.recipes import Patterns, told
from clearhead.lenses.patterns.variants import Rule, Variant, Variants, variants

__all__ = ["Flat", "Patterns", "Rule", "Variant", "Variants", "flat", "told", "variants"]
