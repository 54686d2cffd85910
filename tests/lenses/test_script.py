"""A whole model as a program: forwards, backwards and an update, run by NumPy and by PyTorch without Clearhead."""

import subprocess
import sys

import numpy as np
import pytest

import clearhead as ch
from clearhead.core.optimise import Optimiser
from clearhead.lenses.script import numpy_script, torch_script

TOLERANCE = 1e-12
"""Other orders of adding a few dozen numbers of the size of 10."""

RUN = """
import io, runpy, sys
from contextlib import redirect_stdout
import numpy as np
for path in sys.argv[1:]:
    with redirect_stdout(io.StringIO()) as printed:
        made = runpy.run_path(path)
    assert "clearhead" not in sys.modules
    kinds = ("ndarray", "float64", "Tensor")
    arrays = {name: np.asarray(value) for name, value in made.items() if type(value).__name__ in kinds}
    np.savez(path + ".npz", **arrays)
    with open(path + ".txt", "w", encoding="utf-8") as file:
        file.write(printed.getvalue())
"""

SMALL = {"d_model": 3, "d_value": 2, "d_ff": 5, "length": 5, "words": 7}
OPTIMISERS = [Optimiser("sgd"), Optimiser("momentum"), Optimiser("adamw")]


def traces(random_models):
    """A cover of all switches, each with its gradients and an update."""
    for number, choice in enumerate(random_models.covering(random_models.CHOICES, seed=5)):
        trace = ch.run(random_models.random_model(number, **SMALL, **choice)).backward()
        yield trace.update(OPTIMISERS[number % 3], steps=number)


@pytest.mark.parametrize(("write", "each"), [(numpy_script, 1), (torch_script, 3)])
def test_every_number_is_the_one_of_the_trace(random_models, tmp_path, write, each):
    """Each third model with PyTorch, which takes ten times as long to print."""
    made = list(traces(random_models))[::each]
    paths = [tmp_path / f"{number}.py" for number in range(len(made))]
    for path, trace in zip(paths, made, strict=True):
        path.write_text(write(trace), "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN, *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for path, trace in zip(paths, made, strict=True):
        with np.load(f"{path}.npz") as file:
            theirs = dict(file)
        assert set(theirs) == {name.replace(".", "_") for name in trace}
        for name, quantity in trace.items():
            np.testing.assert_allclose(
                theirs[name.replace(".", "_")], quantity.values, rtol=TOLERANCE, atol=TOLERANCE, err_msg=name
            )
        printed = (path.parent / f"{path.name}.txt").read_text("utf-8").splitlines()
        names = [name.replace(".", "_") for name, quantity in trace.items() if quantity.operation is not None]
        assert [line for line in printed if line.isidentifier()] == names


@pytest.mark.parametrize(
    ("predict", "heading"),
    [
        (False, "One attention layer on 'small birds eat ripe berries', every step."),
        (True, "A transformer of 1 layer on 'small birds eat ripe berries', from words to the next word: every step."),
    ],
)  # fmt: skip
def test_the_heading_says_how_far_it_goes(predict, heading):
    assert numpy_script(ch.run("two-heads", predict=predict)).splitlines()[0] == f"# {heading}"


def test_the_heading_of_several_layers_with_gradients_and_an_update(random_models):
    trace = ch.run(random_models.random_model(1, layers=3, length=2)).backward()
    sentence = " ".join(trace.tokens)
    start = (
        f"# A transformer of 3 layers on {sentence!r}, from words to the next word, back to every gradient"
    )
    assert torch_script(trace).splitlines()[0] == f"{start}: every step."
    updated = trace.update(Optimiser("sgd"))
    assert torch_script(updated).splitlines()[0] == f"{start}, one update: every step."
