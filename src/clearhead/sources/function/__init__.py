"""A person's own attention, asked as it wants to be asked: what it takes, in which shape, from which library."""

from clearhead.sources.function.answer import Answer, Trouble
from clearhead.sources.function.asking import MEANINGS, Asked, Manner
from clearhead.sources.function.layouts import LAYOUTS
from clearhead.sources.function.libraries import LIBRARIES, TYPES, guessed
from clearhead.sources.function.roles import Roles, roles_of

__all__ = [
    "LAYOUTS", "LIBRARIES", "MEANINGS", "TYPES", "Answer", "Asked", "Manner", "Roles", "Trouble", "guessed", "roles_of",
]  # fmt: skip
