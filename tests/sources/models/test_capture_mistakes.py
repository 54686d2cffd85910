"""What cannot be captured is said in one sentence, before or while it runs."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from clearhead.sources.models import foreseen  # noqa: E402
from clearhead.sources.models.capture import capture  # noqa: E402


@pytest.fixture(scope="module")
def tokenizer(small_models):
    return small_models.tokenizer()


@pytest.fixture(scope="module")
def gpt2(small_models):
    return small_models.goes_on(small_models.gpt2())


def refused(match, *given, **named):
    with pytest.raises(ValueError, match=match) as caught:
        capture(*given, **named)
    assert "\n" not in str(caught.value)


def test_a_model_that_is_none(tokenizer):
    refused("model: expected a torch.nn.Module or what load_model", "gpt2", tokenizer, "a text")


@pytest.mark.parametrize("name", ["mamba", "resnet", "fnet", "rwkv"])
def test_a_model_without_attention(zoo, name):
    tiny = zoo.ROWS[name]
    model = zoo.build(tiny)
    refused("no attention was seen in it", model, inputs=tiny.inputs())
    assert not model._forward_pre_hooks


def test_texts_and_tokenizers(gpt2, tokenizer):
    refused("tokenizer: None cannot read a text", gpt2, None, "the man")
    refused("tokenizer: expected one of transformers', got a text", gpt2, "the man")
    refused("text: nothing was given", gpt2, tokenizer)
    for empty in ("", " \n", ["the man", ""]):
        refused("text: is empty; expected something to read", gpt2, tokenizer, empty)
    refused("text: got an empty list", gpt2, tokenizer, [])
    refused(
        "there are input_ids in inputs= already",
        gpt2,
        tokenizer,
        "he",
        inputs={"input_ids": torch.tensor([[3]])},
    )
    refused("inputs: expected the arguments of the model's forward by name, got list", gpt2, inputs=[3])


@pytest.mark.parametrize(
    ("ids", "match"),
    [
        ([], "empty list"),
        ([3.0, 5.0], "expected whole numbers as ids, got float64"),
        (np.array([True]), "expected whole numbers as ids, got bool"),
        ([[3, 5], [7]], "sequences of 1 and 2 tokens"),
        (np.zeros((1, 2, 3), int), r"shape of \(1, 2, 3\)"),
        (object(), "got object"),
        ([3, 1_000], "1000 at position 1 is no token of this model; expected 0 to"),
        ([[3, 5], [7, -1]], "-1 at position 1 of sequence 1"),
    ],
)
def test_ids_that_are_none(gpt2, ids, match):
    refused(match, gpt2, None, ids)


def test_one_token_is_enough(gpt2, tokenizer):
    cap = capture(gpt2, tokenizer, "h")
    assert cap.weights(0).tolist() == [[[1.0]]] * 3


def test_a_list_of_tokens_of_the_wrong_length_names_both(gpt2):
    refused("2 strings for 3 positions", gpt2, None, [3, 5, 7], tokens=["a", "b"])
    refused("2 lists for 1 sequences", gpt2, None, [3], tokens=[["a"], ["b"]])
    refused("tokens: expected a list of strings", gpt2, None, [3, 5], tokens=[1, 2])


def test_longer_than_the_learned_positions(gpt2, small_models):
    most = small_models.POSITIONS
    assert len(capture(gpt2, None, [3] * most).tokens) == most
    refused(f"62 tokens are longer than this model's {most} positions", gpt2, None, [3] * 62)
    refused("which stand in a table", gpt2, None, [3] * 60, generate=3)
    assert len(capture(gpt2, None, [3] * 60, generate=2).tokens) == most  # the last word is not read


def test_longer_than_turned_positions_is_said(small_models):
    cap = capture(small_models.llama(), None, [3] * 67)
    assert cap.notes == ("67 tokens are more than the 61 positions that this model was made for",)


@pytest.mark.parametrize("name", ["roberta", "opt", "bart", "gptj"])
def test_the_learned_positions_of_other_families(zoo, name):
    """RoBERTa's table has two rows that are no positions; OPT's has two more than it says; GPT-J's is no table."""
    tiny = zoo.ROWS[name]
    model = zoo.build(tiny)
    most = next(length for length in range(60, 70) if runs(model, length) and not runs(model, length + 1))
    assert capture(model, None, [[5] * most]) is not None
    refused(f"longer than this model's {most} positions", model, None, [[5] * (most + 1)])


def runs(model, length):
    try:
        with torch.no_grad():
            model(input_ids=torch.full((1, length), 5))
    except (IndexError, RuntimeError):
        return False
    return True


@pytest.mark.parametrize("generate", [-1, 2.5, True, "3"])
def test_a_number_of_words_that_is_none(gpt2, generate):
    refused("generate: expected a whole number", gpt2, None, [3], generate=generate)


def test_a_model_that_says_no_words(zoo):
    refused("BertModel does not go on with words", _bert(zoo), None, [5, 6], generate=2)


def _bert(zoo):
    return zoo.build(zoo.ROWS["bert"]).bert


def test_a_decoder_that_is_not_there(gpt2, tokenizer):
    refused("GPT2LMHeadModel has no decoder", gpt2, tokenizer, "he", decoder="she")


def test_a_model_on_no_device(gpt2):
    refused("wte.weight is on the device 'meta'", copy.deepcopy(gpt2).to("meta"), None, [3])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch.compile imports parts of torch.jit
def test_compiled_models_are_refused_by_name(gpt2):
    refused("OptimizedModule is compiled by torch.compile", torch.compile(gpt2), None, [3])
    part = copy.deepcopy(gpt2)
    part.transformer.h[1] = torch.compile(part.transformer.h[1])
    refused(r"GPT2LMHeadModel\.transformer\.h\.1 is compiled", part, None, [3])
    own = copy.deepcopy(gpt2)
    own.compile()
    refused(r"was compiled by its compile\(\)", own, None, [3])


def test_training_mode_is_said_and_nothing_is_claimed(small_models):
    cap = capture(small_models.gpt2().train(), None, [3, 5, 7])
    assert "training mode" in cap.notes[0]
    assert "training mode" in str(cap)
    assert all("dropout of 0.1 was on" in layer.note for layer in cap.agreement)
    assert not cap.agreement.agrees


def test_memory_that_will_not_do_is_foreseen(gpt2, small_models, monkeypatch):
    given = {"input_ids": torch.full((2, 31), 3)}
    monkeypatch.setattr(foreseen, "free_memory", lambda device: 0)
    refused(r"would need about 0\.00 GiB .* and 0\.00 GiB are free on cpu", gpt2, inputs=given)
    assert capture(gpt2, inputs=given, force=True).agreement.agrees
    monkeypatch.setattr(foreseen, "free_memory", lambda device: 2**40)
    assert capture(gpt2, inputs=given).agreement.agrees


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_what_is_foreseen_is_what_is_kept(small_models, name):
    model = getattr(small_models, name)()
    cap = capture(model, None, [[3] * 31] * 2)
    held = sum(
        int(np.prod(part.shape)) * 4
        for layer in cap.attentions()
        for part in (
            layer.attention.query,
            layer.attention.key,
            layer.attention.value,
            layer.attention.output,
        )
    )
    from clearhead.sources.models.inputs import Asked, prepared

    need = foreseen.needed(model, prepared(model, Asked(text=[[3] * 31] * 2)), 0)
    assert need.kept == held
    assert need.logits == 2 * 31 * small_models.words() * 4


def test_free_memory_is_known_here_or_not_at_all():
    free = foreseen.free_memory(torch.device("cpu"))
    assert free is None or free > 0
    assert foreseen.free_memory(torch.device("meta")) is None
