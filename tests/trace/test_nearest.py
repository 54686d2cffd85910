"""What was meant, most likely."""

import pytest

from clearhead.trace.nearest import meant, nearest


@pytest.mark.parametrize(
    ("name", "names", "found"),
    [
        ("weigths", ["E", "weights", "dweights"], ["weights", "dweights"]),
        ("w_q", ["w_k", "W_Q"], ["W_Q", "w_k"]),
        ("Cats", ["cats", "CATS", "dogs"], ["cats", "CATS"]),
        ("xyzzy", ["weights"], []),
        (3, ["33", "3"], ["3", "33"]),
        ("", ["a"], []),
    ],
)
def test_the_likest_come_first(name, names, found):
    assert nearest(name, names) == found


def test_the_question_names_each_once():
    assert meant([], "expected one of a, b") == "expected one of a, b"
    assert meant(["a"], "expected one of a, b") == "did you mean a? Expected one of a, b"
    assert meant("abca", "") == "did you mean a, b or c? "
