"""Arithmetic as LaTeX and formulas as MathML: well-formed, whatever the cell."""

import re

import numpy as np
import pytest

import clearhead as ch
from clearhead.core import expression as ex
from clearhead.trace.notation import latex, mathml, text

ALLOWED = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mfrac", "msqrt", "msup", "msub", "msubsup", "munder", "mover",
    "mtable", "mtr", "mtd",
}  # fmt: skip
"""A subset of the elements of MathML Core that draw formulas; no links, no scripts, no styles."""
TEXT_ONLY = {"mi", "mn", "mo", "mtext"}
CHILDREN = {"mfrac": 2, "msup": 2, "msub": 2, "msubsup": 3, "munder": 2, "mover": 2}
"""How many children these elements take, by MathML Core."""
ATTRIBUTES = {"display", "stretchy", "columnalign"}

VARIATIONS = [
    {}, {"positions": "rotary", "mask": "causal"}, {"positions": "alibi", "mask": "causal", "mask_fill": "0"},
    {"scale": False, "positions": "none", "heads": 2},
]  # fmt: skip


def latex_mistakes(source):
    """What a LaTeX engine would stumble over, or a reader."""
    without_text = re.sub(r"\\text\{((?:[^{}\\]|\\.)*)\}", lambda found: check_text(found.group(1)), source)
    depth = 0
    for at, sign in enumerate(without_text):
        if sign in "{}" and (at == 0 or without_text[at - 1] != "\\"):
            depth += 1 if sign == "{" else -1
            if depth < 0:
                return "a brace closes that was not opened"
    if depth:
        return "a brace stays open"
    stack = []
    for word in re.findall(r"\\left\b|\\right\b|\\begin\{\w+\}|\\end\{\w+\}", without_text):
        if word.startswith((r"\left", r"\begin")):
            stack.append(word)
        elif not stack or stack.pop() != word.replace("right", "left").replace("end", "begin"):
            return f"{word} has no partner"
    if stack:
        return f"{stack} stay open"
    if signs := re.findall(r"[−∞·√Σ∑′⌊⌋|]", without_text.replace("|i-j|", "")):
        return f"signs that are no LaTeX: {signs}"
    if re.search(r"(?<!\\)_[^{A-Za-z0-9]|\^[^{]|\}\^\{[^{}]*\}\^", without_text):
        return "an index or exponent without braces, or two exponents in a row"
    if re.search(r"10\^\{[^{}]*\}\}\^", without_text):
        return "a number with a power of ten is raised to a power without brackets"
    known = {
        "text", "left", "right", "begin", "end", "frac", "sqrt", "cdot", "sum", "infty", "approx", "sin", "cos", "max",
        "lfloor",
        "rfloor", "le", "ln", "tanh", "operatorname", "hat", "beta", "epsilon", "eta", "lambda", "mu", "pi",
    }  # fmt: skip
    if unknown := set(re.findall(r"\\([a-z]+)", without_text)) - known:
        return f"unknown commands {unknown}"
    return None


def check_text(content):
    """Text mode must have its underscores escaped; it is then of no further interest."""
    assert not re.search(r"(?<!\\)_", content), f"\\text{{{content}}} has a bare underscore"
    return ""


@pytest.mark.parametrize("changes", VARIATIONS, ids=str)
def test_latex_of_cells_is_well_formed(traced, changes):
    trace = traced("only-looking-back", **changes)
    checked = 0
    for quantity in trace.values():
        for at, index in enumerate(np.ndindex(quantity.shape)):
            if at % 7 == 0:
                source = quantity.explain(*index).latex([2, 3, 4, "full"][at % 4])
                assert latex_mistakes(source) is None, (quantity.name, index, source)
                checked += 1
    assert checked > 100


@pytest.mark.parametrize("changes", VARIATIONS, ids=str)
def test_latex_of_formulas_is_well_formed(traced, changes):
    for quantity in traced("only-looking-back", **changes).values():
        if quantity.operation:
            source = latex.equation(quantity.formula())
            assert latex_mistakes(source) is None, (quantity.name, source)


def test_latex_of_every_operation_is_well_formed(operation_case):
    out = operation_case.trace["out"]
    sources = [latex.equation(out.formula())]
    sources += [out.explain(*index).latex() for index in np.ndindex(out.shape)]
    for source in sources:
        assert latex_mistakes(source) is None, source


def test_mathml_of_every_operation_is_well_formed(operation_case):
    out = operation_case.trace["out"]
    check_mathml(mathml.equation(out.formula()), operation_case.operation.name)


def test_a_factor_of_minus_one_is_a_minus_in_formulas():
    x = ex.Symbol("x")
    negative = ex.Product((ex.Number(-1), ex.Function("ln", (x,))))
    assert text.expression(negative) == "−ln(x)"
    assert latex.expression(negative) == r"-\ln\left(x\right)"
    assert mathml.expression(negative)[:2] == ["mrow", ["mo", "−"]]
    assert text.expression(ex.Exp(ex.Product((ex.Number(-1), x)))) == "e^(−x)"
    assert text.expression(ex.Sum((x, negative))) == "x + (−ln(x))"
    assert latex.expression(ex.Function("erf", (x,))) == r"\operatorname{erf}\left(x\right)"


def test_the_checker_finds_bad_latex():
    for source in (
        r"\frac{1}{2",
        r"\left(1",
        "1 − 2",
        "e^x",
        r"{1 \cdot 10^{-3}}^{2}",
        r"\foo",
        "{2}^{3}^{4}",
    ):
        assert latex_mistakes(source), source
    assert latex_mistakes(r"\begin{aligned} \frac{1}{2} &= \left(-3\right) \end{aligned}") is None


def test_latex_of_a_sum_by_hand():
    example = ch.Example(
        tokens=["a"], E={"a": [1, -2]}, W_Q=[[3], [4]], W_K=[[1], [1]], W_V=[[1], [1]], positions="none"
    )  # fmt: skip
    source = ch.run(example)["XW_Q"].explain(0, 0).latex()
    begin, *lines, end = source.splitlines()
    assert (begin, end) == (r"\begin{aligned}", r"\end{aligned}")
    assert [line.partition("&")[2].removesuffix(r" \\") for line in lines] == [
        r"= 1.00 \cdot 3.00 + \left(-2.00\right) \cdot 4.00",
        r"= 3.00 + \left(-8.00\right)",
        "= -5.00",
    ]


def test_a_small_number_is_bracketed_before_it_is_squared():
    """2e−3 squared is (2·10^−3)^2; without brackets it reads 2·10^(−3^2)."""
    example = ch.Example(
        tokens=["a"], E={"a": [0.002, 0.5]}, W_Q=[[1], [1]], W_K=[[1], [1]],
        W_V=[[1, 0], [0, 1]], positions="none",
    )  # fmt: skip
    from clearhead.sources.worked.run import with_asides

    size = with_asides(ch.run(example))["contribution_size"].explain(0, 0)
    assert latex_mistakes(size.latex()) is None, size.latex()
    assert "e−3^" not in size.text()


def check_mathml(node, where):
    assert isinstance(node, list), f"{where}: {node!r} is no element"
    tag, *rest = node
    assert tag in ALLOWED, f"{where}: {tag}"
    if rest and isinstance(rest[0], dict):
        assert set(rest[0]) <= ATTRIBUTES
        assert all(isinstance(value, str) for value in rest[0].values())
        rest = rest[1:]
    if tag in TEXT_ONLY:
        assert len(rest) == 1, f"{where}: {node!r} holds one text"
        assert isinstance(rest[0], str)
        assert rest[0]
        return
    assert rest, f"{where}: {tag} is empty"
    assert len(rest) == CHILDREN.get(tag, len(rest)), f"{where}: {tag} has {len(rest)} children"
    if tag in ("mtable", "mtr"):
        assert all(child[0] == {"mtable": "mtr", "mtr": "mtd"}[tag] for child in rest)
    for child in rest:
        check_mathml(child, where)


@pytest.mark.parametrize("changes", VARIATIONS, ids=str)
def test_mathml_of_formulas_is_well_formed(traced, changes):
    for quantity in traced("only-looking-back", **changes).values():
        if quantity.operation:
            element = mathml.equation(quantity.formula())
            assert element[0] == "math"
            check_mathml(element, quantity.name)


def test_mathml_of_scaling_by_hand(traced):
    scaled = mathml.equation(traced("three-words")["scaled"].formula())
    at = ["mrow", ["mi", "h"], ["mo", ","], ["mi", "i"], ["mo", ","], ["mi", "j"]]
    assert scaled == [
        "math", {"display": "block"},
        ["mrow",
            ["msub", ["mi", "scaled"], at], ["mo", "="],
            ["mfrac", ["msub", ["mi", "scores"], at], ["msqrt", ["msub", ["mi", "d"], ["mi", "head"]]]],
        ],
    ]  # fmt: skip
