"""Practice: judging a number that a person predicted for a cell."""

from clearhead.lenses.practice.judge import practice
from clearhead.lenses.practice.mistakes import mistakes_in
from clearhead.lenses.practice.replay import made_of, replayed
from clearhead.lenses.practice.rounded import roundings
from clearhead.lenses.practice.typed import Typed, read_typed

__all__ = ["Typed", "made_of", "mistakes_in", "practice", "read_typed", "replayed", "roundings"]
