"""Practice: what is said of a predicted number is true, and proven by doing the computation with that mistake."""

from __future__ import annotations

import numpy as np
import pytest

import clearhead as ch
from clearhead.lenses.practice import made_of, mistakes_in, practice, read_typed, replayed, roundings
from clearhead.session import Session
from clearhead.trace.notation.numbers import format_number


def example(**changes) -> ch.Example:
    """Three words with Q = [[1, 2], [3, 0], [0, 1]], K = [[2, 0], [1, 1], [0, 3]], V = [[5, 1], [0, 7], [3, 2]]."""
    return ch.Example(
        **{
            "tokens": ["a", "b", "c"], "E": {"a": [1, 0, 0], "b": [0, 1, 0], "c": [0, 0, 1]},
            "W_Q": [[1, 2], [3, 0], [0, 1]], "W_K": [[2, 0], [1, 1], [0, 3]], "W_V": [[5, 1], [0, 7], [3, 2]],
            "positions": "none", **changes,
        }
    )  # fmt: skip


Q, K, V = (
    np.array([[1.0, 2], [3, 0], [0, 1]]),
    np.array([[2.0, 0], [1, 1], [0, 3]]),
    np.array([[5.0, 1], [0, 7], [3, 2]]),
)
SCORES = Q @ K.T  # [[2, 3, 6], [6, 3, 0], [0, 1, 3]]


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


def masked(x: np.ndarray) -> np.ndarray:
    return np.where(np.triu(np.ones((3, 3)), 1) == 1, -np.inf, x)


@pytest.fixture
def trace() -> ch.Trace:
    return ch.run(example(mask="causal"))


def ids(view) -> set[str]:
    return {one["id"] for one in view["mistakes"]}


def verdict(trace: ch.Trace, name: str, index: tuple[int, ...], typed: float | str, digits=2):
    text = typed if isinstance(typed, str) else f"{typed:.{digits}f}"
    return practice(trace, name, index, text, digits)


# --- by hand ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["6", "6.00", "+6", " 6 ", "12/2", "600%", "6,0", "6e0"])
def test_right_in_every_way_of_writing_it(trace, typed):
    view = verdict(trace, "scores", (0, 0, 2), typed)
    assert (view["verdict"], view["says"], view["value"]) == (
        "right",
        "Right: scores[0,0,2] is 6.00.",
        "6.00",
    )


def test_a_masked_score_is_minus_infinity(trace):
    for typed in ("−∞", "-inf", "-∞", "-Infinity"):
        assert verdict(trace, "masked", (0, 0, 2), typed)["verdict"] == "right"
    assert ids(verdict(trace, "masked", (0, 0, 2), "0")) == {
        "other-fill",
        "row-for-column",
    }  # scores[2,0] is 0
    assert ids(verdict(trace, "masked", (0, 0, 2), "4.24")) == {"unmasked", "mask-turned"}
    wrong = verdict(trace, "masked", (0, 0, 2), "∞")
    assert (wrong["verdict"], ids(wrong)) == ("mistake", {"sign"})


def test_rounded_rightly_at_the_digits_typed(trace):
    # scaled[1,0] is 6/√2 = 4.2426
    assert [
        verdict(trace, "scaled", (0, 1, 0), typed)["verdict"] for typed in ("4.24", "4.243", "4.2426")
    ] == ["right"] * 3
    assert verdict(trace, "scaled", (0, 1, 0), "4.24", digits=3)["verdict"] == "nearly"
    coarse = verdict(trace, "scaled", (0, 1, 0), "4.2")
    assert coarse["says"] == "Nearly: 4.2 is scaled[0,1,0] with fewer digits; it is 4.24."
    cut = verdict(trace, "scaled", (0, 2, 2), "2.13")  # 3/√2 = 2.1213
    assert (cut["verdict"], cut["value"]) == ("nearly", "2.12")


def test_rounding_on_the_way_is_forgiven():
    """1/3 + 1/3 of V = 100: 33.33 from 0.33 rounded is 33."""
    even = example(W_Q=[[0, 0]] * 3, W_V=[[100, 0], [0, 0], [0, 0]])
    view = practice(ch.run(even), "mixed", (0, 0, 0), "33.00")
    assert view["verdict"] == "nearly"
    assert view["says"] == (
        "Nearly: 33.00 comes out of numbers that were rounded on the way; from the numbers themselves mixed[0,0,0] is "
        "33.33."
    )


def test_zero_is_not_a_rounding_of_what_is_large(trace):
    assert (
        verdict(trace, "weights", (0, 1, 1), "0")["verdict"] == "mistake"
    )  # 0.11; 0 if a position is hidden from itself
    tiny = ch.run(example(scale=False, mask="causal"))  # weights[2,0] = 1/(1 + e + e^3) = 0.04
    assert ids(verdict(tiny, "weights", (0, 2, 0), "0.00")) >= {"no-softmax"}
    least = ch.run(example(W_Q=[[1, 6], [3, 0], [0, 1]]))  # Q·K of row 0: 2, 7, 18
    small = verdict(least, "weights", (0, 0, 0), "0.00")
    assert small["verdict"] == "nearly"
    assert "is small and not 0" in small["says"]


# --- known mistakes, each worked out here with NumPy -----------------------------------------------------------------


WEIGHTS = softmax(masked(SCORES / 2**0.5))
WRONG_WEIGHTS = {
    "unscaled": softmax(masked(SCORES)),
    "without-root": softmax(masked(SCORES / 2)),
    "scaled-back": softmax(masked(SCORES * 2**0.5)),
    "unmasked": softmax(SCORES / 2**0.5),
    "other-fill": softmax(np.where(np.isinf(masked(SCORES)), 0, SCORES / 2**0.5)),
    "no-softmax": masked(SCORES / 2**0.5),
    "not-divided": np.exp(masked(SCORES / 2**0.5)),
    "swapped": softmax(masked(SCORES.T / 2**0.5)),
    "masked-after": np.where(np.isinf(masked(SCORES)), 0, softmax(SCORES / 2**0.5)),
    "down-columns": softmax(masked(SCORES / 2**0.5), axis=0),
    "over-everything": np.exp(masked(SCORES / 2**0.5)) / np.exp(masked(SCORES / 2**0.5)).sum(),
}


@pytest.mark.parametrize("mistake", WRONG_WEIGHTS)
def test_mistakes_in_the_weights(trace, mistake):
    cells = [tuple(place) for place in np.argwhere(np.abs(WRONG_WEIGHTS[mistake] - WEIGHTS) > 0.02)]
    assert cells
    for query, key in cells:
        wrong = WRONG_WEIGHTS[mistake][query, key]
        view = verdict(trace, "weights", (0, query, key), "−∞" if np.isinf(wrong) else wrong, digits=4)
        assert view["verdict"] == "mistake"
        assert mistake in ids(view), view
        assert "value" not in view  # the right number is not given away


@pytest.mark.parametrize(
    ("mistake", "wrong"),
    [
        ("columns-for-rows", WEIGHTS.T @ V), ("plain-mean", np.full((3, 3), 1 / 3) @ V),
        ("plain-sum", np.ones((3, 3)) @ V), ("unscaled", WRONG_WEIGHTS["unscaled"] @ V),
        ("unmasked", WRONG_WEIGHTS["unmasked"] @ V), ("not-divided", WRONG_WEIGHTS["not-divided"] @ V),
    ],
)  # fmt: skip
def test_mistakes_that_are_carried_on(trace, mistake, wrong):
    for query, feature in np.argwhere(np.abs(wrong - WEIGHTS @ V) > 0.02):
        assert mistake in ids(verdict(trace, "mixed", (0, query, feature), wrong[query, feature], digits=4))


def test_one_sentence_names_the_number_and_every_mistake_that_gives_it(trace):
    view = verdict(trace, "scores", (0, 0, 1), "6")
    assert view["verdict"] == "mistake"
    assert ids(view) == {"row-for-column", "swapped"}
    assert view["says"] == (
        "Not yet: 6.00 is what comes out when queries and keys change places: K times Q, or when row and column are "
        "exchanged (scores[0,1,0])."
    )
    assert {one["step"] for one in view["mistakes"]} == {"scores"}


def test_no_known_mistake_says_where_to_begin(trace):
    assert verdict(trace, "scores", (0, 0, 2), "40")["says"] == (
        "Not yet, and no known mistake gives 40. A first step: 1.00·0 = 0."
    )
    assert verdict(trace, "weights", (0, 0, 0), "40")["says"].endswith("A first step: e^1.41 ≈ 4.11.")
    assert verdict(trace, "masked", (0, 1, 0), "40")["says"].endswith(
        "It is taken from scaled[0,1,0] as it is."
    )
    assert verdict(trace, "E", (1, 1), "40")["says"].endswith("E is given: it is read, not worked out.")


def test_nothing_is_given_away_by_a_first_step():
    """Of what has a single step, only what it is made of is told."""
    trace = ch.run("the-dog-chased-the-cat")
    view = practice(trace, "X", (1, 0), "9")
    assert view["says"].endswith(
        "It is made of embeddings_scaled[1,0] = 0 and positions[1,0] = 0.84: "
        "X[i,m] = embeddings_scaled[i,m] + positions[i,m]."
    )


@pytest.mark.parametrize(
    ("name", "index", "typed", "mistake"),
    [
        ("X", (1, 0), "0", "not-added"), ("X", (1, 0), "1.68", "added-twice"), ("X", (1, 0), "0.91", "from-1"),
        ("X", (1, 0), "0.54", "sine-for-cosine"), ("X", (1, 2), "1.01", "unscaled"),
        ("X", (1, 2), "4.01", "without-root"),
    ],
)  # fmt: skip
def test_mistakes_with_positions_and_embeddings(name, index, typed, mistake):
    """Dog stands at 1 with the row [0, 0, 1, 0.25], doubled; its position is sin 1 = 0.84, cos 1 = 0.54, 0.01, 1.00."""
    assert mistake in ids(practice(ch.run("the-dog-chased-the-cat"), name, index, typed))


def test_two_heads():
    trace = ch.run("two-heads")
    other = trace["mixed"].values[1, 2, 0]
    assert "other-head" in ids(practice(trace, "mixed", (0, 2, 0), f"{other:.3f}", 3))
    X, W = trace["X"].values, trace["W_Q"].values
    interleaved = (X @ W)[1, 2]  # head 0 takes columns 0 and 2 instead of 0 and 1
    assert "heads-interleaved" in ids(practice(trace, "Q", (0, 1, 1), f"{interleaved:.3f}", 3))


def test_the_loss():
    trace = ch.run("three-words")
    losses = trace["losses"].values
    assert ids(practice(trace, "loss", (), f"{losses.sum():.3f}", 3)) >= {"sum-for-mean"}
    assert ids(practice(trace, "loss", (), f"{losses.sum() / 3:.3f}", 3)) >= {"counted-too-many"}
    p = trace["probabilities"].values[0, 1]  # chase follows cats
    for wrong, mistake in (
        (np.log(p), "no-minus"),
        (-np.log10(p), "log-10"),
        (-np.log2(p), "log-2"),
        (p, "no-log"),
    ):
        assert mistake in ids(practice(trace, "losses", (0,), f"{wrong:.4f}", 4))


def test_a_norm():
    trace = ch.run("only-looking-back")
    x = trace["residual"].values[1]
    spread = x.std()
    for wrong, mistake in (
        (x[1], "no-norm"), (x[1] / np.sqrt((x**2).mean()), "not-centred"), (x[1] - x.mean(), "not-divided"),
        ((x[1] - x.mean()) / spread**2, "without-root"), ((x[1] - x.mean()) / x.std(ddof=1), "n-minus-1"),
    ):  # fmt: skip
        assert mistake in ids(practice(trace, "norm_standard", (1, 1), f"{wrong:.2f}")), mistake


def test_every_mistake_can_be_made_without_a_fault(variation):
    """In every example and variation: what a mistake gives has the shape of the right values, or it cannot be made."""
    name, changes = variation
    trace = ch.run(name, **changes)
    for quantity in trace.values():
        way = made_of(trace, quantity)
        for mistake in mistakes_in(quantity):
            made = replayed(way, quantity, mistake.work)
            assert made is None or made.shape == quantity.shape
            assert mistake.says[:1].islower() or mistake.says.split()[0] in trace
            assert not mistake.says.endswith(".")


@pytest.mark.parametrize("name", ch.examples())
def test_the_right_number_is_right_and_a_step_redone_gives_it(name):
    trace = ch.run(name, mask="causal")
    for quantity in list(trace.values())[::3]:
        if quantity.operation is not None:
            again = replayed(made_of(trace, quantity), quantity, quantity.operation.forward)
            assert again is not None
            assert np.array_equal(again, quantity.values)
        index = tuple(size // 2 for size in quantity.shape)
        value = quantity.number(index)
        for digits in (2, 4, "full"):
            view = practice(trace, quantity.name, index, format_number(value, digits), digits)
            assert view["verdict"] == "right", (quantity.name, index, view)


# --- typing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "value", "unit"),
    [
        ("0.41", 0.41, 0.01), (".5", 0.5, 0.1), ("5.", 5, 1), ("-2", -2, 1), ("−2,50", -2.5, 0.01), ("1/3", 1 / 3, 0),
        ("41%", 0.41, 0.01), ("4.0e−4", 4e-4, 1e-5), ("−∞", -np.inf, 0), ("1e999", np.inf, np.inf), ("- 3", -3, 1),
    ],
)  # fmt: skip
def test_reading_a_number(typed, value, unit):
    read = read_typed(typed)
    assert (read.value, read.unit) == (pytest.approx(value, rel=1e-15), pytest.approx(unit, rel=1e-12))


@pytest.mark.parametrize(
    "typed", ["", "abc", "1/0", "1.2.3", "--1", "NaN", "e^2", "9" * 41, "１", "0x10", "1_000", "%"]
)
def test_what_is_no_number(typed):
    with pytest.raises(ValueError, match=r"^expected a number, such as 0.41, −2, 1/3 or −∞; got "):
        read_typed(typed)


def test_rounding_every_step():
    """e^1.41 = 4.0960 → 4.10, e^0 = 1, e^−1.41 = 0.2441 → 0.24: 4.10/5.34 = 0.7678 → 0.77."""
    why = ch.run("three-words")["weights"].explain(0, 0, 2)
    inputs, steps = roundings(why, 2)
    assert inputs == pytest.approx(np.exp(1.41) / (np.exp(1.41) + 1 + np.exp(-1.41)), rel=1e-12)
    assert steps == 0.77


# --- through the door ------------------------------------------------------------------------------------------------


def ask(**fields):
    message = {
        "ask": "practice",
        "state": {"example": "three-words"},
        "quantity": "scores",
        "index": [0, 0, 2],
    }
    return Session().ask(message | fields).data


def test_asking_the_session():
    assert ask(typed="2")["verdict"] == "right"
    assert ask(typed="2.000", digits=3) | {"says": ""} == {
        "kind": "practice", "quantity": "scores", "index": [0, 0, 2], "label": "scores[0,0,2]", "typed": "2.000",
        "verdict": "right", "says": "", "mistakes": [], "value": "2.000",
    }  # fmt: skip
    edited = {"example": "three-words", "scale": False, "mask": "causal"}
    assert ask(state=edited, quantity="scaled", typed="1.41")["mistakes"][0]["id"] == "scaled-all-the-same"
    assert ask(quantity="dW_Q", index=[0, 0], typed="5")["verdict"] == "unknown"


@pytest.mark.parametrize(
    ("fields", "where", "says"),
    [
        ({"typed": "two"}, "typed", "expected a number, such as 0.41, −2, 1/3 or −∞; got 'two'"),
        ({}, "typed", "expected text, got None"), ({"typed": 2}, "typed", "expected text, got 2"),
        ({"typed": "2", "quantity": "nothing"}, "quantity", "'nothing' is not known; this trace has"),
        ({"typed": "2", "index": [0, 0, 9]}, "index", "scores: key goes from 0 to 2, got 9"),
        ({"typed": "2", "index": "0"}, "index", "expected a list of whole numbers"),
        ({"typed": "2", "digits": 9}, "digits", "9 is not known; expected one of 2, 3, 4, full"),
    ],
)  # fmt: skip
def test_a_wrong_message_is_answered_with_a_sentence(fields, where, says):
    view = ask(**fields)
    assert (view["kind"], view["where"]) == ("error", where)
    assert says in view["message"]


def test_the_questions_beside_the_main_line_can_be_practised_too():
    assert (
        ask(quantity="weights_unscaled", index=[0, 0, 2], typed="0.87")["verdict"] == "right"
    )  # e^2/(e^2 + 1 + e^−2)
