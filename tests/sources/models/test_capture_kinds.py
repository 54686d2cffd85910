"""Models in other forms than a plain one in float32: half precision, quantised, wrapped, broken."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from clearhead.sources.models.capture import capture  # noqa: E402

IDS = [3, 5, 7, 11]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_formats(small_models, dtype):
    cap = capture(small_models.llama().to(dtype), None, IDS)
    assert cap.provenance["dtype"] == str(dtype).removeprefix("torch.")
    assert cap.agreement.agrees
    assert np.abs(cap.weights(0).sum(-1) - 1).max() < 1e-12  # float64 whatever the model's format


class Whole(torch.nn.Linear):
    """A linear layer with its weights as whole numbers, as quantised models have them."""

    def __init__(self, plain):
        super().__init__(plain.in_features, plain.out_features, bias=plain.bias is not None)
        self.step = plain.weight.detach().abs().max().item() / 127
        self.weight = torch.nn.Parameter(
            (plain.weight / self.step).round().to(torch.int8), requires_grad=False
        )
        self.bias = plain.bias

    def forward(self, x):
        return torch.nn.functional.linear(x, self.weight.to(x.dtype) * self.step, self.bias)


def test_quantised_weights(small_models):
    model = small_models.llama()
    for layer in model.model.layers:
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(layer.self_attn, name, Whole(getattr(layer.self_attn, name)))
    cap = capture(model, None, IDS)
    assert cap.agreement.agrees
    assert cap.notes == ("its weights are quantised (Whole): attention itself is computed unquantised",)
    assert cap.provenance["dtype"] == "float32"
    assert cap.head(0, 0)["weights"].values.shape == (4, 4)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch.ao.quantization moves to another package
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_dynamically_quantised_by_torch(small_models):
    made = torch.ao.quantization.quantize_dynamic(small_models.llama(), {torch.nn.Linear}, dtype=torch.qint8)
    cap = capture(made, None, IDS)
    assert cap.agreement.agrees
    assert "DynamicQuantizedLinear" in cap.notes[0]


class Wrapper(torch.nn.Module):
    """What only hands its calls on, as PEFT's models do."""

    def __init__(self, model):
        super().__init__()
        self.base_model = model

    def get_base_model(self):
        return self.base_model

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("base_model"), name)

    def forward(self, *given, **named):
        return self.base_model(*given, **named)

    def generate(self, *given, **named):
        return self.base_model.generate(*given, **named)


def test_a_wrapped_model(small_models):
    tokenizer = small_models.tokenizer(left=True)
    plain = small_models.goes_on(small_models.llama())
    texts = ["the man said", "he"]
    wrapped = Wrapper(plain).eval()
    ours, theirs = capture(wrapped, tokenizer, texts), capture(plain, tokenizer, texts)
    assert ours.notes == theirs.notes
    assert np.array_equal(ours.weights(1), theirs.weights(1))
    assert capture(wrapped, tokenizer, "he", generate=2).prompt == 1


def test_a_parallel_model_is_unwrapped_and_that_is_said(small_models):
    plain = small_models.llama()
    cap = capture(torch.nn.DataParallel(plain), None, IDS)
    assert np.array_equal(cap.weights(1), capture(plain, None, IDS).weights(1))
    assert "inside DataParallel" in cap.notes[0]


def test_experts(zoo):
    tiny = zoo.ROWS["mixtral"]
    assert capture(zoo.build(tiny), inputs=tiny.inputs()).agreement.agrees


def test_a_nan_in_the_weights_is_shown_and_does_not_agree(small_models, tmp_path):
    model = copy.deepcopy(small_models.llama())
    with torch.no_grad():
        model.model.layers[1].self_attn.q_proj.weight[0, 0] = float("nan")
    cap = capture(model, None, IDS)
    first, second = cap.agreement
    assert first.agrees
    assert not second.agrees
    assert np.isnan(second.difference)
    trace = cap.head(1, 0)
    assert np.isnan(trace["Q"].values[0, 0])
    assert np.isnan(trace["weights"].values[3, :]).all()
    why = trace["scores"].explain(3, 1)
    assert np.isnan(why.value)
    assert np.isnan(why.evaluate())
    trace.save(tmp_path / "trace")
    assert np.isfinite(cap.head(1, 1)["weights"].values).all()
    assert "DOES NOT AGREE" in str(cap)


@pytest.mark.filterwarnings("ignore:.past_key_values:FutureWarning")  # transformers will call it another name
def test_keys_that_a_cache_hands_over_come_from_the_text_itself(zoo):
    """There are more of them than queries, and yet nothing crosses; queries and keys are counted apart."""
    model, ids = zoo.build(zoo.ROWS["llama"]), torch.arange(5, 16)[None]
    with torch.no_grad():
        cache = model(input_ids=ids[:, :7], use_cache=True).past_key_values
    cap = capture(model, inputs={"input_ids": ids[:, 7:], "past_key_values": cache})
    assert cap.towers == ("",)
    layer = cap.layer(0)
    assert (layer.attention.queries, layer.attention.keys) == (4, 11)
    queries, keys = cap.tokens_of(layer, 0)
    assert [token.id for token in queries] == [12, 13, 14, 15]
    assert len(keys) == 11
    assert cap.agreement.agrees


@pytest.mark.parametrize("generate", [0, 3])
def test_a_window_that_hands_over_its_last_keys_only_is_no_crossing(zoo, generate):
    """RecurrentGemma in transformers 4.57 keeps 7 keys of a text of 23; and goes on from there."""
    tiny = zoo.ROWS["recurrent_gemma"]
    cap = capture(zoo.build(tiny), inputs={"input_ids": tiny.inputs()["input_ids"][:1]}, generate=generate)
    assert cap.towers == ("",)
    assert cap.agreement.agrees
