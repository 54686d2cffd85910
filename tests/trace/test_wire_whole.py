"""Saved traces of whole models, with gradients and updates, come back exactly."""

import zlib

import numpy as np
import pytest

import clearhead as ch
from clearhead.core.optimise import Optimiser
from clearhead.trace.wire import parse_trace, trace_bytes

OPTIMISERS = [Optimiser("sgd"), Optimiser("momentum", 0.3), Optimiser("adamw", weight_decay=0.2)]


def assert_same(back, trace):
    assert list(back) == list(trace)
    assert (back.tokens, back.vocabulary, back.provenance) == (
        trace.tokens,
        trace.vocabulary,
        trace.provenance,
    )
    for old, new in zip(trace.values(), back.values(), strict=True):
        assert new.values.tobytes() == old.values.tobytes()
        assert (new.axes, new.shape, new.values.dtype) == (old.axes, old.shape, np.float64)
        assert new.operation == old.operation
        assert type(new.operation) is type(old.operation)
        assert all(given is back[same.name] for given, same in zip(new.inputs, old.inputs, strict=True))
        for index in list(np.ndindex(old.shape))[::23]:
            assert str(new.explain(*index)) == str(old.explain(*index))


def test_whole_models_with_gradients_and_an_update_come_back_exactly(random_models):
    for number, choice in enumerate(random_models.covering(random_models.CHOICES, seed=3)[::3]):
        trace = ch.run(random_models.random_model(number, **choice)).backward()
        trace = trace.update(OPTIMISERS[number % 3], steps=number)
        assert_same(parse_trace(trace_bytes(trace), "memory"), trace)


def test_a_single_number_comes_back_as_one(tmp_path):
    trace = ch.run(ch.load("mary-saw-tom")).backward()
    trace.save(tmp_path / "saved")
    back = ch.load_trace(tmp_path / "saved")
    for name in ("loss", "dloss"):
        assert (back[name].shape, back[name].axes) == ((), ())
        assert back[name].values == trace[name].values
        assert back[name].explain().evaluate() == trace[name].explain().evaluate()
    assert_same(back, trace)


def test_a_loaded_trace_goes_on_as_the_saved_one_would(tmp_path):
    """The gradients and updates of a loaded trace are those of the trace that was saved, bit for bit."""
    trace = ch.run(ch.load("two-heads"))
    trace.save(tmp_path / "saved")
    adamw = Optimiser("adamw")
    assert_same(ch.load_trace(tmp_path / "saved").backward().update(adamw), trace.backward().update(adamw))


@pytest.mark.parametrize("name", ["dW_Q", "E_m_next", "W_V_next"])
def test_a_number_that_does_not_follow_is_refused(name):
    trace = ch.run(ch.load("two-heads")).backward().update(Optimiser("adamw"))
    raw = trace_bytes(trace)
    stored = trace[name].values.tobytes()
    at = raw.index(stored)
    moved = trace[name].values * 1.001
    changed = raw[:at] + moved.tobytes() + raw[at + len(stored) : -8]
    changed += zlib.crc32(changed).to_bytes(8, "little")
    with pytest.raises(ValueError, match=rf"^memory: .*{name} does not follow from what it was made of"):
        parse_trace(changed, "memory")
