"""Models come from folders, safetensors and GGUF files; whatever cannot be loaded is refused in one sentence."""

import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers")

import torch
import transformers

from clearhead.sources.models import gguf as files_of_gguf
from clearhead.sources.models.loading import LoadingError, load_model
from clearhead.sources.models.local import quiet

GPT2 = {"vocab_size": 307, "n_positions": 97, "n_embd": 22, "n_layer": 2, "n_head": 2}
BERT = {
    "vocab_size": 41, "hidden_size": 22, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 13,
}  # fmt: skip
T5 = {"vocab_size": 41, "d_model": 22, "d_kv": 11, "d_ff": 13, "num_layers": 1, "num_heads": 2}
VIT = {
    "hidden_size": 22, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 13, "image_size": 14,
    "patch_size": 7,
}  # fmt: skip


def saved(folder: Path, model: str = "GPT2LMHeadModel", tokenizer: Any = None) -> Any:
    """A tiny random model in a folder."""
    config, sizes = {
        "GPT2LMHeadModel": ("GPT2Config", GPT2), "GPT2Model": ("GPT2Config", GPT2),
        "BertForMaskedLM": ("BertConfig", BERT), "BertModel": ("BertConfig", BERT),
        "T5ForConditionalGeneration": ("T5Config", T5), "ViTModel": ("ViTConfig", VIT),
    }[model]  # fmt: skip
    torch.manual_seed(7)
    made = getattr(transformers, model)(getattr(transformers, config)(**sizes)).eval()
    with quiet():
        made.save_pretrained(folder)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    return made


def change_config(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def refused(name: Any, sentence: str, **how: Any) -> str:
    """The message is one sentence that names what was asked for."""
    with pytest.raises(LoadingError, match=sentence) as caught:
        load_model(name, **how)
    message = str(caught.value)
    assert message.startswith(f"{name}: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("GPT2LMHeadModel", "causal"),
        ("GPT2Model", "base"),
        ("BertForMaskedLM", "masked"),
        ("BertModel", "base"),
        ("T5ForConditionalGeneration", "encoder-decoder"),
        ("ViTModel", "vision"),
    ],
)
def test_a_folder_gives_the_class_it_was_saved_from(tmp_path: Path, model: str, kind: str) -> None:
    made = saved(tmp_path, model)
    loaded = load_model(tmp_path)
    assert (type(loaded.model), loaded.kind, loaded.tokenizer) == (type(made), kind, None)
    assert not loaded.model.training
    first, second = made.state_dict(), loaded.model.state_dict()
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_folder_with_a_tokenizer(tmp_path: Path, trained: Callable[[str], Any]) -> None:
    saved(tmp_path, tokenizer=trained("byte-level"))
    loaded = load_model(str(tmp_path))
    assert loaded.tokenizer("the man")["input_ids"] == trained("byte-level")("the man")["input_ids"]


@pytest.mark.parametrize("dtype", ["bfloat16", torch.float64])
def test_the_dtype_is_the_stored_one_or_the_asked_one(tmp_path: Path, dtype: Any) -> None:
    saved(tmp_path)
    assert load_model(tmp_path).model.dtype == torch.float32
    asked = getattr(torch, dtype) if isinstance(dtype, str) else dtype
    assert load_model(tmp_path, dtype=dtype).model.dtype == asked


def test_a_single_file_beside_its_config(tmp_path: Path) -> None:
    made = saved(tmp_path)
    file = (tmp_path / "model.safetensors").rename(tmp_path / "other.safetensors")
    loaded = load_model(file)
    assert torch.equal(loaded.model.transformer.wte.weight, made.transformer.wte.weight)
    assert torch.equal(loaded.model.lm_head.weight, made.transformer.wte.weight)  # tied
    (tmp_path / "config.json").unlink()
    refused(file, "there is no config.json in ")


def test_what_a_folder_holds_instead_is_named(tmp_path: Path) -> None:
    saved(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    refused(tmp_path, "it has no model.safetensors; expected one")
    (tmp_path / "weights.gguf").touch()
    refused(tmp_path, "but weights.gguf; expected the path of that file")
    (tmp_path / "pytorch_model.bin").touch()
    refused(tmp_path, "but pytorch_model.bin, a pickle, which may run code and is not read")
    (tmp_path / "adapter_model.safetensors").touch()
    refused(tmp_path, "but an adapter")
    (tmp_path / "config.json").unlink()
    refused(tmp_path, "there is no config.json")


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    file = tmp_path / "pytorch_model.bin"
    file.touch()
    refused(file, "a .bin file is a pickle, which may run code; expected safetensors or GGUF")


@pytest.mark.parametrize("content", ["[1]", "{", ""])
def test_a_damaged_config(tmp_path: Path, content: str) -> None:
    saved(tmp_path)
    (tmp_path / "config.json").write_text(content)
    refused(tmp_path, "its config.json is damaged; expected a JSON table")


def test_a_type_that_transformers_does_not_know(tmp_path: Path) -> None:
    saved(tmp_path)
    change_config(tmp_path, model_type="from-tomorrow")
    refused(tmp_path, f"transformers {transformers.__version__} has no model of type 'from-tomorrow'")


def test_code_that_a_model_brings_runs_only_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    saved(tmp_path)
    ran = tmp_path / "ran"
    (tmp_path / "mine.py").write_text(
        "from pathlib import Path\n"
        "from transformers import GPT2Config, GPT2LMHeadModel\n"
        f"Path({str(ran)!r}).touch()\n"
        "class MineConfig(GPT2Config):\n    model_type = 'mine'\n"
        "class Mine(GPT2LMHeadModel):\n    config_class = MineConfig\n"
    )
    own = {"AutoConfig": "mine.MineConfig", "AutoModelForCausalLM": "mine.Mine"}
    change_config(tmp_path, model_type="mine", auto_map=own, architectures=["Mine"])
    refused(tmp_path, "it brings Python code of its own, which would be run; expected remote_code=True")
    assert not ran.exists()
    assert type(load_model(tmp_path, remote_code=True).model).__name__ == "Mine"
    assert ran.exists()


@pytest.mark.parametrize("keep", [3, 97, 5_003])
def test_weights_that_are_cut_short(tmp_path: Path, keep: int) -> None:
    saved(tmp_path)
    file = tmp_path / "model.safetensors"
    file.write_bytes(file.read_bytes()[:keep])
    refused(tmp_path, "transformers cannot load it")
    moved = file.rename(tmp_path / "other.safetensors")
    refused(moved, "it is no safetensors file, or is cut short")


def test_a_layer_that_is_not_in_the_file(tmp_path: Path) -> None:
    saved(tmp_path)
    change_config(tmp_path, n_layer=3)
    refused(tmp_path, "12 of its parameters are not in the file, such as transformer.h.2.")


def test_weights_of_another_size(tmp_path: Path) -> None:
    saved(tmp_path)
    change_config(tmp_path, n_embd=26)
    refused(tmp_path, "transformers cannot load it")


def test_what_is_made_up_outside_the_layers_is_said(tmp_path: Path) -> None:
    saved(tmp_path, "BertForMaskedLM")
    change_config(tmp_path, architectures=["BertModel"])
    with pytest.warns(RuntimeWarning, match="pooler.dense.bias, pooler.dense.weight are not in the file"):
        load_model(tmp_path)


def test_one_file_of_several(tmp_path: Path) -> None:
    saved(tmp_path)
    file = (tmp_path / "model.safetensors").rename(tmp_path / "model-00001-of-00002.safetensors")
    refused(file, "it is one of 2 files; expected the folder")


def test_names_that_are_nothing(tmp_path: Path) -> None:
    refused(tmp_path / "no" / "such.gguf", "there is no such file")
    refused("clearhead-tests/no-such-model", "the hub cannot be reached; expected the path of a local folder")
    refused("a/b/c", "there is no such folder or file, and it cannot be a name on the hub")
    other = tmp_path / "model.txt"
    other.touch()
    refused(other, "expected a folder, a .safetensors file or a .gguf file")


@pytest.mark.parametrize("dtype", ["float33", "int8", 3, "nn"])
def test_a_dtype_that_is_none(tmp_path: Path, dtype: Any) -> None:
    with pytest.raises(LoadingError, match="dtype: expected float32, float64, bfloat16 or float16, got"):
        load_model(tmp_path, dtype=dtype)


def test_a_device_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(LoadingError, match="device: 'moon' is none"):
        load_model(tmp_path, device="moon")


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a CUDA device")
def test_a_device_that_is_not_there(tmp_path: Path) -> None:
    saved(tmp_path)
    refused(tmp_path, "cannot be put on device cuda", device="cuda")


def test_a_processor_comes_along(tmp_path: Path) -> None:
    saved(tmp_path, "ViTModel")
    pixels = {"image_processor_type": "ViTImageProcessor", "size": {"height": 14, "width": 14}}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(pixels))
    loaded = load_model(tmp_path)
    assert loaded.processor is not None or "its processor cannot be read" in loaded.notes[0]


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_without_the_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        ImportError,
        match=rf'needs {package}, and it is not installed; expected `.*pip install .*\[models\]"` before',
    ):
        load_model(tmp_path)


def test_importing_loads_neither_torch_nor_transformers() -> None:
    names = "loading", "tokens", "gguf"
    code = "; ".join(f"import clearhead.sources.models.{name}" for name in names)
    code += "; import sys; sys.exit(bool({'torch', 'transformers'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLEARHEAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "gguf"


def test_a_gguf_file_is_converted_once(tiny_gguf: Path, cache: Path, trained: Callable[[str], Any]) -> None:
    said: list[str] = []
    first = load_model(tiny_gguf, progress=said.append)
    assert any("unpacking F32, Q8_0 to float32, once" in line for line in said)
    assert [path.name.startswith(".") for path in cache.iterdir()] == [False]
    said.clear()
    again = load_model(shutil.copy(tiny_gguf, tiny_gguf.with_name("copy.gguf")), progress=said.append)
    assert not any("once" in line for line in said)
    embedding = np.load(tiny_gguf.with_name("embedding.npy"))
    for loaded in (first, again):
        assert loaded.kind == "causal"
        assert not loaded.model.training
        assert not hasattr(loaded.model.config, "quantization_config")
        assert loaded.notes[0].endswith("were unpacked to float32")
        assert "Q8_0" in loaded.notes[0]
        assert np.array_equal(loaded.model.get_input_embeddings().weight.detach().numpy(), embedding)
        assert loaded.tokenizer("the €")["input_ids"] == first.tokenizer("the €")["input_ids"]
    ids = torch.tensor([[2, 3, 5, 7, 11]])
    assert torch.equal(first.model(ids).logits, again.model(ids).logits)


def test_a_gguf_file_in_another_dtype(tiny_gguf: Path, cache: Path) -> None:
    loaded = load_model(tiny_gguf, dtype="bfloat16")
    assert loaded.model.dtype == torch.bfloat16
    assert loaded.notes[0].endswith("were unpacked to bfloat16")


def test_a_damaged_cache_is_made_again(tiny_gguf: Path, cache: Path) -> None:
    load_model(tiny_gguf)
    weights = next(cache.glob("*/model.safetensors"))
    weights.write_bytes(weights.read_bytes()[:97])
    said: list[str] = []
    loaded = load_model(tiny_gguf, progress=said.append)
    assert any("is damaged, and is made again" in line for line in said)
    assert len(loaded.notes) == 1


def test_a_cache_that_cannot_be_written(tiny_gguf: Path, cache: Path) -> None:
    cache.parent.touch()  # a file where the folder should be
    loaded = load_model(tiny_gguf)
    assert "it could not be kept" in loaded.notes[1]
    embedding = np.load(tiny_gguf.with_name("embedding.npy"))
    assert np.array_equal(loaded.model.get_input_embeddings().weight.detach().numpy(), embedding)


def test_an_interruption_leaves_nothing_behind(
    tiny_gguf: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Any, folder: Path, **_: Any) -> None:
        (folder / "model.safetensors").write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(transformers.PreTrainedModel, "save_pretrained", interrupted)
        with pytest.raises(KeyboardInterrupt):
            load_model(tiny_gguf)
    assert list(cache.iterdir()) == []
    left = cache / ".older.part"  # as a killed process leaves it
    left.mkdir()
    os.utime(left, (0, 0))
    assert len(load_model(tiny_gguf).notes) == 1
    assert not left.exists()


def test_the_faster_of_two_writers_wins(tmp_path: Path) -> None:
    def write(folder: Path) -> None:
        (folder / "mine").touch()
        (tmp_path / "place").mkdir()
        (tmp_path / "place" / "theirs").touch()

    files_of_gguf.write_folder(tmp_path / "place", write)
    assert [path.name for path in tmp_path.rglob("*")] == ["place", "theirs"]


def test_files_that_are_no_gguf(tmp_path: Path, tiny_gguf: Path, cache: Path) -> None:
    file = tmp_path / "other.gguf"
    whole = tiny_gguf.read_bytes()
    for content in (b"", b"GG", b"safetensors"):
        file.write_bytes(content)
        refused(file, "is no GGUF file; expected one that begins with the letters GGUF")
    for size in (4, 8, 11, 24, 47, 997):
        file.write_bytes(whole[:size])
        refused(file, "is cut short or damaged: its head cannot be read")
    file.write_bytes(whole[:-1])
    refused(file, rf"is cut short: it has {len(whole) - 1:,} bytes; expected {len(whole):,}")
    file.write_bytes(whole[:4] + struct.pack("<I", 9) + whole[8:])
    refused(file, "is a GGUF file of version 9; expected version 2 or 3")
    file.write_bytes(
        whole.replace(b"\x05\x00\x00\x00\x00\x00\x00\x00llama", b"\x05\x00\x00\x00\x00\x00\x00\x00nomod")
    )
    refused(file, "transformers cannot read this GGUF file")
    assert not cache.exists()


def test_the_sizes_of_blocks_are_the_formats() -> None:
    gguf = pytest.importorskip("gguf")
    theirs = {int(kind): (kind.name, *sizes) for kind, sizes in gguf.GGML_QUANT_SIZES.items()}
    assert all(theirs[kind] == ours for kind, ours in files_of_gguf.TENSOR_TYPES.items())


@pytest.mark.parametrize("package", ["gguf", "accelerate"])
def test_gguf_without_the_packages(
    tiny_gguf: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    from clearhead.sources.models import converted

    monkeypatch.setattr(converted, "find_spec", lambda name: None if name == package else object())
    with pytest.raises(ImportError, match=f"loading a GGUF file needs {package}"):
        load_model(tiny_gguf)


def test_smollm2_speaks(smollm2: Any) -> None:
    ids = torch.tensor([smollm2.tokenizer("The capital of France is")["input_ids"]])
    with torch.no_grad():
        logits = smollm2.model(ids).logits
    assert smollm2.tokenizer.decode(logits[0, -1].argmax()) == " Paris"
    assert (smollm2.kind, smollm2.model.dtype) == ("causal", torch.float32)


def test_minilm_finds_what_is_alike(minilm: Any) -> None:
    def vector(text: str) -> Any:
        with torch.no_grad():
            ids = torch.tensor([minilm.tokenizer(text)["input_ids"]])
            return minilm.model(ids).last_hidden_state.mean(1)[0]

    cat, kitten, tax = (vector(f"This is about {what}.") for what in ("a cat", "a kitten", "a tax form"))
    assert torch.cosine_similarity(cat, kitten, dim=0) > torch.cosine_similarity(cat, tax, dim=0)
    assert minilm.kind == "base"
