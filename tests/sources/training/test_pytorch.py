"""The recording of a PyTorch loop: what is in it, and that a resumed run is the uninterrupted one, bit for bit."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from clearhead.sources.training.pytorch import record_training
from clearhead.trace.recording import Recording, RecordingError


@pytest.fixture
def training_of(loops):
    """Makes a training from a seed."""
    return loops.Training


def test_recording_does_not_change_the_training(uninterrupted, training_of):
    plain = training_of()
    losses = [plain.update().item() for _ in range(23)]
    recording = Recording.open(uninterrupted)
    assert recording.losses.tolist() == losses
    arrays = recording.arrays(23)
    for name, tensor in plain.model.state_dict().items():
        assert arrays[f"model/{name}"].tolist() == tensor.tolist()


def test_what_is_recorded(uninterrupted):
    recording = Recording.open(uninterrupted)
    assert recording.steps == [0, 5, 10, 15, 20, 23]
    assert [len(recording.checkpoint(step).losses) for step in recording.steps] == recording.steps
    assert recording.header["parameters"]["first.weight"] == [5, 3]
    assert (recording.header["kind"], recording.header["ranks"], recording.header["every"]) == (
        "PyTorch training",
        1,
        5,
    )
    arrays = recording.arrays(10)
    assert arrays["model/first.weight"].dtype == np.float32
    assert arrays["model/middle.weight"].dtype == np.float32  # bfloat16, which NumPy has not
    assert arrays["model/norm.num_batches_tracked"].item() == 10
    assert arrays["model/mask"].tolist() == [0, -np.inf, 0]
    assert arrays["optimizer/state/0/step"].item() == 10
    assert recording.state(0)["parts"]["schedule"]["items"]


def test_the_parameters_are_those_after_as_many_updates(uninterrupted, training_of):
    training = training_of()
    for step in range(23 + 1):
        if step in (0, 5, 20, 23):
            recorded = Recording.open(uninterrupted).arrays(step)["model/first.weight"]
            assert recorded.tolist() == training.model.first.weight.tolist()
        training.update()


@pytest.mark.parametrize("stop", [1, 5, 13, 22])
def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(
    uninterrupted, tmp_path, stop, training_of, contents
):
    """Parameters, statistics, AdamW's moments, the schedule and the generators, from another model in another state."""
    training_of().run(tmp_path / "run", until=stop)
    later = training_of(seed=13)
    later.update()
    torch.manual_seed(17)
    later.run(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(uninterrupted)


def test_a_run_broken_off_within_a_step_equals_an_uninterrupted_one(
    uninterrupted, tmp_path, training_of, contents
):
    """The exception comes three steps after the last that was saved; they are made again."""
    training = training_of()

    def broken_off():
        with training.record(tmp_path / "run") as record:
            for _ in range(13):
                record.step(training.update())
            training.update()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert Recording.open(tmp_path / "run").steps == [0, 5, 10]
    training_of(seed=13).run(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(uninterrupted)


def test_a_damaged_step_is_named_and_made_again(uninterrupted, tmp_path, training_of, contents):
    training_of().run(tmp_path / "run", until=11)
    file = tmp_path / "run" / "step-00000011.checkpoint"
    file.write_bytes(file.read_bytes()[:-99])
    with pytest.warns(
        RuntimeWarning, match=r"step-00000011.checkpoint: the checkpoint is damaged .* step 10 is taken"
    ):
        training_of(seed=13).run(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(uninterrupted)


def test_resuming_when_no_step_can_be_read_is_refused(tmp_path, training_of):
    training_of().run(tmp_path / "run", until=0)
    (tmp_path / "run" / "step-00000000.checkpoint").write_bytes(b"")
    with pytest.raises(RecordingError, match="no step can be read; expected at least one whole file"):
        training_of().run(tmp_path / "run")


def test_resuming_a_finished_run_does_nothing(uninterrupted, training_of, contents):
    before = contents(uninterrupted)
    record = training_of(seed=13).run(uninterrupted)
    assert record.recording.steps == [0, 5, 10, 15, 20, 23]
    assert contents(uninterrupted) == before


def test_a_recording_that_is_not_resumed_is_not_written_over(uninterrupted, training_of, contents):
    before = contents(uninterrupted)
    training = training_of(seed=13)
    with training.record(uninterrupted) as record:
        loss = training.update()
        for action in (lambda: record.step(loss), record.save):
            with pytest.raises(
                RecordingError, match=r"holds a recording already; expected record\.resume\(\)"
            ):
                action()
    assert contents(uninterrupted) == before


def test_another_kind_of_recording_is_refused(tmp_path, training_of):
    Recording.create(tmp_path / "run", {"kind": "of something else"})
    with pytest.raises(RecordingError, match="holds another kind of recording; expected a PyTorch training"):
        training_of().run(tmp_path / "run")


def test_a_record_is_used_with_with(tmp_path, training_of):
    record = training_of().record(tmp_path / "run")
    for action in (lambda: record.step(0.5), record.resume, record.save):
        with pytest.raises(RecordingError, match=r"expected `with record_training\(\.\.\.\) as record:`"):
            action()


def test_chosen_steps_and_steps_saved_by_hand(tmp_path, training_of):
    training = training_of()
    with training.record(tmp_path / "run", every=10, at=[1, 2, 7]) as record:
        for step in range(1, 13):
            record.step(training.update())
            if step == 4:
                record.save()
    assert Recording.open(tmp_path / "run").steps == [0, 1, 2, 4, 7, 10, 12]


def test_saving_within_a_step_is_refused(tmp_path, training_of):
    training = training_of()
    with training.record(tmp_path / "run") as record:
        training.update()
        with pytest.raises(RecordingError, match=r"expected record\.step\(\) before record\.save\(\)"):
            record.save()
        record.step(0.5)
        record.save()
    assert Recording.open(tmp_path / "run").steps == [0, 1]


def test_an_update_that_no_step_followed_is_not_saved_as_if_it_were(
    uninterrupted, tmp_path, training_of, contents
):
    training = training_of()

    def one_update_too_many():
        with training.record(tmp_path / "run") as record:
            for _ in range(12):
                record.step(training.update())
            training.update()

    with pytest.warns(UserWarning, match=r"after step 12 .* the last step that is saved is 10"):
        one_update_too_many()
    assert Recording.open(tmp_path / "run").steps == [0, 5, 10]
    training_of().run(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(uninterrupted)


def test_what_is_drawn_after_the_last_step_is_no_part_of_it(uninterrupted, tmp_path, training_of, contents):
    """A look at other data before the block ends draws random numbers that an uninterrupted run does not draw."""
    training = training_of()
    with training.record(tmp_path / "run") as record:
        for _ in range(13):
            record.step(training.update())
        torch.randn(29)
        training.batch()
    training_of().run(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(uninterrupted)


def test_the_updates_of_another_model_do_not_matter(tmp_path, training_of):
    training, other = training_of(), training_of()
    with training.record(tmp_path / "run") as record:
        record.step(training.update())
        other.update()
    assert Recording.open(tmp_path / "run").steps == [0, 1]


def test_the_loss_may_be_a_number_or_any_tensor_of_one(tmp_path):
    model = torch.nn.Linear(2, 3)
    losses = [0.1, np.float64(0.2), torch.tensor([[0.5]]), torch.tensor(0.25, dtype=torch.bfloat16), 3]
    with record_training(model, tmp_path / "run", every=100) as record:
        for loss in losses:
            record.step(loss)
        with pytest.raises(RecordingError, match=r"loss: has shape \(7,\); expected one number"):
            record.step(torch.ones(7))
        assert record.losses == [0.1, 0.2, 0.5, 0.25, 3.0]
        record.step(1)
    assert Recording.open(tmp_path / "run").losses.tolist() == [0.1, 0.2, 0.5, 0.25, 3.0, 1.0]


def test_a_loss_that_is_written_over_is_kept(tmp_path):
    """As a captured CUDA graph does, which puts every loss into the same place."""
    with record_training(torch.nn.Linear(2, 3), tmp_path / "run", every=100) as record:
        record._losses._together = 32
        loss = torch.zeros(())
        for step in range(1, 4):
            loss.fill_(step)
            record.step(loss)
    assert Recording.open(tmp_path / "run").losses.tolist() == [1, 2, 3]


class Readings(torch.utils._python_dispatch.TorchDispatchMode):
    """Counts how often a number goes from a tensor to Python, which on an accelerator waits for it."""

    count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += function is torch.ops.aten._local_scalar_dense.default
        return function(*args, **(kwargs or {}))


def test_losses_on_an_accelerator_are_read_thirty_two_at_a_time(tmp_path):
    """Here the CPU plays the accelerator: the record is told to read as it would there."""
    with record_training(torch.nn.Linear(2, 3), tmp_path / "run", every=1000) as record:
        record._losses._together = 32
        loss, batch = torch.tensor(0.5), torch.ones(5, 2)
        with Readings() as readings:
            for _ in range(31):
                record.step(loss, batch)
        assert readings.count == 0
        assert record.losses == []
        record.step(loss)
        assert record.losses == [0.5] * 32


@pytest.mark.parametrize("every", [0, -1, 2.5, True, "10", None])
def test_every_must_be_a_whole_number_of_steps(tmp_path, every):
    with pytest.raises(RecordingError, match="every: expected a whole number of steps from 1, got"):
        record_training(torch.nn.Linear(2, 3), tmp_path / "run", every=every)
    assert not (tmp_path / "run").exists()


CHANGES = {
    "a layer more": (
        lambda t: setattr(t.model, "more", torch.nn.Linear(2, 3)),
        "was recorded from another model (only this one has more.",
    ),
    "a layer less": (lambda t: delattr(t.model, "norm"), "(only the recorded one has norm."),
    "another size": (
        lambda t: setattr(t.model, "first", torch.nn.Linear(3, 11)),
        "first.weight was (5, 3) of torch.float32 and now is (11, 3) of torch.float32",
    ),
    "another dtype": (lambda t: t.model.double(), "of torch.float32 and now is"),
    "another optimizer": (
        lambda t: setattr(t, "optimizer", torch.optim.SGD(t.model.first.parameters())),
        "the optimizer is not the one that was recorded",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_resuming_something_else_is_refused(uninterrupted, name, training_of, contents):
    change, says = CHANGES[name]
    training = training_of()
    change(training)
    before = contents(uninterrupted)
    with pytest.raises(RecordingError) as caught:
        training.run(uninterrupted)
    assert str(caught.value).startswith(f"{uninterrupted}: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert contents(uninterrupted) == before


def test_resuming_without_a_part_is_refused(uninterrupted, training_of):
    with (
        record_training(training_of().model, uninterrupted, every=2) as record,
        pytest.raises(
            RecordingError, match="was recorded with model, optimizer, schedule; expected the same, got model"
        ),
    ):
        record.resume()


class Odd:
    def __init__(self, state):
        self.state = state

    def state_dict(self):
        return self.state

    def load_state_dict(self, state):
        self.state = state


def test_any_part_with_a_state_comes_back_exactly(tmp_path):
    state = {
        "numbers": [1, -2.5, 10**30, True, None, float("inf")], ("a", 1): (1, [2, ()]), 3: "three", 0.5: {},
        "array": np.array([1, 2], dtype=np.uint16), "tensor": torch.tensor([[1.5]], dtype=torch.bfloat16),
        "long": torch.tensor(2**60),
    }  # fmt: skip
    model = torch.nn.Linear(2, 3)
    with record_training(model, tmp_path / "run", every=3, also={"odd": Odd(state)}):
        pass
    back = Odd(None)
    with record_training(model, tmp_path / "run", every=3, also={"odd": back}) as record:
        assert record.resume() == 0
    assert list(back.state) == list(state)
    for name in ("numbers", ("a", 1), 3, 0.5):
        assert back.state[name] == state[name]
    assert isinstance(back.state[("a", 1)], tuple)
    assert (back.state["array"].dtype, back.state["array"].tolist()) == (np.uint16, [1, 2])
    assert back.state["tensor"].dtype == torch.bfloat16
    assert torch.equal(back.state["tensor"], state["tensor"])
    assert back.state["long"].item() == 2**60


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (object(), "odd/x: a object cannot be recorded"),
        (torch.zeros(2).to_sparse(), "odd/x: a tensor of float32 (sparse_coo, cpu) cannot be recorded"),
        (torch.zeros(2, device="meta"), "odd/x: a tensor of float32 (strided, meta) cannot be recorded"),
        (torch.zeros(2, dtype=torch.complex64), "odd/x: an array of complex64 cannot be recorded"),
        (
            torch.zeros(2, dtype=torch.float8_e5m2),
            "odd/x: a tensor of float8_e5m2 (strided, cpu) cannot be recorded",
        ),
    ],
)
def test_what_cannot_be_recorded_is_refused_before_training(tmp_path, value, says):
    record = record_training(
        torch.nn.Linear(2, 3), tmp_path / "run", every=3, also={"odd": Odd({"x": value})}
    )
    with pytest.raises(RecordingError) as caught:
        record.__enter__()
    assert says in str(caught.value)


def test_a_compiled_model_is_the_same_model(tmp_path):
    """torch.compile only wraps here: what it wraps is not run."""
    model = torch.nn.Linear(2, 3)
    with record_training(torch.compile(model, backend="eager"), tmp_path / "run", every=3):
        pass
    assert set(Recording.open(tmp_path / "run").arrays(0)) >= {"model/weight", "model/bias"}
    with record_training(model, tmp_path / "run", every=3) as record:
        assert record.resume() == 0


def test_processes_that_do_not_know_each_other_are_refused(tmp_path, monkeypatch):
    """As when a script is started by torchrun and has not called init_process_group: all would write."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(
        RecordingError, match=r"WORLD_SIZE is 2, .* expected torch.distributed.init_process_group"
    ):
        record_training(torch.nn.Linear(2, 3), tmp_path / "run", every=3)


def test_a_recording_is_read_without_torch(uninterrupted):
    program = f"""
import sys
from clearhead.sources.training import pytorch
from clearhead.trace.recording import Recording
recording = Recording.open({str(uninterrupted)!r})
print(recording.arrays({23})["model/first.weight"].shape, "torch" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == f"({5}, {3}) False"


def test_without_torch_the_sentence_says_what_to_install():
    program = """
import sys
sys.modules["torch"] = None
from clearhead.sources.training.pytorch import record_training
record_training(None, "run", every=1)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ImportError: recording a PyTorch model needs PyTorch, and it is not installed" in done.stderr


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"at": ["x"]}, "at: expected whole numbers from 0, got 'x'"),
        ({"at": [-1]}, "at: expected whole numbers from 0, got -1"),
        ({"at": 3.5}, "at: expected whole numbers from 0, got 3.5"),
        ({"about": ["note"]}, "about: expected a table, got list"),
    ],
)
def test_a_mistake_in_what_is_to_be_recorded_is_one_sentence(tmp_path, given, sentence):
    with pytest.raises(RecordingError, match=sentence):
        record_training(torch.nn.Linear(2, 3), tmp_path / "run", every=5, **given)
