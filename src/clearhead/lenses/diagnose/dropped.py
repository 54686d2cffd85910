"""Dropout where nothing should be dropped: a mistake that no reference can make number for number."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes import Mistake

DROPS = Mistake(
    name="dropout-in-evaluation",
    step="weights",
    says="drops out although it is told not to, so that the same question gets another answer each time",
    seen="F.dropout(x, p) without training=self.training; a dropout_p of scaled_dot_product_attention, without a mode",
    mend="Use nn.Dropout, or pass training=self.training, or dropout_p=self.dropout if self.training else 0.0.",
    changes={},
)
