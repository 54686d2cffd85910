"""The site: its figures, its lists of names and messages, and the code in the docstrings that it shows."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clearhead as ch

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
REFERENCE = "\n".join(page.read_text("utf-8") for page in sorted((DOCS / "reference").glob("*.md")))
LISTED = re.compile(r"^- (`+)(.+?)\1 \\$", re.MULTILINE)
NOT_WORKING = re.compile(r"^## (.*(?:not work|not supported|is refused).*)$", re.MULTILINE)

sys.path.insert(0, str(DOCS / "_extend"))
from sources import outside, relinked, section, with_sections  # noqa: E402 (the folder is known only now)


def test_everything_public_is_in_the_reference() -> None:
    names = [name for name in ch.__all__ if name != "__version__"]
    assert [name for name in names if not re.search(rf":: clearhead\.{name}$", REFERENCE, re.MULTILINE)] == []


def test_public_functions_and_methods_say_what_they_raise_and_give() -> None:
    """Whatever is public has a docstring; a function that takes several things describes each of them."""
    silent = []
    for name in ch.__all__:
        thing = getattr(ch, name)
        if inspect.isfunction(thing):
            described = inspect.getdoc(thing) or ""
            parameters = inspect.signature(thing).parameters
            if len(parameters) > 1:
                silent += [(name, one) for one in parameters if not re.search(rf"\b{one}\b.*:", described)]
        elif inspect.isclass(thing):
            silent += [
                (name, member)
                for member, value in vars(thing).items()
                if not member.startswith("_") and inspect.isfunction(value) and not inspect.getdoc(value)
            ]
    assert silent == []


# --- Messages ---------------------------------------------------------------------------------------------------


def written(node: ast.AST) -> str | None:
    """A string of the code, with "…" for whatever is put into it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "…"
            for part in node.values
        )
    return None


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    """Every string of the package's code."""
    found = []
    for file in sorted((ROOT / "src" / "clearhead").rglob("*.py")):
        found += [text for node in ast.walk(ast.parse(file.read_text("utf-8"))) if (text := written(node))]
    return found


def messages() -> list[str]:
    return [found[1] for found in LISTED.findall((DOCS / "errors.md").read_text("utf-8"))]


def test_there_are_messages_and_none_is_listed_twice() -> None:
    assert len(messages()) > 50
    assert len(set(messages())) == len(messages())


@pytest.mark.parametrize("message", messages())
def test_a_listed_message_is_in_the_code(message: str, sentences: list[str]) -> None:
    """Its fixed parts stand in one string of the code in their order, and the string begins and ends as it does."""
    parts = [re.escape(part) for part in message.removeprefix("…: ").split("…")]
    form = re.compile("(?:.*: )?" + ".*".join(parts), re.DOTALL)
    assert any(form.fullmatch(sentence) for sentence in sentences)


# --- What is known not to work ----------------------------------------------------------------------------------


def pages_with_limits() -> list[tuple[str, str]]:
    pages = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    found = [(page, heading) for page in pages for heading in NOT_WORKING.findall(page.read_text("utf-8"))]
    return [("../README.md" if page.parent == ROOT else page.name, heading) for page, heading in found]


@pytest.mark.parametrize(("page", "heading"), pages_with_limits())
def test_the_list_of_limits_has_those_of_every_page(page: str, heading: str) -> None:
    limits = DOCS / "limits.md"
    assert f"<!-- section: {page}: {heading} -->" in limits.read_text("utf-8")
    assert section((DOCS / page).read_text("utf-8"), heading) != ""


def test_a_section_ends_at_the_next_heading() -> None:
    text = "# A\n\n## One\nfirst\n\n### Deeper\nstill\n\n## Two\nsecond\n"
    assert section(text, "One") == "first\n\n### Deeper\nstill"
    assert section(text, "Two") == "second"
    with pytest.raises(ValueError, match="no heading 'Three'"):
        section(text, "Three")


def test_links_of_a_repeated_section_lead_on(tmp_path: Path) -> None:
    assert (
        relinked("[a](docs/a.md#b) [c](https://x)", tmp_path / "README.md", tmp_path / "docs" / "here.md")
        == "[a](a.md#b) [c](https://x)"
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("## Limits\nsee [a](docs/a.md)\n", "utf-8")
    page = tmp_path / "docs" / "here.md"
    assert with_sections("<!-- section: ../README.md: Limits -->", page) == "see [a](a.md)"


def test_pages_outside_of_the_site_become_downloads(tmp_path: Path) -> None:
    page = tmp_path / "here.md"
    given = "[in](there.md#x) [`out`](../README.md#y) [script](../a.py)"
    made = "[in](there.md#x) {download}`out <../README.md>` [script](../a.py)"
    assert outside(given, page, tmp_path) == made


# --- Docstrings -------------------------------------------------------------------------------------------------


def examples() -> Iterator[tuple[str, str]]:
    """(name, code) of every block of code in a docstring of what is public: what is indented after "::"."""
    for name in ch.__all__:
        for text in re.findall(r"::\n\n((?:    .*\n|\n)+)", f"{inspect.getdoc(getattr(ch, name))}\n"):
            yield name, inspect.cleandoc("\n" + text)


@pytest.fixture(scope="module")
def names(small_models: Any) -> dict[str, Any]:
    """What the examples speak of: a model with its tokenizer, a capture of it, a trace, a training."""
    import torch

    model, tokenizer = small_models.gpt2(n_layer=4), small_models.tokenizer()
    small = torch.nn.Linear(3, 5)
    return {
        "ch": ch, "model": model, "tokenizer": tokenizer, "trace": ch.run("three-words"),
        "capture": ch.capture(model, tokenizer, "the man said he was late, the man said he was late"),
        "small": small, "optimizer": torch.optim.SGD(small.parameters(), lr=0.1), "loss": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize(("name", "code"), list(examples()))
def test_docstring_examples_run(
    name: str, code: str, names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("a.txt", "b.txt"):
        Path(file).write_text("the woman calls bread milk\n" * (3 if file == "a.txt" else 5))
    given = dict(names)
    if name == "record_training":
        given["model"] = given["small"]  # a long loop over a model that costs nothing
    exec(compile(code, f"docstring of {name}", "exec"), given)


def test_there_are_docstring_examples() -> None:
    assert len(list(examples())) > 5
