"""Writing the program: the numbers of one trace, and one line for each of its operations, in NumPy or PyTorch.

Each operation writes its own line, so the program always follows the switches that were set.
"""

from __future__ import annotations

import numpy as np

from clearhead.core.ops.base import Program
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

HEADERS = {
    "np": "import numpy as np\n\nnp.set_printoptions(precision=6, suppress=True, threshold=10**9)",
    "torch": (
        "import torch\n\ntorch.set_default_dtype(torch.float64)\n"
        "torch.set_printoptions(precision=6, sci_mode=False, threshold=10**9, linewidth=120)"
    ),
}
ARRAYS = {"np": "np.array", "torch": "torch.tensor"}


def numpy_script(trace: Trace) -> str:
    """A program that needs only NumPy and prints every quantity of the trace."""
    return _script(trace, "np")


def torch_script(trace: Trace) -> str:
    """A program that needs only PyTorch and prints every quantity of the trace, in float64."""
    return _script(trace, "torch")


def _script(trace: Trace, module: str) -> str:
    given = [_given(quantity, module) for quantity in trace.values() if quantity.operation is None]
    made = [quantity for quantity in trace.values() if quantity.operation is not None]
    programs = [_program(quantity, trace, module) for quantity in made]
    helpers = list(dict.fromkeys(program.helper for program in programs if program.helper))
    lines = [_line(quantity, program) for quantity, program in zip(made, programs, strict=True)]
    parts = [
        f"# {_title(trace)}\n{HEADERS[module]}",
        *(f"\n{helper.rstrip()}" for helper in helpers),
        ("\n" if helpers else "") + "\n".join(given),
        "\n".join(lines),
        f'for name in {[_variable(quantity) for quantity in made]!r}:\n    print(name, globals()[name], sep="\\n")',
    ]
    return "\n\n".join(parts) + "\n"


def _title(trace: Trace) -> str:
    """What the program computes, in a sentence."""
    sentence = " ".join(trace.tokens)
    if "logits" not in trace:
        return f"One attention layer on {sentence!a}, every step."
    layers = sum(name.rpartition(".")[2] == "residual" for name in trace)
    said = f"A transformer of {layers} layer{'s' if layers > 1 else ''} on {sentence!a}, from words to the next word"
    said += ", back to every gradient" if "dloss" in trace else ""
    return said + (", one update: every step." if "E_next" in trace else ": every step.")


def _variable(quantity: Quantity) -> str:
    """The quantity's name as a program can write it: layer0.Q becomes layer0_Q."""
    return quantity.name.replace(".", "_")


def _program(quantity: Quantity, trace: Trace, module: str) -> Program:
    assert quantity.operation is not None
    return quantity.operation.program(module, *(_argument(given, trace) for given in quantity.inputs))


def _argument(given: Quantity, trace: Trace) -> str:
    """An input's name, and which of its rows are taken where those are not all that the trace has."""
    if trace[given.name] is given:
        return _variable(given)
    first = given.starts[0]
    return f"{_variable(given)}[{first}:{first + len(given.values)}]"


def _line(quantity: Quantity, program: Program) -> str:
    shape = ", ".join(f"{axis} {size}" for axis, size in zip(quantity.axes, quantity.shape, strict=True))
    return f"{_variable(quantity)} = {program.line}  # {shape or 'a single number'}"


def _given(quantity: Quantity, module: str) -> str:
    """An array as a literal, one row a line, every number the shortest that is exactly it."""
    start = f"{_variable(quantity)} = {ARRAYS[module]}("
    if quantity.values.ndim == 0:
        return f"{start}{float(quantity.values)!r})"
    if quantity.values.ndim == 1:
        return f"{start}{_row(quantity.values)})"
    rows = "".join(f"    {_row(row)},\n" for row in quantity.values)
    return f"{start}[\n{rows}])"


def _row(row: np.ndarray) -> str:
    return "[" + ", ".join(repr(float(number)) for number in row) + "]"
