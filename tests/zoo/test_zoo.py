"""The zoo itself: every row builds, runs, repeats itself, and attends in as many layers and heads as it says."""

import sys
from collections import Counter

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

NEWEST = (5, 24)
"""Routes are stated for this version; earlier ones let more families attend with code of their own."""


@pytest.fixture
def calls(monkeypatch):
    """Query heads and key/value heads of every call of a registered attention function, in order."""
    seen = []

    def noting(function):
        def attend(module, query, key, *others, **named):
            seen.append((query.shape[1], key.shape[1]))
            return function(module, query, key, *others, **named)

        return attend

    registered = transformers.AttentionInterface._global_mapping
    monkeypatch.setitem(registered, "sdpa", noting(registered["sdpa"]))

    def watch():
        for name, module in list(sys.modules.items()):
            if name.startswith("transformers.models.") and "eager_attention_forward" in vars(module):
                monkeypatch.setattr(module, "eager_attention_forward", noting(module.eager_attention_forward))
        return seen

    return watch


def test_a_row_builds_runs_and_repeats_itself(zoo, tiny, calls):
    first, second = zoo.build(tiny), zoo.build(tiny)
    seen = calls()
    result = zoo.output(first, tiny)
    assert torch.isfinite(result).all()
    assert result.std() > 0.01  # the inputs reach the output
    noted = list(seen)
    assert torch.equal(result, zoo.output(second, tiny))

    if tuple(map(int, transformers.__version__.split(".")[:2])) < NEWEST:
        return
    layers = tiny.calls or tiny.layers
    if tiny.route == "registry":
        assert len(noted) == layers
        assert set(noted) == {(heads, shared) for _, heads, shared in tiny.attends.values()}
    else:
        assert (len(noted) == 0) == (tiny.route == "own")
        assert len(noted) < layers


def test_another_seed_gives_another_model(zoo):
    tiny = zoo.ROWS["llama"]
    assert not torch.equal(zoo.output(zoo.build(tiny), tiny), zoo.output(zoo.build(tiny, seed=1), tiny))


def test_the_drawn_weights_make_attention_far_from_uniform(zoo):
    """The largest weight of a row of 23 keys is on average several times the uniform 1/23."""
    tiny = zoo.ROWS["bert"]
    model = zoo.build(tiny)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        weights = model(**tiny.inputs(), output_attentions=True).attentions
    assert all(layer.amax(-1).mean() > 3 / 23 for layer in weights)


def test_there_are_enough_of_every_kind(zoo):
    kinds = Counter(tiny.kind for tiny in zoo.ROWS.values())
    least = {
        "decoder": 60,
        "encoder": 35,
        "pair": 20,
        "vision": 20,
        "audio": 10,
        "multimodal": 20,
        "without": 5,
    }
    assert all(kinds[kind] >= count for kind, count in least.items())


def test_there_are_at_least_a_hundred_types_with_softmax_attention(zoo):
    assert len({tiny.type for tiny in zoo.ROWS.values() if tiny.attends}) >= 100
