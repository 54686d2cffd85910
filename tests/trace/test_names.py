"""Names of quantities in formulas: layers, gradients, updates."""

import pytest

from clearhead.core.expression import Symbol
from clearhead.trace.notation import latex, mathml, text
from clearhead.trace.notation.names import needs_brackets


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("W_Q", "W_{Q}"),
        ("layer0.W_Q", "W_{Q}^{(0)}"),
        ("layer12.hidden", r"\text{hidden}^{(12)}"),
        ("dQ", r"\text{d}Q"),
        ("layer1.dW_Q", r"\text{d}W_{Q}^{(1)}"),
        ("dscores", r"\text{dscores}"),
        ("dX_from_XW_Q", r"\text{d}X\text{ from }XW_{Q}"),
        ("layer0.dhidden_from_layer1_X", r"\text{dhidden}^{(0)}\text{ from }X^{(1)}"),
        ("layer0.dX_from_residual", r"\text{d}X^{(0)}\text{ from }\text{residual}"),
        ("gain_1", r"\text{gain}_{1}"),
        ("gain_final", r"\text{gain\_final}"),
        ("b_1", "b_{1}"),
        ("residual_2", r"\text{residual}_{2}"),
        ("X_norm_standard", r"X_{\text{norm},\text{standard}}"),
        ("E_next", r"E_{\text{next}}"),
        ("E_m_hat", r"E_{\hat{m}}"),
        ("layer0.W_Q_v_hat", r"W_{Q,\hat{v}}^{(0)}"),
        ("gain_final_m_hat", r"\text{gain\_final}_{\hat{m}}"),
        ("gain_1_velocity_next", r"\text{gain}_{1,\text{velocity},\text{next}}"),
        ("β₁", r"\beta_{1}"),
        ("η", r"\eta"),
        ("target(b,i)", r"\text{target}(b,i)"),
    ],
)
def test_latex(name, expected):
    assert latex.symbol(Symbol(name)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("layer0.Q", ["msup", ["mi", "Q"], ["mrow", ["mo", "("], ["mn", "0"], ["mo", ")"]]]),
        ("dQ", ["mrow", ["mtext", "d"], ["mi", "Q"]]),
        ("E_m_hat", ["msub", ["mi", "E"], ["mover", ["mi", "m"], ["mo", "^"]]]),
        ("gain_1", ["msub", ["mi", "gain"], ["mn", "1"]]),
        ("W_Q_next", ["msub", ["mi", "W"], ["mrow", ["mi", "Q"], ["mo", ","], ["mi", "next"]]]),
        ("dX_from_V", ["mrow", ["mtext", "d"], ["mi", "X"], ["mtext", "\u00a0from\u00a0"], ["mi", "V"]]),
    ],
)
def test_mathml(name, expected):
    assert mathml.expression(Symbol(name)) == expected


def test_a_layer_stands_above_and_a_subscript_below():
    above = ["mrow", ["mo", "("], ["mn", "1"], ["mo", ")"]]
    assert mathml.expression(Symbol("layer1.W_Q")) == ["msubsup", ["mi", "W"], ["mi", "Q"], above]


def test_text_shows_names_as_they_are():
    assert text.expression(Symbol("layer0.dX_from_XW_Q", ("i", "m"))) == "layer0.dX_from_XW_Q[i,m]"


def test_indices_are_kept_apart_from_names():
    assert latex.symbol(Symbol("layer0.Q", ("h", "i", "k"))) == "Q^{(0)}_{h,i,k}"
    assert latex.symbol(Symbol("layer0.W_Q", ("m", "c"))) == "(W_{Q}^{(0)})_{m,c}"
    assert latex.symbol(Symbol("dX_from_V", ("i", "m"))) == r"(\text{d}X\text{ from }V)_{i,m}"
    assert [needs_brackets(name) for name in ("dQ", "E", "E_next", "hidden")] == [False, False, True, False]
