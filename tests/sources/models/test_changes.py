"""Switches on the real model: against the same model with its attention written out by hand, and with other weights."""

import copy

import numpy as np
import pytest
import torch

pytest.importorskip("transformers")

from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from clearhead.sources.models import changed as arithmetic
from clearhead.sources.models.capture import capture
from clearhead.sources.models.changed import Switches, changed
from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.passes import run
from clearhead.sources.models.recorder import Recorder
from clearhead.sources.models.watcher_derive import KERNEL
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.saved import load_capture

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-12}
"""Of logits of the size of 1: two orders of the same roundings, through two layers."""


@pytest.fixture
def model_of(zoo):
    """A tiny model and its inputs, with sdpa unless told otherwise."""

    def built(name, dtype=torch.float64, kernel="sdpa"):
        model = zoo.build(zoo.ROWS[name], dtype)
        model.set_attn_implementation(kernel)
        return model, zoo.ROWS[name].inputs()

    return built


def logits_of(model, inputs):
    with torch.no_grad():
        return model(**inputs).logits


def captured(model, inputs, *changes, **more):
    """The capture with these changes, and the logits that came of it."""
    seen = []
    hook = model.register_forward_hook(lambda _, __, output: seen.append(output))
    try:
        cap = capture(model, inputs=inputs, changes=changes, **more)
    finally:
        hook.remove()
    assert len(seen) == 2 or more  # without the changes, and with them
    return cap, seen[-1].logits


def by_hand(layer, seen, *, mask=True, scale=True, off=(), weights=()):
    """Attention as it is defined, cell by cell for every head, with one layer changed.

    Takes the place of a kernel; `seen` is 1 where a token is no padding, (sequences, keys).
    """

    def attend(module, query, key, value, attention_mask, scaling=None, **_):
        shared = query.shape[1] // key.shape[1]
        here = module.layer_idx == layer
        places = torch.arange(query.shape[2])
        mixed = []
        for sequence in range(len(query)):
            for head in range(query.shape[1]):
                q, k, v = (
                    query[sequence, head],
                    key[sequence, head // shared],
                    value[sequence, head // shared],
                )
                factor = q.shape[-1] ** -0.5 if scaling is None else scaling
                scores = torch.einsum("id,jd->ij", q, k) * (1 if here and not scale else factor)
                allowed = seen[sequence].bool()[None, :].expand(len(q), -1)
                if mask or not here:
                    allowed = allowed & (places[None, :] <= places[:, None])
                powers = torch.where(allowed, torch.exp(scores - scores.amax(1, keepdim=True)), 0)
                shares = powers / powers.sum(1, keepdim=True).clamp_min(
                    1e-300 if q.dtype == torch.float64 else 1e-30
                )
                for at, i, j, weight in weights if here else ():
                    if at == head:
                        shares[i, j] = weight
                mixed.append(shares @ v * (0 if here and head in off else 1))
        return torch.stack(mixed).reshape(*query.shape[:3], -1).transpose(1, 2).contiguous(), None

    return attend


CASES = {
    "L1 no mask": {"mask": False},
    "L1 no scale": {"scale": False},
    "L1H2 off": {"off": (2,)},
    "L1 off": {"off": (0, 1, 2, 3)},
    "L1H3.weights[7,2] = 0.5": {"weights": ((3, 7, 2, 0.5),)},
    "L1H3.weights[7,11] = -2": {"weights": ((3, 7, 11, -2),)},  # a key that the mask hides
}


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("name", ["gpt2", "llama", "qwen3"])
@pytest.mark.parametrize("change", CASES)
def test_the_changed_model_is_the_one_with_its_attention_written_out(
    model_of, monkeypatch, name, dtype, change
):
    """gpt2 has a key head for each head; the other two share them; llama's texts are padded on the left."""
    model, inputs = model_of(name, dtype)
    plain = logits_of(model, inputs)
    cap, got = captured(model, inputs, change)
    with monkeypatch.context() as patch:
        patch.setitem(
            ALL_ATTENTION_FUNCTIONS._global_mapping,
            "sdpa",
            by_hand(1, inputs["attention_mask"], **CASES[change]),
        )
        expected = logits_of(model, inputs)
    words = inputs["attention_mask"].bool()  # what stands at padding is nobody's
    size = expected[words].abs().max()
    assert (got - expected)[words].abs().max() <= TOLERANCES[dtype] * size
    assert (got - plain)[words].abs().max() > 1e-3 * size
    assert cap.agreement.agrees
    assert [layer.attention.kernel for layer in cap.layers] == ["sdpa", "sdpa, changed"]
    assert torch.equal(logits_of(model, inputs), plain)  # the model is as it was


def test_next_words_stand_beside_those_without_the_changes(model_of):
    model, inputs = model_of("gpt2")
    before = capture(model, inputs=inputs)
    cap, logits = captured(model, inputs, "L0 off", "L1 off")
    assert cap.before == before.next_words
    assert cap.next_words != cap.before
    assert cap.next_words[0][0]["id"] == int(logits[0, -1].argmax())
    assert cap.changes == (Change("off", layer=0), Change("off", layer=1))
    assert before.changes == before.before == ()


@pytest.mark.parametrize("change", ["L1H2 off", "L1 off", "H2 off", "off"])
def test_off_is_an_output_matrix_that_takes_nothing_of_the_head(model_of, change):
    model, inputs = model_of("llama")
    other = copy.deepcopy(model)
    for number, layer in enumerate(other.model.layers):
        if number == 1 or not change.startswith("L1"):
            heads = layer.self_attn.o_proj.weight.data.view(40, 4, 6)  # d_model, heads, d_head
            heads[:, 2 if "H2" in change else slice(None)] = 0
    cap, got = captured(model, inputs, change)
    expected = logits_of(other, inputs)
    assert (got - expected).abs().max() <= 1e-12 * expected.abs().max()
    mixed = cap.layer(1).attention.output[0]
    assert not mixed[:, 2].any()
    assert mixed[:, 1].any() == ("H2" in change)
    assert cap.weights(1)[2].any()  # it still looks; nothing comes of it
    trace = cap.head(1, 2)
    assert trace["mixed"].values.any()
    assert not trace["switched_off"].values.any()
    assert not trace["output"].values.any()


def test_no_scale_is_a_scale_of_one(model_of):
    model, inputs = model_of("llama")
    other = copy.deepcopy(model)
    for layer in other.model.layers:
        layer.self_attn.scaling = 1.0
    cap, got = captured(model, inputs, "no scale")
    expected = logits_of(other, inputs)
    assert (got - expected).abs().max() <= 1e-12 * expected.abs().max()
    assert cap.head(0, 3)["scaled"].operation.name == "copy"


@pytest.mark.parametrize(("name", "padding"), [("qwen3", slice(18, 23)), ("llama", slice(0, 5))])
def test_no_mask_leaves_padding_masked(model_of, name, padding):
    model, inputs = model_of(name)
    cap, _ = captured(model, inputs, "no mask")
    assert (cap.weights(0, batch=0) > 0).all()
    weights = cap.weights(1, batch=1)
    hidden = np.zeros(23, bool)
    hidden[padding] = True
    assert (weights[:, :, hidden] == 0).all()
    assert (weights[:, :, ~hidden] > 0).all()
    assert cap.head(1, 0, batch=0)["masked"].operation.mask == "none"
    words = "keys(0:18)" if name == "qwen3" else "keys(5:23)"
    assert cap.head(1, 0, batch=1)["masked"].operation.mask == f"none & {words}"


def test_no_mask_lifts_windows_too_and_other_layers_keep_theirs(model_of):
    model, inputs = model_of("gemma3_text")  # layer 0 has a window of 7, layer 1 has none
    cap, _ = captured(model, inputs, "L0 no mask")
    assert (cap.weights(0) > 0).all()
    assert (cap.weights(1) > 0).sum() == 4 * 23 * 24 // 2


def test_a_weight_set_by_hand_leaves_the_others(model_of, faults):
    model, inputs = model_of("gpt2")
    plain = capture(model, inputs=inputs)
    cap, _ = captured(
        model, inputs, "L0H1.weights[7,2] = 0.5", "L0H1.weights[7,3] = 0", "L0H3.weights[2,9] = 4"
    )
    for batch in range(2):
        expected = plain.weights(0, batch=batch)
        expected[1, 7, 2], expected[1, 7, 3], expected[3, 2, 9] = 0.5, 0, 4
        assert np.abs(cap.weights(0, batch=batch) - expected).max() <= 1e-15
    assert cap.row(0, 1, 7)[2] == 0.5
    assert cap.window(0, 3, slice(2, 5), slice(8, 11))[0].tolist()[1] == 4
    trace = cap.head(0, 1)
    assert np.abs(trace["weights"].values - plain.weights(0)[1]).max() <= 1e-15
    assert np.abs(trace["changed"].values - cap.weights(0)[1]).max() <= 1e-15
    assert faults(trace) == []
    assert "changed" not in cap.head(0, 0)
    assert cap.agreement.agrees


@pytest.mark.parametrize("kernel", ["sdpa", "eager"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", ["gpt2", "llama", "gemma2", "mistral", "bart", "t5", "bert"])
def test_with_no_switch_thrown_it_is_what_the_kernel_gives(model_of, monkeypatch, name, dtype, kernel):
    """Padding on both sides, shared heads, a soft cap, a window, crossing, a bias; and rows worked in parts."""
    model, inputs = model_of(name, dtype, "eager" if name == "gemma2" else kernel)  # it takes no other
    monkeypatch.setattr(arithmetic, "ROWS_AT_ONCE", 7)
    recorder, calls = Untouched(model), []
    recorder.calls = calls
    run(model, recorder, lambda: logits_of(model, inputs))
    # eager rounds to the model's format where we do; the fused kernel of bfloat16 rounds its weights as well
    tolerance = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 2**-6}[dtype]
    if dtype == torch.float64 and "eager" in (kernel, model.config._attn_implementation):
        tolerance = 1e-6  # its softmax is in float32
    if not calls:
        pytest.skip("in this transformers the model computes its attention by itself")
    words = inputs["attention_mask"].bool()
    for theirs, ours in calls:
        assert theirs.shape == ours.shape
        assert theirs.dtype == ours.dtype
        assert theirs.stride() == ours.stride()
        if theirs.shape[1] == words.shape[1]:  # what stands at padding may see nothing: kernels differ there
            theirs, ours = theirs[words], ours[words]
        there = ~theirs.isnan()  # in float64 eager gives NaN for a row that may see nothing, and it spreads
        theirs, ours = theirs.double()[there], ours.double()[there]
        assert not theirs.numel() or (theirs - ours).abs().max() <= tolerance * theirs.abs().max()


class Untouched(Recorder):
    """Puts the kernel's result beside what we make of the same call."""

    def keep(self, call, result):
        if call.kernel == KERNEL:
            return super().keep(call, result)
        _, ours = changed(call, result, Switches(), 0, 0)
        self.calls.append((result[0], ours[0]))
        if result[1] is not None and call.kernel == "eager":
            self.calls.append((result[1].transpose(1, 2), ours[1].transpose(1, 2)))
        return super().keep(call, result)


def test_a_changed_capture_is_saved_and_read_back(model_of, tmp_path):
    model, inputs = model_of("llama")
    cap, _ = captured(model, inputs, "L0H1.weights[7,2] = 0.5", "L1H2 off", "L1 no mask")
    cap.save(tmp_path / "changed.safetensors")
    again = load_capture(tmp_path / "changed.safetensors")
    assert again.changes == cap.changes
    assert again.before == cap.before
    assert again.row(0, 1, 7)[2] == 0.5
    assert str(again.head(1, 2)) == str(cap.head(1, 2))
    assert again.agreement == cap.agreement


def test_sinks_and_soft_caps_are_kept(model_of, faults):
    model, inputs = model_of("gpt_oss", torch.float32, "eager")
    cap, _ = captured(model, inputs, "no mask", "L0H1 off")
    assert cap.agreement.agrees
    assert (cap.weights(1).sum(-1) < 1 - 1e-5).all()
    assert [name for name in cap.head(0, 1) if name in ("weights", "mixed", "switched_off")][
        -1
    ] == "switched_off"
    model, inputs = model_of("gemma2", kernel="eager")
    cap, _ = captured(model, inputs, "no scale")
    assert cap.agreement.agrees
    assert np.abs(cap.head(1, 0)["soft_capped"].values).max() <= 3.0


def test_weights_that_the_kernel_hands_over_are_the_changed_ones(model_of):
    model, inputs = model_of("gpt2", kernel="eager")
    seen = []
    hook = model.register_forward_hook(lambda _, __, output: seen.append(output.attentions))
    capture(model, inputs=inputs | {"output_attentions": True}, changes="L1H2.weights[7,2] = 0.5")
    hook.remove()
    assert (seen[1][1][:, 2, 7, 2] == 0.5).all()
    assert torch.equal(seen[1][0], seen[0][0])


def test_crossing_layers_are_switched_by_their_own_name(model_of):
    model, inputs = model_of("bart")
    other = copy.deepcopy(model)
    for layer in other.model.decoder.layers:
        layer.encoder_attn.out_proj.weight.data.zero_()
    cap, got = captured(model, inputs, "cross off")
    expected = logits_of(other, inputs)
    assert (got - expected).abs().max() <= 1e-12 * expected.abs().max()
    assert {layer.tower for layer in cap.layers if layer.attention.off} == {"cross"}
    cap, _ = captured(model, inputs, "cross.L0H1.weights[3,2] = 0.25", "decoder no mask")
    assert cap.row(0, 1, 3, tower="cross")[2] == 0.25
    assert (cap.weights(0, tower="decoder") > 0).all()
    assert (
        cap.weights(0, tower="cross", batch=1)[:, :, 18:] == 0
    ).all()  # the padding of the text that is read
    assert cap.agreement.agrees


def test_generation_with_a_head_off(model_of):
    model, inputs = model_of("llama")
    other = copy.deepcopy(model)
    other.model.layers[1].self_attn.o_proj.weight.data.view(40, 4, 6)[:, 2] = 0
    cap = capture(model, inputs=inputs, generate=5, changes="L1H2 off")
    expected = capture(other, inputs=inputs, generate=5)
    ids = [[token.id for token in row] for row in cap.texts["text"]]
    assert ids == [[token.id for token in row] for row in expected.texts["text"]]
    assert not cap.layer(1).attention.output[:, :, 2].any()
    assert cap.agreement.agrees


@pytest.mark.parametrize("query", [7, 24])
def test_a_weight_set_while_the_model_goes_on_is_counted_over_the_whole_text(model_of, query):
    """In the prompt and in the answer: the same as reading the whole text at once with the same weight set."""
    model, inputs = model_of("gpt2")
    inputs = {"input_ids": inputs["input_ids"][:1]}
    change = f"L0H1.weights[{query},2] = 3"
    grown = capture(model, inputs=inputs, generate=5, changes=change)
    whole = torch.tensor([[token.id for token in grown.tokens]])
    read = capture(model, inputs={"input_ids": whole}, changes=change)
    for number in (0, 1):
        one, other = (cap.layer(number).attention.output[0] for cap in (grown, read))
        assert np.abs(one - other).max() <= 1e-12 * np.abs(other).max()
    assert grown.row(0, 1, query)[2] == 3
    assert grown.agreement.agrees


def test_a_key_that_is_not_there_yet_is_refused(model_of):
    model, inputs = model_of("gpt2")
    said = r"^change: key 26 is not there when query 24 asks; expected a key from 0 to 24$"
    with pytest.raises(CaptureError, match=said):
        capture(
            model,
            inputs={"input_ids": inputs["input_ids"][:1]},
            generate=5,
            changes="L0H1.weights[24,26] = 1",
        )
    assert type(model.transformer.h[0].attn).forward is model.transformer.h[0].attn.forward.__func__


WRONG = {
    "L7 off": r"^change 'L7 off': layer: 7 is none of this model's; expected one of 0, 1$",
    "L0H4 off": r"^change 'L0H4 off': L0 has no head 4; expected 0 to 3$",
    "H9 off": r"^change 'H9 off': L0 has no head 9; expected 0 to 3$",
    "L0H1.weights[23,2] = 0.5": r"L0 has no query 23; expected 0 to 22$",
    "L0H1.weights[2,23] = 0.5": r"L0 has no key 23; expected 0 to 22$",
    "encoder no mask": r"^change 'encoder no mask': there is no tower 'encoder'; expected no name, as the model h",
    "encoder.L0 off": r"^change 'encoder.L0 off': tower: 'encoder' is none of this model's",
    "no masks": r"^change: 'no masks' is none; expected \"no mask\", ",
}


@pytest.mark.parametrize("change", WRONG)
def test_a_change_of_what_is_not_there_is_refused_in_one_sentence(model_of, change):
    model, inputs = model_of("gpt2")
    plain = logits_of(model, inputs)
    with pytest.raises(ValueError, match=WRONG[change]):
        capture(model, inputs=inputs, changes=[change])
    assert torch.equal(logits_of(model, inputs), plain)


def test_a_weight_set_twice_is_refused(model_of):
    model, inputs = model_of("gpt2")
    with pytest.raises(CaptureError, match=r"this weight is set twice; expected one number for it$"):
        capture(model, inputs=inputs, changes=["L0H1.weights[2,2] = 1", "L0H1.weights[2,2] = 0"])


def test_dropout_is_refused(model_of):
    model, inputs = model_of("gpt2")
    with pytest.raises(CaptureError, match=r"dropout of 0.1 is on in L0; expected model.eval\(\) before$"):
        capture(model.train(), inputs=inputs, changes=["L0 off"])


def test_a_layer_that_computes_by_itself_is_refused(zoo):
    model, inputs = zoo.build(zoo.ROWS["xglm"]), zoo.ROWS["xglm"].inputs()
    said = r"^change 'L1 off': L1 \(model.layers.1.self_attn\) computes its attention by itself; switches need a model "
    with pytest.raises(CaptureError, match=said):
        capture(model, inputs=inputs, changes="L1 off")


def test_of_a_module_that_is_several_layers_one_is_changed(model_of):
    model, inputs = model_of("albert")
    cap, _ = captured(model, inputs, "L1 off")
    assert len({layer.path for layer in cap.layers}) == 1
    assert [layer.attention.off for layer in cap.layers] == [(), (0, 1, 2, 3)]
    assert cap.agreement.agrees
