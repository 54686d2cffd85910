"""What changed between two traces."""

from clearhead.lenses.compare.difference import difference

__all__ = ["difference"]
