"""How words move while a model is trained: their vectors in two dimensions, and how alike they point."""

from clearhead.lenses.drift.projection import cosines, projection

__all__ = ["cosines", "projection"]
