"""What the shipped examples say about the next word, in their look_for and in their comments, is so."""

import math

import numpy as np
import pytest

import clearhead as ch
from clearhead.sources.worked.training.loop import train

NAMES = ch.examples()
ARRANGED = [name for name in NAMES if name not in ("mary-saw-tom", "tea-is-hot")]
"""Those in which every word is followed by the right one."""

TEA = "tea-is-hot"


def likeliest(trace):
    """For each position the word with the largest probability."""
    return [trace.vocabulary[at] for at in trace["probabilities"].values.argmax(axis=-1)]


def chances(trace):
    """For each position but the last the probability of the word that came next."""
    rows = [trace.vocabulary.index(word) for word in trace.tokens[1:]]
    return trace["probabilities"].values[np.arange(len(rows)), rows]


def answered(trace):
    """For each position the numbers of the hidden features that are above 0."""
    return [np.flatnonzero(row > 0).tolist() for row in trace["ffn_act"].values]


@pytest.mark.parametrize("name", NAMES)
def test_it_goes_on_to_the_next_word(name):
    trace = ch.run(name)
    assert trace["probabilities"].shape == (len(trace.tokens), len(trace.vocabulary))
    # The definition, worked here: the mean of −ln of the probabilities that the words that came had.
    assert float(trace["loss"].values) == pytest.approx(-np.log(chances(trace)).mean(), abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_small_step_against_its_gradients_lowers_the_loss(name):
    example = ch.load(name)
    trace = ch.run(example).backward()
    gradients = {parameter: trace[_gradient(parameter)].values for parameter in example.used_parameters}
    assert any(np.abs(gradient).max() > 0.01 for gradient in gradients.values())
    stepped = {name: value - 0.01 * gradients[name] for name, value in example.used_parameters.items()}
    after = ch.run(example.with_parameters(stepped))
    assert float(after["loss"].values) < float(trace["loss"].values)


def _gradient(parameter):
    scope, _, bare = parameter.rpartition(".")
    return f"{scope}.d{bare}" if scope else f"d{bare}"


def test_between_them_they_show_every_switch_of_the_model():
    settings = [ch.load(name).settings for name in NAMES]
    assert {one.norm for one in settings} == {"none", "layer", "rms"}
    assert {one.norm_place for one in settings} == {"pre", "post"}
    assert {one.activation for one in settings} >= {"relu", "gelu", "swiglu"}
    given = {parameter.rpartition(".")[2] for name in NAMES for parameter in ch.load(name).used_parameters}
    assert given >= {"W_1", "W_2", "W_G", "b_1", "b_2", "W_U", "gain_1", "bias_1", "gain_2"}
    assert {ch.load(name).W_U is None for name in NAMES} == {True, False}


@pytest.mark.parametrize("name", ARRANGED)
def test_the_word_that_came_is_the_likeliest(name):
    trace = ch.run(name)
    assert likeliest(trace)[:-1] == list(trace.tokens[1:])


def test_three_words_ask_a_question_each():
    trace = ch.run("three-words")
    assert trace["ffn_act"].values.tolist() == np.eye(3).tolist()
    assert chances(trace).min() > 0.75
    assert likeliest(trace)[2] == "owls"  # "the next hunter", the fastest of them
    output = trace["output"].values  # "what has found danger is hunted, what has found safety is not"
    assert output[1, 1] > 0 > output[0, 1]


def test_looking_back_is_enough():
    example = ch.load("only-looking-back")
    trace = ch.run(example)
    assert chances(trace).min() > 0.8
    assert likeliest(trace)[3] == "we"  # "after the thing it begins again"
    assert example.W_1.sum(axis=0).tolist() == [0, 0, 0, 0]
    assert [np.argmax(row) for row in trace["ffn_act"].values] == [0, 1, 2, 3]
    assert np.abs(trace["norm"].values[:, 4:]).max() == 0  # "gain 0 takes it out"
    standard = trace["hidden_standard"].values
    assert (standard**2).mean(axis=-1) == pytest.approx(1, abs=1e-4)  # "brings every row to one size"


def test_a_dog_is_expected_early_and_a_cat_late():
    trace = ch.run("the-dog-chased-the-cat")
    missing, a_lot, whoever = [2], [0], [0, 1]
    assert answered(trace) == [missing, whoever, a_lot, missing, []]
    assert (trace["positions"].values[:, 1] > 0).tolist() == [True, True, False, False, False]


def test_descriptions_answer_no_question():
    trace = ch.run("two-heads")
    assert answered(trace) == [[], [1], [0], [], [2]]
    assert likeliest(trace)[4] == "small"  # "and begins again with the description of an animal"


def test_whoever_eats_is_larger_than_what_is_eaten():
    example = ch.load("big-fish-eat-little-fish")
    trace = ch.run(example)
    assert [np.argmax(row) for row in trace["ffn_act"].values] == [0, 1, 2, 0, 1]
    eat = 2
    assert trace["residual"].values[eat, 3] > 0 > trace["hidden"].values[eat, 3]
    sizes = {"big": "little", "little": "big"}
    other = ch.run(example, tokens=[sizes.get(word, word) for word in example.tokens])
    assert likeliest(other)[eat] == "big"


def test_and_has_seen_the_pronoun():
    example = ch.load("he-finds-the-man")
    she = ["she" if word == "he" else word for word in example.tokens]
    trace, other = ch.run(example), ch.run(example, tokens=she)
    assert answered(trace) == [[], [0], [3], [], [0], [], [1], [3]]
    assert answered(other) == [[], [0], [3], [], [0], [], [2], [3]]
    assert likeliest(other)[:-1] == she[1:]
    assert likeliest(trace)[5] == "he"
    assert likeliest(other)[5] == "she"


def test_repetition_gives_the_next_word():
    trace = ch.run("mary-saw-tom")
    mary, saw, tom, _ = range(4)
    probabilities = trace["probabilities"].values
    assert trace["layer1.X"].values[0, 4:8].tolist() == [1.5, 0.5, 0.5, 0.5]
    assert probabilities[4, saw] > 0.5
    assert probabilities[5, tom] > 0.5
    own = probabilities[
        range(4), [mary, saw, tom, 3]
    ]  # nothing to repeat yet: the word itself, with less than a half
    assert likeliest(trace)[:4] == ["Mary", "saw", "Tom", "and"]
    assert own.max() < 0.5
    swap = {"Mary": "Tom", "Tom": "Mary"}
    other = ch.run("mary-saw-tom", tokens=[swap.get(word, word) for word in trace.tokens])
    assert likeliest(other)[5] == "Mary"


def test_before_training_every_word_is_as_likely():
    trace = ch.run(TEA)
    assert trace["probabilities"].values == pytest.approx(1 / 6, abs=1e-12)
    assert float(trace["loss"].values) == pytest.approx(math.log(6), abs=1e-12)


def test_in_training_words_used_alike_come_together():
    example = ch.load(TEA)
    run = train(example, steps=100, optimiser="sgd", learning_rate=0.5)
    assert run.stopped is None
    assert round(run.losses[0], 2) == 1.79
    assert run.losses[-1] < 0.01
    assert np.diff(run.losses).max() < 0  # it falls at every step
    assert cosine(example.E, "tea", "coffee") == -1
    learned = run.at(100)
    assert cosine(learned.E, "tea", "coffee") > 0.9
    assert apart(learned.E, "tea", "coffee") < 0.3 * apart(example.E, "tea", "coffee")
    others = [(a, b) for a in learned.E for b in learned.E if a < b and "milk" not in (a, b)]
    others.remove(("coffee", "tea"))
    assert max(cosine(learned.E, a, b) for a, b in others) < 0.5
    assert min(apart(learned.E, a, b) for a, b in others) > 2
    trace = ch.run(learned)
    assert likeliest(trace)[:-1] == list(trace.tokens[1:])


def test_in_the_first_step_only_the_unembedding_moves_and_milk_never_does():
    example = ch.load(TEA)
    run = train(example, steps=100, optimiser="sgd", learning_rate=0.5, every=1)
    first, second = run.at(1).parameters, run.at(2).parameters
    moved = [name for name, value in example.parameters.items() if (first[name] != value).any()]
    assert moved == ["W_U"]
    assert [name for name in first if (second[name] != first[name]).any()] == [
        "E",
        "W_Q",
        "W_K",
        "W_V",
        "W_U",
    ]
    milk = list(example.E).index("milk")
    for step in run.recorded:
        assert run.at(step).E["milk"].tolist() == [0, 1]
    assert (run.at(100).parameters["W_U"][:, milk] != 0).all()


def cosine(E, a, b):
    return float(E[a] @ E[b] / np.linalg.norm(E[a]) / np.linalg.norm(E[b]))


def apart(E, a, b):
    return float(np.linalg.norm(E[a] - E[b]))
