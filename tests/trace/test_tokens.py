"""Words as they are written, by the list that the page's tests read too."""

import json
from pathlib import Path

import pytest

import clearhead as ch
from clearhead.lenses.explain import describe_place
from clearhead.trace.notation.tokens import visible_token

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "tokens.json").read_text("utf-8"))


@pytest.mark.parametrize(("token", "shown"), GOLDEN)
def test_a_word_as_it_is_written(token, shown):
    assert visible_token(token) == shown


def test_the_place_of_a_cell_shows_what_nobody_can_see():
    words = ["\u202e", " "]
    example = ch.Example(
        tokens=words, E={word: [1] for word in words}, W_Q=[[1]], W_K=[[1]], W_V=[[1]], positions="none"
    )
    trace = ch.run(example)
    assert describe_place(trace, trace["scores"], (0, 0, 1)) == "head 0, query 0 “‹U+202E›”, key 1 “␣”"
    assert describe_place(trace, trace["E"], (1, 0)) == "row “␣”, column 0"
