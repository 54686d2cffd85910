"""One head with all that real models have: by hand in small integers, and cell by cell by its recipes."""

import math

import numpy as np
import pytest

from clearhead.core import ops
from clearhead.core.attention import compute
from clearhead.core.head import Head, attend
from clearhead.trace.notation import text
from clearhead.trace.trace import Recorder, Trace

QUERIES, KEYS = ("query", "feature"), ("key", "feature")
MAP = ("query", "key")


def head_of(Q, K, V, head, **more):
    """The trace of one head; what more it is given has the axes of a map, or none."""
    step = Recorder()
    given = [
        step.given(name, axes, np.array(array, dtype=float))
        for name, axes, array in (("Q", QUERIES, Q), ("K", KEYS, K), ("V", KEYS, V))
    ]
    more = {name: step.given(name, MAP if np.ndim(array) else (), array) for name, array in more.items()}
    attend(step, *given, head, **more)
    return Trace(step.quantities, ())


def test_a_plain_head_by_hand():
    """d_head = 4: scores are divided by 2. Equal scores: the mean of the values."""
    trace = head_of([[2, 0, 0, 0]], [[3, 1, 1, 1], [3, 0, 0, 0]], [[1, 5], [3, 7]], Head())
    assert trace["scores"].values.tolist() == [[6, 6]]
    assert trace["scaled"].values.tolist() == [[3, 3]]
    assert trace["mixed"].values.tolist() == [[2, 6]]
    assert list(trace) == ["Q", "K", "V", "scores", "scaled", "masked", "weights", "mixed"]


def test_the_steps_of_a_head_with_everything_and_their_order():
    """Scale 3, cap 2, bias: 3 · 0 = 0, capped 0, plus the bias ln 2 against 0: weights 2 : 1, and the sink's 1."""
    trace = head_of(
        [[0]], [[5], [7]], [[4], [8]], Head(scale=3.0, soft_cap=2.0), bias=[[math.log(2), 0]], sink=0.0,
        allowed=[[1, 1]],
    )  # fmt: skip
    assert list(trace)[6:] == ["scores", "scaled", "soft_capped", "biased", "masked", "weights", "mixed"]
    assert trace["weights"].values[0] == pytest.approx([0.5, 0.25], abs=1e-15)
    assert trace["mixed"].values[0] == pytest.approx([4], abs=1e-14)
    assert trace["weights"].note((0, 0)) == "the sink takes 0.25 of this row, whose weights add up to 0.75"


def test_a_weight_set_by_hand_leaves_the_rest_of_its_row():
    """Two equal scores: 0.5 and 0.5; the first set to 2: 2 · 4 + 0.5 · 8 = 12."""
    trace = head_of([[0]], [[5], [7]], [[4], [8]], Head(weights_set=((0, 0, 2.0),)))
    assert list(trace)[-3:] == ["weights", "changed", "mixed"]
    assert trace["weights"].values.tolist() == [[0.5, 0.5]]
    assert trace["changed"].values.tolist() == [[2, 0.5]]
    assert trace["mixed"].values.tolist() == [[12]]
    assert trace["changed"].note((0, 0)) == "set by hand; it was 0.5; the row now adds up to 2.5"
    assert (
        text.equation(trace["changed"].formula())
        == "changed[i,j] = 2 where i = 0 and j = 0; weights[i,j] elsewhere"
    )


def test_a_head_that_is_switched_off_mixes_as_ever_and_gives_nothing():
    trace = head_of([[0]], [[5], [7]], [[4], [8]], Head(off=True))
    assert list(trace)[-2:] == ["mixed", "switched_off"]
    assert trace["mixed"].values.tolist() == [[6]]
    assert trace["switched_off"].values.tolist() == [[0]]


def test_a_scale_of_one_changes_nothing_and_another_is_a_factor():
    given = [[2.0]], [[3.0]], [[1.0]]
    assert head_of(*given, Head(scale=1.0))["scaled"].operation.name == "copy"
    assert head_of(*given, Head(scale=0.5))["scaled"].values.tolist() == [[3]]
    assert (
        text.equation(head_of(*given, Head(scale=0.5))["scaled"].formula())
        == "scaled[i,j] = scores[i,j]·scale"
    )


def test_a_soft_cap_is_zero_at_zero_and_never_beyond_its_cap():
    cap = ops.SoftCap(MAP, 5.0)
    assert cap.forward(np.array([[0.0, 1e9, -1e9]])).tolist() == [[0, 5, -5]]
    # tanh(ln 2) = (2 − 1/2) / (2 + 1/2) = 3/5
    assert cap.forward(np.array([[5 * math.log(2)]]))[0, 0] == pytest.approx(3, abs=1e-15)
    assert cap.note((0, 0), np.array([[1.0]])) is None
    assert cap.note((0, 0), np.array([[-9.0]])).startswith("the soft cap holds this number back")
    # The slope where y = 3: 1 − 9/25 = 16/25
    back = ops.SoftCapGradient(MAP, 5.0).forward(np.array([[25.0]]), np.array([[3.0]]))
    assert back[0, 0] == pytest.approx(16, abs=1e-14)


def test_a_sink_takes_its_share():
    """Scores ln 1, ln 2 and a sink of ln 5: 1/8 and 2/8, the sink 5/8."""
    softmax, sink = ops.SoftmaxWithSink(MAP), np.array(math.log(5))
    weights = softmax.forward(np.log([[1.0, 2.0]]), sink)
    assert weights[0] == pytest.approx([1 / 8, 2 / 8], abs=1e-15)
    # of 16 and 8: the row's weighted mean is 16/8 + 2·8/8 = 4; the sink's gradient −5/8 · 4
    back = ops.SinkGradient((), MAP).forward(np.array([[16.0, 8.0]]), np.array([[1 / 8, 2 / 8]]))
    assert float(back) == -2.5
    assert text.equation(softmax.formula("w", "s", "sink")) == "w[i,j] = e^s[i,j] / (e^sink + Σ_j′ e^s[i,j′])"
    heads = ops.SoftmaxWithSink(("batch", "head", *MAP)).formula("w", "s", "sink")
    assert "e^sink[h] + " in text.equation(heads)


@pytest.mark.parametrize("sink", [None, 0.5, -700.0, 700.0])
def test_a_row_that_sees_nothing_takes_nothing(sink, faults):
    """No NaN; the other row is as it was; each cell says so."""
    more = {} if sink is None else {"sink": sink}
    given = [[1], [2]], [[3], [5]], [[7], [11]]
    trace = head_of(*given, Head(), allowed=[[0, 0], [1, 1]], **more)
    assert trace["weights"].values[0].tolist() == [0, 0]
    assert trace["mixed"].values[0].tolist() == [0]
    assert (
        trace["weights"].values[1].tolist() == head_of(*given, Head(), **more)["weights"].values[1].tolist()
    )
    note = trace["weights"].explain(0, 1).note
    assert note.startswith("this query may see nothing")
    assert note.endswith("the sink takes all of this row") == (sink is not None)
    assert faults(trace) == []


@pytest.mark.parametrize("pairs", ["halves", "interleaved"])
def test_a_quarter_turn_by_hand(pairs):
    """Of five features the first four turn, at the second position only; the fifth passes."""
    x = np.array([[1.0, 2, 3, 4, 5]] * 2)
    cos, sin = np.array([[1.0, 1], [0, 0]]), np.array([[0.0, 0], [1, 1]])
    turn = ops.RotateBy(QUERIES, pairs, 4)
    turned = [-3, -4, 1, 2, 5] if pairs == "halves" else [-2, 1, -4, 3, 5]
    assert turn.forward(x, cos, sin).tolist() == [[1, 2, 3, 4, 5], turned]
    back = ops.RotateBy(QUERIES, pairs, 4, back=True)
    assert back.forward(turn.forward(x, cos, sin), cos, sin).tolist() == x.tolist()
    assert turn.note((1, 3), x, cos, sin) is None
    assert turn.note((1, 4), x, cos, sin).startswith("only the first 4 features are turned")


@pytest.mark.parametrize("pairs", ["halves", "interleaved"])
@pytest.mark.parametrize(
    "axes", [("query", "feature"), ("head", "key", "feature"), ("batch", "head", "key", "feature")]
)
def test_rotations_with_heads_in_front(pairs, axes, faults):
    """The same angles in every head; every cell by its recipe, and every angle feeds the cells that take it."""
    random, step = np.random.default_rng(23), Recorder()
    x = step.given("x", axes, random.normal(size=(2, 3, 5, 7)[-len(axes) :]))
    angles = random.normal(size=(5, 3))
    cos = step.given("cos", ("position", "pair"), np.cos(angles))
    sin = step.given("sin", ("position", "pair"), np.sin(angles))
    step("turned", ops.RotateBy(axes, pairs, 6), x, cos, sin)
    assert faults(Trace(step.quantities, ())) == []


def test_rotating_by_angles_agrees_with_rotary_positions():
    """The angles of Su et al. 2021 over all features in halves: what `Rotate` makes itself, bit for bit."""
    x = np.random.default_rng(23).normal(size=(3, 5, 14))
    position, pair = np.ogrid[:5, :7]
    angles = position / 10000.0 ** (2 * pair / 14)
    axes = ("head", "query", "feature")
    ours = ops.RotateBy(axes, "halves", 14).forward(x, np.cos(angles), np.sin(angles))
    assert ours.tolist() == ops.Rotate(axes).forward(x).tolist()


def test_the_formula_of_a_rotation_names_its_pairs():
    halves = text.equation(ops.RotateBy(QUERIES, "halves", 4).formula("out", "x", "cos", "sin"))
    assert halves == (
        "out[i,k] = x[i,k]·cos[i,k] − x[i,k+2]·sin[i,k] where k < 2; "
        "x[i,k]·cos[i,k−2] + x[i,k−2]·sin[i,k−2] where 2 ≤ k < 4; x[i,k] elsewhere"
    )
    neighbours = text.equation(ops.RotateBy(QUERIES, "interleaved", 4).formula("out", "x", "cos", "sin"))
    assert "x[i,k]·cos[i,k/2] − x[i,k+1]·sin[i,k/2] where k < 4 is even" in neighbours


def test_a_projection_with_a_bias_is_a_product_and_a_sum(faults):
    """Q = x W + b: [1, 2] [[3], [5]] + 7 = 20."""
    step = Recorder()
    x = step.given("hidden", ("query", "model"), np.array([[1.0, 2.0]]))
    W = step.given("W", ("model", "feature"), np.array([[3.0], [5.0]]))
    b = step.given("b", ("feature",), np.array([7.0]))
    product = step("product", ops.Contract(QUERIES, ("query", "model"), ("model", "feature")), x, W)
    Q = step("Q", ops.Add(QUERIES, (QUERIES, ("feature",))), product, b)
    assert Q.values.tolist() == [[20]]
    assert text.equation(Q.formula()) == "Q[i,k] = product[i,k] + b[k]"
    assert faults(Trace(step.quantities, ())) == []


def everything(seed=29, queries=11, keys=13):
    """Soft cap, bias, sink, window, padding, a cache, a mask of the model's own, and a row that sees nothing."""
    random = np.random.default_rng(seed)
    allowed = (random.random((queries, keys)) < 0.8).astype(float)
    allowed[queries // 2] = 0
    return head_of(
        *(random.normal(size=shape) * 2 for shape in ((queries, 7), (keys, 7), (keys, 3))),
        Head(
            0.3,
            1.7,
            "causal+2 & window(5)+2 & keys(3:12)",
            weights_set=((1, 4, 0.25), (3, 0, -1.0)),
            off=True,
        ),
        bias=random.normal(size=(queries, keys)),
        sink=0.7,
        allowed=allowed,
    )


def test_every_cell_of_a_head_with_everything_is_what_its_recipe_says(faults):
    trace = everything()
    assert faults(trace) == []
    weights = trace["weights"].values
    assert (
        weights[[0, 5]] == 0
    ).all()  # query 0 stands at position 2, before the first key that is no padding
    assert (weights[1] != 0).sum() <= 1
    assert (trace["mixed"].values[5] == 0).all()
    assert np.isfinite(trace["mixed"].values).all()
    assert trace["weights"].masked.tolist() == np.isneginf(trace["masked"].values).tolist()
    rest = weights[2:5].sum(axis=1)
    assert (rest > 0).all()
    assert (rest < 1).all()


def test_a_head_with_everything_is_saved_and_read_back(tmp_path):
    from clearhead.trace.wire import load_trace

    trace = everything()
    trace.save(tmp_path / "head")
    again = load_trace(tmp_path / "head")
    assert [again[name].operation for name in again] == [trace[name].operation for name in trace]
    assert str(again["weights"].explain(7, 8)) == str(trace["weights"].explain(7, 8))


@pytest.mark.parametrize("seed", range(5))
def test_random_heads_cell_by_cell(seed, faults):
    assert faults(everything(seed, queries=5, keys=7)) == []


def test_what_cannot_be_computed_with_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match=r"^soft_cap: expected a number above 0, or None for no cap; got 0$"):
        Head(soft_cap=0)
    with pytest.raises(ValueError, match=r"^mask: 'sideways' is not known"):
        Head(mask="sideways")
    with pytest.raises(
        ValueError, match=r"^rotate_by: pairs 'thirds' is not known; expected one of halves, int"
    ):
        ops.RotateBy(QUERIES, "thirds", 4)
    with pytest.raises(ValueError, match=r"^rotate_by: 3 features make no pairs; expected an even number$"):
        ops.RotateBy(QUERIES, "halves", 3)
    with pytest.raises(ValueError, match=r"^Q: expected \(queries, d_head\), .* got \(7,\)$"):
        attend(compute, np.ones(7), np.ones(7), np.ones(7), Head())
