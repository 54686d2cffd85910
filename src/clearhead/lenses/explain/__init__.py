"""One cell: its arithmetic, where it came from and where it goes."""

from clearhead.lenses.explain.cell import explain
from clearhead.lenses.explain.place import describe_place

__all__ = ["describe_place", "explain"]
