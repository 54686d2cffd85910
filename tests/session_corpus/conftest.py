"""A tiny model with random weights in a folder, and three files that it reads: several pieces of several sequences."""

from pathlib import Path
from typing import Any

import pytest

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


@pytest.fixture
def corpus(tmp_path: Path) -> list[str]:
    """Files of 5, 13 and 29 lines, all different."""
    paths = []
    for number, lines in enumerate((5, 13, 29)):
        path = tmp_path / f"{number}.txt"
        text = "\n".join(f"{LINES[(at + number) % 4]} {at * 17}" for at in range(lines))
        path.write_text(text, "utf-8")
        paths.append(str(path))
    return paths


@pytest.fixture
def settings() -> dict[str, int]:
    """So that there are some fifteen units."""
    return {"length": 13, "piece": 113}
