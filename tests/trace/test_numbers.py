"""How numbers are written: the golden list, which the front end's tests read too, and what must hold for any number."""

import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearhead.trace.notation.numbers import format_number, shown_value

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "numbers.json").read_text("utf-8"))
"""Texts reasoned out by hand from the rules and the exact binary value (0.015 is 0.01499999999999999944…, so 0.01)."""

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("case", GOLDEN, ids=[f"{case['value']!r}-{case['digits']}" for case in GOLDEN])
def test_golden(case):
    assert format_number(float(case["value"]), case["digits"]) == case["text"]


def test_the_golden_list_is_long_and_has_every_form():
    assert len(GOLDEN) >= 60
    assert {case["digits"] for case in GOLDEN} == {2, 3, 4, "full"}
    assert len({(repr(case["value"]), case["digits"]) for case in GOLDEN}) == len(GOLDEN)
    texts = {case["text"] for case in GOLDEN}
    assert {"0", "∞", "−∞", "NaN"} < texts
    assert not any("-" in text or "+" in text for text in texts)


@given(FINITE)
def test_full_reads_back_as_the_same_number(value):
    text = format_number(value, "full")
    assert float(text.replace("−", "-")) == value
    assert shown_value(text) == value


@given(FINITE | st.floats(-1e7, 1e7) | st.floats(-0.01, 0.01), st.sampled_from([2, 3, 4]))
def test_a_rounded_number_is_the_nearest_with_its_decimals(value, digits):
    text = format_number(value, digits)
    shown, exact = Fraction(Decimal(text.replace("−", "-"))), Fraction(value)
    mantissa, _, exponent = text.partition("e")
    if value == 0:
        assert text == "0"
        return
    assert len(mantissa.partition(".")[2]) == (digits - 1 if exponent else digits)
    assert shown != 0
    assert (shown < 0) == (value < 0)
    assert bool(exponent) == (abs(value) >= 1e6 or abs(exact) < Fraction(5, 10 ** (digits + 1)))
    step = (
        Fraction(10) ** (int(exponent.replace("−", "-")) - digits + 1)
        if exponent
        else Fraction(1, 10**digits)
    )
    assert abs(shown - exact) <= step / 2
    if abs(shown - exact) == step / 2:
        assert abs(shown) > abs(exact)  # ties go away from zero


@given(FINITE, st.sampled_from([2, 3, 4, "full"]))
def test_the_sign_is_only_a_sign(value, digits):
    positive, negative = format_number(abs(value), digits), format_number(-abs(value), digits)
    assert negative == (f"−{positive}" if value else "0")


def test_a_caller_s_decimal_precision_does_not_change_what_is_written():
    with localcontext() as context:
        context.prec = 5
        assert format_number(123456.789, 4) == "123456.7890"


def test_shown_value_reads_infinity():
    assert shown_value("−∞") == -math.inf
