"""`ch.compare`: the first place where two models part, why, and how the difference grows."""

import copy
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

import clearhead as ch
from clearhead.lenses.parting_models.steps import STEPS
from clearhead.sources.worked.study import capture as study
from clearhead.trace.capture.held import EPSILON

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")

TEXT = "the man said he was late, the man said he was late"
SENTENCE = "the woman calls bread"


@pytest.fixture(scope="module")
def tokenizer(small_models):
    return small_models.tokenizer()


@pytest.fixture
def gpt2(small_models):
    """Two layers of three heads of eight features."""
    return small_models.gpt2()


@pytest.fixture
def llama(small_models):
    """Two layers of four heads of six features, on two key and value heads; it turns halves together."""
    return small_models.llama()


@pytest.fixture
def compare(tokenizer):
    return lambda a, b, **more: ch.compare(a, b, TEXT, tokenizer=tokenizer, **more)


def steps_of(found, layer):
    return {row.step: row for row in found.table if row.layer == layer}


# --- The same ---------------------------------------------------------------------------------------------------


def test_a_model_is_itself(gpt2, compare):
    found = compare(gpt2, gpt2)
    assert found.agrees
    assert bool(found)
    assert (found.layer, found.head, found.step, found.query, found.key, found.feature) == (None,) * 6
    assert {row.largest for row in found.table} == {0.0}
    assert [row.step for row in found.table] == [*STEPS, *STEPS]
    assert str(found).splitlines()[0] == "agree: in all 2 layers no number differs at all"
    assert found.differences == found.causes == found.mistakes == found.notes == ()


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_two_kernels_of_one_model(name, small_models, tokenizer):
    model = getattr(small_models, name)()
    captures = []
    for kernel in ("sdpa", "eager"):
        model.set_attn_implementation(kernel)
        captures.append(ch.capture(model, tokenizer, TEXT))
    found = ch.compare(*captures)
    assert found.agrees, str(found)
    assert str(found).startswith("agree: in all 2 layers every difference is within rounding to float32; ")
    assert steps_of(found, "L0")["weights"].largest == 0  # from the same Q and K
    assert 0 < steps_of(found, "L0")["mixed"].largest < 1e-6  # the kernels' own
    assert " on sdpa" in found.names[0]
    assert " on eager" in found.names[1]
    strict = ch.compare(*captures, tolerance=0)
    assert (strict.agrees, strict.layer, strict.step) == (False, "L0", "mixed")


def test_a_copy_in_bfloat16_agrees_as_far_as_bfloat16_goes_and_its_growth_is_shown(llama, compare):
    found = compare(llama, copy.deepcopy(llama).to(torch.bfloat16))
    assert found.agrees, str(found)
    assert found.how.formats == ("float32", "bfloat16")
    assert found.tolerance == 16 * EPSILON["bfloat16"] / 2
    medians = [steps_of(found, layer)["hidden"].median for layer in ("L0", "L1")]
    assert EPSILON["float32"] * 100 < medians[0] < medians[1]
    strict = compare(llama, copy.deepcopy(llama).to(torch.bfloat16), tolerance=1e-5)
    assert (strict.agrees, strict.layer, strict.step, strict.head, strict.query) == (
        False, "L0", "hidden", None, 0,
    )  # fmt: skip
    assert strict.tolerance == 1e-5


FAMILIES = {
    "t5": "a bias on the scores, three towers", "gemma2": "a soft cap and a window", "gpt_oss": "a sink",
    "jamba": "layers without attention before", "llava": "a picture", "deepseek_v3": "values of another width",
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_copies_and_kernels_of_other_families_agree(name, zoo):
    row = zoo.ROWS[name]
    model, copied = zoo.build(row), zoo.build(row).to(torch.bfloat16)
    a, b = ch.capture(model, inputs=row.inputs()), None
    model.set_attn_implementation("eager")
    b = ch.capture(model, inputs=row.inputs())
    found = ch.compare(a, b)
    assert found.agrees, str(found)
    assert (found.differences, found.notes) == ((), ())
    rounded = {
        key: value.to(torch.bfloat16) if value.is_floating_point() else value
        for key, value in row.inputs().items()
    }
    short = ch.compare(a, ch.capture(copied, inputs=rounded))
    assert short.agrees or name == "jamba", str(short)  # whose state-space layer carries rounding further
    other = ch.compare(a, ch.capture(zoo.build(row, seed=1), inputs=row.inputs()))
    assert (other.agrees, other.step) == (False, "hidden")


def test_a_quantised_copy_parts_where_its_weights_do(llama, compare):
    """All matrices of attention of layer 1 rounded to 127 steps of each row's largest weight."""
    other = copy.deepcopy(llama)
    for projection in (other.model.layers[1].self_attn.q_proj, other.model.layers[1].self_attn.v_proj):
        step = projection.weight.data.abs().amax(1, keepdim=True) / 127
        projection.weight.data = torch.round(projection.weight.data / step) * step
    found = compare(llama, other)
    assert (found.layer, found.step, found.heads) == ("L1", "Q", (0, 1, 2, 3))
    beyond = {row.step for row in found.table if row.beyond}
    assert beyond == {"Q", "V"}  # what follows differs by no more than these make it
    assert steps_of(found, "L1")["weights"].largest > 1e-3
    assert steps_of(found, "L1")["K"].largest == 0


# --- What parts, and why ----------------------------------------------------------------------------------------


def test_one_weight_of_one_head(gpt2, compare):
    """Row 3, feature 5 of head 2 of W_Q in layer 1; GPT-2 has the columns of Q, K and V side by side."""
    other = copy.deepcopy(gpt2)
    other.transformer.h[1].attn.c_attn.weight.data[3, 2 * 8 + 5] += 0.5
    found = compare(gpt2, other)
    assert (found.agrees, found.layer, found.head, found.step) == (False, "L1", 2, "Q")
    assert (found.batch, found.query, found.key, found.feature) == (0, 0, None, 5)
    assert found.heads == (2,)
    assert "W_Q of head 2: 1 of 192 numbers differs, the most [3,5]: " in str(found)
    row = steps_of(found, "L1")["Q"]
    assert row.by_head[:2] == (0, 0)
    assert row.by_head[2] == row.largest > 0.01
    assert str(found).startswith("part at layer L1, head 2, Q, query 0 “the”: off by ")


def test_a_bias_of_the_values(gpt2, compare):
    other = copy.deepcopy(gpt2)
    other.transformer.h[0].attn.c_attn.bias.data[48 + 8 + 3] += 2.0  # head 1, feature 3
    found = compare(gpt2, other)
    assert (found.layer, found.head, found.step, found.query, found.key, found.feature) == (
        "L0", 1, "V", None, 0, 3,
    )  # fmt: skip
    assert "b_V of value head 1: 1 of 8 numbers differs, the most [3]: " in str(found)


def test_the_matrix_after_the_heads(llama, compare):
    other = copy.deepcopy(llama)
    other.model.layers[0].self_attn.o_proj.weight.data[7, 2 * 6 + 1] += 1.0
    found = compare(llama, other)
    assert (found.layer, found.head, found.step, found.feature) == ("L0", None, "output", 7)
    assert "W_O, the rows of head 2: 1 of 144 numbers differs, the most [1,7]: " in str(found)


def test_what_lies_between_two_layers(llama, compare):
    other = copy.deepcopy(llama)
    other.model.layers[0].mlp.down_proj.weight.data *= 1.01
    found = compare(llama, other)
    assert (found.layer, found.head, found.step, found.query) == ("L1", None, "hidden", 0)
    assert "the feed-forward network and norms" in str(found)


def test_what_comes_after_the_last_layer(llama, compare):
    other = copy.deepcopy(llama)
    other.lm_head.weight.data *= 1.5
    found = compare(llama, other)
    assert (found.agrees, found.layer, found.step) == (False, None, "next words")
    assert str(found).startswith("part after the last layer: ")
    assert not found.words[0].agrees


def test_another_scale(llama, compare):
    other = copy.deepcopy(llama)
    for layer in other.model.layers:
        layer.self_attn.scaling = 1.0
    found = compare(llama, other)
    assert (found.layer, found.head, found.step) == ("L0", 0, "scaled")
    assert found.mistakes == ("no-scale",)
    assert "scale: 0.408248 in a, 1 in b (L0, L1)." in found.differences
    assert "With its own Q, K and V, b leaves the scores undivided (no-scale)." in found.causes


def test_another_base_of_the_turns(llama, small_models, compare):
    turned = {"rope_type": "default", "rope_theta": 500.0}
    other = small_models.llama(rope_parameters=turned)
    other.load_state_dict(llama.state_dict())
    found = compare(llama, other)
    assert (found.layer, found.head, found.step, found.query) == ("L0", 0, "Q", 1)  # position 0 is not turned
    assert found.differences == ("rotary base: 10000 in a, 500 in b (L0, L1).",)
    assert "W_Q of head 0 is the same in both." in found.causes
    assert any("b attends as a does" in cause for cause in found.causes)


def test_other_pairs_turned_together(llama, compare):
    """Features 0 2 4, then 1 3 5: the code turns 0 with 1, 2 with 3, 4 with 5 of what was trained for halves."""
    other = copy.deepcopy(llama)
    for layer in other.model.layers:
        for projection, heads in ((layer.self_attn.q_proj, 4), (layer.self_attn.k_proj, 2)):
            parts = projection.weight.data.view(heads, 6, 24)[:, [0, 2, 4, 1, 3, 5]]
            projection.weight.data = parts.reshape(heads * 6, 24).contiguous()
    found = compare(llama, other)
    assert (found.layer, found.step, found.mistakes) == ("L0", "Q", ("rotary-pairs",))


def test_a_causal_model_made_bidirectional(gpt2, compare):
    other = copy.deepcopy(gpt2)
    for block in other.transformer.h:
        block.attn.is_causal = False
    found = compare(gpt2, other)
    assert (found.layer, found.head, found.step, found.query, found.key) == ("L0", 0, "masked", 0, 1)
    assert found.differences == ("mask: causal in a, none in b (L0, L1).",)
    assert found.mistakes == ("no-mask",)
    assert found.values[0] == -np.inf
    assert np.isfinite(found.values[1])
    assert "one sees what the other does not" in found.verdict
    assert {row.step for row in found.table if row.layer == "L0" and row.beyond} == {"masked"}


def test_grouped_heads_tiled(llama, small_models, compare):
    """Keys and values 0 1 0 1 for the heads 0 1 2 3, where 0 0 1 1 was meant."""
    other = small_models.llama(num_key_value_heads=4)
    state = {
        name: value.repeat(2, 1) if "k_proj" in name or "v_proj" in name else value
        for name, value in llama.state_dict().items()
    }
    other.load_state_dict(state)
    found = compare(llama, other)
    assert (found.layer, found.head, found.step, found.heads) == ("L0", 1, "K", (1, 2))
    assert found.mistakes == ("groups-tiled",)
    assert found.differences[0] == "key heads: 2 in a, 4 in b (L0, L1)."
    assert any("heads 0 to 3 of b are heads 0, 2, 0, 2 of a" in cause for cause in found.causes)


def test_heads_in_another_order(gpt2, compare):
    """Heads 0 and 2 of layer 1 change places in every matrix: what the layer gives is the same."""
    other, order = copy.deepcopy(gpt2), [2, 1, 0]
    attention = other.transformer.h[1].attn
    for held in (attention.c_attn.weight, attention.c_attn.bias):
        parts = held.data.view(-1, 3, 3, 8)[:, :, order]
        held.data = parts.reshape(held.shape).contiguous()
    attention.c_proj.weight.data = attention.c_proj.weight.data.view(3, 8, 24)[order].reshape(24, 24)
    found = compare(gpt2, other)
    assert (found.layer, found.head, found.step, found.heads) == ("L1", 0, "Q", (0, 2))
    assert "The heads of Q are in another order: heads 0 to 2 of b are heads 2, 1, 0 of a." in found.causes
    assert "From output on, the two agree again in this layer." in found.causes
    assert found.words[0].agrees


def test_a_scale_moved_into_the_queries(llama, compare):
    other = copy.deepcopy(llama)
    other.model.layers[1].self_attn.q_proj.weight.data *= 4.0
    other.model.layers[1].self_attn.scaling /= 4.0
    found = compare(llama, other)
    assert (found.layer, found.step, found.feature is None) == ("L1", "Q", False)
    assert "In b Q is 4 times that of a." in found.causes
    assert "From scaled on, the two agree again in this layer." in found.causes


def test_features_in_another_order(gpt2, compare):
    other, order = copy.deepcopy(gpt2), [1, 0, 2, 3, 4, 5, 6, 7]
    attention = other.transformer.h[0].attn
    for held in (attention.c_attn.weight, attention.c_attn.bias):
        parts = held.data.view(-1, 3, 3, 8).clone()
        parts[:, :2, 1] = parts[:, :2, 1][..., order]  # of Q and K of head 1
        held.data = parts.reshape(held.shape).contiguous()
    found = compare(gpt2, other)
    assert (found.layer, found.head, found.step) == ("L0", 1, "Q")
    assert "The features of head 1 are in another order: 1, 0, 2, 3, 4, 5, 6, 7 of a." in found.causes
    assert "From scores on, the two agree again in this layer." in found.causes


def test_a_matrix_that_is_the_others_transposed(llama, compare):
    other = copy.deepcopy(llama)
    weight = other.model.layers[1].self_attn.q_proj.weight  # 24 by 24
    weight.data = weight.data.T.contiguous()
    found = compare(llama, other)
    assert (found.layer, found.step) == ("L1", "Q")
    assert "W_Q of b is that of a transposed." in found.causes


def test_the_matrix_after_the_heads_transposed(llama, compare):
    other = copy.deepcopy(llama)
    weight = other.model.layers[0].self_attn.o_proj.weight
    weight.data = weight.data.T.contiguous()
    found = compare(llama, other)
    assert (found.layer, found.step) == ("L0", "output")
    assert "W_O of b is that of a transposed." in found.causes


def test_keys_and_values_exchanged(llama, compare):
    other = copy.deepcopy(llama)
    attention = other.model.layers[1].self_attn
    attention.k_proj, attention.v_proj = attention.v_proj, attention.k_proj
    found = compare(llama, other)
    assert (found.layer, found.step) == ("L1", "K")
    assert "W_K and W_V are exchanged: W_K of b is W_V of a, and the other way round." in found.causes
    attention.v_proj = copy.deepcopy(llama).model.layers[1].self_attn.v_proj
    assert "W_K of b is W_V of a." in compare(llama, other).causes


@pytest.mark.parametrize("back", [False, True])
def test_weights_converted_for_the_other_pairs(back, llama, compare):
    """Features 0 to 5 of each head of six become 0, 3, 1, 4, 2, 5: halves are interleaved then, and the turn is not."""
    other = copy.deepcopy(llama)
    for layer in other.model.layers:
        for projection in (layer.self_attn.q_proj, layer.self_attn.k_proj):
            weight = projection.weight.data
            weight[:] = weight.reshape(-1, 6, 24)[:, [0, 3, 1, 4, 2, 5]].reshape(weight.shape)
    found = compare(other, llama) if back else compare(llama, other)
    assert (found.layer, found.step) == ("L0", "Q")
    order, says = (
        ("0, 2, 4, 1, 3, 5", "halves where a has interleaved pairs")
        if back
        else ("0, 3, 1, 4, 2, 5", "interleaved where a has halves")
    )
    assert (
        f"W_Q of b is that of a with the columns of each head in another order: {order} of a, {says}, as weights are "
        "converted for another rotary turn."
    ) in found.causes


def test_the_heads_after_mixing_in_another_order(llama, compare):
    other = copy.deepcopy(llama)
    weight = other.model.layers[0].self_attn.o_proj.weight.data
    weight[:] = weight.reshape(24, 4, 6)[:, [1, 0, 2, 3]].reshape(24, 24)
    found = compare(llama, other)
    assert "W_O of b is that of a with the heads in another order: 1, 0, 2, 3 of a." in found.causes


def test_a_model_in_training_mode_is_said(gpt2, compare):
    other = copy.deepcopy(gpt2).train()
    notes = compare(gpt2, other).notes
    assert any(
        note.startswith("b: the model was in training mode, where any dropout is on") for note in notes
    )
    assert other.training


def part_of(llama, name):
    layer = llama.model.layers[0]
    return {
        "attention": layer.self_attn, "layer": layer, "layers": llama.model.layers,
        "another": torch.nn.MultiheadAttention(24, 4),
    }[name]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("attention", "model: LlamaAttention is a part of a model of transformers, "),
        ("layer", "model: LlamaDecoderLayer is a part of a model of transformers, "),
        ("layers", "model: ModuleList has no forward of its own; expected a model that can be run"),
        ("another", "model: MultiheadAttention cannot be run on input_ids"),
    ],
)
def test_a_part_of_a_model_is_refused_by_name(name, says, llama, tokenizer):
    for call in (lambda one: ch.compare(llama, one, [[3, 5]]), lambda one: ch.capture(one, None, [[3, 5]])):
        with pytest.raises(ch.CaptureError) as refused:
            call(part_of(llama, name))
        assert says in str(refused.value)
        assert "expected" in str(refused.value)


def test_a_kernel_that_returns_something_else(gpt2, compare, tokenizer):
    a = ch.capture(gpt2, tokenizer, TEXT)
    layer = a.layers[1]
    output = np.array(layer.attention.output[...])
    output[0, 7, 2] *= 2
    b = replace(a, layers=(a.layers[0], replace(layer, attention=replace(layer.attention, output=output))))
    found = ch.compare(a, b)
    assert (found.layer, found.head, found.step, found.query) == ("L1", 2, "mixed", 7)
    assert "In b the kernel (sdpa) did not return weights times V." in found.causes


# --- Captures and files -----------------------------------------------------------------------------------------


def test_captures_and_their_files_are_compared_as_the_models_are(llama, compare, tokenizer, tmp_path):
    other = copy.deepcopy(llama)
    other.model.layers[1].self_attn.k_proj.weight.data[6 + 2, 11] += 1.0
    paths = []
    for name, model in (("a", llama), ("b", other)):
        paths.append(str(tmp_path / f"{name}.safetensors"))
        ch.capture(model, tokenizer, TEXT).save(paths[-1])
    found = ch.compare(*paths)
    assert (found.layer, found.head, found.step, found.key) == (
        "L1",
        2,
        "K",
        0,
    )  # heads 2 and 3 read key head 1
    assert "W_K of key head 1: 1 of 144 numbers differs, the most [11,2]: " in str(found)
    assert str(found) == str(compare(llama, other))
    assert str(ch.compare(ch.load_capture(paths[0]), other, TEXT, tokenizer=tokenizer)) == str(found)


WITHOUT_TORCH = """
import sys; sys.modules["torch"] = sys.modules["transformers"] = None
import clearhead as ch
print(ch.compare(sys.argv[1], sys.argv[2]).step)
"""


def test_files_need_no_pytorch(tmp_path):
    ch.capture("study", SENTENCE).save(tmp_path / "a.safetensors")
    ch.capture("study", SENTENCE, changes="L1 no scale").save(tmp_path / "b.safetensors")
    command = [sys.executable, "-c", WITHOUT_TORCH, "a.safetensors", "b.safetensors"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "scaled\n"


def test_the_study_model_with_an_edited_matrix(monkeypatch):
    a = ch.capture("study", SENTENCE)
    model = study.load()
    edited = model.parameters["layer1.W_V"].copy()
    width = edited.shape[1] // model.config["heads"]
    edited[5, 3 * width + 1] += 1.0
    other = replace(model, parameters={**model.parameters, "layer1.W_V": edited})
    monkeypatch.setattr(study, "load", lambda: other)
    found = ch.compare(a, "study", SENTENCE)
    assert (found.layer, found.head, found.step, found.feature) == ("L1", 3, "V", 1)
    assert f"W_V of value head 3: 1 of {edited.shape[0] * width} numbers differs, the most [5,1]: " in str(
        found
    )
    assert found.how.formats == ("float64", "float64")


def test_a_weight_set_by_hand():
    found = ch.compare(
        ch.capture("study", SENTENCE), ch.capture("study", SENTENCE, changes="L1H2.weights[3,1] = 0.5")
    )
    assert (found.layer, found.head, found.step, found.query, found.key) == ("L1", 2, "weights", 3, 1)
    assert found.values[1] == 0.5
    assert found.differences == ("weights set by hand: none in a, H2[3,1] = 0.5 in b (L1).",)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_part_and_are_said(value, llama, compare, tokenizer):
    other = copy.deepcopy(llama)
    other.model.layers[1].self_attn.q_proj.weight.data[6 + 1, 3] = value  # head 1
    found = compare(llama, other)
    assert (found.agrees, found.layer, found.head, found.step, found.heads) == (False, "L1", 1, "Q", (1,))
    assert found.verdict.endswith("query 0 “the”: one is not finite")
    assert json.loads(found.to_json())["difference"] == "inf"
    capture = ch.capture(other, tokenizer, TEXT)
    assert ch.compare(capture, capture).difference == 0  # the same NaN


def test_batches_and_padding(small_models, tokenizer):
    """What stands at places of padding does not count; the sequence is told."""
    a, b = small_models.gpt2(), small_models.gpt2()
    texts = ["the man", TEXT]
    b.transformer.wte.weight.data[tokenizer(" late")["input_ids"][0], 5] += 1.0
    found = ch.compare(a, b, texts, tokenizer=tokenizer)
    assert (found.layer, found.step, found.batch) == ("L0", "hidden", 1)
    assert "sequence 1, position" in found.verdict
    assert found.token == " late"
    same = ch.compare(a, a, texts, tokenizer=tokenizer)
    words = len(tokenizer(texts[0])["input_ids"]) + len(tokenizer(texts[1])["input_ids"])
    assert steps_of(same, "L0")["hidden"].rows == words
    assert steps_of(same, "L0")["K"].rows == 3 * words


def test_an_encoder_and_a_decoder(small_models, tokenizer):
    a, b = small_models.bart(), small_models.bart()
    b.model.decoder.layers[1].encoder_attn.k_proj.weight.data[8 + 1, 3] += 1.0  # head 1, feature 1
    found = ch.compare(a, b, TEXT, tokenizer=tokenizer, decoder="the man")
    assert (found.layer, found.head, found.step, found.feature) == ("cross.L1", 1, "K", 1)


# --- The report -------------------------------------------------------------------------------------------------


def test_the_report_as_data_has_every_number(gpt2, compare):
    other = copy.deepcopy(gpt2)
    for block in other.transformer.h:
        block.attn.is_causal = False
    found = compare(gpt2, other)
    data = json.loads(found.to_json())
    assert data["agrees"] is False
    assert (data["layer"], data["head"], data["step"], data["query"], data["key"]) == (
        "L0",
        0,
        "masked",
        0,
        1,
    )
    assert data["values"][0] == "-inf"
    assert data["table"][0] == {
        "layer": "L0", "step": "hidden", "median": 0.0, "largest": 0.0, "by_head": [0.0],
        "tolerance": found.table[0].tolerance, "beyond": 0, "rows": found.table[0].rows,
    }  # fmt: skip
    assert len(data["table"]) == len(found.table)


def test_the_table_says_how_far_by_hand(hand_captures):
    """Weights 1/2 1/2 and 1/4 3/4: apart by (1/4, −1/4), √2/4 of the longer row's √10/4."""
    words = hand_captures.tokens([3, 5])
    a = hand_captures.with_weights([[[1.0, 0.0], [0.5, 0.5]]], words)
    b = hand_captures.with_weights([[[1.0, 0.0], [0.25, 0.75]]], words)
    rows = {row.step: row for row in ch.compare(a, b).table}
    assert rows["weights"].largest == pytest.approx((2 / 10) ** 0.5)
    assert rows["weights"].median == pytest.approx((2 / 10) ** 0.5 / 2)  # of it and 0
    assert rows["Q"].largest == 0


def test_progress_is_told(llama, compare):
    told = []
    compare(llama, llama, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


# --- What cannot be compared ------------------------------------------------------------------------------------


def test_models_of_other_lengths_are_compared_as_far_as_both_go(llama, small_models, compare):
    longer = small_models.llama(num_hidden_layers=3)
    longer.load_state_dict(llama.state_dict(), strict=False)
    found = compare(llama, longer)
    assert not found.agrees
    assert found.layer is None
    assert found.differences == ("2 layers with attention in a, 3 in b; compared as far as both go.",)
    assert str(found).startswith(
        "do not agree: 2 layers with attention in a, 3 in b; in the 2 layers that both have "
    )


def test_other_numbers_of_heads_are_named(gpt2, small_models, compare):
    other = small_models.gpt2(n_head=4)
    other.load_state_dict(gpt2.state_dict())
    found = compare(gpt2, other)
    assert found.differences[0] == "heads: 3 in a, 4 in b (L0, L1)."
    assert any("other numbers of heads: not compared" in note for note in found.notes)
    assert (found.layer, found.step) == ("L0", "output")


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ("the woman calls bread", "the woman calls milk",
         "tokens: the first that differs is token 4, “bread” (12) in a and “milk” (13) in b; "
         "expected two captures of the same tokens"),
        ("the woman calls bread", "the woman calls",
         "tokens: token 4, “bread” (12), is there in a alone (5 tokens in a, 4 in b); "
         "expected two captures of the same tokens"),
    ],
)  # fmt: skip
def test_other_tokens_are_refused_by_the_first_that_differs(a, b, says):
    numbers = {word: study.NUMBERS[word] for word in ("bread", "milk")}
    says = says.replace("(12)", f"({numbers['bread']})").replace("(13)", f"({numbers['milk']})")
    with pytest.raises(ch.CaptureError) as error:
        ch.compare(ch.capture("study", a), ch.capture("study", b))
    assert str(error.value) == says


@pytest.mark.parametrize(
    ("text", "more", "says"),
    [
        (None, {}, "text: is missing, and b is a model, not a capture; expected what it is to read"),
        (SENTENCE, {"tolerance": -1.0}, "tolerance: expected a finite number from 0 on, got -1.0"),
        (SENTENCE, {"tolerance": float("nan")}, "tolerance: expected a finite number from 0 on, got nan"),
    ],
)
def test_what_cannot_be_is_one_sentence(text, more, says):
    with pytest.raises(ValueError) as error:  # noqa: PT011 (the sentence is compared whole)
        ch.compare(ch.capture("study", SENTENCE), "study", text, **more)
    assert str(error.value) == says


def test_a_text_for_two_captures_does_nothing():
    capture = ch.capture("study", SENTENCE)
    with pytest.raises(ch.CaptureError, match="text: both are captures, which have read theirs"):
        ch.compare(capture, capture, SENTENCE)


def test_at_the_end_of_a_cell_stands_what_is_printed():
    capture = ch.capture("study", "the man saw")
    found = ch.compare(capture, capture)
    assert repr(found) == str(found)
    assert repr(found).splitlines()[0] == found.verdict
