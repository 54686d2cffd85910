"""Long texts and long answers: what a run leaves out, what it is said to need, and that nothing else changes."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from clearhead.sources.models import foreseen, sparing  # noqa: E402
from clearhead.sources.models.capture import capture  # noqa: E402
from clearhead.sources.models.failing import CaptureError  # noqa: E402
from clearhead.sources.models.inputs import Asked, prepared  # noqa: E402
from clearhead.trace.capture.visible import Named  # noqa: E402

PARTS = ("query", "key", "value", "output")


def ids(length):
    return np.random.default_rng(length).integers(3, 200, length).tolist()


def same(one, other):
    """Bit for bit."""
    return all(
        np.array_equal(getattr(mine.attention, part)[...], getattr(theirs.attention, part)[...])
        for mine, theirs in zip(one.attentions(), other.attentions(), strict=True)
        for part in PARTS
    )


@pytest.fixture(scope="module")
def long(small_models):
    return {name: getattr(small_models, name)(**{most: 4_099}) for name, most in (
        ("gpt2", "n_positions"), ("llama", "max_position_embeddings"),
    )}  # fmt: skip


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_of_a_long_text_the_last_logits_alone_are_made(long, name):
    model, text, seen = long[name], ids(2_053), []
    hook = model.register_forward_hook(lambda *call: seen.append(call[-1]))
    spared = capture(model, None, text)
    whole = capture(model, None, text, inputs={"use_cache": True, "logits_to_keep": 0})
    hook.remove()
    assert [one.logits.shape[1] for one in seen] == [1, 2_053]
    assert seen[0].past_key_values is None
    assert any(
        "logits of the last of its 2053 positions alone (logits_to_keep=1)" in note for note in spared.notes
    )
    assert list(spared.notes) == spared.provenance["notes"]
    assert not whole.notes
    assert same(spared, whole)
    words, others = spared.next_words[0], whole.next_words[0]
    assert [one["id"] for one in words] == [one["id"] for one in others]
    # one row of the product in another order: float32
    assert (
        max(abs(one["probability"] - two["probability"]) for one, two in zip(words, others, strict=True))
        < 1e-6
    )
    assert spared.agreement.agrees


def test_a_text_of_2048_tokens_is_run_as_always(long):
    assert not capture(long["llama"], None, ids(2_048)).notes


@pytest.mark.parametrize(("left", "kept"), [(True, 1), (False, 6)])
def test_right_padding_needs_the_logits_of_its_last_tokens(small_models, monkeypatch, left, kept):
    model, tokenizer, seen = small_models.gpt2(), small_models.tokenizer(left=left), []
    texts = ["the man was late he said", "he was"]
    plain = capture(model, tokenizer, texts)
    monkeypatch.setattr(sparing, "LONG", 5)
    model.register_forward_hook(lambda *call: seen.append(call[-1].logits.shape[1]))
    spared = capture(model, tokenizer, texts)
    assert seen == [kept]
    assert same(plain, spared)
    for mine, theirs in zip(spared.next_words, plain.next_words, strict=True):
        assert [one["id"] for one in mine] == [one["id"] for one in theirs]


def test_logits_that_would_take_too_much_are_left_out_of_a_short_text_too(small_models, monkeypatch):
    monkeypatch.setattr(sparing, "MOST_BYTES", 12 * 4 * small_models.words())
    llama = small_models.llama()
    assert not capture(llama, None, ids(12)).notes
    assert "logits_to_keep=1" in capture(llama, None, ids(13)).notes[0]
    asked = {"input_ids": torch.tensor([ids(13)]), "labels": torch.tensor([ids(13)])}
    assert "logits" not in capture(llama, inputs=asked).notes[0]  # a loss needs those of all positions


def test_models_that_cannot_be_told_run_as_always(zoo, small_models, monkeypatch):
    monkeypatch.setattr(sparing, "LONG", 2)
    assert not capture(zoo.build(zoo.ROWS["bert"]), None, [[5, 6, 7]]).notes
    # a pair may read otherwise without a cache
    cap = capture(small_models.bart(), None, ids(7), inputs={"decoder_input_ids": torch.tensor([ids(5)])})
    assert not cap.notes


def need(model, text, generate=0):
    given = prepared(model, Asked(text=text, generate=generate))
    return foreseen.needed(model, sparing.sparing(model, given, generate), generate)


def test_the_logits_that_are_not_made_are_not_foreseen(long, small_models):
    row = 4 * small_models.words()
    assert need(long["llama"], [ids(2_048)]).logits == 2_048 * row
    assert need(long["llama"], [ids(2_053)]).logits == row
    assert need(long["llama"], [ids(31)], generate=5).logits == row
    assert need(long["llama"], [ids(31)]).cache == 0


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_what_a_long_answer_keeps_is_foreseen(long, small_models, name):
    model = small_models.goes_on(getattr(small_models, name)())
    text = [ids(7), ids(7)]
    cap = capture(model, None, text, generate=12)
    held = [sum(getattr(one.attention, part).tensor.nbytes for part in PARTS) for one in cap.attentions()]
    found = need(model, text, generate=12)
    assert found.kept == sum(held)
    assert found.cache == sum(one.attention.key.tensor.nbytes * 2 for one in cap.attentions())
    one_layer = foreseen.needed(model, prepared(model, Asked(text=text)), 12, stored=True)
    assert one_layer.kept == held[0]


def test_the_scores_of_a_long_answer_are_those_of_its_longest_pass(small_models):
    """Eager code makes the square of the prompt once, and then one row for each word."""
    llama = small_models.llama(max_position_embeddings=10_007)
    llama.set_attn_implementation("eager")
    square = (1 + 2 * 4) * 4  # the mask, scores and weights of four heads, in four bytes
    assert need(llama, [ids(31)]).squares == 31 * 31 * square
    assert need(llama, [ids(31)], generate=3_001).squares == 31 * 31 * square
    assert need(llama, [ids(1)], generate=3_001).squares == 3_001 * square


def test_memory_that_a_long_answer_will_not_have_is_said_before(small_models, monkeypatch):
    model = small_models.goes_on(small_models.llama(max_position_embeddings=100_003))
    ran = []
    model.register_forward_pre_hook(lambda *_: ran.append(1))
    monkeypatch.setattr(foreseen, "free_memory", lambda device: 2**20)
    match = r"this capture of 5 tokens and 90000 that follow would need about 0\.\d\d GiB .* and 0\.00 GiB are free on"
    with pytest.raises(CaptureError, match=match):
        capture(model, None, ids(5), generate=90_000)
    assert not ran


@pytest.mark.parametrize("name", ["gpt2", "gptj", "roberta", "opt", "bart", "gpt_neo", "codegen", "ctrl"])
def test_positions_that_are_not_there_are_said_before_the_model_runs(zoo, name):
    """The text, and the words that follow it, whatever the family calls its table."""
    if name not in zoo.ROWS:
        pytest.skip(f"the zoo has no {name}")
    model, ran = zoo.build(zoo.ROWS[name]), []
    model.register_forward_pre_hook(lambda *_: ran.append(1))
    model.config.eos_token_id = None
    asked = [{"text": [[5] * 97]}] + ([{"text": [[5] * 3], "generate": 97}] if model.can_generate() else [])
    for one in asked:
        with pytest.raises(CaptureError, match=r"\d+ tokens are longer than this model's \d+ positions"):
            capture(model, **one)
    assert not ran


def test_a_long_answer_of_a_window_has_the_mask_of_one_pass(small_models):
    """Mistral's cache holds the last keys only."""
    from transformers import MistralConfig, MistralForCausalLM

    sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
             "intermediate_size": 29, "max_position_embeddings": 211, "sliding_window": 11}  # fmt: skip
    model = small_models.goes_on(
        small_models.drawn(MistralForCausalLM(MistralConfig(vocab_size=small_models.words(), **sizes)))
    )
    cap = capture(model, None, ids(17), generate=80)
    for layer in cap.attentions():
        assert layer.attention.visible.pattern(0, 0) == Named("causal & window(11)", 96, 96)
    assert cap.agreement.agrees


def test_after_an_answer_too_long_for_them_no_inputs_are_kept(small_models, monkeypatch):
    from clearhead.sources.models import below, below_found, recorder

    monkeypatch.setattr(below, "MOST_POSITIONS", 13)
    for module in (recorder, below_found):
        monkeypatch.setattr(module, "FOLLOWED", 5)
    model = small_models.goes_on(small_models.llama())
    cap = capture(model, None, ids(7), generate=23)
    for layer in cap.attentions():
        assert set(layer.below.why.values()) == {
            "The layer's input was not kept: it is kept for short texts, or if that is asked for."
        }
        assert layer.below.W_O is not None  # that of the first passes is that of all
    assert set(capture(model, None, ids(7), generate=23, below=True).layers[1].below.projections) == {
        "Q",
        "K",
        "V",
    }
