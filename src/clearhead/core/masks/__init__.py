"""Masks: which key position a query position may see, as named predicates on (query, key)."""

from clearhead.core.masks.base import Mask
from clearhead.core.masks.named import MASKS, mask_named

__all__ = ["MASKS", "Mask", "mask_named"]
