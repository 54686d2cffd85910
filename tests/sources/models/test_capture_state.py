"""The model and its libraries are afterwards as they were: after an error, an interrupt, in threads, within another."""

import copy
import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from clearhead.sources.models.capture import capture  # noqa: E402
from clearhead.sources.models.registry import _registered  # noqa: E402


@pytest.fixture
def gpt2(small_models):
    return small_models.goes_on(small_models.gpt2())


def state(model):
    """All that a capture could leave changed."""
    modelling = __import__(type(model).__module__, fromlist=["x"])
    return (
        {(id(place), name): id(place[name]) for place, name in _registered()},
        modelling.eager_attention_forward,
        model.config._attn_implementation,
        [(len(one._forward_hooks), len(one._forward_pre_hooks), one.training) for one in model.modules()],
        torch.backends.mha.get_fastpath_enabled(),
        torch.is_grad_enabled(),
        torch.overrides._get_current_function_mode_stack(),
    )


class Broken(torch.nn.Module):
    """Stops the model in the middle of a layer."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def forward(self, *_):
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("broken"), SystemExit(3)], ids=repr)
@pytest.mark.parametrize("generate", [0, 3])
def test_stopped_in_the_middle(gpt2, error, generate):
    good = gpt2.transformer.h[1].mlp
    gpt2.transformer.h[1].mlp = Broken(error)
    before = state(gpt2)
    with pytest.raises(type(error)):
        capture(gpt2, None, [3, 5, 7], generate=generate, progress=lambda done, of: None)
    assert state(gpt2) == before
    gpt2.transformer.h[1].mlp = good
    assert capture(gpt2, None, [3, 5, 7]).agreement.agrees


def test_logits_and_state_are_what_they_were(gpt2):
    ids = torch.tensor([[3, 5, 7]])
    before = state(gpt2)
    with torch.no_grad():
        plain = gpt2(input_ids=ids).logits
        seen = []
        hook = gpt2.register_forward_hook(lambda *call: seen.append(call[-1].logits))
        capture(gpt2, None, ids)
        hook.remove()
        assert torch.equal(seen[0], plain)
        assert torch.equal(gpt2(input_ids=ids).logits, plain)
    assert state(gpt2) == before


def test_a_capture_within_a_capture(gpt2, small_models):
    """A model whose layer captures another model while it is captured itself."""
    inner, caught = small_models.llama(), []
    gpt2.transformer.h[0].register_forward_hook(lambda *_: caught.append(capture(inner, None, [3, 5])))
    before = state(gpt2)
    outer = capture(gpt2, None, [3, 5, 7])
    assert state(gpt2) == before
    assert [layer.heads for layer in outer.layers] == [3, 3]
    assert [layer.heads for layer in caught[0].layers] == [4, 4]
    assert outer.agreement.agrees
    assert caught[0].agreement.agrees


def test_two_threads(gpt2, small_models):
    models = [gpt2, small_models.llama(), copy.deepcopy(gpt2)]
    ids = [[3, 5, 7], [9, 11], [13, 17, 19, 23]]
    alone = [capture(model, None, one) for model, one in zip(models, ids, strict=True)]
    before = state(gpt2)
    found = [[] for _ in models]

    def work(at):
        for _ in range(3):
            found[at].append(capture(models[at], None, ids[at]))

    threads = [threading.Thread(target=work, args=(at,)) for at in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state(gpt2) == before
    for mine, caps in zip(alone, found, strict=True):
        assert len(caps) == 3
        assert all(np.array_equal(cap.weights(1), mine.weights(1)) for cap in caps)


def test_another_thread_that_uses_the_same_model_is_not_captured(gpt2):
    others = []

    def elsewhere(*_):
        if threading.current_thread() is not threading.main_thread():
            return

        def run():
            with torch.no_grad():
                others.append(gpt2(input_ids=torch.tensor([[1, 2]])).logits)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()

    gpt2.transformer.h[0].register_forward_hook(elsewhere)
    cap = capture(gpt2, None, [3, 5, 7])
    assert len(others) == 1
    assert [layer.attention.queries for layer in cap.layers] == [3, 3]
    assert cap.agreement.agrees
