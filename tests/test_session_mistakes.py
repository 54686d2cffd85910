"""Every mistake in a message is answered with one sentence and its field; nothing is ever raised at a person."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clearhead.session import MOST_WORDS, Session

DOG = "the-dog-chased-the-cat"


def walk(**changes):
    return Session().ask({"ask": "walkthrough", "state": {"example": DOG} | changes})


def edit(**changes):
    return {"edits": [{"matrix": "W_Q", "row": 0, "column": 0, "value": 1} | changes]}


STATE_MISTAKES = {
    "an unknown example": ({"example": "cats"}, "example", "no example is named 'cats'"),
    "an example's path": ({"example": "library/three-words.toml"}, "example", "no example is named"),
    "no example": ({"example": None}, "example", "expected text, got None"),
    "an example as a list": ({"example": [DOG]}, "example", "expected text"),
    "an unknown field": ({"colour": 1}, "state", "'colour' is not known; expected only example, tokens"),
    "no words": ({"tokens": []}, "tokens", "the sentence is empty"),
    "an unknown word": ({"tokens": ["the", "owl"]}, "E", "has no row for 'owl'"),
    "a word that is a number": ({"tokens": [5]}, "tokens", "word 0: expected text, got 5"),
    "a sentence as text": ({"tokens": "the dog"}, "tokens", "expected a list of words"),
    "a sentence as an object": ({"tokens": {"the": 1}}, "tokens", "expected a list of words"),
    "a sentence as nothing": ({"tokens": None}, "tokens", "expected a list of words"),
    "half a character": ({"tokens": ["\ud800"], "rows": {"\ud800": [1, 2, 3, 4]}}, "tokens", "expected"),
    "too many words": ({"tokens": ["the"] * 200}, "tokens", f"has 200 words; the walkthrough takes up to {MOST_WORDS}"),
    "rows as a list": ({"rows": [1]}, "rows", "expected a row of numbers for each word"),
    "a row too short": ({"rows": {"the": [1]}}, "E", "the row of"),
    "a row with text": ({"rows": {"the": [1, "x", 3, 4]}}, "rows", "entry 1: expected a number, got 'x'"),
    "a row with NaN": ({"rows": {"the": [1, float("nan"), 3, 4]}}, "rows", "entry 1: expected a finite number"),
    "edits as an object": ({"edits": {}}, "edits", "expected a list of changed entries"),
    "an edit as a number": ({"edits": [1]}, "edits", "expected a list of changed entries"),
    "an empty edit": ({"edits": [{}]}, "edits", "expected one of"),
    "an edit of nothing": (edit(matrix="Q"), "edits", "no matrix is named 'Q' here; expected one of E, W_Q"),
    "an edit of a missing P": (edit(matrix="P"), "edits", "no matrix is named 'P' here"),
    "an edit of a list": (edit(matrix=["W_Q"]), "edits", "expected one of"),
    "a row outside": (edit(row=4), "edits", "expected a row from 0 to 3 and a column from 0 to 3"),
    "a row before": (edit(row=-1), "edits", "there is no such entry"),
    "a column outside": (edit(column=4), "edits", "there is no such entry"),
    "a column as text": (edit(column="0"), "edits", "there is no such entry"),
    "a column as truth": (edit(column=True), "edits", "there is no such entry"),
    "a word's row unknown": (edit(matrix="E", row="owl"), "edits", "E has no row for 'owl'"),
    "a word's row as a list": (edit(matrix="E", row=["the"]), "edits", "E has no row for"),
    "a word's row as an object": (edit(matrix="E", row={}), "edits", "E has no row for"),
    "a value as text": (edit(value="1"), "edits", "expected a number, got '1'"),
    "a value as nothing": (edit(value=None), "edits", "expected a number, got None"),
    "a value as infinity": (edit(value=float("inf")), "edits", "expected a finite number"),
    "a mask": ({"mask": "left"}, "mask", "'left' is not known; expected one of none, causal"),
    "a fill": ({"mask_fill": 0}, "mask_fill", '0 is no text; expected one of "-inf", "0"'),
    "a scale": ({"scale": "no"}, "scale", "expected true or false, got 'no'"),
    "heads": ({"heads": 3}, "heads", "3 does not divide the 4 columns of W_Q"),
    "heads as a fraction": ({"heads": 1.5}, "heads", "expected a whole number from 1"),
    "positions": ({"positions": "up"}, "positions", "'up' is not known"),
    "learned without P": ({"positions": "learned"}, "P", "is missing"),
    "scaled embeddings": ({"scale_embeddings": 1}, "scale_embeddings", "expected true or false"),
}  # fmt: skip


def assert_mistake(view, where, sentence):
    data = view.data
    assert set(data) == {"kind", "message", "where"}
    assert data["kind"] == "error"
    assert data["where"].partition(",")[0] == where
    assert sentence in data["message"]
    assert "\n" not in data["message"]
    assert view.buffers == []
    data["message"].encode()  # can be sent


@pytest.mark.parametrize("mistake", STATE_MISTAKES.values(), ids=STATE_MISTAKES)
def test_a_mistake_in_what_was_before_is_a_notice(mistake):
    """It is nothing to compare with, and no reason to withhold the picture of the present state."""
    change, _, sentence = mistake
    before = {"example": DOG} | change
    view = Session().ask({"ask": "walkthrough", "state": {"example": DOG}, "before": before})
    assert view.data["kind"] == "walkthrough"
    (notice,) = view.data["notices"]
    assert sentence in notice
    assert "\n" not in notice
    notice.encode()  # can be sent


@pytest.mark.parametrize("mistake", STATE_MISTAKES.values(), ids=STATE_MISTAKES)
def test_a_mistake_in_the_state(mistake):
    changes, where, sentence = mistake
    state = {"example": DOG} | changes
    for message in (
        {"ask": "walkthrough", "state": state},
        {"ask": "explain", "state": state, "quantity": "X", "index": [0, 0], "digits": 2},
        {"ask": "script", "state": state, "flavour": "numpy"},
        {"ask": "trace", "state": state},
        {"ask": "suggest", "state": state, "word": "owl"},
    ):
        assert_mistake(Session().ask(message), where, sentence)


GOOD_STATE = {"example": DOG}
EXPLAIN = {"ask": "explain", "state": GOOD_STATE, "quantity": "scores", "index": [0, 0, 0], "digits": 2}

MESSAGE_MISTAKES = {
    "nothing": ({}, "ask", "None is not known; expected one of examples, live, study, models"),
    "an unknown question": ({"ask": "why"}, "ask", "'why' is not known; expected one of examples"),
    "a question as a list": ({"ask": ["examples"]}, "ask", "is not known"),
    "no state": ({"ask": "walkthrough"}, "state", "expected an object, got None"),
    "a state as text": ({"ask": "walkthrough", "state": DOG}, "state", "expected an object"),
    "an unknown quantity": (EXPLAIN | {"quantity": "score"}, "quantity", "'score' is not known; did you mean scores"),
    "a quantity as a number": (EXPLAIN | {"quantity": 1}, "quantity", "is not known"),
    "no index": (EXPLAIN | {"index": None}, "index", "expected a list of whole numbers"),
    "an index as a number": (EXPLAIN | {"index": 0}, "index", "expected a list of whole numbers"),
    "an index of fractions": (EXPLAIN | {"index": [0, 0, 0.5]}, "index", "expected a list of whole numbers"),
    "an index of truths": (EXPLAIN | {"index": [0, 0, True]}, "index", "expected a list of whole numbers"),
    "an index outside": (EXPLAIN | {"index": [0, 5, 0]}, "index", "query goes from 0 to 4, got 5"),
    "an index too short": (EXPLAIN | {"index": [0, 0]}, "index", "expected 3 whole numbers"),
    "digits": (EXPLAIN | {"digits": 5}, "digits", "5 is not known; expected one of 2, 3, 4, full"),
    "digits as truth": (EXPLAIN | {"digits": True}, "digits", "is not known"),
    "digits as a list": (EXPLAIN | {"digits": [2]}, "digits", "is not known"),
    "no word": ({"ask": "suggest", "state": GOOD_STATE}, "word", "expected text, got None"),
    "an empty word": ({"ask": "suggest", "state": GOOD_STATE, "word": ""}, "word", "expected text, got ''"),
    "a word that is a number": ({"ask": "suggest", "state": GOOD_STATE, "word": 3}, "word", "expected text"),
    "half a character": ({"ask": "suggest", "state": GOOD_STATE, "word": "\ud800"}, "word", "expected"),
    "a flavour": ({"ask": "script", "state": GOOD_STATE, "flavour": "jax"}, "flavour",
                  "'jax' is not known; expected one of numpy, torch"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MESSAGE_MISTAKES.values(), ids=MESSAGE_MISTAKES)
def test_a_mistake_in_the_message(mistake):
    message, where, sentence = mistake
    assert_mistake(Session().ask(message), where, sentence)


HALF = "\ud800"
"""Half of a character outside the Basic Multilingual Plane: JSON can say it, UTF-8 cannot."""


@pytest.mark.parametrize(
    "changes",
    [
        {HALF: 1},
        {"example": HALF},
        {"mask": HALF},
        {"rows": {HALF: [1, 2, 3, 4]}},
        {"rows": {HALF: 1}},
        {"rows": {"the": HALF}},
        edit(matrix=HALF),
        edit(row=HALF),
        edit(matrix="E", row=HALF),
        edit(value=HALF),
        edit(matrix="a\nb"),
        {"a\nb": 1},
    ],
    ids=ascii,
)
def test_an_answer_can_always_be_sent_and_is_one_line(changes):
    data = walk(**changes).data
    assert data["kind"] == "error"
    json.dumps(data, ensure_ascii=False).encode()
    assert "\n" not in data["message"]


def test_an_overflow_names_the_cell():
    # Row "the" of W_Q: 2·1e308 is more than float64 holds.
    view = walk(edits=[{"matrix": "W_Q", "row": 0, "column": 0, "value": 1e308},
                       {"matrix": "W_Q", "row": 3, "column": 0, "value": 1e308}])  # fmt: skip
    assert view.data["kind"] == "error"
    assert "XW_Q[" in view.data["message"]
    assert "too large for float64" in view.data["message"]


def test_sixty_four_words_are_taken_and_one_more_is_not():
    assert walk(tokens=["the"] * MOST_WORDS).data["kind"] == "walkthrough"
    assert_mistake(walk(tokens=["the"] * (MOST_WORDS + 1)), "tokens", f"up to {MOST_WORDS}")


@pytest.mark.parametrize("up", ["", "../", "../library/", "/"])
def test_no_file_can_be_opened_through_the_example_s_name(tmp_path, up):
    (tmp_path / "secret.toml").write_text("tokens = ['secret']", "utf-8")
    for name in (
        f"{tmp_path}/secret.toml",
        f"{up}secret.toml",
        f"{up}three-words.toml",
        f"{up}{tmp_path}/secret",
    ):
        view = walk(example=name)
        assert_mistake(view, "example", "no example is named")
        assert "tokens" not in view.data["message"].replace(name, "")


# --- anything at all ---

WORDS = [
    "the",
    "dog",
    DOG,
    "three-words",
    "W_Q",
    "E",
    "scores",
    "weights",
    "causal",
    "full",
    "numpy",
    "rotary",
    "\ud800",
]
KEYS = [
    "ask", "state", "before", "quantity", "index", "digits", "word", "flavour", "example", "tokens", "rows", "edits",
    "matrix",
    "row", "column", "value", "mask", "mask_fill", "scale", "heads", "positions", "scale_embeddings",
]  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.just(10**30),
    st.floats(),
    st.text(max_size=4),
    st.sampled_from(WORDS),
)
ANY_JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS + WORDS), inner, max_size=4)
    ),
    max_leaves=12,
)
EDITS = st.fixed_dictionaries(
    {},
    optional={
        "matrix": st.sampled_from(["E", "W_Q", "P"]) | ANY_JSON,
        "row": ANY_JSON,
        "column": ANY_JSON,
        "value": ANY_JSON,
    },
)
STATES = st.fixed_dictionaries(
    {"example": st.sampled_from([DOG, "three-words", "only-looking-back"])},
    optional={
        "tokens": ANY_JSON, "rows": ANY_JSON | st.dictionaries(st.sampled_from(WORDS), ANY_JSON, max_size=2),
        "edits": ANY_JSON | st.lists(EDITS, max_size=2), "mask": ANY_JSON, "mask_fill": ANY_JSON, "scale": ANY_JSON,
        "heads": ANY_JSON, "positions": ANY_JSON, "scale_embeddings": ANY_JSON,
    },
)  # fmt: skip
MESSAGES = st.fixed_dictionaries(
    {"ask": st.sampled_from(["examples", "walkthrough", "explain", "suggest", "script", "trace"])},
    optional={
        "state": STATES, "before": STATES | ANY_JSON, "quantity": st.sampled_from(["scores", "E"]) | ANY_JSON,
        "index": ANY_JSON | st.lists(st.integers(-2, 3), max_size=3), "digits": st.sampled_from([2, "full"]) | ANY_JSON,
        "word": ANY_JSON, "flavour": st.sampled_from(["numpy", "torch"]) | ANY_JSON,
    },
)  # fmt: skip


@settings(max_examples=200)
@given(MESSAGES | ANY_JSON)
def test_no_message_is_ever_raised_about(message):
    view = Session().ask(message)
    assert view.data["kind"] in (
        "examples", "walkthrough", "explanation", "suggestion", "script", "trace", "error",
    )  # fmt: skip
    json.dumps(view.data, allow_nan=False, ensure_ascii=False).encode()
