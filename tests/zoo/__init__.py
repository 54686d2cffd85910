"""The zoo: tiny models with random weights of many families of Hugging Face transformers, one row a model.

A package that tests get as the fixture `zoo` and scripts import by its place (`sys.path` with `tests/` in it).
"""

from .audio import AUDIO
from .build import build, layers_of, output, why_missing, why_refused
from .decoders import DECODERS
from .encoders import ENCODERS
from .multimodal import MULTIMODAL
from .observe import Observed, given, observe
from .own import Own
from .pairs import PAIRS
from .row import Tiny
from .vision import VISION
from .without import WITHOUT

ROWS = {tiny.name: tiny for tiny in (*DECODERS, *ENCODERS, *PAIRS, *VISION, *AUDIO, *MULTIMODAL, *WITHOUT)}

__all__ = [
    "ROWS", "Observed", "Own", "Tiny", "build", "given", "layers_of", "observe", "output", "why_missing", "why_refused",
]  # fmt: skip
