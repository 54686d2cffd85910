"""A second reader of arithmetic as plain text, independent of the one that writes it; used by the tests beside it.

A line is tokenised and parsed by the usual rules (brackets, then powers and roots, then · and /, then + and −), and
computed with 400 digits: enough that two different results never look equal by chance, not even 1 − 1e−300 and 1.
"""

import re
from decimal import Context, Decimal, localcontext
from fractions import Fraction

DIGITS = 400
SAME = Decimal("1e-350")
WIDE = Context(prec=DIGITS, Emax=10**17, Emin=-(10**17))
"""e^(−10^10) is not 0."""
FUNCTIONS = ("sin", "cos", "max", "abs", "ln", "tanh", "erf")
TOKENS = re.compile(rf"\d+(?:\.\d+)?(?:e−?\d+)?|∞|e(?=\^)|{'|'.join(FUNCTIONS)}|[−+·/^√(),]| +")


def tokens(line):
    found, at = [], 0
    while at < len(line):
        match = TOKENS.match(line, at)
        assert match, f"{line!r} cannot be read from {line[at:]!r}"
        if match.group().strip():
            found.append(match.group())
        at = match.end()
    return found


class Reader:
    """Recursive descent; each method reads one level of binding and returns a nested tuple."""

    def __init__(self, line):
        self.left = tokens(line)

    def take(self, *wanted):
        if self.left and self.left[0] in wanted:
            return self.left.pop(0)
        return None

    def whole(self):
        tree = self.sum()
        assert not self.left, f"left over: {self.left}"
        return tree

    def sum(self):
        tree = self.product()
        while operator := self.take("+", "−"):
            tree = (operator, tree, self.product())
        return tree

    def product(self):
        negative = self.take("−")
        tree = self.power()
        if negative:
            tree = ("negative", tree)
        while operator := self.take("·", "/"):
            tree = (operator, tree, self.power())
        return tree

    def power(self):
        if self.take("√"):
            return ("√", self.atom())
        base = self.atom()
        if self.take("^"):
            negative = self.take("−")
            exponent = self.atom()
            return ("^", base, ("negative", exponent) if negative else exponent)
        return base

    def atom(self):
        if self.take("("):
            tree = self.sum()
            assert self.take(")"), "a bracket is not closed"
            return tree
        name = self.left.pop(0)
        if name in FUNCTIONS:
            assert self.take("("), f"{name} without its bracket"
            arguments = [self.sum()]
            while self.take(","):
                arguments.append(self.sum())
            assert self.take(")"), "a bracket is not closed"
            return (name, *arguments)
        assert name == "e" or name == "∞" or name[0].isdigit(), f"{name!r} where a number belongs"
        return name


def read(line):
    """The tree of a line of arithmetic."""
    return Reader(line).whole()


def numbers(tree):
    """The numbers in a tree as they are written, with their signs, from left to right; the e of e^… is none."""
    if isinstance(tree, str):
        return [] if tree == "e" else [tree]
    if tree[0] == "negative" and isinstance(tree[1], str):
        return [f"−{tree[1]}"]
    return [number for part in tree[1:] for number in numbers(part)]


def number(text):
    """A written number, exactly; None stands for −∞, which only e^… may meet."""
    if "∞" in text:
        return Decimal(text.replace("−", "-").replace("∞", "Infinity"))
    return Decimal(text.replace("−", "-"))


def value(tree):
    """What a tree comes to, to 60 digits."""
    with localcontext(WIDE):
        return _value(tree)


def _value(tree):
    if isinstance(tree, str):
        return Decimal(1).exp() if tree == "e" else number(tree)
    operator, *parts = tree
    if operator == "^" and parts[0] == "e":
        return power_of_e(_value(parts[1]))
    values = [_value(part) for part in parts]
    match operator:
        case "+":
            return values[0] + values[1]
        case "−":
            return values[0] - values[1]
        case "negative":
            return -values[0]
        case "·":
            return values[0] * values[1]
        case "/":
            return values[0] / values[1]
        case "√":
            return values[0].sqrt()
        case "^":
            whole = values[1] == values[1].to_integral_value()
            return values[0] ** (int(values[1]) if whole else values[1])
        case "sin":
            return series(values[0], 1)
        case "cos":
            return series(values[0], 0)
        case "ln":
            return values[0].ln()
        case "tanh":
            return tanh(values[0])
        case "erf":
            return erf(values[0])
        case "max":
            return max(values)
        case "abs":
            return abs(values[0])
    raise AssertionError(operator)


def series(angle, first):
    """The power series of cos (first = 0) or sin (first = 1), with fractions so that nothing cancels badly."""
    x = Fraction(angle)
    term, total, power = (x if first else Fraction(1)), Fraction(0), first
    while abs(term) > Fraction(1, 10**55) or power < 2 * abs(x):
        total += term
        power += 2
        term *= -x * x / (power * (power - 1))
        term = Fraction(round(term * 10**70), 10**70)  # keeps the fractions short
    return Decimal(total.numerator) / Decimal(total.denominator)


TINY = Decimal(1).scaleb(-(10**16), WIDE)
"""Stands for e^x where x is below −10^17, beyond even these numbers: not 0, and nothing that anyone writes."""


def power_of_e(x):
    return TINY if x.is_finite() and x < -(10**17) else x.exp()


ALMOST = Decimal(f"0.{'9' * 45}")
"""Stands for tanh and erf where they differ from 1 by less than this: not 1, and nothing that anyone writes."""


def tanh(x):
    if abs(x) > 52:
        return ALMOST.copy_sign(x)
    return ((2 * x).exp() - 1) / ((2 * x).exp() + 1)


def erf(x):
    """2/√π times its power series (Abramowitz and Stegun, 7.1.5); e^100 is the largest term, of 400 digits."""
    if abs(x) > 10:
        return ALMOST.copy_sign(x)
    power, total, n = x, Decimal(0), 0
    while power and abs(power) > Decimal("1e-300") * abs(x):
        total += power / (2 * n + 1)
        n += 1
        power *= -x * x / n
    return total * 2 / PI.sqrt()


PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211707"
)


def same(one, other):
    """Whether two lines' values are equal, as far as 60 digits tell."""
    if one == other:
        return True
    if not (one.is_finite() and other.is_finite()):
        return False
    with localcontext(WIDE):
        return abs(one - other) <= SAME * max(abs(one), abs(other))
