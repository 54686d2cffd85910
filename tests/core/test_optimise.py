"""Optimisers: which quantities an update makes, and what is refused."""

import math

import numpy as np
import pytest

from clearhead.core.attention import compute
from clearhead.core.optimise import RATES, Optimiser, update


def recorded(optimiser, name="layer0.W_Q", **memory):
    """The names of what one update makes, with numbers, and what it hands on."""
    made = {}

    def step(name, operation, *inputs):
        made[name] = compute(name, operation, *inputs).tolist()
        return np.array(made[name])

    before = {f"{name}_{part}": np.array([value]) for part, value in memory.items()}
    after = update(step, name, np.array([1.0]), np.array([4.0]), before, optimiser, 1)
    return made, {name: values.tolist() for name, values in after.items()}


def test_gradient_descent():
    made, after = recorded(Optimiser("sgd", 0.5))
    assert made == {"layer0.W_Q_next": [-1]}
    assert after == {"layer0.W_Q": [-1]}


def test_momentum():
    made, after = recorded(Optimiser("momentum", 0.5, momentum=0.5), velocity=2.0)
    assert made == {"layer0.W_Q_velocity_next": [5], "layer0.W_Q_next": [-1.5]}
    assert after == {"layer0.W_Q": [-1.5], "layer0.W_Q_velocity": [5]}


def test_adamw_by_hand():
    # m = 0.5·2 + 0.5·4 = 3 and v = 0.5·2 + 0.5·16 = 9, both over 1 − 0.5² = 0.75: 4 and 12
    optimiser = Optimiser("adamw", 0.5, betas=(0.5, 0.5), epsilon=0.0, weight_decay=0.5)
    made, after = recorded(optimiser, "E", m=2.0, v=2.0)
    assert list(made) == ["E_m_next", "E_v_next", "E_m_hat", "E_v_hat", "E_next"]
    assert [made[name] for name in list(made)[:4]] == [[3], [9], [4], [12]]
    assert made["E_next"] == [pytest.approx(0.75 - 2 / math.sqrt(12), abs=1e-15)]
    assert after == {"E": made["E_next"], "E_m": [3], "E_v": [9]}


def test_what_is_remembered_is_named_after_the_parameter():
    assert Optimiser("sgd").remembers("E") == ()
    assert Optimiser("momentum").remembers("layer1.b_1") == ("layer1.b_1_velocity",)
    assert Optimiser("adamw").remembers("E") == ("E_m", "E_v")


@pytest.mark.parametrize("rate", [0, -0.1, math.nan, math.inf, True, "fast"])
def test_a_learning_rate_that_is_no_finite_number_above_zero_is_refused(rate):
    with pytest.raises(ValueError, match=rf"^learning_rate: expected a finite number above 0, got {rate!r}$"):
        Optimiser("sgd", rate)


@pytest.mark.parametrize("betas", [0.9, (0.9,), (0.9, 0.99, 0.999), "ab", None])
def test_betas_that_are_no_pair_are_refused(betas):
    with pytest.raises(ValueError, match=r"^betas: expected "):
        Optimiser("adamw", betas=betas)


@pytest.mark.parametrize("kind", ["adam", ["adamw"], None, 5])
def test_a_kind_that_does_not_exist_is_refused(kind):
    with pytest.raises(
        ValueError, match=r"^optimiser: .* is not known; expected one of sgd, momentum, adamw$"
    ):
        Optimiser(kind)


def test_a_huge_learning_rate_is_allowed_and_each_kind_has_its_own():
    assert Optimiser("sgd", 1e30).rate == 1e30
    assert {kind: Optimiser(kind).learning_rate for kind in RATES} == RATES


def test_an_optimiser_that_does_not_exist_is_refused():
    with pytest.raises(
        ValueError, match=r"^optimiser: 'lion' is not known; expected one of sgd, momentum, adamw$"
    ):
        Optimiser("lion")


@pytest.mark.parametrize("name", ["momentum", "betas", "epsilon", "weight_decay"])
@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "x", None, True])
def test_other_settings_that_cannot_be_are_refused_by_name(name, value):
    given = (0.9, value) if name == "betas" else value
    with pytest.raises(ValueError, match=rf"^{name}: expected .*, got {value!r}$"):
        Optimiser("adamw", **{name: given})


@pytest.mark.parametrize("name", ["momentum", "betas"])
def test_what_is_kept_in_full_forever_is_refused(name):
    """With 1 as β the correction divides by 1 − 1^t = 0."""
    with pytest.raises(ValueError, match=rf"^{name}: expected (a number|numbers) from 0, below 1, got 1$"):
        Optimiser(**{name: (1, 0.9) if name == "betas" else 1})


def test_numbers_of_other_kinds_are_welcome():
    for rate in (np.float32(0.5), np.int64(1), 1):
        assert Optimiser("sgd", rate).rate == float(rate)
        assert type(Optimiser("sgd", rate).rate) is float
