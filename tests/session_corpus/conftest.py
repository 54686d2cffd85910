"""A tiny model with random weights in a folder, and three files that it reads: several pieces of several sequences."""

from typing import Any

import pytest

import clearhead as ch

LINES = (
    "the man was late",
    "he said the man was late",
    "late was the man he said",
    "né à Liège: 7 žluťoučký",
)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory, small_models: Any) -> str:
    """The folder of a GPT-2 of two layers of three heads, 61 positions."""
    folder = str(tmp_path_factory.mktemp("models") / "tiny")
    small_models.gpt2().save_pretrained(folder)
    small_models.tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Files of 5, 13 and 29 lines, all different; no test changes them."""
    folder, paths = tmp_path_factory.mktemp("corpus"), []
    for number, lines in enumerate((5, 13, 29)):
        path = folder / f"{number}.txt"
        text = "\n".join(f"{LINES[(at + number) % 4]} {at * 17}" for at in range(lines))
        path.write_text(text, "utf-8")
        paths.append(str(path))
    return paths


@pytest.fixture(scope="session")
def settings() -> dict[str, int]:
    """So that there are some fifteen units."""
    return {"length": 13, "piece": 113}


@pytest.fixture(scope="session")
def alone(
    model: str, corpus: list[str], tmp_path_factory: pytest.TempPathFactory, settings: dict[str, int]
) -> ch.CorpusTable:
    """The table that one worker writes; no test changes it."""
    return ch.corpus_statistics(model, corpus, tmp_path_factory.mktemp("alone") / "t.parquet", **settings)
