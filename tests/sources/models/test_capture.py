"""What may be given to a model, and which tokens its layers then have."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from clearhead.sources.models.capture import capture  # noqa: E402
from clearhead.sources.models.loading import Loaded  # noqa: E402

# Older versions of transformers warn of their own code and of what torch will take away.
pytestmark = [pytest.mark.filterwarnings(rf"ignore:::{library}\..*") for library in ("torch", "transformers")]

TEXT = "the man said he was late"
TOKENS = ["the", " man", " said", " he", " was", " late"]


@pytest.fixture(scope="module")
def tokenizer(small_models):
    return small_models.tokenizer()


@pytest.fixture(scope="module")
def gpt2(small_models):
    return small_models.goes_on(small_models.gpt2())


@pytest.fixture(scope="module")
def bart(small_models):
    return small_models.goes_on(small_models.bart())


def shown(row):
    return [token.text for token in row]


def test_a_text_with_the_places_of_its_tokens(gpt2, tokenizer):
    cap = capture(gpt2, tokenizer, TEXT)
    assert shown(cap.tokens) == TOKENS
    assert [TEXT[token.start : token.end] for token in cap.tokens] == TOKENS
    assert cap.agreement.agrees
    assert cap.provenance["text"] == TEXT


@pytest.mark.parametrize(
    "ids",
    [
        [3, 5, 7],
        (3, 5, 7),
        [[3, 5, 7]],
        np.array([3, 5, 7]),
        np.array([[3, 5, 7]], np.int32),
        torch.tensor([3, 5, 7]),
        torch.tensor([[3, 5, 7]], dtype=torch.int32),
    ],
    ids=lambda ids: type(ids).__name__,
)
def test_ids_from_whatever_holds_them(gpt2, ids):
    cap = capture(gpt2, None, ids)
    assert [token.id for token in cap.tokens] == [3, 5, 7]
    assert shown(cap.tokens) == ["#3", "#5", "#7"]


def test_inputs_by_name_and_a_persons_own_tokens(gpt2):
    cap = capture(gpt2, inputs={"input_ids": torch.tensor([[3, 5]])}, tokens=["a", "b"])
    assert shown(cap.tokens) == ["a", "b"]
    embedded = capture(gpt2, inputs={"inputs_embeds": torch.zeros(1, 2, 24)}, tokens=["a", "b"])
    assert shown(embedded.tokens) == ["a", "b"]
    batch = capture(gpt2, None, [[3, 5], [7, 9]], tokens=[["a", "b"], ["c", "d"]])
    assert [shown(row) for row in batch.texts["text"]] == [["a", "b"], ["c", "d"]]


def test_next_words_are_the_models(gpt2, tokenizer):
    cap = capture(gpt2, tokenizer, TEXT)
    with torch.no_grad():
        logits = gpt2(**{name: one for name, one in tokenizer(TEXT, return_tensors="pt").items()
                         if name != "token_type_ids"}).logits[0, -1]  # fmt: skip
    first = cap.next_words[0][0]
    assert first["id"] == int(logits.argmax())
    # rounding of one softmax in float64
    assert first["probability"] == pytest.approx(float(logits.double().softmax(-1).max()), abs=1e-12)


def test_what_load_model_gives_can_be_captured_as_it_is(gpt2, tokenizer):
    loaded = Loaded(gpt2, tokenizer, None, "a name", "causal", ("a note",))
    cap = capture(loaded, TEXT)
    assert shown(cap.tokens) == TOKENS
    assert cap.provenance["model"] == "a name"
    assert "a name" in repr(cap)
    assert cap.notes == ("a note",)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("gpt2", "gpt2"),
        ("org/name", "org/name"),
        ("", "GPT2LMHeadModel"),
        ("/cache/hub/models--org--name/snapshots/0123abcd", "org/name"),
        ("/home/person/models/mine", "mine"),
    ],
)
def test_a_model_is_called_by_its_name_not_by_a_path(small_models, path, name):
    model = small_models.gpt2(n_layer=1)
    model.config._name_or_path = path
    assert capture(model, None, [3]).provenance["model"] == name


def test_a_model_goes_on_with_words(gpt2, tokenizer):
    cap = capture(gpt2, tokenizer, TEXT, generate=5)
    assert cap.prompt == 6
    assert shown(cap.tokens)[:6] == TOKENS
    assert len(cap.tokens) == 6 + 5 - 1  # the last word is said, and not read
    assert cap.agreement.agrees
    above = np.triu(np.ones((10, 10), bool), 1)
    for layer in range(2):
        assert (cap.weights(layer)[:, above] == 0).all()
    # one pass over the same tokens, without a cache, has the same weights; both round in float32
    again = capture(gpt2, None, [token.id for token in cap.tokens])
    assert np.abs(again.weights(1) - cap.weights(1)).max() < 1e-5
    assert again.next_words[0][0]["id"] == cap.next_words[0][0]["id"]


@pytest.mark.parametrize("left", [True, False])
def test_a_batch_that_goes_on_equals_its_sentences_alone(gpt2, small_models, left):
    """Whatever side the tokenizer pads on, words follow the last token of each text."""
    tokenizer = small_models.tokenizer(left=left)
    both = capture(gpt2, tokenizer, [TEXT, "he was"], generate=3)
    alone = capture(gpt2, tokenizer, "he was", generate=3)
    assert [token.padding for token in both.texts["text"][1]] == [True] * 4 + [False] * 4
    assert shown(both.texts["text"][1][4:]) == shown(alone.tokens)
    assert (
        np.abs(both.weights(1, batch=1)[:, 4:, 4:] - alone.weights(1)).max() < 1e-5
    )  # both round in float32
    assert (both.weights(1, batch=1)[:, 4:, :4] == 0).all()


def test_what_follows_an_end_mark_in_a_batch_is_padding(small_models, tokenizer):
    model = small_models.goes_on(small_models.gpt2())
    texts = [TEXT, "the man was late he said"]
    free = capture(model, tokenizer, texts, generate=4)
    spoken = [[token.id for token in row[6:]] for row in free.texts["text"]]
    ending = next((one for one in spoken[0] if one not in spoken[1]), None)
    assert ending is not None  # otherwise the drawn weights do not serve this test
    model.generation_config.eos_token_id = ending
    row = capture(model, tokenizer, texts, generate=4).texts["text"][0]
    ended = 6 + spoken[0].index(ending)
    assert [token.padding for token in row] == [at > ended for at in range(len(row))]


def test_an_encoder_decoder_reads_and_says(bart, small_models):
    cap = capture(bart, small_models.tokenizer(ends=True), TEXT, decoder="he said")
    assert shown(cap.texts["encoder"][0]) == [*TOKENS, "</s>"]
    assert shown(cap.texts["decoder"][0]) == ["</s>", "he", " said"]
    assert [token.start for token in cap.texts["decoder"][0]] == [None, 0, 2]
    assert cap.towers == ("encoder", "decoder", "cross")
    assert len([layer for layer in cap.layers if layer.tower == "encoder"]) == 3
    assert len([layer for layer in cap.layers if layer.tower == "cross"]) == 2
    assert cap.weights(1, tower="cross").shape == (3, 3, 7)
    assert cap.agreement.agrees


def test_a_decoder_that_reads_as_many_tokens_as_its_encoder_still_crosses(bart, tokenizer):
    cap = capture(bart, tokenizer, "he said", decoder="he was")
    same = capture(bart, tokenizer, "he said he", decoder="he was")
    for one, keys in ((cap, 2), (same, 3)):
        cross = one.layer(0, "cross")
        assert (cross.rows, cross.columns) == ("decoder", "encoder")
        assert one.weights(0, tower="cross").shape[1:] == (3, keys)


def test_without_a_text_for_the_decoder_it_has_its_start_mark(bart, tokenizer):
    cap = capture(bart, tokenizer, TEXT)
    assert shown(cap.texts["decoder"][0]) == ["</s>"]
    assert "start mark" in cap.notes[0]


def test_an_encoder_decoder_goes_on(bart, tokenizer):
    cap = capture(bart, tokenizer, TEXT, generate=4)
    assert cap.prompt == 1
    assert len(cap.texts["decoder"][0]) == 4
    assert cap.weights(0, tower="cross").shape == (3, 4, 6)
    assert cap.agreement.agrees
    begun = capture(bart, tokenizer, TEXT, decoder="he said", generate=4)
    assert begun.prompt == 3
    assert len(begun.texts["decoder"][0]) == 6


def test_decoder_texts_of_different_lengths(bart, tokenizer):
    both = capture(bart, tokenizer, [TEXT, "he"], decoder=["he said", "the man was late"])
    alone = capture(bart, tokenizer, TEXT, decoder="he said")
    assert [token.padding for token in both.texts["decoder"][0]] == [False] * 3 + [True] * 2
    for tower, size in (("decoder", 3), ("cross", 6)):
        ours = both.weights(1, tower=tower)[:, :3, :size]
        assert np.abs(ours - alone.weights(1, tower=tower)).max() < 1e-5  # both round in float32


@pytest.mark.parametrize("left", [True, False])
def test_a_padded_sentence_has_the_numbers_of_its_own_run(gpt2, small_models, left):
    tokenizer = small_models.tokenizer(left=left)
    both, alone = capture(gpt2, tokenizer, [TEXT, "he was"]), capture(gpt2, tokenizer, "he was")
    own = slice(4, 6) if left else slice(0, 2)
    assert [token.padding for token in both.texts["text"][1]] == [
        not own.start <= at < own.stop for at in range(6)
    ]
    assert bool(both.notes) == left  # what was done about the positions is said
    for layer in range(2):
        weights = both.weights(layer, batch=1)
        # both round in float32
        assert np.abs(weights[:, own, own] - alone.weights(layer)).max() < 1e-5
        others = np.delete(np.arange(6), np.arange(own.start, own.stop))
        assert (weights[:, own][:, :, others] == 0).all()
    assert both.next_words[1][0]["id"] == alone.next_words[0][0]["id"]


def test_progress_is_told_of_every_word_or_every_block(gpt2, tokenizer):
    told = []
    capture(gpt2, tokenizer, TEXT, generate=3, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    told.clear()
    capture(gpt2, tokenizer, TEXT, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]
    assert not any(module._forward_hooks for module in gpt2.modules())


def test_the_tokens_that_are_read_are_those_of_each_pass(zoo):
    """BLIP goes on with its text decoder alone; Whisper gives back other ids than it read."""
    for name, rows, length in (("blip", "text", 22 + 3), ("whisper", "decoder", 1 + 3)):
        tiny = zoo.ROWS[name]
        if zoo.why_missing(tiny):
            continue
        model, inputs = zoo.build(tiny), tiny.inputs()
        inputs.pop("decoder_input_ids", None)
        model.generation_config.eos_token_id = None
        model.generation_config.pad_token_id = 0
        cap = capture(model, inputs=inputs, generate=4)
        crossing = next(layer for layer in cap.attentions() if layer.rows != layer.columns)
        assert crossing.rows == rows
        assert len(cap.texts[rows][0]) == length
        assert cap.prompt == length - 3
        assert cap.agreement.agrees


def test_a_model_that_begins_with_vectors_goes_on_with_words(gpt2):
    cap = capture(gpt2, inputs={"inputs_embeds": torch.ones(1, 3, 24)}, tokens=["a", "b", "c"], generate=3)
    assert shown(cap.tokens)[:3] == ["a", "b", "c"]
    assert cap.tokens[3].id >= 0
    assert (cap.prompt, len(cap.tokens)) == (3, 5)


def test_packed_sequences_see_themselves_alone(small_models):
    """Positions that begin again, and the mask that the model makes of them."""
    model = small_models.llama()
    ids = [3, 5, 7, 11, 13, 17, 19]
    again = torch.tensor([[0, 1, 2, 0, 1, 2, 3]])
    # transformers looks for sequences in the positions only where there is no cache
    cap = capture(model, inputs={"input_ids": torch.tensor([ids]), "position_ids": again, "use_cache": False})
    assert cap.head(1, 0)["masked"].operation.mask == "causal & documents(0,3)"
    for part in (slice(0, 3), slice(3, 7)):
        alone = capture(model, None, ids[part])
        # both round in float32
        assert np.abs(cap.weights(1)[:, part, part] - alone.weights(1)).max() < 1e-5


@pytest.mark.parametrize(
    ("name", "mask"),
    [
        ("mistral", "causal & window(7)"),
        ("llama4_text", "causal & chunk(7)"),
        ("modernbert", "band(7)"),
    ],
)
def test_masks_have_names(zoo, name, mask):
    tiny = zoo.ROWS[name]
    if reason := zoo.why_missing(tiny):
        pytest.skip(reason)
    cap = capture(zoo.build(tiny), inputs=tiny.inputs())
    layers = [layer for layer in cap.attentions() if layer.rows == "text"]
    names = {cap.head(layer.number, 0, tower=layer.tower)["masked"].operation.mask for layer in layers
             if cap.head(layer.number, 0, tower=layer.tower)["masked"].masked is not None}  # fmt: skip
    assert mask in names
