"""Options in groups: to Typer one by one, to the command those that were given."""

from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from clearhead.surfaces.cli.groups import NONE_GIVEN, Given, Group, grouped

Sizes = Annotated[
    Given,
    Group(
        rows=Annotated[int | None, typer.Option("--rows", help="How many rows.")],
        scale=Annotated[bool | None, typer.Option("--scale/--no-scale")],
        tidy=Annotated[bool, typer.Option("--tidy")],
    ),
]
Names = Annotated[Given, Group(names=Annotated[list[str] | None, typer.Option("--name")])]


@pytest.fixture
def app() -> tuple[typer.Typer, list[Any]]:
    """A command, and what it was called with."""
    called: list[Any] = []
    made = typer.Typer()

    @made.command()
    @grouped
    def command(source: str, sizes: Sizes = NONE_GIVEN, digits: int = 2, names: Names = NONE_GIVEN) -> None:
        """Do it."""
        called.append((source, dict(sizes), digits, dict(names)))

    return made, called


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["x"], ("x", {}, 2, {})),
        (["x", "--rows", "0", "--no-scale"], ("x", {"rows": 0, "scale": False}, 2, {})),
        (["--tidy", "x", "--digits", "5"], ("x", {"tidy": True}, 5, {})),
        (["x", "--name", "a", "--name", "b"], ("x", {}, 2, {"names": ["a", "b"]})),
    ],
)
def test_what_was_given(app, arguments, wanted):
    made, called = app
    done = CliRunner().invoke(made, arguments)
    assert done.exit_code == 0, done.output
    assert called == [wanted]


def test_the_help_has_them_one_by_one_where_the_group_stands(app):
    text = CliRunner().invoke(app[0], ["--help"], env={"COLUMNS": "200"}).stdout
    places = [
        text.index(name)
        for name in ("Do it.", "--rows", "--scale", "--no-scale", "--tidy", "--digits", "--name")
    ]
    assert places == sorted(places)
    assert "How many rows." in text
    assert "--sizes" not in text


def test_an_option_that_is_none_of_them_is_refused(app):
    assert CliRunner().invoke(app[0], ["x", "--colour"]).exit_code == 2
