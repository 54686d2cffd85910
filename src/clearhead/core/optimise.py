"""One update of a parameter, by gradient descent, with momentum, or by AdamW; each line names a quantity."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from clearhead.core.attention import Step
from clearhead.core.ops import AdamWStep, Corrected, Descend, Moment, Velocity

RATES = {"sgd": 0.1, "momentum": 0.05, "adamw": 0.01}
"""The optimisers by name, and the learning rate each has where none is given."""

MEMORY = {"sgd": (), "momentum": ("velocity",), "adamw": ("m", "v")}
"""What each remembers of a parameter from one update to the next; all of it is 0 at first."""


@dataclass(frozen=True)
class Optimiser:
    """How a gradient becomes an update; the settings and their defaults are those of torch.optim.

    Attributes:
        kind: "sgd" (Robbins and Monro 1951), "momentum" (torch.optim.SGD with momentum) or "adamw" (Loshchilov and
            Hutter 2019).
        learning_rate: η, above 0; None: 0.1 for sgd, 0.05 for momentum, 0.01 for adamw.
        momentum: μ, of "momentum" alone.
        betas: β₁ and β₂, and
        epsilon: ε, and
        weight_decay: λ, of "adamw" alone.

    Raises:
        ValueError: a kind that does not exist, or a number that cannot be, such as a learning rate of 0; it names it.
    """

    kind: str = "adamw"
    learning_rate: float | None = None
    momentum: float = 0.9
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    weight_decay: float = 0.01

    def __post_init__(self) -> None:
        if self.kind not in tuple(RATES):  # a tuple also looks for what cannot be a key
            raise ValueError(f"optimiser: {self.kind!r} is not known; expected one of {', '.join(RATES)}")
        rate = RATES[self.kind] if self.learning_rate is None else self.learning_rate
        self._check("learning_rate", rate, _number(rate) > 0, "a finite number above 0")
        self._check("momentum", self.momentum, 0 <= _number(self.momentum) < 1, "a number from 0, below 1")
        pair = isinstance(self.betas, tuple | list) and len(self.betas) == 2
        self._check("betas", self.betas, pair, "two numbers, β₁ and β₂")
        for beta in self.betas:
            self._check("betas", beta, 0 <= _number(beta) < 1, "numbers from 0, below 1")
        self._check("epsilon", self.epsilon, _number(self.epsilon) >= 0, "a finite number from 0")
        decay = self.weight_decay
        self._check("weight_decay", decay, _number(decay) >= 0, "a finite number from 0")
        object.__setattr__(self, "learning_rate", float(rate))

    def _check(self, field: str, value: Any, good: bool, expected: str) -> None:
        if not good:
            raise ValueError(f"{field}: expected {expected}, got {value!r}")

    @property
    def rate(self) -> float:
        """η, the learning rate."""
        assert self.learning_rate is not None  # filled in above
        return self.learning_rate

    def remembers(self, name: str) -> tuple[str, ...]:
        """The names of what is kept of a parameter from one update to the next: "E_m" and "E_v" for AdamW and E."""
        return tuple(f"{name}_{part}" for part in MEMORY[self.kind])


def _number(value: Any) -> float:
    """The value as a float; NaN, which is in no range, if it is no finite number."""
    try:
        real = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:  # an integer beyond float64
        return math.nan
    return real if math.isfinite(real) else math.nan


def update(
    step: Step,
    name: str,
    parameter: Any,
    gradient: Any,
    memory: Mapping[str, Any],
    optimiser: Optimiser,
    steps: int,
) -> dict[str, Any]:
    """One update of one parameter.

    It makes the quantity E_next; before it, with momentum, E_velocity_next, and with AdamW E_m_next, E_v_next, E_m_hat
    and E_v_hat.

    Args:
        step: see `core.attention.Step`.
        name: the parameter's full name, such as "E" or "layer1.W_Q".
        parameter: its numbers.
        gradient: the loss's gradient with respect to it; the same shape.
        memory: what `Optimiser.remembers`, by those names, as the update before left it; arrays of zeros at first.
        optimiser: which update.
        steps: how many updates there were before this one.

    Returns:
        The next parameter under `name`, and the next memory under the names in `memory`.
    """
    axes, rate = getattr(parameter, "axes", ()), optimiser.rate  # plain arrays name no axes, nor need to
    if optimiser.kind == "sgd":
        return {name: step(f"{name}_next", Descend(axes, rate), parameter, gradient)}
    if optimiser.kind == "momentum":
        accumulate = Velocity(axes, optimiser.momentum)
        velocity = step(f"{name}_velocity_next", accumulate, memory[f"{name}_velocity"], gradient)
        moved = step(f"{name}_next", Descend(axes, rate), parameter, velocity)
        return {name: moved, f"{name}_velocity": velocity}
    first, second = optimiser.betas
    m = step(f"{name}_m_next", Moment(axes, first, 1), memory[f"{name}_m"], gradient)
    v = step(f"{name}_v_next", Moment(axes, second, 2), memory[f"{name}_v"], gradient)
    m_hat = step(f"{name}_m_hat", Corrected(axes, first, 1, steps + 1), m)
    v_hat = step(f"{name}_v_hat", Corrected(axes, second, 2, steps + 1), v)
    adamw = AdamWStep(axes, rate, optimiser.weight_decay, optimiser.epsilon)
    return {name: step(f"{name}_next", adamw, parameter, m_hat, v_hat), f"{name}_m": m, f"{name}_v": v}
