"""Small models of transformers that go on with words, and a tokenizer whose tokens are written out, not trained."""

from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

WORDS = ("the", "Ġman", "Ġwas", "Ġlate", "Ġhe", "Ġsaid", "he")
MARKS = ("<s>", "</s>", "<pad>")
POSITIONS = 61


def tokenizer(*, left: bool = False, ends: bool = False) -> Any:
    """Byte-level as GPT-2's, with some words whole.

    Args:
        left: pad on the left.
        ends: put the end mark after every text, as T5's and BART's do.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    entries, merges = [*MARKS, *alphabet], []
    for word in WORDS:
        for end in range(2, len(word) + 1):
            pair = (word[: end - 1], word[end - 1])
            if word[:end] not in entries:
                entries.append(word[:end])
                merges.append(pair)
    core = Tokenizer(models.BPE({entry: at for at, entry in enumerate(entries)}, merges))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    if ends:
        core.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=core, bos_token="<s>", eos_token="</s>", pad_token="<pad>",
        padding_side="left" if left else "right",
    )  # fmt: skip


def words() -> int:
    return len(tokenizer())


def drawn(model: Any) -> Any:
    """New weights, wide enough that no row of attention is near uniform, always the same."""
    randoms = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 1.2 * parameter.shape[-1] ** -0.5, generator=randoms)
    return model.eval()


def gpt2(**changes: Any) -> Any:
    """Two layers of three heads; it has learned each of its positions."""
    sizes = {"n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": POSITIONS}
    return drawn(
        GPT2LMHeadModel(GPT2Config(vocab_size=words(), bos_token_id=0, eos_token_id=1, **sizes | changes))
    )


def llama(**changes: Any) -> Any:
    """Two layers of four query heads on two key/value heads; its positions are turned into the queries and keys."""
    sizes = {
        "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "intermediate_size": 29, "max_position_embeddings": POSITIONS,
    }  # fmt: skip
    return drawn(
        LlamaForCausalLM(LlamaConfig(vocab_size=words(), bos_token_id=0, eos_token_id=1, **sizes | changes))
    )


def bart(**changes: Any) -> Any:
    """An encoder of three layers and a decoder of two."""
    sizes = {
        "d_model": 24, "encoder_layers": 3, "decoder_layers": 2, "encoder_attention_heads": 3,
        "decoder_attention_heads": 3, "encoder_ffn_dim": 29, "decoder_ffn_dim": 29,
        "max_position_embeddings": POSITIONS,
    }  # fmt: skip
    marks = {
        "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2, "decoder_start_token_id": 1,
        "forced_eos_token_id": None,
    }  # fmt: skip
    return drawn(BartForConditionalGeneration(BartConfig(vocab_size=words(), **marks, **sizes | changes)))


def goes_on(model: Any) -> Any:
    """The model so that it never says its end mark, whatever it was drawn with."""
    model.generation_config.eos_token_id = None
    model.generation_config.pad_token_id = 2
    return model
