"""What is no attention is left alone, what is not understood is refused with its reason, and nothing is left behind."""

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.overrides import _get_current_function_mode_stack  # noqa: E402

from clearhead.sources.models.passes import recorded, run  # noqa: E402
from clearhead.sources.models.recorder import Recorder, attention_of  # noqa: E402
from clearhead.sources.models.towers import places  # noqa: E402

WIDTH, LENGTH = 13, 5


class Wrap(nn.Module):
    """A module around one function of its input, and a weight."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.randn(WIDTH, WIDTH, generator=torch.Generator().manual_seed(2)))

    def forward(self, x):
        return self.function(self, x)


def given():
    return torch.randn(2, LENGTH, WIDTH, generator=torch.Generator().manual_seed(1)) / 3


def watched(function):
    """What was kept and refused; the output is bit for bit the one without a capture."""
    model, x = Wrap(function).eval(), given()
    with torch.no_grad():
        plain = model(x)
    recorder = Recorder(model)
    assert torch.equal(plain, run(model, recorder, lambda: model(x)))
    return recorder


def router(module, x):
    """A mixture of experts: the softmax of a linear layer chooses and blends what the experts give."""
    weights = (x @ module.weight).softmax(-1)
    experts = torch.stack([x * factor for factor in range(WIDTH)], -1)
    return (experts @ weights[..., None])[..., 0]


def classifier(module, x):
    return (x @ module.weight.T).softmax(-1)


def similarity(module, x):
    """A product of two activations and a softmax, which multiplies nothing."""
    return (x @ x.mT).softmax(-1).amax(-1)


def codebook(module, x):
    """The nearest of learned vectors: a product with a weight, not with another activation."""
    return (x @ module.weight.T).softmax(-1) @ module.weight


def pooling(module, x):
    """Weights from a linear layer alone."""
    return torch.einsum("bt,btd->bd", (x @ module.weight)[..., 0].softmax(-1), x)


@pytest.mark.parametrize("function", [router, classifier, similarity, codebook, pooling])
def test_a_softmax_that_is_no_attention_is_neither_kept_nor_refused(function):
    recorder = watched(function)
    assert recorder.layers == {}
    assert recorder.refused == {}


def blocks(module, x):
    """Scores put together from two products."""
    scores = torch.cat([x @ x[:, :2].mT, x @ x[:, 2:].mT], -1)
    return scores.softmax(-1) @ x


def exponentials(module, x):
    weights = torch.exp(x @ x.mT)
    return (weights / weights.sum(-1, keepdim=True)) @ x


def differential(module, x):
    """Two softmaxes subtracted before the values."""
    return ((x @ x.mT).softmax(-1) - 0.5 * (2 * x @ x.mT).softmax(-1)) @ x


def twice(module, x):
    weights = (x @ x.mT).softmax(-1)
    return (weights @ weights) @ x


def edited(module, x):
    """Weights changed after the softmax."""
    weights = (x @ x.mT).softmax(-1)
    return (weights * torch.arange(LENGTH)) @ x


def streams(module, x):
    """A fifth axis."""
    five = torch.stack([x, x]).view(1, 2, 2, LENGTH, WIDTH) * torch.ones(3, 1, 1, 1, 1)
    return (five @ five.mT).softmax(-1) @ five


def squared(module, x):
    """Not linear in the products."""
    return ((x @ x.mT) ** 2).softmax(-1) @ x


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (blocks, "put together from parts"), (exponentials, "exponentials by itself"),
        (differential, "several softmaxes"), (twice, "weights with weights"), (edited, "worked out again"),
        (streams, "another axis"), (squared, "worked out again"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused_with_its_reason(function, reason):
    recorder = watched(function)
    assert recorder.layers == {}
    (said,) = recorder.refused.values()
    assert reason in said


def test_everything_is_put_back_after_an_error():
    def fails(module, x):
        (x @ x.mT).softmax(-1)
        raise RuntimeError("in the middle")

    model = Wrap(fails).eval()
    hooks = len(model._forward_pre_hooks)
    with pytest.raises(RuntimeError, match="in the middle"):
        run(model, Recorder(model), lambda: model(given()))
    assert _get_current_function_mode_stack() == []
    assert torch.backends.mha.get_fastpath_enabled()
    assert len(model._forward_pre_hooks) == hooks


def test_the_fused_path_stays_off_if_it_was():
    model = Wrap(similarity)
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        run(model, Recorder(model), lambda: model(given()))
        assert not torch.backends.mha.get_fastpath_enabled()
    finally:
        torch.backends.mha.set_fastpath_enabled(True)


def test_scores_live_no_longer_than_without_a_capture():
    import weakref

    alive = []

    def attends(module, x):
        scores = x @ x.mT
        alive.append(weakref.ref(scores))
        scores = scores * 0.5
        weights = scores.softmax(-1)
        mixed = weights @ x
        alive.append(weakref.ref(weights))
        return mixed

    model = Wrap(attends).eval()
    recorder = Recorder(model)
    with recorded(model, recorder):
        model(given())
        assert [reference() for reference in alive] == [None, None]
    assert len(recorder.layers) == 1


class Twice(nn.Module):
    """Attends twice from the same positions in one entry, as DiffLlama."""

    def forward(self, x):
        first, second = ((x @ x.mT * scale).softmax(-1) @ x for scale in (0.5, 0.25))
        return first - second


class Windows(nn.Module):
    """Attends once for each window of its positions, as the picture's tower of Qwen2.5-VL."""

    def forward(self, x):
        four = x[:, None]
        parts = torch.split(four, [2, 3], dim=2)
        return torch.cat([nn.functional.scaled_dot_product_attention(part, part, part) for part in parts], 2)[
            :, 0
        ]


class Blocks(nn.Module):
    def __init__(self, *blocks):
        super().__init__()
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x


def layers_of(model):
    recorder = Recorder(model)
    run(model, recorder, lambda: model(given()))
    layers = list(recorder.layers.values())
    return [(place.tower, place.number) for place in places(model, layers)], [
        attention_of(one) for one in layers
    ]


def test_two_calls_in_one_entry_are_told_apart_and_keep_the_numbers_of_their_blocks():
    placed, attentions = layers_of(Blocks(Twice(), Twice()))
    assert placed == [("call1", 0), ("call2", 0), ("call1", 1), ("call2", 1)]
    assert [one.scale for one in attentions] == [0.5, 0.25, 0.5, 0.25]


def test_a_module_that_is_entered_twice_is_two_layers():
    block = Wrap(lambda module, x: (x @ x.mT).softmax(-1) @ x)
    placed, _ = layers_of(Blocks(block, block))
    assert placed == [("", 0), ("", 1)]


def test_windows_of_one_layer_are_joined():
    placed, attentions = layers_of(Blocks(Windows(), Windows()))
    assert placed == [("", 0), ("", 1)]
    table = attentions[0].visible.table(0, 0)
    assert table.tolist() == [[(query < 2) == (key < 2) for key in range(5)] for query in range(5)]
    assert attentions[0].output.shape == (2, 5, 1, WIDTH)
