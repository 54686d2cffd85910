"""A person's own attention, asked as it wants to be asked: what it takes, in which shape, from which library."""

from clearhead.sources.function.answer import Answer, Trouble
from clearhead.sources.function.arrays import Found, arrays_in
from clearhead.sources.function.asking import Asked
from clearhead.sources.function.calling import is_own, raised
from clearhead.sources.function.counted import HEADS, KV_HEADS, WIDTH, counted
from clearhead.sources.function.form import Form
from clearhead.sources.function.held import Held, copied, dropping, moded
from clearhead.sources.function.layouts import LAYOUTS
from clearhead.sources.function.libraries import (
    LIBRARIES,
    TYPES,
    guessed,
    library_of,
    named_libraries,
    unloaded,
)
from clearhead.sources.function.lying import ORDERS
from clearhead.sources.function.manner import MASK_AXES, MEANINGS, Manner
from clearhead.sources.function.named import weight_named
from clearhead.sources.function.reading import numbers
from clearhead.sources.function.roles import NAMES, Roles, known_parameters, roles_of
from clearhead.sources.function.weights import ROLES, places

__all__ = [
    "HEADS", "KV_HEADS", "LAYOUTS", "LIBRARIES", "MASK_AXES", "MEANINGS", "NAMES", "ORDERS", "ROLES", "TYPES", "WIDTH",
    "Answer", "Asked", "Form", "Found", "Held", "Manner", "Roles", "Trouble",
    "arrays_in", "copied", "counted", "dropping", "guessed", "is_own", "known_parameters", "library_of",
    "moded", "named_libraries", "numbers", "places", "raised", "roles_of", "unloaded", "weight_named",
]  # fmt: skip
