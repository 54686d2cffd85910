"""The shipped examples show what they promise."""

from decimal import Decimal
from importlib.resources import files

import numpy as np
import pytest

import clearhead as ch

NAMES = ch.examples()


def attended(trace, head=0, weights="weights"):
    """For each query position the word with the largest weight, and where it stands."""
    best = trace[weights].values[head].argmax(axis=-1)
    return [(trace.tokens[key], int(key)) for key in best]


def test_there_are_the_examples_the_project_promises():
    assert len(NAMES) == 8
    assert sorted(NAMES) == NAMES
    lengths = {name: len(ch.load(name).tokens) for name in NAMES}
    assert 3 in lengths.values()
    assert any(ch.load(name).heads == 2 for name in NAMES)
    assert [name for name in NAMES if len(ch.load(name).layer_weights) == 2] == ["mary-saw-tom"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_told_what_to_look_for(name):
    example = ch.load(name)
    assert example.name == name
    assert example.title
    assert example.look_for.endswith(".")
    assert example.look_for.isprintable()


@pytest.mark.parametrize("name", NAMES)
def test_numbers_have_two_decimals_at_most(name):
    numbers = [number for array in ch.load(name).parameters.values() for number in array.ravel().tolist()]
    assert len(numbers) > 20
    for number in numbers:
        assert Decimal(repr(number)).normalize().as_tuple().exponent >= -2, number


@pytest.mark.parametrize("name", NAMES)
def test_every_row_of_weights_is_clearly_peaked(name):
    """The largest weight is at least 1.3 times what equal weights over the visible keys would be."""
    example = ch.load(name)
    trace = ch.run(example)
    for scope in example.scopes:
        values, masked = trace[f"{scope}weights"].values, trace[f"{scope}weights"].masked
        visible = (np.ones(values.shape, dtype=bool) if masked is None else ~masked).sum(axis=-1)
        largest = values.max(axis=-1)
        several = visible > 1
        assert several.any()
        assert (largest * visible)[several].min() >= 1.3
        assert (largest[~several] == 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_every_extra_word_can_be_used(name):
    example = ch.load(name)
    for word in example.vocabulary:
        assert ch.run(example, tokens=[word, *example.tokens[1:]]).tokens[0] == word


def test_a_repeated_word_attends_to_two_places_because_of_position_alone():
    example = ch.load("the-dog-chased-the-cat")
    trace = ch.run(example)
    assert [attended(trace)[at] for at in (0, 3)] == [("dog", 1), ("cat", 4)]
    without = ch.run(example, positions="none")["weights"].values[0]
    assert without[0].tolist() == without[3].tolist()


def test_a_repeated_word_with_rotary_positions():
    trace = ch.run(ch.load("big-fish-eat-little-fish"))
    assert [attended(trace)[at] for at in (1, 4)] == [("big", 0), ("little", 3)]
    # "its size is above zero once and below zero once": column 3 of E and of the output is the size
    assert trace["output"].values[1, 3] > 0 > trace["output"].values[4, 3]


def test_a_pronoun_finds_its_noun():
    example = ch.load("he-finds-the-man")
    he = example.tokens.index("he")
    assert attended(ch.run(example))[he][0] == "man"
    she = ["she" if word == "he" else word for word in example.tokens]
    assert attended(ch.run(example, tokens=she))[he][0] == "woman"


def test_two_heads_look_for_different_things():
    trace = ch.run(ch.load("two-heads"))
    assert trace["weights"].shape[0] == 2
    small, birds, eat, ripe, berries = range(5)
    meaning, place = ([at for _, at in attended(trace, head)] for head in (0, 1))
    assert [meaning[at] for at in (small, eat, ripe)] == [birds, birds, berries]
    assert place == [0, 0, 1, 2, 3]
    assert meaning != place


def test_three_words_each_find_another():
    assert [word for word, _ in attended(ch.run(ch.load("three-words")))] == ["mice", "cats", "chase"]


def test_looking_back_only():
    example = ch.load("only-looking-back")
    assert example.mask == "causal"
    masked, free = ch.run(example), ch.run(example, mask="none")
    drink, hot = example.tokens.index("drink"), example.tokens.index("hot")
    assert [attended(masked)[at][0] for at in (drink, hot)] == ["we", "drink"]
    assert [attended(free)[at][0] for at in (drink, hot)] == ["tea", "tea"]
    assert masked["weights"].values[0, 0].tolist() == [1, 0, 0, 0]


def test_two_layers_together_repeat_what_was_said():
    trace = ch.run(ch.load("mary-saw-tom"))
    mary, saw, tom, _, again, last = range(6)
    before = trace["layer0.weights"].values[0]
    assert [at for _, at in attended(trace, weights="layer0.weights")] == [0, 0, 1, 2, 3, 4]
    assert min(before[at, at - 1] for at in range(1, 6)) > 0.8
    found = trace["layer1.weights"].values[0]
    assert found[again, saw] > 0.8
    assert found[last, tom] > 0.8
    assert (
        min(found[at, mary] for at in (saw, tom, 3)) > 0.8
    )  # nothing fits yet: they rest on the first position


def test_the_same_two_layers_repeat_any_order():
    """Wherever the last word has stood before, what followed it there gets more than a half."""
    for sentence in (
        "Mary saw Tom and Mary saw", "Tom saw Mary and Tom saw", "saw and Mary Tom saw and",
        "and Tom saw Mary and", "Tom and Mary saw Tom and Mary", "Mary saw Tom Mary",
    ):  # fmt: skip
        words = sentence.split()
        followed = words[words.index(words[-1]) + 1]
        trace = ch.run(ch.load("mary-saw-tom"), tokens=words)
        assert trace["probabilities"].values[-1, trace.vocabulary.index(followed)] > 0.5


def test_the_clocks_are_what_the_comments_say():
    for name in ("the-dog-chased-the-cat", "he-finds-the-man", "two-heads"):
        positions = ch.run(name)["positions"].values
        assert np.abs(positions[:, 3] - 1).max() < 0.01  # "the positions add about 1 here for every word"
    clock = ch.run("he-finds-the-man")["positions"].values[:, :2]
    nearness = clock @ clock[1]  # 1 for the same place on the clock
    assert np.argsort(nearness)[-2:].tolist() == [7, 1]  # "position 7 nearly looks like position 1"
    for name, row, (x, y) in (("big-fish-eat-little-fish", 0, (0, 1)), ("two-heads", 0, (2, 3))):
        turn = ch.load(name).W_Q[row]
        assert round(float(np.arctan2(turn[y], turn[x])), 2) == 0.98  # "0.98 radian"


def test_every_file_of_the_library_is_an_example():
    folder = files("clearhead.sources.worked") / "library"
    assert {entry.name for entry in folder.iterdir()} == {f"{name}.toml" for name in NAMES}
