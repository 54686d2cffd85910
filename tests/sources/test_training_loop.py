"""The training loop: what it keeps, how it ends before its time, and what it refuses."""

import math

import numpy as np
import pytest

import clearhead as ch
from clearhead.core.learning import loss_of
from clearhead.core.optimise import Optimiser
from clearhead.sources.worked.config import Config
from clearhead.sources.worked.training.loop import train

CORPUS = ["w0 w1 w2 w3 w4", "w2 w2 w0", "w4 w3 w1 w0 w0", "w1 w0", "w3"]


@pytest.fixture(scope="module")
def model(random_models):
    return random_models.random_model(3, norm="layer", affine=("gain",), masking=("causal", "-inf"))


def assert_same_run(one, other):
    """The same numbers, bit for bit."""
    assert one.losses == other.losses
    assert one.recorded == other.recorded
    for step in one.recorded:
        for ours, theirs in ((one.snapshots[step].parameters, other.snapshots[step].parameters),
                             (one.snapshots[step].memory, other.snapshots[step].memory)):  # fmt: skip
            assert list(ours) == list(theirs)
            assert all(values.tobytes() == theirs[name].tobytes() for name, values in ours.items())


def assert_complete(run):
    """Whatever ended it: a loss before each update, the model after the last, and only finite numbers."""
    assert run.recorded[0] == 0
    assert run.recorded[-1] == run.steps == len(run.losses)
    assert all(math.isfinite(loss) for loss in run.losses)
    for snapshot in run.snapshots.values():
        for values in (*snapshot.parameters.values(), *snapshot.memory.values()):
            assert np.isfinite(values).all()
    assert ch.run(run.at(run.steps))["loss"].values > 0


def test_every_step_is_kept_and_each_is_the_update_of_the_one_before(model):
    """Trained on its own sentence, the update that a trace shows is the step that was made."""
    run = train(model, steps=5, optimiser="adamw")
    assert run.recorded == [0, 1, 2, 3, 4, 5]
    assert_complete(run)
    for step in range(5):
        trace = run.trace(step)
        assert trace["loss"].values == pytest.approx(run.losses[step], rel=1e-14)
        for name in model.used_parameters:
            # One sentence alone and as a batch of one: a few ulps apart, which a small root of v divides.
            np.testing.assert_allclose(
                trace[f"{name}_next"].values, run.snapshots[step + 1].parameters[name], rtol=0, atol=1e-13
            )
    assert run.final_loss < run.losses[-1] < run.losses[0]
    assert f"loss {run.losses[0]:.4g} to {run.final_loss:.4g}, " in repr(run)
    assert run.trace(5, ["w1"])["probabilities"].shape == (1, 13)  # no next word, so no gradients


def test_losses_are_those_of_all_the_sentences(model):
    run = train(model, CORPUS, steps=2, optimiser="sgd")
    rows = [(0, 1, 2, 3, 4), (2, 2, 0), (4, 3, 1, 0, 0), (1, 0)]  # "w3" has no next word
    for step in (0, 1):
        parameters = run.snapshots[step].parameters
        assert run.losses[step] == loss_of(parameters, rows, model.settings)[0]
    assert run.sentences[1] == ["w2", "w2", "w0"]


def test_no_step_at_all(model):
    run = train(model, steps=0)
    assert (run.losses, run.recorded, run.stopped) == ([], [0], None)
    assert run.at(0).parameters["E"].tobytes() == model.parameters["E"].tobytes()


def test_chosen_steps_and_the_last(model):
    run = train(model, steps=11, every=3)
    assert run.recorded == [0, 3, 6, 9, 11]
    assert run.nearest(8) == 6
    with pytest.raises(KeyError, match=r"step 4 was not recorded; the nearest that were: 0, 3, 6"):
        run.at(4)


def test_the_start_is_not_changed(model):
    before = {name: values.tobytes() for name, values in model.parameters.items()}
    train(model, CORPUS, steps=3)
    assert {name: values.tobytes() for name, values in model.parameters.items()} == before


def test_batches_are_drawn_by_the_seed(model):
    first, again, other = (train(model, CORPUS, steps=7, batch=2, seed=seed) for seed in (5, 5, 6))
    assert_same_run(first, again)
    assert first.losses != other.losses
    assert train(model, CORPUS, steps=7, batch=17, seed=5).steps == 7  # more than there are: some twice


def test_a_config_begins_with_the_corpus_and_its_seed():
    config = Config(d_model=6, heads=3, layers=2, d_ff=7, seed=4)
    one, other = (train(config, CORPUS, steps=3, optimiser="sgd") for _ in range(2))
    assert_same_run(one, other)
    assert one.start.vocabulary == ("w0", "w1", "w2", "w3", "w4")
    assert one.start.tokens == ("w0", "w1", "w2", "w3", "w4")
    assert one.final_loss < one.losses[0]


# --- how it ends ---


@pytest.mark.parametrize("at", [1, 4, 7])
def test_an_interrupt_leaves_a_whole_run(model, at):
    """Ctrl-C while a progress bar is drawn; the steps made are those of a run that was not interrupted."""

    def progress(steps, loss):
        if steps == at:
            raise KeyboardInterrupt

    run = train(model, CORPUS, steps=7, batch=2, progress=progress, every=2)
    assert run.stopped == f"Training was interrupted after step {at}."
    assert_complete(run)
    whole = train(model, CORPUS, steps=at, batch=2, every=2)
    assert_same_run(run, whole)


def test_an_interrupt_inside_a_step_leaves_a_whole_run(model, monkeypatch):
    """Ctrl-C in the middle of the arithmetic of the fourth step."""
    from clearhead.sources.worked.training import learner

    calls, real = [], learner.updated

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(learner, "updated", interrupted)
    run = train(model, CORPUS, steps=9)
    monkeypatch.undo()
    assert run.stopped == "Training was interrupted after step 3."
    assert_complete(run)
    assert_same_run(run, train(model, CORPUS, steps=3))


def test_progress_is_told_every_step_and_its_loss(model):
    told = []
    run = train(model, CORPUS, steps=4, progress=lambda steps, loss: told.append((steps, loss)))
    assert told == list(enumerate(run.losses, 1))


@pytest.mark.parametrize("rate", [1e3, 1e30, 1e300])
@pytest.mark.parametrize("optimiser", ["sgd", "momentum", "adamw"])
def test_a_huge_learning_rate_diverges_and_the_last_good_model_is_kept(random_models, optimiser, rate):
    """Without a norm, nothing holds the numbers. The model that is kept is one whose loss is not yet out of bounds."""
    model = random_models.random_model(3, activation="gelu", tied=True, layers=2)
    run = train(model, CORPUS, steps=50, optimiser=optimiser, learning_rate=rate)
    assert run.steps < 50
    assert run.stopped.startswith("Training stopped: step ")
    assert run.stopped.endswith(f" The model after step {run.steps} is the last good one.")
    assert_complete(run)
    rows = [(0, 1, 2, 3, 4), (2, 2, 0), (4, 3, 1, 0, 0), (1, 0)]
    first, good = (loss_of(run.snapshots[at].parameters, rows, model.settings)[0] for at in (0, run.steps))
    assert good <= 100 * max(first, 1)


def test_what_overflows_only_in_the_optimiser_s_memory_is_not_trained_on(random_models):
    """A gradient of 1e200 squared is none: AdamW would never move that number again, and say nothing."""
    model = random_models.random_model(3, activation="relu", d_ff=2)
    large = model.parameters | {"W_1": model.W_1 * 1e-200, "W_2": np.full(model.W_2.shape, 1e200)}
    run = train(model.with_parameters(large), CORPUS, steps=3)
    assert run.stopped is not None
    assert_complete(run)


# --- what it refuses ---


@pytest.mark.parametrize("rate", [0, 0.0, -0.1, math.nan, math.inf, -math.inf, True, "0.1", 10**400])
@pytest.mark.parametrize("optimiser", ["sgd", "momentum", "adamw"])
def test_a_learning_rate_that_cannot_be(model, optimiser, rate):
    with pytest.raises(ch.ExampleError, match=r"^learning_rate: expected a finite number above 0, got "):
        train(model, CORPUS, optimiser=optimiser, learning_rate=rate)


MISTAKES = {
    "no sentence": ({"corpus": []}, "corpus: it has no sentence of two words or more"),
    "an empty text": ({"corpus": ""}, "corpus: it has no sentence of two words or more"),
    "empty lines": ({"corpus": "\n\n"}, "corpus: it has no sentence of two words or more"),
    "single words": ({"corpus": ["w0", "w1", ["w2"]]}, "corpus: it has no sentence of two words or more"),
    "an unknown word": ({"corpus": ["w0 w1", "w0 w99 w1"]},
        "corpus, sentence 1, word 1: 'w99' is none of the 13 words"),
    "a word almost right": ({"corpus": [["w0", "w1x"]]}, "'w1x' is none of .* did you mean 'w1', "),
    "a number": ({"corpus": 5}, "corpus: expected sentences, got 5"),
    "a sentence that is a number": ({"corpus": ["w0 w1", 5]}, "corpus, sentence 1: expected words, got 5"),
    "a word that is a number": ({"corpus": [["w0", 1]]}, "corpus, sentence 0: expected words, got "),
    "a batch of none": ({"batch": 0}, "batch: expected a whole number from 1, got 0"),
    "half a batch": ({"batch": 1.5}, "batch: expected a whole number from 1, got 1.5"),
    "fewer than no steps": ({"steps": -1}, "steps: expected a whole number from 0, got -1"),
    "every none": ({"every": 0}, "every: expected a whole number from 1, got 0"),
    "a seed": ({"seed": "x"}, "seed: expected a whole number from 0, got 'x'"),
    "an optimiser": ({"optimiser": "adam"}, "optimiser: 'adam' is not known; expected one of sgd, momentum, adamw"),
    "two learning rates": ({"optimiser": Optimiser("sgd"), "learning_rate": 0.1},
        "learning_rate: is part of the Optimiser"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_sentence_that_names_the_field(model, mistake):
    changes, problem = mistake
    with pytest.raises(ch.ExampleError, match=problem) as caught:
        train(model, **({"corpus": CORPUS, "steps": 3} | changes))
    assert "\n" not in str(caught.value)
    assert caught.value.field
    assert str(caught.value).startswith(caught.value.field)


@pytest.mark.parametrize("corpus", [None, [], "", "\n", [[]]])
def test_a_config_needs_words(corpus):
    with pytest.raises(ch.ExampleError, match=r"^corpus: "):
        train(Config(), corpus)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("norm", "batch", "'batch' is not known; expected one of none, layer, rms"),
        ("mask", 1, '1 is no text; expected one of "none", "causal"'),
        ("positions", "absolute", "'absolute' is not known; expected one of none, sinusoidal, "),
        ("norm_place", None, 'None is no text; expected one of "pre", "post"'),
        ("activation", "tanh", "'tanh' is not known; expected one of relu, gelu, gelu_tanh, swiglu"),
        ("tied", "no", "expected true or false, got 'no'"),
        ("scale", 0, "expected true or false, got 0"),
        ("heads", 3, "3 does not divide d_model, 16; expected a divisor"),
        ("layers", 0, "expected a whole number from 1, got 0"),
    ],
)
def test_a_config_that_cannot_be_is_refused_at_once(field, value, expected):
    with pytest.raises(ch.ExampleError) as caught:
        Config(**{field: value})
    assert str(caught.value).startswith(f"{field}: {expected}")


def test_a_model_of_attention_alone_has_no_loss():
    with pytest.raises(ch.ExampleError, match=r"^predict: this example ends at the output of attention"):
        train(ch.load("two-heads").vary(predict=False), steps=1)


def test_a_sentence_longer_than_the_learned_positions(random_models):
    model = random_models.random_model(3, positions="learned")
    long = ["w0 w1", " ".join(["w1"] * 18)]
    with pytest.raises(
        ch.ExampleError, match=r"^corpus, sentence 1: it has 18 words, but P has 17 rows; expected one"
    ):
        train(model, long, steps=1)


def test_nan_cannot_be_trained_on(model):
    """An Example never holds one, however it is made; so a loop that is given one holds only what it made itself."""
    for name in ("W_Q", "gain_1"):
        spoiled = model.parameters[name].copy()
        spoiled.flat[0] = math.nan
        with pytest.raises(ch.ExampleError, match=rf"^{name}.*entry 0: expected a finite number, got nan"):
            model.with_parameters(model.parameters | {name: spoiled})


def test_a_generator_of_sentences_is_read_once():
    config = Config(d_model=4, heads=1)
    given = train(config, (sentence for sentence in CORPUS), steps=3)
    assert_same_run(given, train(config, CORPUS, steps=3))


def test_whole_numbers_may_be_numpys():
    given = train(
        Config(d_model=np.int64(4), heads=1), CORPUS, steps=np.int32(3), batch=np.int64(2), every=np.uint8(2)
    )
    assert_same_run(given, train(Config(d_model=4, heads=1), CORPUS, steps=3, batch=2, every=2))
    assert type(given.batch) is int  # it is written as JSON


def test_bytes_are_no_sentences():
    with pytest.raises(ch.ExampleError, match=r"^corpus: expected sentences, got b'w0 w1'$"):
        train(Config(), b"w0 w1", steps=1)


def test_a_trace_takes_the_text_of_a_sentence():
    run = train(Config(d_model=4, heads=1), CORPUS, steps=1)
    assert run.trace(1, "w0 w1 w4").tokens == ("w0", "w1", "w4")
    assert repr(run).startswith("TrainingRun of 1 step, ")


def test_a_bar_with_the_loss_where_it_is_asked_for(capsys):
    ch.train("tea-is-hot", steps=3, progress=True)
    shown = capsys.readouterr().err
    assert "3/3" in shown
    assert "loss" in shown
    ch.train("tea-is-hot", steps=3)  # nobody is watching
    ch.train("tea-is-hot", steps=3, progress=False)
    assert capsys.readouterr().err == ""
