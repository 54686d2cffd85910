"""The server with the real session: a page's questions, and words that are markup."""

import json

import numpy as np
import pytest

MARKUP = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</script>",
    "&lt;b&gt;",
    "javascript:alert(1)",
    "\u202e",
]


def state_of(tokens):
    width = 4
    return {
        "example": "the-dog-chased-the-cat",
        "tokens": tokens,
        "rows": {token: [0.5] * width for token in tokens},
    }


def test_markup_in_words_comes_back_as_data_and_in_nothing_a_browser_would_run(real):
    with real.tab() as tab:
        reply = tab.ask({"ask": "walkthrough", "state": state_of(MARKUP)})
    assert reply.data[0]["tokens"] == MARKUP
    for path in ("/", "/gallery", "/app.js"):
        response, body = real.get(path)
        assert b"alert(1)" not in body
        assert "script-src 'self';" in response.getheader("Content-Security-Policy")
        assert response.getheader("X-Content-Type-Options") == "nosniff"


def test_weights_come_back_as_float64_rows_that_add_up_to_1(real):
    with real.tab() as tab:
        reply = tab.ask({"ask": "walkthrough", "state": {"example": "two-heads"}})
    (weights,) = [quantity for quantity in reply.data[0]["quantities"] if quantity["name"] == "weights"]
    values = reply.buffers[0][weights["values"]]
    assert values.dtype == np.float64
    assert list(values.shape) == weights["shape"]
    np.testing.assert_allclose(values.sum(axis=-1), 1, rtol=1e-15)


STATE = {"example": "three-words"}


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"ask": None},
        {"ask": "nothing of the kind"},
        {"ask": ["walkthrough"]},
        {"ask": "__init__"},
        {"ask": "walkthrough"},
        {"ask": "walkthrough", "state": []},
        {"ask": "walkthrough", "state": {}},
        {"ask": "walkthrough", "state": {"example": "../../etc/passwd"}},
        {"ask": "walkthrough", "state": {"example": "/etc/passwd.toml"}},
        {"ask": "walkthrough", "state": {"example": "no such"}},
        {"ask": "walkthrough", "state": STATE | {"tokens": []}},
        {"ask": "walkthrough", "state": STATE | {"tokens": "words"}},
        {"ask": "walkthrough", "state": STATE | {"tokens": [1]}},
        {"ask": "walkthrough", "state": STATE | {"tokens": ["unheard"]}},
        {"ask": "walkthrough", "state": STATE | {"tokens": ["a"] * 100_000}},
        {"ask": "walkthrough", "state": STATE | {"mask": "sideways"}},
        {"ask": "walkthrough", "state": STATE | {"heads": 10**30}},
        {"ask": "walkthrough", "state": STATE | {"heads": -1}},
        {"ask": "walkthrough", "state": STATE | {"heads": "1"}},
        {"ask": "walkthrough", "state": STATE | {"scale": "yes"}},
        {"ask": "walkthrough", "state": STATE | {"edits": {}}},
        {"ask": "walkthrough", "state": STATE | {"edits": [{}]}},
        {
            "ask": "walkthrough",
            "state": STATE | {"edits": [{"matrix": "W_Q", "row": 0, "column": 10**9, "value": 1}]},
        },
        {
            "ask": "walkthrough",
            "state": STATE | {"edits": [{"matrix": "W_Q", "row": -1, "column": 0, "value": 1}]},
        },
        {
            "ask": "walkthrough",
            "state": STATE | {"edits": [{"matrix": "W_Q", "row": 0, "column": 0, "value": 10**400}]},
        },
        {
            "ask": "walkthrough",
            "state": STATE | {"edits": [{"matrix": "scores", "row": 0, "column": 0, "value": 1}]},
        },
        {"ask": "walkthrough", "state": STATE | {"rows": {"new": ["1"]}}},
        {"ask": "explain", "state": STATE, "quantity": "weights", "index": [0, 0], "digits": 2},
        {"ask": "explain", "state": STATE, "quantity": "weights", "index": [0, 0, 10**30], "digits": 2},
        {"ask": "explain", "state": STATE, "quantity": "weights", "index": "000", "digits": 2},
        {"ask": "explain", "state": STATE, "quantity": "__class__", "index": [0], "digits": 2},
        {"ask": "explain", "state": STATE, "quantity": "weights", "index": [0, 0, 0], "digits": 99},
        {"ask": "suggest", "state": STATE, "word": ""},
        {"ask": "suggest", "state": STATE, "word": {}},
        {"ask": "script", "state": STATE, "flavour": "bash"},
    ],
    ids=lambda message: json.dumps(message)[:60],
)
def test_a_wrong_message_is_answered_with_one_sentence_and_its_field(real, message):
    with real.tab() as tab:
        (answer,) = tab.ask(message).data
    assert answer["kind"] == "error"
    assert answer["where"] != "server", "this is a person's mistake and must not be a failure inside"
    assert len(answer["message"]) < 600
    assert "\n" not in answer["message"]


def test_a_number_beyond_float64_is_refused(real):
    edit = {"matrix": "W_Q", "row": 0, "column": 0, "value": "HERE"}
    frame = json.dumps({"id": 1, "asks": [{"ask": "walkthrough", "state": STATE | {"edits": [edit]}}]})
    with real.tab() as tab:
        (answer,) = tab.send_raw(frame.replace('"HERE"', "1e999")).data
    assert answer["kind"] == "error"
    assert answer["where"] != "server"


def test_numbers_that_overflow_are_named(real):
    edits = [{"matrix": name, "row": 0, "column": 0, "value": 1e308} for name in ("W_Q", "W_K")]
    edits.append({"matrix": "E", "row": "cats", "column": 0, "value": 1e308})
    with real.tab() as tab:
        (words,) = tab.ask({"ask": "walkthrough", "state": STATE}).data
        edits[-1]["row"] = words["vocabulary"][0]
        (answer,) = tab.ask({"ask": "walkthrough", "state": STATE | {"edits": edits}}).data
    assert answer["kind"] == "error"
    assert "too large for float64" in answer["message"]


def test_two_tabs_do_not_see_each_other(real):
    with real.tab() as one, real.tab() as two:
        one.send({"ask": "walkthrough", "state": STATE | {"mask": "causal"}})
        two.send({"ask": "walkthrough", "state": STATE | {"mask": "none"}})
        assert one.receive().data[0]["settings"]["mask"] == "causal"
        assert two.receive().data[0]["settings"]["mask"] == "none"
