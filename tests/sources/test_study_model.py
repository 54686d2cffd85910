"""The study model that ships: loads without torch, and does what the measured table says it does."""

import json
import subprocess
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clearhead.sources.worked import study
from clearhead.sources.worked.study.jobs import KINDS
from clearhead.sources.worked.study.language import sentences, unseen
from clearhead.sources.worked.study.measure import HeldOut, quality, scores
from clearhead.sources.worked.study.model import WEIGHTS, run

ROOT = Path(__file__).resolve().parents[2]
TABLE = study.measured()
FEWER = 199
"""Held-out sentences measured here: other ones than those of the table, and fewer."""

WITHIN = 0.08
"""How far a mean over so many other sentences may be from the table's: about three standard errors of a proportion of
0.8 over the 150 places that the rarest job has here."""


@cache
def held_out() -> HeldOut:
    seen = sentences(*TABLE["held_out"]["seen"])
    return HeldOut.of(unseen(FEWER, 97, seen))


def test_it_loads_with_numpy_alone() -> None:
    probe = (
        "import sys; from clearhead.sources.worked import study; from clearhead.sources.worked.study.model import run; "
        "run(study.load(), [('the', 'man', 'runs', '.')]); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_files_are_small() -> None:
    shipped = files("clearhead.sources.worked.study")
    assert sum(len(shipped.joinpath(name).read_bytes()) for name in (WEIGHTS, "measured.json")) < 2e6


def test_the_arrays_are_finite_float32_of_one_size_at_every_step() -> None:
    last = study.load()
    assert last.size == TABLE["parameters"]
    for point in TABLE["history"]:
        model = study.load(point["step"])
        assert {name: values.shape for name, values in model.parameters.items()} == {
            name: values.shape for name, values in last.parameters.items()
        }
        for values in model.parameters.values():
            assert values.dtype == np.float32
            assert np.isfinite(values).all()


def test_a_step_that_was_not_kept_is_refused() -> None:
    with pytest.raises(ValueError, match="step 7 of the study model was not kept; the steps kept are \\[0, "):
        study.load(7)


def test_it_agrees_with_the_definition_written_out() -> None:
    model = study.load()
    words = ["the", "dogs", "that", "saw", "the", "king", "run", "."]
    expected = written_out({name: values.astype(float) for name, values in model.parameters.items()}, words)
    np.testing.assert_allclose(run(model, [words]).probabilities[0], expected, rtol=0, atol=1e-12)


def written_out(p: dict[str, np.ndarray], words: list[str]) -> np.ndarray:
    """The same model in a few lines that share nothing with `core`."""

    def norm(x: np.ndarray, gain: np.ndarray) -> np.ndarray:
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * gain

    rows = [study.VOCABULARY.index(word) for word in (study.START, *words)]
    x = p["E"][rows] + p["P"][: len(rows)]
    heads = TABLE_CONFIG["heads"]
    for layer in ("layer0.", "layer1."):
        h = norm(x, p[layer + "gain_1"])
        q, k, v = (np.split(h @ p[layer + name], heads, axis=1) for name in ("W_Q", "W_K", "W_V"))
        mixed = []
        for a, b, c in zip(q, k, v, strict=True):
            weights = np.tril(np.exp(a @ b.T / np.sqrt(a.shape[1])))
            mixed.append(weights / weights.sum(1, keepdims=True) @ c)
        x = x + np.concatenate(mixed, axis=1) @ p[layer + "W_O"]
        h = norm(x, p[layer + "gain_2"])
        x = x + np.maximum(h @ p[layer + "W_1"] + p[layer + "b_1"], 0) @ p[layer + "W_2"] + p[layer + "b_2"]
    odds = np.exp(norm(x, p["gain_final"]) @ p["W_U"])
    return odds / odds.sum(1, keepdims=True)


TABLE_CONFIG: dict[str, Any] = dict(study.load().config)


def test_a_head_that_is_off_writes_nothing() -> None:
    model = study.load()
    silenced = {**model.parameters, "layer1.W_V": model.parameters["layer1.W_V"].copy()}
    width = silenced["layer1.W_V"].shape[1] // model.config["heads"]
    silenced["layer1.W_V"][:, :width] = 0
    words = [("the", "man", "runs", ".")]
    by_hand = run(study.Model(silenced, model.config, model.step), words).probabilities
    np.testing.assert_allclose(run(model, words, [(1, 0)]).probabilities, by_hand, rtol=0, atol=1e-14)
    assert abs(run(model, words).probabilities - by_hand).max() > 1e-6


def test_what_is_filled_up_behind_a_sentence_changes_nothing() -> None:
    short, long = ("the", "man", "runs", "."), ("the", "dogs", "that", "saw", "the", "king", "run", ".")
    alone, beside = (
        run(study.load(), [short]).probabilities[0],
        run(study.load(), [short, long]).probabilities[0],
    )
    np.testing.assert_allclose(beside[: len(alone)], alone, rtol=0, atol=1e-14)


def test_it_predicts_as_well_as_the_table_says() -> None:
    found = quality(study.load(), held_out())
    assert found.accuracy / found.best_accuracy >= 0.95
    assert found.accuracy / found.best_accuracy == pytest.approx(
        TABLE["accuracy"] / TABLE["best_possible"], abs=0.01
    )
    assert found.loss - found.best_loss == pytest.approx(TABLE["loss"] - TABLE["best_loss"], abs=0.1)


@pytest.mark.parametrize("claim", TABLE["claims"], ids=lambda claim: claim["id"])
def test_every_claim_is_found_again(claim: dict[str, Any]) -> None:
    model, head = study.load(), (claim["layer"], claim["head"])
    assert len(held_out().places(claim["id"])[0]) > 80
    assert scores(model, held_out(), claim["id"])[head] == pytest.approx(claim["score"], abs=WITHIN)
    whole, without = quality(model, held_out()).shares, quality(model, held_out(), [head]).shares
    for kind, drop in claim["drops"].items():
        assert whole[kind] - without[kind] == pytest.approx(drop, abs=WITHIN), kind


def test_the_table_has_every_job_and_says_honestly_what_holds() -> None:
    assert [claim["id"] for claim in TABLE["claims"]] == list(KINDS)
    for claim in TABLE["claims"]:
        holds = claim["score"] >= 0.8 and claim["drop"] >= 0.1 and claim["drop_elsewhere"] < 0.1
        assert claim["held"] == holds


@pytest.mark.parametrize("claim", TABLE["claims"], ids=lambda claim: claim["id"])
def test_the_sentence_shown_for_a_claim_shows_it(claim: dict[str, Any]) -> None:
    words = claim["tokens"][1:]
    assert study.is_sentence(words)
    weights = run(study.load(), [words]).weights[claim["layer"], 0, claim["head"], claim["query"]]
    assert weights.argmax() == claim["key"]


def test_the_page_in_the_documentation_has_the_measured_tables() -> None:
    probe = (
        "import json, sys; sys.path.insert(0, 'scripts'); from studying.page import renewed; "
        "from pathlib import Path; from clearhead.sources.worked import study; "
        "text = Path('docs/study.md').read_text('utf-8'); print(renewed(text, study.measured()) == text)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "True"


def test_the_table_is_plain_json() -> None:
    assert json.loads(json.dumps(TABLE)) == TABLE
