"""What is wrong with an attention: the mistake that reproduces its numbers, or the step where they part."""

from clearhead.lenses.diagnose.asking import Asking, Explanation, fits
from clearhead.lenses.diagnose.case import Case, Spec
from clearhead.lenses.diagnose.dropped import DROPS
from clearhead.lenses.diagnose.filling import filled_with, ramp, shown
from clearhead.lenses.diagnose.mistakes import LIBRARY, Mistake
from clearhead.lenses.diagnose.mistakes.base import instead
from clearhead.lenses.diagnose.mistakes.fill_too_small import EXACT, unmeasured
from clearhead.lenses.diagnose.parting import Parting, parting
from clearhead.lenses.diagnose.pipeline import attention_of
from clearhead.lenses.diagnose.probes import Sizes, cases, exact, hiding, padded
from clearhead.lenses.diagnose.projected import projected
from clearhead.lenses.diagnose.report import Report
from clearhead.lenses.diagnose.search import explanations
from clearhead.lenses.diagnose.seen import Seen
from clearhead.lenses.diagnose.smallest import Smallest, small_cases, smallest

__all__ = [
    "DROPS", "EXACT", "LIBRARY", "Asking", "Case", "Explanation", "Mistake", "Parting", "Report", "Seen",
    "Sizes", "Smallest", "Spec", "attention_of", "cases", "exact", "explanations", "filled_with", "fits", "hiding",
    "instead", "padded", "parting", "projected", "ramp", "shown", "small_cases", "smallest", "unmeasured",
]  # fmt: skip
