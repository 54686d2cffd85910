"""Shared by all tests: repeatable property tests, and the variations of the shipped examples."""

# ruff: noqa: E402 (what the environment says must be said before NumPy and transformers are loaded)

import functools
import importlib.util
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# The matrices of the tests are tiny: further threads would only wait for each other, on a busy machine for minutes.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")
os.environ["HF_HUB_OFFLINE"] = "1"  # no test asks the hub
os.environ["TRANSFORMERS_VERBOSITY"] = "error"

import numpy as np
import pytest
from hypothesis import settings

import clearhead as ch
from clearhead.core.expression import cells
from clearhead.sources.worked.run import with_asides

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None, max_examples=30)
settings.load_profile("repeatable")

Variation = dict[str, Any]


def switches(example: ch.Example) -> dict[str, list[Any]]:
    """Every value of every switch that the example's matrices have the sizes for."""
    layers = example.layer_weights
    widths = [layer[name].shape[1] for layer in layers for name in ("W_Q", "W_V")]
    learned = ["learned"] if example.P is not None else []
    return {
        "positions": ["none", "sinusoidal", *learned, "rotary", "alibi"],
        "heads": [n for n in range(1, min(widths) + 1) if all(width % n == 0 for width in widths)],
        "mask": ["none", "causal"],
        "mask_fill": ["-inf", "0"],
        "scale": [True, False],
        "scale_embeddings": [True, False],
    }


def accepts(example: ch.Example, variation: Variation) -> bool:
    """Rotary positions turn pairs of features, so they need an even d_head."""
    return (
        variation["positions"] != "rotary"
        or (example.layer_weights[0]["W_Q"].shape[1] // variation["heads"]) % 2 == 0
    )


def pairs(variation: Variation) -> set[tuple[Any, ...]]:
    """Every two settings that stand together in the variation."""
    return set(itertools.combinations(variation.items(), 2))


def all_variations(example: ch.Example) -> list[Variation]:
    choices = switches(example)
    everything = (dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values()))
    return [variation for variation in everything if accepts(example, variation)]


def pairwise(example: ch.Example) -> list[Variation]:
    """Few variations in which every value of every switch meets every value of every other at least once."""
    possible = all_variations(example)
    missing = set().union(*map(pairs, possible))
    chosen = []
    while missing:
        best = max(possible, key=lambda variation: len(pairs(variation) & missing))
        chosen.append(best)
        missing -= pairs(best)
    return chosen


LONGEST = (
    "browser/test_long_model.py",
    "browser/test_saved_page.py",
    "browser/test_accessibility.py",
    "browser/test_model.py",
    "browser/test_live.py",
    "browser/test_layout.py",
    "browser/test_cells.py",
    "browser/test_zoom.py",
    "agreement/test_models_formats.py",
    "agreement/test_models.py",
    "test_docs.py",
    "session_corpus/test_corpus_lost.py",
    "surfaces/figure/test_figure_matrix.py",
    "trace/test_every_cell.py",
    "zoo/test_zoo.py",
)
"""Where several processes share the tests, these files are handed out first, so that none is left over at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take longest come first."""
    order = {Path(__file__).parent / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path, len(order)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """The generators that libraries share begin anew, before the fixtures are made: nothing depends on tests before.

    Models of transformers are built with numbers from PyTorch's, which otherwise begins elsewhere in each process.
    Python's own is left alone: ports and names of processes are drawn from it, and must differ between processes.
    """
    np.random.seed(0)
    if "torch" in sys.modules:  # not torch.manual_seed, which looks for accelerators as well
        sys.modules["torch"].default_generator.manual_seed(0)


@functools.cache
def beside(name: str) -> Any:
    """A module or package beside this file, loaded by its place, as test modules do not import each other."""
    package = Path(__file__).with_name(name) / "__init__.py"
    place = package if package.exists() else Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def cases_of_operations() -> dict[str, Any]:
    return beside("operation_cases").CASES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What tests may ask for.

    `variation` stands for (name, changes): each shipped example in each of its pairwise variations.
    `operation_case` stands for an operation by itself, with numbers to apply it to: see `operation_cases.py`.
    `tiny` stands for a row of the zoo, a tiny model of one family of transformers: see `zoo/`. A module goes
    through all its tests with one row before it goes on to the next, so that it can keep the row's model meanwhile.
    """
    if "variation" in metafunc.fixturenames:
        cases = [(name, changes) for name in ch.examples() for changes in pairwise(ch.load(name))]
        names = [f"{name}-{'-'.join(map(str, changes.values()))}" for name, changes in cases]
        metafunc.parametrize("variation", cases, ids=names)
    if "operation_case" in metafunc.fixturenames:
        found = cases_of_operations()
        metafunc.parametrize("operation_case", found.values(), ids=list(found))
    if "tiny" in metafunc.fixturenames:
        animals = beside("zoo")
        rows = [row_or_skip(animals, row) for row in animals.ROWS.values()]
        metafunc.parametrize("tiny", rows, scope="module")


def row_or_skip(zoo: Any, row: Any) -> Any:
    """A row of the zoo, skipped with the reason where the installed transformers cannot build it."""
    # Older versions of transformers warn of their own code: of what torch or they themselves will take away.
    marks = [pytest.mark.filterwarnings(rf"ignore:::{library}\..*") for library in ("torch", "transformers")]
    # of Funnel in transformers 4; while it is watched, the line that torch blames is the watcher's
    marks.append(
        pytest.mark.filterwarnings("ignore:Using a non-tuple sequence for multidimensional indexing")
    )
    reason = zoo.why_missing(row)
    return pytest.param(
        row, id=row.name, marks=[*marks, pytest.mark.skip(reason=reason)] if reason else marks
    )


@pytest.fixture(scope="session")
def operation_cases() -> dict[str, Any]:
    return cases_of_operations()


@pytest.fixture(scope="session")
def pairwise_variations() -> Callable[[ch.Example], list[Variation]]:
    return pairwise


@pytest.fixture(scope="session")
def every_variation() -> Callable[[ch.Example], list[Variation]]:
    return all_variations


def wrong_cells(trace: ch.Trace) -> Iterator[str]:
    """Cells whose recipe does not evaluate to the stored value within its stated tolerance."""
    for quantity in trace.values():
        for index in np.ndindex(quantity.shape):
            why = quantity.explain(*quantity.named(index))
            got, stored = why.evaluate(), why.value
            # A difference of exactly 0 (−∞ and −∞ included) needs no tolerance, which saves working it out.
            if got != stored and not abs(got - stored) <= why.tolerance:
                yield f"{why.label}: stored {stored!r}, the recipe gives {got!r} (± {why.tolerance:.1e})"


def wrong_feeds(trace: ch.Trace) -> Iterator[str]:
    """Cells for which `feeds` is not the inverse of `recipe`, both worked out in full; recipes that point outside."""
    for quantity in trace.values():
        if quantity.operation is None:
            continue
        arrays = [given.values for given in quantity.inputs]
        takers: list[dict[Any, set[Any]]] = [
            {index: set() for index in np.ndindex(array.shape)} for array in arrays
        ]
        for index in np.ndindex(quantity.shape):
            for cell in cells(quantity.recipe(quantity.named(index))):
                if not (0 <= cell.slot < len(arrays) and cell.index in takers[cell.slot]):
                    yield f"{quantity.name}{index} takes input {cell.slot}{cell.index}, which does not exist"
                else:
                    takers[cell.slot][cell.index].add(index)
        for slot, expected in enumerate(takers):
            for index, taken_by in expected.items():
                fed = [
                    place
                    for pattern in quantity.operation.feeds(slot, index, *arrays)
                    for place in itertools.product(
                        *(
                            range(size) if at is None else [at]
                            for at, size in zip(pattern, quantity.shape, strict=True)
                        )
                    )
                ]
                if len(fed) != len(set(fed)) or set(fed) != taken_by:
                    name = f"{quantity.inputs[slot].name}{index}"
                    yield f"{name} feeds {quantity.name}{sorted(fed)}, the recipes say {sorted(taken_by)}"


@pytest.fixture(scope="session")
def faults() -> Callable[..., list[str]]:
    """All that is wrong with a trace's recipes: their values and, with `feeds`, their sources and where cells go."""
    return lambda trace, feeds=True: [*wrong_cells(trace), *(wrong_feeds(trace) if feeds else ())]


@pytest.fixture(scope="session")
def traced() -> Callable[..., ch.Trace]:
    """A shipped example's trace with its asides, with some switches changed."""
    return lambda name, **changes: with_asides(ch.run(ch.load(name), **changes))


@pytest.fixture(scope="session")
def random_models() -> Any:
    """The module `random_models.py`."""
    return beside("random_models")


@pytest.fixture(scope="session")
def zoo() -> Any:
    """The package `zoo`: tiny models of many families of transformers."""
    return beside("zoo")


@pytest.fixture(scope="session")
def hand_captures() -> Any:
    """The module `hand_captures.py`: captures made by hand."""
    return beside("hand_captures")


@pytest.fixture(scope="session")
def plain_head() -> Any:
    """The module `plain_head.py`: what the streaming pass leaves of a head, by the plain formulas."""
    return beside("plain_head")


@pytest.fixture(scope="session")
def small_models() -> Any:
    """The module `small_models.py`: small models of transformers and a tokenizer for them."""
    pytest.importorskip("transformers")
    return beside("small_models")
