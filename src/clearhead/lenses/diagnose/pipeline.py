"""The reference, step by step, with any of its steps done otherwise.

What attention is stands in `core`: this leads numbers through it. A mistake is a step done otherwise; two mistakes are
two steps, and rounding to another type is every step followed by a rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from clearhead.core.axes import BATCH, FEATURE, HEAD, JOINED, KEY, MODEL, POSITION, QUERY
from clearhead.core.head import Head, attend
from clearhead.core.ops import (
    Add,
    Alibi,
    Contract,
    Copy,
    MergeHeads,
    Operation,
    RotateBy,
    Softmax,
    SplitHeads,
)
from clearhead.lenses.diagnose.case import Case, Spec

Do = Callable[..., np.ndarray]
"""do(operation, *inputs): the step as it would be done without the change."""
Change = Callable[..., np.ndarray]
"""change(run, do, operation, *inputs): the step done otherwise."""
Changes = Mapping[str, Change]

EVERY = "*"
"""In place of a step's name: all steps."""

MAP = (BATCH, HEAD, QUERY, KEY)


class Run:
    """One computation: a `core.head.Step` that does some steps otherwise, and keeps what was done.

    Attributes:
        case: what is computed.
        values: every result so far, by the name of its step.
        steps: what was done, in order, so that it can be done again from any step on: the name, the operation, and of
            each input the step that it comes from, or the input itself where it comes from none.
        seen: what a mask that is put on later lets through.
        blind: whether some query had nothing to look at.
        nothing: what the weights of such a query are; None: all alike. PyTorch's scaled_dot_product_attention gives 0,
            its softmax NaN, and scores of -1e9 are all alike.
    """

    def __init__(self, case: Case, changes: Sequence[Changes] = (), nothing: float | None = 0.0) -> None:
        self.case = case
        self.changes = changes
        self.nothing = nothing
        self.values: dict[str, np.ndarray] = {}
        self.steps: list[tuple[str, Any, tuple[str | np.ndarray, ...]]] = []
        self.seen: np.ndarray | None = None
        self.blind = False
        self._made_by: dict[int, str] = {}

    def __call__(self, name: str, operation: Any, *inputs: np.ndarray) -> np.ndarray:
        """Do one step, and keep it."""
        self.steps.append((name, operation, tuple(self._made_by.get(id(one), one) for one in inputs)))
        result = self.do(name, operation, *inputs)
        if any(result is one for one in inputs):
            result = result.view()  # each step's result is an object of its own
        self.values[name] = result
        self._made_by[id(result)] = name
        return result

    def do(self, name: str, operation: Any, *inputs: np.ndarray) -> np.ndarray:
        """Do one step as the changes have it."""
        changes = self._of(name)
        return (
            reduce(_wrapped, changes, self._done)(operation, *inputs)
            if changes
            else self._done(operation, *inputs)
        )

    def _done(self, operation: Any, *inputs: np.ndarray) -> np.ndarray:
        made = operation.forward if isinstance(operation, Operation) else operation
        result = np.asarray(made(*inputs), dtype=np.float64)
        if isinstance(operation, Softmax):
            blind = np.isneginf(inputs[0]).all(axis=-1)
            if blind.any():
                self.blind = True
                result[blind] = 1 / result.shape[-1] if self.nothing is None else self.nothing
        return result

    def _of(self, name: str) -> list[Do]:
        """What is done to that step, the innermost first."""
        found: list[Do] = []
        for one in reversed(self.changes):
            change = one.get(name) or one.get(EVERY)
            if change is not None:
                found.append(partial(change, self))
        return found

    @property
    def d_head(self) -> int:
        """How wide a query is."""
        return self.values["Q"].shape[-1]


def _wrapped(do: Do, change: Do) -> Do:
    return partial(change, do)


def attention_of(case: Case, changes: Sequence[Changes] = (), nothing: float | None = 0.0) -> Run:
    """All steps of the case; its "output" is (batch, heads, queries, d_value), or joined (batch, queries, d_out).

    Raises:
        ValueError, IndexError, TypeError: the changes cannot be made with arrays of these sizes.
    """
    run, spec, given = Run(case, changes, nothing), case.spec, case.given
    with np.errstate(all="ignore"):
        Q = _headed(run, "Q", QUERY, spec.heads)
        K = _headed(run, "K", KEY, spec.kv_heads)
        V = _headed(run, "V", KEY, spec.kv_heads)
        if spec.rotary:
            Q, K = _turned(run, "Q_rotated", QUERY, Q), _turned(run, "K_rotated", KEY, K)
        if spec.kv_heads != spec.heads:
            K, V = (
                run(name, partial(np.repeat, repeats=spec.heads // spec.kv_heads, axis=1), array)
                for name, array in (("K_shared", K), ("V_shared", V))
            )
        bias = Alibi(MAP[1:], spec.heads, max(case.sizes)) if spec.alibi else None
        mixed = attend(run, Q, K, V, Head(spec.scale, spec.soft_cap), bias, allowed=_allowed(case))
        output = mixed
        if spec.joined or "X" in given:
            output = run("joined", MergeHeads((BATCH, QUERY, JOINED), "d_value"), mixed)
        if "W_O" in case.weights:
            output = _affine(run, "projected", "O", output, case.weights)
        run("output", Copy((BATCH, QUERY, MODEL)), output)
    return run


def changed(
    before: Run, changes: Sequence[Changes], new: Sequence[Changes], nothing: float | None = 0.0
) -> Run:
    """The same with more changes: all is taken over that does not follow from a step that comes out otherwise.

    Args:
        before: with none of the new changes.
        changes: all of them, in their order.
        new: those that `before` does not have.
        nothing: the weights of a query that has nothing to look at; see `Run`.

    Raises:
        ValueError, IndexError, TypeError: the changes cannot be made with arrays of these sizes.
    """
    run = Run(before.case, changes, nothing)
    run.values, run.steps, run.seen, run.blind = dict(before.values), before.steps, before.seen, before.blind
    values, otherwise = run.values, set[str]()
    begins = {name for one in new for name in one} | ({"weights"} if nothing != before.nothing else set())
    looks = {name for one in changes for name in one}  # a change may look at every result before its own
    with np.errstate(all="ignore"):
        for name, operation, inputs in before.steps:
            follows = any(one in otherwise for one in inputs if isinstance(one, str))
            if follows or name in begins or (otherwise and name in looks):
                made = run.do(
                    name, operation, *(values[one] if isinstance(one, str) else one for one in inputs)
                )
                if follows or not np.array_equal(made, values[name]):
                    values[name] = made
                    otherwise.add(name)
    return run


def first_step(run: Run, changes: Sequence[Changes]) -> int:
    """The place of the first step that is done otherwise; behind all where none is."""
    places = (place for place, (name, *_) in enumerate(run.steps) if any(name in one for one in changes))
    return next(places, len(run.steps))


def _allowed(case: Case) -> np.ndarray | None:
    """What each query may see, one table of all that hides."""
    if case.spec.mask == "none" and case.padding is None and case.allowed is None:
        return None
    return case.visible()


def _headed(run: Run, name: str, role: str, heads: int) -> np.ndarray:
    """Q, K or V with its heads apart."""
    case, axes = run.case, (BATCH, HEAD, role, FEATURE)
    if "X" in case.given:
        source = case.source(name)
        product = _affine(run, f"XW_{name}", name, source, case.weights)
    else:
        product = case.given[name]
        if not case.spec.joined:
            return run(name, Copy(axes), product)
    width = "d_value" if name == "V" else "d_head"
    return run(name, SplitHeads(axes, heads, 1, width), product)


def _affine(run: Run, name: str, which: str, x: np.ndarray, weights: Mapping[str, np.ndarray]) -> np.ndarray:
    out, of = (BATCH, POSITION, JOINED), (BATCH, POSITION, MODEL)
    product = run(name, Contract(out, of, (MODEL, JOINED)), x, weights[f"W_{which}"])
    bias = weights.get(f"b_{which}")
    return product if bias is None else run(f"{name}_biased", Add(out, (out, (JOINED,))), product, bias)


def angles(positions: int, width: int, base: float) -> tuple[np.ndarray, np.ndarray]:
    """(positions, width / 2) cosines and sines, Su et al. 2021, section 3.2.2."""
    position, pair = np.ogrid[:positions, : width // 2]
    turned = position / base ** (2 * pair / width)
    return np.cos(turned), np.sin(turned)


def rotation(spec: Spec, role: str, width: int) -> RotateBy:
    """How rotary positions turn queries or keys."""
    assert spec.rotary is not None
    return RotateBy((BATCH, HEAD, role, FEATURE), spec.rotary, width)


def _turned(run: Run, name: str, role: str, x: np.ndarray) -> np.ndarray:
    *_, positions, width = x.shape
    cos, sin = angles(positions, width, run.case.spec.rotary_base)
    return run(name, rotation(run.case.spec, role, width), x, cos, sin)
