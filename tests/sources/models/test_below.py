"""What lies below Q, K and V: found from the numbers, proven on all of them, or left out with a reason.

The facts it is held against come from the models themselves: their own modules by name, their configurations.
"""

import math

import numpy as np
import pytest
import torch
from torch import nn

import clearhead as ch
from clearhead.sources.models import below

PLAIN = [
    "gpt2", "gpt_neox", "gptj", "llama", "mistral", "qwen2", "qwen3", "gemma3_text", "phi", "falcon", "bert", "esm",
    "bart", "t5", "whisper", "vit", "clip",
]  # fmt: skip
"""Families whose layers all have a plain way from their input to Q, K and V, and from what is mixed on."""

PARTS = {"Q", "K", "V"}
CELLS = 7
"""Cells of each quantity that are worked out where it would take long to work out all."""


@pytest.fixture
def captured(zoo):
    """A model of the zoo and a capture of it."""

    def captured(name, inputs=None, change=lambda model: None, **settings):
        tiny = zoo.ROWS[name]
        if zoo.why_missing(tiny):
            pytest.skip(zoo.why_missing(tiny))
        model = zoo.build(tiny, settings.pop("dtype", torch.float32))
        change(model)
        return model, ch.capture(model, inputs=inputs or tiny.inputs(), **settings)

    return captured


def words(length, first=3):
    return torch.arange(first, first + length)[None]


def some_cells(quantity, seed=0):
    """All cells of a small quantity, or a few."""
    places = list(np.ndindex(quantity.shape))
    chosen = np.random.default_rng(seed).permutation(len(places))[:CELLS]
    return [places[place] for place in chosen]


def test_every_part_is_proven_or_says_why_and_the_recipes_hold(tiny, zoo):
    """In every family; one head of the first layer of each tower is worked out."""
    if not tiny.attends:
        pytest.skip("it has no attention")
    try:
        capture = ch.capture(zoo.build(tiny), inputs=tiny.inputs())
    except ch.CaptureError as error:
        pytest.skip(str(error))
    seen = set()
    for layer in capture.attentions():
        known, missing = set(layer.below.projections), set(layer.below.why)
        assert known | missing >= PARTS
        assert not known & missing
        assert ("W_O" in missing) == (layer.below.W_O is None)
        assert all(why.endswith(".") for why in layer.below.why.values())
        if layer.tower in seen:
            continue
        seen.add(layer.tower)
        trace = capture.head(layer.number, layer.heads - 1, tower=layer.tower)
        assert {part for part in PARTS if trace[part].operation is not None} == known
        for quantity in trace.values():
            for place in some_cells(quantity):
                why = quantity.explain(*place)
                assert why.evaluate() == why.value or abs(why.evaluate() - why.value) <= why.tolerance, (
                    why.label
                )


@pytest.mark.parametrize("name", PLAIN)
def test_these_families_are_proven_in_every_layer(captured, name):
    _, capture = captured(name)
    for layer in capture.attentions():
        assert layer.below.why == {}
        assert list(layer.below.projections) == ["Q", "K", "V"]
        assert "below" not in capture.head(layer.number, 0, tower=layer.tower).provenance


@pytest.mark.parametrize("name", ["gpt2", "mistral", "qwen3", "gptj", "bert"])
def test_every_recipe_of_a_head_from_the_input_on_holds(captured, faults, name):
    _, capture = captured(name, {"input_ids": words(5)})
    trace = capture.head(1, 2)
    assert next(iter(trace)) == "hidden"
    assert list(trace)[-1] == "output"
    assert trace["hidden"].axes == ("position", "model")
    assert trace["output"].axes == ("query", "model")
    assert faults(trace) == []


def test_the_way_ends_in_the_numbers_that_entered_the_kernel(captured):
    """What float32 rounded off is a quantity of its own, so the weights are those of the capture."""
    _, capture = captured("llama")
    for head in range(4):
        trace = capture.head(1, head)
        own = capture.layer(1).attention
        np.testing.assert_allclose(trace["Q"].values, own.query[0, head], rtol=0, atol=4 * 2.0**-52)
        np.testing.assert_allclose(trace["weights"].values, capture.weights(1)[head], rtol=0, atol=1e-13)
        size = np.abs(trace["Q"].values).max()
        assert 0 < np.abs(trace["Q_rounding"].values).max() < 16 * 2.0**-24 * size


def test_grouped_heads_have_the_rows_of_the_models_own_matrices(captured):
    """4 query heads on 2 key heads: head 3 reads key head 1."""
    model, capture = captured("mistral")
    own, trace = model.model.layers[1].self_attn, capture.head(1, 3)
    width = capture.layer(1).attention.d_head
    for name, linear, head in (("Q", own.q_proj, 3), ("K", own.k_proj, 1), ("V", own.v_proj, 1)):
        rows = linear.weight[head * width : (head + 1) * width]
        assert np.array_equal(trace[f"W_{name}"].values, rows.T.double().detach().numpy())
    columns = own.o_proj.weight[:, 3 * width : 4 * width]
    assert np.array_equal(trace["W_O"].values, columns.T.double().detach().numpy())


def test_fused_projections_are_taken_apart(captured):
    """GPT-2 has [Q | K | V]; GPT-NeoX [q k v] head after head."""
    model, capture = captured("gpt2")
    fused, width, size = model.transformer.h[0].attn.c_attn, 10, 40
    trace = capture.head(0, 2)
    for place, name in enumerate("QKV"):
        columns = slice(place * size + 2 * width, place * size + 3 * width)
        assert np.array_equal(trace[f"W_{name}"].values, fused.weight[:, columns].double().detach().numpy())
        assert np.array_equal(trace[f"b_{name}"].values, fused.bias[columns].double().detach().numpy())
    model, capture = captured("gpt_neox")
    fused, trace = model.gpt_neox.layers[0].attention.query_key_value, capture.head(0, 2)
    for place, name in enumerate("QKV"):
        rows = slice((3 * 2 + place) * width, (3 * 2 + place + 1) * width)
        assert np.array_equal(trace[f"W_{name}"].values, fused.weight[rows].T.double().detach().numpy())


@pytest.mark.parametrize(
    ("name", "pairs"),
    [("llama", "halves"), ("gpt_neox", "halves"), ("gptj", "interleaved"), ("phi", "halves")],
)
def test_the_turns_are_those_of_rotary_positions(captured, name, pairs):
    """The angle of pair p at position i is i base^(−2p / r) (Su et al. 2021, section 3.2.2)."""
    model, capture = captured(name)
    config = model.config
    found, one = capture.layer(0).below, capture.layer(0).below.projections["Q"]
    width = capture.layer(0).attention.d_head
    share = (getattr(config, "rope_parameters", None) or {}).get("partial_rotary_factor") or getattr(
        config, "partial_rotary_factor", getattr(config, "rotary_pct", 1.0)
    )
    rotated = getattr(config, "rotary_dim", None) or int(width * share)
    assert (one.pairs, one.rotated) == (pairs, rotated)
    angles = np.arange(23)[:, None] * 10_000.0 ** (-np.arange(0, rotated, 2) / rotated)
    # float32 makes angles up to 22 with errors of 22 · 2^-24, and turns with some roundings more
    np.testing.assert_allclose(found.cos[0], np.cos(angles), rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.sin[0], np.sin(angles), rtol=0, atol=1e-5)


def test_a_norm_of_each_head_is_followed(captured):
    model, capture = captured("qwen3")
    trace = capture.head(1, 0)
    own = model.model.layers[1].self_attn.q_norm
    assert np.array_equal(trace["gain_Q"].values, own.weight.double().detach().numpy())
    assert trace["Q_standardised"].operation.epsilon == own.variance_epsilon
    _, capture = captured("gemma3_text")
    assert not capture.head(1, 0)["Q_standardised"].operation.centred


def test_a_factor_on_the_query_is_a_step(captured):
    """Whisper scales its queries instead of its scores; ESM scales them, and then turns them."""
    _, capture = captured("whisper")
    trace = capture.head(0, 1, tower="encoder")
    width = trace["Q"].shape[1]
    assert (trace["Q_scaled"].operation.name, trace["scaled"].operation.name) == ("scale_by_root", "copy")
    np.testing.assert_allclose(
        trace["Q_scaled"].values, trace["XW_Q_biased"].values / math.sqrt(width), rtol=1e-15
    )
    assert "K_scaled" not in trace
    _, capture = captured("esm")
    assert list(capture.head(0, 1))[:8] == [
        "hidden", "W_Q", "XW_Q", "b_Q", "XW_Q_biased", "Q_scaled", "cos", "sin"
    ]  # fmt: skip


def test_the_heads_add_up_to_what_the_layer_adds(captured):
    """Over the heads, `output` is what o_proj returns, but for its bias."""
    returned = {}

    def watch(model):
        model.model.layers[1].self_attn.o_proj.register_forward_hook(
            lambda module, args, output: returned.update(output=output[0].double().numpy())
        )

    model, capture = captured("qwen2", change=watch)
    total = sum(capture.head(1, head)["output"].values for head in range(4))
    bias = model.model.layers[1].self_attn.o_proj.bias
    assert bias is None
    # d_model = 40 products of float32, each of a size of about 1
    np.testing.assert_allclose(total, returned["output"], rtol=0, atol=40 * 2.0**-23)


def test_a_weight_that_was_changed_is_not_proven(captured):
    model, capture = captured("gpt2")
    with torch.no_grad():
        model.transformer.h[0].attn.c_attn.weight[3, 5] += 1  # column 5 is feature 5 of query head 0
        model.transformer.h[1].attn.c_proj.weight[3, 5] += 1
    first, second = (capture.layer(number).below for number in (0, 1))
    assert list(first.projections) == ["K", "V"]
    assert "Its query is no plain product" in first.why["Q"]
    assert first.W_O is not None
    assert list(second.projections) == ["Q", "K", "V"]
    assert second.W_O is None
    trace = capture.head(0, 0)
    assert trace["Q"].operation is None
    assert trace["K"].operation is not None
    assert trace.provenance["below"] == first.sentence == first.why["Q"]


class Cut(nn.Linear):
    """A linear layer that computes otherwise than it looks."""

    def forward(self, x):
        return (super().forward(x) * 8).round() / 8


class Linear4Bit(nn.Module):
    """As quantised layers are: no plain matrix."""

    def __init__(self, linear):
        super().__init__()
        self.linear = linear.weight

    def forward(self, x):
        return x @ self.linear.T


def test_layers_that_are_no_plain_product_are_not_proven(captured):
    def cut(model):
        own = model.model.layers[0].self_attn
        for name in ("q_proj", "o_proj"):
            getattr(own, name).__class__ = Cut
        other = model.model.layers[1].self_attn
        other.v_proj = Linear4Bit(other.v_proj)

    _, capture = captured("llama", change=cut)
    first, second = (capture.layer(number).below for number in (0, 1))
    assert "Q" not in first.projections
    assert "V" in first.projections
    assert first.W_O is None
    assert list(second.projections) == ["Q", "K"]
    assert "a Linear4Bit, which is no plain linear layer" in second.why["V"]


def test_an_output_that_passes_a_gate_is_not_known(captured):
    _, capture = captured("qwen3_next")
    layer = next(capture.attentions())
    assert layer.below.W_O is None
    assert "output" not in capture.head(layer.number, 0)
    with pytest.raises(ValueError, match="contributions need the matrix W_O"):
        ch.contribution(capture, layer.number, 0)


@pytest.mark.parametrize("name", ["bart", "t5", "marian", "whisper"])
@pytest.mark.parametrize("length", [7, 11])
def test_cross_attention_is_told_by_what_it_reads_not_by_lengths(captured, zoo, name, length):
    if name == "whisper":
        frames = zoo.ROWS[name].inputs()["input_features"]
        inputs = {
            "input_features": frames,
            "decoder_input_ids": words(frames.shape[2] // 2).repeat(len(frames), 1),
        }
        inputs["decoder_input_ids"] %= 100
    else:
        inputs = {"input_ids": words(11), "decoder_input_ids": words(length, 31)}
    _, capture = captured(name, inputs)
    assert set(capture.towers) == {"encoder", "decoder", "cross"}
    for layer in capture.attentions():
        trace = capture.head(layer.number, 1, tower=layer.tower)
        assert ("hidden_K" in trace) == (layer.tower == "cross")
        assert "hidden_V" not in trace  # it is what the key was made of
        place = "query" if layer.tower == "cross" else "position"
        assert trace["hidden"].axes == (place, "model")
        assert (layer.rows != layer.columns) == (layer.tower == "cross")


def test_a_value_made_of_something_else_has_an_input_of_its_own(captured):
    """DETR adds positions to what queries and keys are made of, and not to what values are made of."""
    _, capture = captured("detr")
    trace = capture.head(0, 1, tower="encoder")
    assert "hidden_V" in trace
    assert "hidden_K" not in trace


def test_a_half_precision_model_is_proven_within_its_own_format(captured):
    _, capture = captured("llama", dtype=torch.bfloat16)
    for layer in capture.attentions():
        assert list(layer.below.projections) == ["Q", "K", "V"]
        trace = capture.head(layer.number, 1)
        assert np.abs(trace["Q_rounding"].values).max() > 2.0**-12  # bfloat16 has 8 bits


def test_a_text_that_goes_on_is_proven_over_all_passes(captured):
    _, capture = captured("llama", {"input_ids": words(5)}, generate=4)
    assert capture.layer(1).below.why == {}
    trace = capture.head(1, 2)
    assert trace["hidden"].shape == (8, 40)
    assert trace["cos"].shape[0] == 8


def test_inputs_are_kept_only_when_asked_or_short(captured, monkeypatch):
    _, capture = captured("gpt2", below=False)
    assert capture.layer(0).below.projections == {}
    assert capture.layer(0).below.W_O is not None
    assert "was not kept" in capture.head(0, 0).provenance["below"]
    monkeypatch.setattr(below, "MOST_POSITIONS", 22)
    _, capture = captured("gpt2")
    assert capture.layer(0).below.projections == {}
    _, capture = captured("gpt2", below=True)
    assert list(capture.layer(0).below.projections) == ["Q", "K", "V"]


@pytest.mark.filterwarnings("ignore:.past_key_values. is deprecated:FutureWarning")
def test_a_cache_from_before_is_said(captured, zoo):
    from transformers import DynamicCache

    tiny = zoo.ROWS["llama"]
    model, cache = zoo.build(tiny), DynamicCache()
    with torch.no_grad():
        model(input_ids=words(4), past_key_values=cache, use_cache=True)
    capture = ch.capture(
        model, inputs={"input_ids": words(3, 7), "past_key_values": cache, "use_cache": True}
    )
    assert "Its key has 7 positions" in capture.layer(0).below.why["K"]


def test_no_hook_stays_behind(captured):
    model, _ = captured("gpt2")

    def hooks():
        return [
            one for module in model.modules() for one in (*module._forward_pre_hooks, *module._forward_hooks)
        ]

    def stop(module, args):
        raise RuntimeError("stopped half way")

    assert hooks() == []
    model.transformer.h[1].register_forward_pre_hook(stop)
    with pytest.raises(RuntimeError, match="stopped half way"):
        ch.capture(model, inputs={"input_ids": words(5)})
    assert len(hooks()) == 1


def test_what_is_proven_comes_back_from_a_file(captured, tmp_path):
    _, capture = captured("qwen3")
    capture.save(tmp_path / "one.safetensors")
    again = ch.load_capture(tmp_path / "one.safetensors")
    before, after = capture.head(1, 3), again.head(1, 3)
    assert list(before) == list(after)
    for name in before:
        assert np.array_equal(before[name].values, after[name].values), name


def test_smollm2_is_proven(smollm2):
    text = "The man said he was late. The man said he was"
    capture = ch.capture(smollm2.model, smollm2.tokenizer, text)
    for layer in capture.attentions():
        assert layer.below.why == {}
        assert layer.below.projections["Q"].rotated == 64
    trace = capture.head(18, 6)
    for name in ("XW_Q", "Q_rotated", "Q", "weights", "output"):
        why = trace[name].explain(9, 3)
        assert abs(why.evaluate() - why.value) <= why.tolerance
    added = np.linalg.norm(trace["output"].values, axis=1)
    assert (
        ch.contribution(capture, 18, 6).sum(axis=1) >= added * (1 - 1e-12)
    ).all()  # the triangle inequality


def test_minilm_is_proven(minilm):
    capture = ch.capture(minilm.model, minilm.tokenizer, ["The man said he was late.", "Hello"])
    assert all(layer.below.why == {} for layer in capture.attentions())
    trace = capture.head(1, 8, batch=1)
    assert list(trace)[:4] == ["hidden", "W_Q", "XW_Q", "b_Q"]
