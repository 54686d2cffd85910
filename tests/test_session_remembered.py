"""What the session remembers saves time and changes nothing."""

import threading

import pytest

from clearhead.session import Session
from clearhead.session.remembered import Remembered

DOG = "the-dog-chased-the-cat"


def test_it_is_made_once_and_the_oldest_is_forgotten():
    made = []

    def maker(key):
        return lambda: made.append(key) or key

    remembered = Remembered(2)
    for key in ("a", "b", "a", "c", "a", "b"):
        assert remembered.of(key, maker(key)) == key
    assert made == ["a", "b", "c", "b"]  # b was the one used longest ago when c came


def test_what_cannot_be_made_is_not_remembered():
    remembered = Remembered(2)
    with pytest.raises(ZeroDivisionError):
        remembered.of("a", lambda: 1 / 0)
    assert remembered.of("a", lambda: 3) == 3


def test_others_are_not_held_up_and_get_one_result():
    remembered, begun, go = Remembered(2), threading.Event(), threading.Event()

    def slow():
        begun.set()
        go.wait(10)
        return object()

    results = []
    thread = threading.Thread(target=lambda: results.append(remembered.of("a", slow)))
    thread.start()
    begun.wait(10)
    assert remembered.of("b", lambda: 5) == 5
    results.append(remembered.of("a", object))
    go.set()
    thread.join(10)
    assert results[0] is results[1]


@pytest.mark.parametrize(
    "change", [{"mask": "causal"}, {"edits": [{"matrix": "E", "row": "dog", "column": 1, "value": 3}]}]
)
def test_a_session_that_remembers_answers_as_a_fresh_one(change):
    old = Session()
    states = [{"example": DOG}, {"example": DOG} | change, {"example": DOG}]
    for state in states:
        message = {"ask": "walkthrough", "state": state, "before": states[0]}
        ours, theirs = old.ask(message), Session().ask(message)
        assert ours.data == theirs.data
        assert all(a.tobytes() == b.tobytes() for a, b in zip(ours.buffers, theirs.buffers, strict=True))


def test_what_is_no_json_is_still_answered_with_a_sentence():
    for odd in ({1: 2, "example": DOG}, {"example": DOG, "tokens": {1, 2}}, {"example": object()}):
        assert Session().ask({"ask": "walkthrough", "state": odd}).data["kind"] == "error"
