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
    programs = [_program(quantity, module) for quantity in made]
    helpers = list(dict.fromkeys(program.helper for program in programs if program.helper))
    lines = [_line(quantity, program) for quantity, program in zip(made, programs, strict=True)]
    sentence = " ".join(trace.tokens)
    parts = [
        f"# One attention layer on {sentence!a}, every step.\n{HEADERS[module]}",
        *(f"\n{helper.rstrip()}" for helper in helpers),
        ("\n" if helpers else "") + "\n".join(given),
        "\n".join(lines),
        f'for name in {[quantity.name for quantity in made]!r}:\n    print(name, globals()[name], sep="\\n")',
    ]
    return "\n\n".join(parts) + "\n"


def _program(quantity: Quantity, module: str) -> Program:
    assert quantity.operation is not None
    return quantity.operation.program(module, *(given.name for given in quantity.inputs))


def _line(quantity: Quantity, program: Program) -> str:
    shape = ", ".join(f"{axis} {size}" for axis, size in zip(quantity.axes, quantity.shape, strict=True))
    return f"{quantity.name} = {program.line}  # {shape}"


def _given(quantity: Quantity, module: str) -> str:
    """A matrix as a literal, one row a line, every number the shortest that is exactly it."""
    rows = "".join(f"    {_row(row)},\n" for row in quantity.values)
    return f"{quantity.name} = {ARRAYS[module]}([\n{rows}])"


def _row(row: np.ndarray) -> str:
    return "[" + ", ".join(repr(float(number)) for number in row) + "]"
