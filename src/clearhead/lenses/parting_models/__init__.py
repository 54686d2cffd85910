"""Two models that should be the same, side by side: the first place where they part, and how the difference grows."""

from clearhead.lenses.parting_models.compare import compared
from clearhead.lenses.parting_models.comparison import Comparison
from clearhead.lenses.parting_models.structure import rotary_base
from clearhead.lenses.parting_models.walk import Parting, StepRow

__all__ = ["Comparison", "Parting", "StepRow", "compared", "rotary_base"]
