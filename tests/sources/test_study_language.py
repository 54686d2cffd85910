"""The study language: sentences by seed, exact probabilities, and sentences that say why they are none."""

from collections import Counter, defaultdict

import pytest

from clearhead.sources.worked.study.grammar import MOST_WORDS, State, choices
from clearhead.sources.worked.study.jobs import KINDS, jobs
from clearhead.sources.worked.study.language import is_sentence, predictions, sentences, unseen, why_not
from clearhead.sources.worked.study.words import DEEDS, NOUNS, PAIRS, PLURAL, START, THINGS, VOCABULARY

DRAWN = sentences(2003, seed=5)


def places(kind: str) -> list[tuple[tuple[str, ...], int, int]]:
    """(words with START in front, query, key) of every job of a kind in the drawn sentences."""
    return [
        ((START, *sentence), job.query, job.key)
        for sentence in DRAWN
        for job in jobs(sentence)
        if job.kind == kind
    ]


def test_the_same_seed_gives_the_same_sentences_and_another_seed_others() -> None:
    assert sentences(31, seed=7) == sentences(31, seed=7)
    assert sentences(31, seed=7) != sentences(31, seed=11)


def test_every_sentence_drawn_is_one_of_the_language_and_short_enough() -> None:
    assert all(is_sentence(sentence) for sentence in DRAWN)
    assert max(map(len, DRAWN)) == MOST_WORDS
    assert {word for sentence in DRAWN for word in sentence} == set(VOCABULARY) - {START}


def test_words_and_their_forms_fit_together() -> None:
    assert len(VOCABULARY) == len(set(VOCABULARY)) <= 80
    assert set(DEEDS) == set(NOUNS)
    assert set(PLURAL).isdisjoint(PLURAL.values())


@pytest.mark.parametrize("words", [(), ("the", "man"), ("the", "dogs", "that", "saw", "the", "king")])
def test_probabilities_add_up_to_one(words: tuple[str, ...]) -> None:
    state = State()
    for word in words:
        state = next(choice.state for choice in choices(state) if choice.word == word)
    assert sum(choice.probability for choice in choices(state)) == pytest.approx(1.0)
    assert len({choice.word for choice in choices(state)}) == len(choices(state))


def test_the_stated_probabilities_are_those_of_the_sentences_drawn() -> None:
    said, likely = defaultdict(Counter), {}
    for sentence in sentences(5003, seed=3):
        for place, (word, possible) in enumerate(zip(sentence, predictions(sentence), strict=True)):
            said[sentence[:place]][word] += 1
            likely[sentence[:place]] = possible
    for start in [(), ("the",), ("the", "king"), ("the", "dogs")]:
        total = sum(said[start].values())
        assert total > 100
        for word, probability in likely[start].items():
            # Five standard deviations of a binomial proportion.
            assert abs(said[start][word] / total - probability) <= 5 * (probability / total) ** 0.5


def test_held_out_sentences_are_different_and_unseen() -> None:
    found = unseen(101, seed=5, seen=DRAWN)
    assert len(set(found)) == 101
    assert set(found).isdisjoint(DRAWN)


def test_a_pronoun_stands_for_the_one_noun_of_its_gender_and_number_and_decides_the_deed() -> None:
    for words, query, key in places("pronoun"):
        assert NOUNS[words[key]] == words[query]
        assert [word for word in words[:query] if NOUNS.get(word) == words[query]] == [words[key]]
        assert words[query + 1] == DEEDS[words[key]]


def test_the_nearer_noun_is_the_wrong_one_in_many_of_them() -> None:
    crossed = [job.crossed for sentence in DRAWN for job in jobs(sentence) if job.kind == "pronoun"]
    assert 0.3 < sum(crossed) / len(crossed) < 0.7


def test_a_verb_agrees_with_the_first_noun_across_the_clause() -> None:
    for words, query, key in places("agreement"):
        assert words[key] == next(word for word in words if word in NOUNS)
        assert "that" in words[key:query]
        assert (words[query + 1] in PLURAL.values()) == (NOUNS[words[key]] == "they")


def test_a_repeated_phrase_is_continued() -> None:
    for words, query, key in places("induction"):
        assert words[key - 1] == words[query]
        assert words[query + 1] == words[key]
        assert {words[query], words[key]} <= set(THINGS)


def test_a_pair_word_determines_its_partner() -> None:
    for words, query, key in places("previous"):
        assert key == query - 1
        assert words[query + 1] == PAIRS[words[key]]


def test_every_kind_of_job_is_done_often() -> None:
    assert all(len(places(kind)) > 300 for kind in KINDS)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("the man met the zebra .", "word 5 is 'zebra', which is not one of the 68 words of the study language"),
        ("the <start> runs .", "word 2 is '<start>', which is not one of the 68 words of the study language"),
        ("the dogs that saw the king runs .", "word 7 is 'runs', but after “the dogs that saw the king” comes "
                                              "that, call, have, run, sleep or wait"),
        ("king runs .", "word 1 is 'king', but after nothing comes the, today or now"),
        ("the king runs . the", "word 5 is 'the', but the sentence is complete after word 4"),
        ("the king saw the dogs and it barks .", "word 7 is 'it', which is not one of the 68 words of the study "
                                                 "language"),
        ("the king saw", "the sentence is not complete: after “the king saw” comes the"),
    ],
)  # fmt: skip
def test_what_is_no_sentence_says_why(words: str, problem: str) -> None:
    assert why_not(words.split()) == problem
    assert not is_sentence(words.split())
    with pytest.raises(ValueError, match=r"word \d|not complete"):
        predictions(words.split())
