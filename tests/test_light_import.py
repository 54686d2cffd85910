"""`import clearhead` stays light: none of the heavy libraries comes with it."""

import subprocess
import sys

HEAVY = ("torch", "transformers", "starlette", "uvicorn", "typer", "rich", "matplotlib")


def loaded_by(statement: str, names: tuple[str, ...]) -> set[str]:
    """Run a statement in a fresh Python and say which of the modules it left imported."""
    probe = f"import sys; {statement}; print(*sorted(set({names!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import clearhead", HEAVY) == set()
    assert loaded_by("import clearhead", ("numpy", "clearhead")) == {"clearhead"}


def test_nor_does_running_an_example_backwards_and_forwards() -> None:
    statement = "import clearhead as ch; ch.run('three-words').backward().update('sgd')"
    assert loaded_by(statement, HEAVY) == set()


def test_nor_does_reading_a_capture_or_naming_what_makes_one() -> None:
    statement = (
        "import clearhead as ch; ch.capture, ch.load_model, ch.load_capture, ch.head_statistics, ch.Capture"
    )
    assert loaded_by(statement, HEAVY) == set()


def test_the_probe_finds_a_module_that_is_imported() -> None:
    assert loaded_by("import clearhead, starlette", HEAVY) == {"starlette"}


def test_numpy_is_what_the_first_use_does_load() -> None:
    assert loaded_by("import clearhead; clearhead.run", ("numpy", "clearhead")) == {"numpy", "clearhead"}
