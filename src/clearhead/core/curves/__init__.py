"""Activation functions, one file each; `CURVES` finds them by name."""

from clearhead.core.curves.base import Curve
from clearhead.core.curves.gelu import Gelu
from clearhead.core.curves.gelu_tanh import GeluTanh
from clearhead.core.curves.relu import Relu
from clearhead.core.curves.swish import Swish

__all__ = ["CURVES", "Curve", "curve_named"]

CURVES: dict[str, Curve] = {curve.name: curve for curve in (Relu(), Gelu(), GeluTanh(), Swish())}


def curve_named(name: str) -> Curve:
    """The activation function of that name.

    Raises:
        ValueError: names the functions there are.
    """
    if name not in CURVES:
        raise ValueError(f"activation: {name!r} is not known; expected one of {', '.join(CURVES)}")
    return CURVES[name]
