"""The study model through the one door: what is claimed about it can be opened and seen."""

import pytest

import clearhead as ch
from clearhead.session import Session
from clearhead.sources.worked import study
from clearhead.sources.worked.study.language import why_not


@pytest.fixture(scope="module")
def session():
    return Session()


@pytest.fixture(scope="module")
def findings(session):
    return session.ask({"ask": "study"}).data


def test_it_is_offered_beside_the_examples(session):
    names = [example["name"] for example in session.ask({"ask": "examples"}).data["examples"]]
    assert names == [*ch.examples(), "study"]
    assert ch.load("study").layer_weights[1]["W_Q"].shape == study.load().parameters["layer1.W_Q"].shape


def test_what_it_was_required_to_reach(findings):
    assert findings["accuracy"] >= 0.95 * findings["best_possible"]
    assert {claim["id"] for claim in findings["claims"]} == {"previous", "induction", "pronoun", "agreement"}
    for claim in findings["claims"]:
        assert claim["score"] >= 0.8
        assert claim["drop"] > 5 * claim["drop_elsewhere"]
        assert claim["measured_on"] > 300


def test_every_claim_opens_where_it_can_be_seen(session, findings):
    for claim in findings["claims"]:
        state = {"example": "study", "tokens": claim["tokens"]}
        cell = {
            "quantity": f"layer{claim['layer']}.weights",
            "index": [claim["head"], claim["query"], claim["key"]],
        }
        data = session.ask({"ask": "explain", "state": state, "digits": "full"} | cell).data
        assert data["kind"] == "explanation"
        weights = ch.run(ch.load("study"), tokens=tuple(claim["tokens"]))[cell["quantity"]].values
        assert weights[tuple(cell["index"])] > 0.8


def test_words_used_alike_have_come_together_and_others_have_not(findings):
    assert {pair["alike"] for pair in findings["alike"]} == {True, False}
    for pair in findings["alike"]:
        assert (pair["after"] > 0.5) == pair["alike"], pair


def test_the_sentences_offered_are_of_its_language(findings):
    for sentence in findings["sentences"]:
        assert sentence[0] == study.START
        assert why_not(sentence[1:]) is None


def test_it_can_be_seen_as_it_was_while_it_learned(session, findings):
    assert findings["kept"][0] == 0
    losses = []
    for step in findings["kept"]:
        view = session.ask({"ask": "walkthrough", "state": {"example": "study", "step": step}})
        (loss,) = [quantity["values"] for quantity in view.data["quantities"] if quantity["name"] == "loss"]
        losses.append(float(view.buffers[loss]))
        assert view.data["notices"] == [
            f"This is the study model as it was after {step:,} steps of its training."
        ]
    assert losses[-1] < losses[0] / 3
    mistake = session.ask({"ask": "walkthrough", "state": {"example": "study", "step": 101}}).data
    assert (mistake["kind"], mistake["where"]) == ("error", "step")


def test_pronouns_find_their_nouns_also_past_a_nearer_one():
    for he, she, word, deed in (("man", "woman", "he", "works"), ("nun", "king", "she", "prays")):
        tokens = (study.START, "the", he, "saw", "the", she, "and", word)
        trace = ch.run(ch.load("study"), tokens=tokens)
        best = trace.vocabulary[int(trace["probabilities"].values[-1].argmax())]
        assert best == deed
