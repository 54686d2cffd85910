"""How large the numbers are that a recipe handles: the scale that its rounding errors follow."""

from __future__ import annotations

import math
from collections.abc import Callable

from clearhead.core.expression import (
    Cell,
    Difference,
    Exp,
    Expression,
    Function,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    evaluate,
)

Lookup = Callable[[Cell], float]


def magnitude(node: Expression, lookup: Lookup) -> float:
    """How large the numbers are that the tree adds up: the scale that its rounding error follows.

    A sum of large terms that cancel has an error in proportion to the terms, not to the small result. The magnitude
    of a sum is therefore the sum of its terms' magnitudes, and that of a product the product; below every other node
    the value itself decides, scaled by how strongly the node passes a relative error on (e^x passes on |x|).
    """
    match node:
        case Cell():
            return abs(lookup(node))
        case Sum(terms):
            return sum(magnitude(term, lookup) for term in terms)
        case Difference(left, right):
            return magnitude(left, lookup) + magnitude(right, lookup)
        case Product(factors):
            return math.prod(magnitude(factor, lookup) for factor in factors)
        case Quotient(top, bottom):
            return magnitude(top, lookup) / abs(evaluate(bottom, lookup)) * _amplification(bottom, lookup)
        case Exp(of):
            size = magnitude(of, lookup)
            return evaluate(node, lookup) * (1 + size) if math.isfinite(size) else 0.0
        case Function(("sin" | "cos"), (of,)):
            return 1 + magnitude(of, lookup)
        case Root(of):
            return evaluate(node, lookup) * _amplification(of, lookup)
        case Power(base, exponent):
            return _magnitude_of_power(abs(evaluate(node, lookup)), base, exponent, lookup)
        case Function("ln", (of,)):
            return abs(evaluate(node, lookup)) + _amplification(of, lookup)
        case Function(("tanh" | "erf") as name, (of,)):
            value, slope = evaluate(node, lookup), _slope(name, evaluate(of, lookup))
            return abs(value) + (slope * magnitude(of, lookup) if slope else 0.0)
        case Function(_, arguments):
            return max(magnitude(argument, lookup) for argument in arguments)
    return abs(evaluate(node, lookup))


def _magnitude_of_power(value: float, base: Expression, exponent: Expression, lookup: Lookup) -> float:
    """An error of the base counts as often as it is multiplied, one of the exponent as the base's logarithm says."""
    log, times = math.log(abs(evaluate(base, lookup)) or 1.0), abs(evaluate(exponent, lookup))
    from_base = times * (_amplification(base, lookup) - 1)
    return value * (1 + from_base + magnitude(exponent, lookup) * abs(log))


def _slope(name: str, x: float) -> float:
    """The derivative of tanh or erf: how strongly it passes an absolute error on."""
    return 1 - math.tanh(x) ** 2 if name == "tanh" else 2 / math.sqrt(math.pi) * math.exp(-min(x * x, 700))


def _amplification(node: Expression, lookup: Lookup) -> float:
    """By how much the tree's relative rounding error exceeds that of its result."""
    value = abs(evaluate(node, lookup))
    return max(1.0, magnitude(node, lookup) / value) if value else 1.0
