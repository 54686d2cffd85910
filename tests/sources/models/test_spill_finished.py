"""A store that is finished for exactly this run is opened at once; whatever may make other numbers runs the model."""

from pathlib import Path

import pytest

import clearhead as ch
from clearhead.sources.models.failing import CaptureError

TEXT = "the cat sat on the mat"

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")


@pytest.fixture
def tokenizer(small_models):
    return small_models.tokenizer()


def content(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


@pytest.fixture
def runs(monkeypatch):
    """The models that ran, one for each run."""
    from clearhead.sources.models import capture as module

    made, run = [], module.run
    monkeypatch.setattr(module, "run", lambda model, *given: made.append(model) or run(model, *given))
    return made


@pytest.mark.parametrize("make", ["gpt2", "llama", "bart", "gpt2 that goes on", "gpt2 with a change"])
def test_a_finished_store_is_opened_without_a_run(small_models, tokenizer, tmp_path, runs, make):
    kind, _, more = make.partition(" ")
    given = {"that goes on": {"generate": 3}, "with a change": {"changes": "L0H0 off"}}.get(more, {})
    given |= {"decoder": "the mat"} if kind == "bart" else {}
    folder = tmp_path / "store"
    first = ch.capture(getattr(small_models, kind)(), tokenizer, TEXT, store=folder, **given)
    before = content(folder)
    assert runs
    runs.clear()
    again = ch.capture(getattr(small_models, kind)(), tokenizer, TEXT, store=folder, **given)
    assert not runs
    assert content(folder) == before
    assert str(again) == str(first)
    assert again.provenance == first.provenance
    assert again.next_words == first.next_words
    assert (again.changes, again.before, again.prompt) == (first.changes, first.before, first.prompt)
    assert (again.row(0, 1, 2) == first.row(0, 1, 2)).all()
    assert list(again.overviews) == list(first.overviews)


def hooked(model):
    model.model.layers[0].register_forward_hook(lambda module, args, output: output * 1.5)


def replaced(model):
    layer = model.model.layers[0]
    forward = layer.forward
    layer.forward = lambda *args, **more: forward(*args, **more) * 1.5


def of_its_own(model):
    layer = model.model.layers[1].mlp
    layer.__class__ = type("Mine", (type(layer),), {"forward": lambda self, x: x})


def scaled(model):
    model.model.layers[1].self_attn.scaling *= 3


def training(model):
    model.model.layers[1].train()


@pytest.mark.parametrize("way", [hooked, replaced, of_its_own, scaled, training])
def test_what_no_digest_tells_runs_the_model_each_time(small_models, tokenizer, tmp_path, runs, way):
    """The weights are the same: the store would be gone on with, and the numbers tell."""
    folder = tmp_path / "store"
    plain = ch.capture(small_models.llama(), tokenizer, TEXT, store=folder)
    other = small_models.llama()
    way(other)
    for expected in (1, 0 if way is scaled else 1):  # a number that a module holds is in the digest
        runs.clear()
        found = ch.capture(other, tokenizer, TEXT, store=folder)
        assert len(runs) == expected
        changed = (found.row(1, 1, 5) != plain.row(1, 1, 5)).any()
        assert changed == (way in (hooked, replaced, scaled))
    runs.clear()
    back = ch.capture(small_models.llama(), tokenizer, TEXT, store=folder)
    assert len(runs) == 1
    assert (back.row(1, 1, 5) == plain.row(1, 1, 5)).all()


@pytest.mark.parametrize("place", ["header", "middle", "end"])
def test_a_damaged_one_is_made_whole_again(small_models, tokenizer, tmp_path, runs, place):
    folder = tmp_path / "store"
    ch.capture(small_models.gpt2(), tokenizer, TEXT, store=folder)
    before = content(folder)
    bad = bytearray(before["layer-0001.safetensors"])
    bad[{"header": 20, "middle": len(bad) // 2, "end": -3}[place]] ^= 1
    (folder / "layer-0001.safetensors").write_bytes(bad)
    runs.clear()
    ch.capture(small_models.gpt2(), tokenizer, TEXT, store=folder)
    assert runs
    assert content(folder) == before


def test_a_finished_one_is_opened_however_little_memory_there_is(
    small_models, tokenizer, tmp_path, monkeypatch
):
    from clearhead.sources.models import foreseen

    folder = tmp_path / "store"
    ch.capture(small_models.gpt2(), tokenizer, TEXT, store=folder)
    monkeypatch.setattr(foreseen, "free_memory", lambda device: 1)
    assert ch.capture(small_models.gpt2(), tokenizer, TEXT, store=folder).overviews
    with pytest.raises(CaptureError, match="would need about"):
        ch.capture(small_models.gpt2(), tokenizer, f"{TEXT} mat", store=tmp_path / "other")
