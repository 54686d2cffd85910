"""What a capture says of what a model does beside its attention: writes over it, chooses words in its own way."""

import pytest

torch = pytest.importorskip("torch")

import clearhead as ch  # noqa: E402 (after the skip)

D_MODEL, HEADS, LENGTH = 15, 3, 7


class Layer(torch.nn.Module):
    """Attention whose values may be written over once its kernel has read them."""

    def __init__(self, writes: bool) -> None:
        super().__init__()
        self.projection, self.writes = torch.nn.Linear(D_MODEL, 3 * D_MODEL), writes

    def forward(self, x):
        cut = self.projection(x).view(*x.shape[:2], 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        query, key, value = (part.contiguous() for part in cut)
        mixed = torch.nn.functional.scaled_dot_product_attention(query, key, value)
        if self.writes:
            value.mul_(3)
        return mixed.transpose(1, 2).reshape(x.shape)


class Stack(torch.nn.Module):
    def __init__(self, *writes: bool) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(one) for one in writes)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


def captured(*writes: bool) -> ch.Capture:
    torch.manual_seed(0)
    return ch.capture(Stack(*writes).eval(), inputs={"x": torch.randn(2, LENGTH, D_MODEL)})


def test_a_layer_that_was_written_over_is_left_out_by_name():
    capture = captured(False, True)
    assert [layer.attention is None for layer in capture.layers] == [False, True]
    assert "wrote over what its kernel had read" in capture.layers[1].what
    assert capture.agreement.agrees


def test_a_model_that_writes_over_all_of_it_is_refused():
    with pytest.raises(ch.CaptureError, match=r"Stack: layers\.0 cannot be captured: the model wrote over"):
        captured(True)


@pytest.mark.parametrize("place", [True, 7.0, -1, LENGTH, None])
def test_a_row_is_a_place(place):
    with pytest.raises(LookupError, match=f"query: .* is no place; expected one from 0 to {LENGTH - 1}"):
        captured(False).row(0, 0, place)


@pytest.mark.parametrize("part", [3, True, 7.0, None])
def test_a_window_is_made_of_slices(part):
    with pytest.raises(LookupError, match=r"query: expected a slice such as slice\(0, 7\), got"):
        captured(False).window(0, 0, part, slice(0, 2))


@pytest.mark.filterwarnings("ignore:::transformers")
def test_going_on_says_where_the_model_would_choose_in_another_way():
    transformers = pytest.importorskip("transformers")
    sizes = {"n_layer": 1, "n_head": 3, "n_embd": 15, "vocab_size": 101, "bos_token_id": 0, "eos_token_id": 0}
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes)).eval()
    plain = ch.capture(model, text=[[7, 11, 13]], generate=2)
    model.generation_config.do_sample = True
    asked = ch.capture(model, text=[[7, 11, 13]], generate=2)
    assert not plain.notes
    assert asked.notes == ("the model's settings ask for sampling; here each next word is the likeliest one",)
    assert [token.id for token in asked.tokens] == [token.id for token in plain.tokens]
