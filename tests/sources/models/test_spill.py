"""Layers written to a store one by one while the model runs: the same numbers as in memory, come what may."""

import gc
import os
import signal
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AlbertConfig, AlbertModel

import clearhead as ch
from clearhead.trace.capture.agreement import Agreement, agreement_of
from clearhead.trace.capture.failing import CaptureError

TEXT = "the man was late he said the man was late " * 3
TEXTS = ["the man was late", "he said the man was late the man"]

CHILD = """
import sys, time
sys.path.insert(0, sys.argv[2])
import small_models, clearhead as ch
model = small_models.llama(num_hidden_layers=5)
model.model.layers[3].register_forward_pre_hook(lambda *_: (print("there", flush=True), time.sleep(600)))
ch.capture(model, small_models.tokenizer(), sys.argv[3], store=sys.argv[1], overview=False)
"""


def content(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def same(one, other):
    """Whether two captures are alike in all but what lies below."""
    assert one.texts == other.texts
    assert one.next_words == other.next_words
    assert (one.prompt, one.changes, one.before) == (other.prompt, other.changes, other.before)
    assert {**one.provenance} == {**other.provenance}
    assert [(layer.label, layer.path, layer.what, layer.rows, layer.columns) for layer in one.layers] == [
        (layer.label, layer.path, layer.what, layer.rows, layer.columns) for layer in other.layers
    ]
    for mine, theirs in zip(one.attentions(), other.attentions(), strict=True):
        a, b = mine.attention, theirs.attention
        for part in ("query", "key", "value", "output"):
            np.testing.assert_array_equal(getattr(a, part)[...], getattr(b, part)[...])
        for batch in range(a.sequences):
            np.testing.assert_array_equal(a.visible.table(batch, 0), b.visible.table(batch, 0))
        assert (a.scale, a.kernel, a.notes, a.off) == (b.scale, b.kernel, b.notes, b.off)
        assert (a.bias is None) == (b.bias is None)
    return True


@pytest.fixture(scope="module")
def tokenizer(small_models):
    return small_models.tokenizer()


@pytest.mark.parametrize(
    ("make", "given"),
    [
        ("gpt2", {"text": TEXT}),
        ("llama", {"text": TEXTS}),
        ("llama", {"text": TEXT, "generate": 5}),
        ("llama", {"text": TEXT, "changes": ["L0H1 off", "L1 no mask"]}),
        ("bart", {"text": TEXT, "decoder": "he said"}),
        ("bart", {"text": TEXT, "generate": 3}),
    ],
)
def test_it_holds_what_a_capture_in_memory_holds(small_models, make, given, tokenizer, tmp_path):
    model, given = getattr(small_models, make)(), dict(given)
    text = given.pop("text")
    stored = ch.capture(model, tokenizer, text, store=tmp_path / "store", overview=False, **given)
    assert same(stored, ch.capture(model, tokenizer, text, below=False, **given))
    assert same(ch.load_capture(tmp_path / "store"), stored)
    assert stored.agreement.agrees
    assert len(list((tmp_path / "store").glob("layer-*"))) == len(list(stored.attentions()))


def test_bfloat16_and_one_module_that_is_every_layer(small_models, tokenizer, tmp_path):
    sizes = {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 29}
    config = AlbertConfig(vocab_size=small_models.words(), embedding_size=12, **sizes)
    model = small_models.drawn(AlbertModel(config)).to(torch.bfloat16)
    stored = ch.capture(model, tokenizer, TEXT, store=tmp_path / "store", overview=False)
    assert same(stored, ch.capture(model, tokenizer, TEXT, below=False))
    assert [layer.label for layer in stored.layers] == ["L0", "L1", "L2"]
    assert stored.layer(1).attention.query.dtype == "bfloat16"


def test_the_numbers_of_a_layer_are_let_go_when_the_next_one_has_been_called(
    small_models, tokenizer, tmp_path
):
    model, alive, seen = small_models.llama(num_hidden_layers=5), [], []

    def value_made(module, args, output):
        alive.append(weakref.ref(output.untyped_storage()))

    def block_begins(module, args, kwargs):
        gc.collect()
        seen.append(sum(one() is not None for one in alive))
        files.append(len(list((tmp_path / "store").glob("layer-*.safetensors"))))

    files = []
    for layer in model.model.layers:
        layer.self_attn.v_proj.register_forward_hook(value_made)
        layer.register_forward_pre_hook(block_begins, with_kwargs=True)
    ch.capture(model, tokenizer, TEXT, inputs={"use_cache": False}, store=tmp_path / "store", overview=False)
    assert files == [0, 0, 1, 2, 3]
    assert max(seen) <= 1


def test_killed_in_the_middle_it_goes_on_to_the_same_bytes(small_models, tokenizer, tmp_path):
    whole, folder = tmp_path / "whole", tmp_path / "store"
    here = str(Path(small_models.__file__).parent)
    command = [sys.executable, "-W", "ignore", "-c", CHILD, str(folder), here, TEXT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "there\n"
        child.send_signal(signal.SIGKILL)
        assert child.wait(60) == -signal.SIGKILL
    assert sorted(content(folder)) == ["about.json", "layer-0000.safetensors", "layer-0001.safetensors"]
    times = {path: path.stat().st_mtime_ns for path in folder.glob("layer-*")}
    model = small_models.llama(num_hidden_layers=5)
    resumed = ch.capture(model, tokenizer, TEXT, store=folder, overview=False)
    assert {path: path.stat().st_mtime_ns for path in times} == times  # not written again
    same(resumed, ch.capture(model, tokenizer, TEXT, store=whole, overview=False))
    assert content(folder) == content(whole)


def test_a_layer_file_that_is_damaged_is_computed_again(small_models, tokenizer, tmp_path):
    model, folder = small_models.llama(), tmp_path / "store"
    ch.capture(model, tokenizer, TEXT, store=folder, overview=False)
    before = content(folder)
    path = folder / "layer-0001.safetensors"
    path.write_bytes(before[path.name][:-3])
    with pytest.raises(CaptureError, match="computes it again"):
        ch.load_capture(folder)
    ch.capture(model, tokenizer, TEXT, store=folder, overview=False)
    assert content(folder) == before


def test_another_model_text_or_format_in_the_same_folder_is_refused(small_models, tokenizer, tmp_path):
    folder = tmp_path / "store"
    ch.capture(small_models.llama(), tokenizer, TEXT, store=folder, overview=False)
    before = content(folder)
    other = small_models.llama()
    other.model.layers[1].mlp.up_proj.weight.data[3, 5] += 1
    cases = [
        (small_models.gpt2(), TEXT, {}, r"model \(LlamaForCausalLM there, GPT2LMHeadModel here\), class"),
        (other, TEXT, {}, "not the same: weights;"),
        (small_models.llama(), f"{TEXT}he", {}, "not the same: text, inputs;"),
        (small_models.llama().bfloat16(), TEXT, {}, r"dtype \(float32 there, bfloat16 here\), weights"),
        (small_models.llama(attn_implementation="eager"), TEXT, {}, r"kernel \(sdpa there, eager here\)"),
        (small_models.llama(rms_norm_eps=1e-3), TEXT, {}, "not the same: settings;"),
        (small_models.llama(), TEXT, {"generate": 3}, r"tokens generated \(0 there, 3 here\)"),
        (
            small_models.llama(),
            TEXT,
            {"changes": "L0H0 off"},
            r"changes \(none there, \[\"L0H0 off\"\] here\)",
        ),
    ]
    for model, text, more, said in cases:
        with pytest.raises(CaptureError, match=f"holds another capture, of which .*{said}"):
            ch.capture(model, tokenizer, text, store=folder, overview=False, **more)
    assert content(folder) == before


def test_numbers_that_are_not_those_of_the_store_are_written_again(small_models, tokenizer, tmp_path):
    """A hook on the model is in no digest; the numbers themselves tell."""
    model, folder = small_models.llama(), tmp_path / "store"
    ch.capture(model, tokenizer, TEXT, store=folder, overview=False)
    before = content(folder)
    handle = model.model.layers[0].register_forward_hook(lambda module, args, output: output * 1.5)
    changed = ch.capture(model, tokenizer, TEXT, store=folder, overview=False)
    handle.remove()
    assert content(folder)["layer-0000.safetensors"] == before["layer-0000.safetensors"]
    assert content(folder)["layer-0001.safetensors"] != before["layer-0001.safetensors"]
    assert changed.agreement.agrees


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is always full")
def test_a_disk_that_is_full_in_the_middle(small_models, tokenizer, tmp_path):
    model, folder = small_models.llama(num_hidden_layers=5), tmp_path / "store"
    full = folder / f".layer-0002.safetensors.{os.getpid()}.part"
    handle = model.model.layers[1].register_forward_pre_hook(lambda *_: full.symlink_to("/dev/full"))
    with pytest.raises(
        CaptureError, match=r"store: cannot be written \(the disk is full\); 2 layers are kept there"
    ):
        ch.capture(model, tokenizer, TEXT, store=folder, overview=False)
    handle.remove()
    assert sorted(content(folder)) == ["about.json", "layer-0000.safetensors", "layer-0001.safetensors"]
    ch.capture(model, tokenizer, TEXT, store=folder, overview=False)
    ch.capture(model, tokenizer, TEXT, store=tmp_path / "whole", overview=False)
    assert content(folder) == content(tmp_path / "whole")


def test_a_store_beyond_the_disk_is_foreseen(small_models, tokenizer, tmp_path):
    model = small_models.llama(num_hidden_layers=1)
    model.config.num_hidden_layers = 10**12
    model.config.num_attention_heads = 10**3
    with pytest.raises(
        CaptureError, match=r"this store would need about .* GiB more on the disk, and .* are free"
    ):
        ch.capture(model, tokenizer, TEXT, store=tmp_path / "store", overview=False)
    assert not (tmp_path / "store").exists()


def test_what_cannot_be_asked_for(small_models, tokenizer, tmp_path):
    model = small_models.llama()
    for overview in (-1, 0, 5000, "all", 2.5):
        with pytest.raises(CaptureError, match="overview: expected True, False, or how many bins"):
            ch.capture(model, tokenizer, TEXT, overview=overview)
    with pytest.raises(CaptureError, match="below: a store has no room"):
        ch.capture(model, tokenizer, TEXT, store=tmp_path / "store", below=True)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CaptureError, match=r"holds other things, such as mine\.txt"):
        ch.capture(model, tokenizer, TEXT, store=tmp_path)


def overview_bits(overview):
    return {name: np.asarray(held[...]).tobytes() for name, held in overview.arrays().items()}


@pytest.mark.parametrize(
    ("make", "given"),
    [
        ("llama", {"text": TEXTS}),
        ("gpt2", {"text": TEXT}),
        ("gpt2", {"text": TEXT, "generate": 5}),
        ("bart", {"text": TEXT, "decoder": "he said"}),
    ],
)
def test_the_overviews_are_made_while_the_model_runs(small_models, make, given, tokenizer, tmp_path):
    model, given = getattr(small_models, make)(), dict(given)
    text = given.pop("text")
    stored = ch.capture(model, tokenizer, text, store=tmp_path / "store", overview=7, **given)
    in_memory = ch.capture(model, tokenizer, text, overview=7, **given)
    after = ch.capture(model, tokenizer, text, below=False, **given).overview(7)
    labels = [layer.label for layer in stored.attentions()]
    assert list(stored.overviews) == list(in_memory.overviews) == labels
    for layer in stored.attentions():
        made = overview_bits(after.of(layer))
        assert overview_bits(stored.overviews[layer.label]) == made
        assert overview_bits(in_memory.overviews[layer.label]) == made
        assert stored.overview(7).of(layer) is stored.overviews[layer.label]
    in_memory.save(tmp_path / "one.safetensors")
    again = ch.load_capture(tmp_path / "one.safetensors")
    assert {one: overview_bits(made) for one, made in again.overviews.items()} == {
        one: overview_bits(made) for one, made in stored.overviews.items()
    }
    assert in_memory.layer(0).below.projections or make == "bart"


def test_what_is_broken_off_is_not_looked_at_again(small_models, tokenizer, tmp_path):
    model, folder = small_models.llama(num_hidden_layers=3), tmp_path / "store"
    told = []

    def stops(done, total):
        told.append((done, total))
        if done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ch.capture(model, tokenizer, TEXT, store=folder, progress=stops)
    assert told == [(0, 12), (1, 12), (2, 12), (3, 12), (4, 12), (4, 12), (4, 12), (5, 12), (6, 12)]
    assert sorted(content(folder)) == ["about.json", "layer-0000.safetensors"]
    told.clear()
    ch.capture(model, tokenizer, TEXT, store=folder, progress=lambda done, total: told.append((done, total)))
    assert told[:3] == [(0, 12), (4, 12), (4, 12)]  # the first layer at once
    assert told[-1] == (12, 12)
    ch.capture(model, tokenizer, TEXT, store=tmp_path / "whole")
    assert content(folder) == content(tmp_path / "whole")
    with pytest.raises(CaptureError, match=r"bins of the overview \(256 there, 17 here\)"):
        ch.capture(model, tokenizer, TEXT, store=folder, overview=17)
    with pytest.raises(CaptureError, match=r"bins of the overview \(256 there, 0 here\)"):
        ch.capture(model, tokenizer, TEXT, store=folder, overview=False)


def test_how_far_layers_lie_from_their_kernels_is_kept_with_them(small_models, tokenizer, tmp_path):
    model, text = small_models.gpt2(), TEXT
    found = ch.capture(model, tokenizer, text, store=tmp_path / "store")
    back = ch.load_capture(tmp_path / "store")
    plain = Agreement(agreement_of(layer.attention, layer.label) for layer in back.attentions())
    assert dict(back.compared) == {one.layer: one for one in plain}
    assert back.agreement == plain == found.agreement == ch.capture(model, tokenizer, text).agreement
    assert back.agreement.agrees
