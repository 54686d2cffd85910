"""The programs that the session writes print the numbers of the trace, and nothing a person typed runs in them."""

import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout

import numpy as np
import pytest

import clearhead as ch
from clearhead.session import Session

DOG = "the-dog-chased-the-cat"


def script(state, flavour):
    return Session().ask({"ask": "script", "state": state, "flavour": flavour}).data


SCRIPT_VARIATIONS = [
    {"example": DOG},
    {"example": DOG, "mask": "causal", "positions": "rotary", "heads": 2},
    {"example": "two-heads", "mask": "causal", "mask_fill": "0", "positions": "alibi", "scale": False},
    {"example": "only-looking-back"},
    {"example": "three-words", "tokens": ["cats"], "scale_embeddings": True},
    {"example": "he-finds-the-man", "heads": 4, "positions": "none"},
    {"example": "three-words", "tokens": ["cats", "chase", "mice"] * 13, "positions": "sinusoidal"},
]

RUN_ALL = """
import io, json, sys, runpy
from contextlib import redirect_stdout
outputs = []
for path in sys.argv[1:]:
    with redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(path)
    outputs.append(printed.getvalue())
    assert "clearhead" not in sys.modules
print(json.dumps(outputs))
"""


def printed_numbers(output):
    """The printed arrays: the name on a line of its own, then its numbers."""
    found = {}
    for line in output.splitlines():
        if re.fullmatch(r"\w+", line):
            name, found[line] = line, []
        else:
            assert "..." not in line, f"{name} is not printed in full"
            found[name] += [float(number) for number in re.findall(r"-?inf|-?\d+\.?\d*(?:e[+-]?\d+)?", line)]
    return found


@pytest.mark.parametrize("flavour", ["numpy", "torch"])
def test_the_programs_print_the_numbers_of_the_trace(tmp_path, flavour):
    """All variations in one fresh Python without Clearhead; six decimals are printed: half of the last is allowed."""
    paths = []
    for number, state in enumerate(SCRIPT_VARIATIONS):
        data = script(state, flavour)
        assert (data["kind"], data["filename"]) == ("script", f"attention_{flavour}.py")
        paths.append(tmp_path / f"{number}.py")
        paths[-1].write_text(data["text"], "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN_ALL, *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for state, output in zip(SCRIPT_VARIATIONS, json.loads(done.stdout), strict=True):
        changes = {key: value for key, value in state.items() if key != "example"}
        trace = ch.run(ch.load(state["example"]), **changes)
        if "loss" in trace:
            trace = trace.backward().update(ch.Optimiser("sgd", 0.1))
        printed = printed_numbers(output)
        assert set(printed) == {name for name, quantity in trace.items() if quantity.operation}
        for name, numbers in printed.items():
            np.testing.assert_allclose(
                numbers, trace[name].values.ravel(), rtol=0, atol=0.5000001e-6, err_msg=f"{state}: {name}"
            )


def test_a_program_holds_every_given_number_exactly():
    edit = {"matrix": "W_Q", "row": 1, "column": 2, "value": 0.1 + 0.2}
    data = script({"example": DOG, "edits": [edit]}, "numpy")
    namespace = {}
    with redirect_stdout(io.StringIO()):
        exec(data["text"], namespace)
    assert namespace["W_Q"][1, 2] == 0.1 + 0.2
    assert namespace["E"].tolist() == [row.tolist() for row in ch.load(DOG).E.values()]


def test_a_token_cannot_become_program_text():
    state = {"example": DOG, "tokens": ["x\nimport os"], "rows": {"x\nimport os": [1, 2, 3, 4]}}
    for flavour in ("numpy", "torch"):
        text = script(state, flavour)["text"]
        assert not any(line.startswith("import os") for line in text.splitlines())
