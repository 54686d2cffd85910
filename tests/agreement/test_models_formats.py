"""The models of the zoo in float64, bfloat16 and float16: what is recomputed is what the kernel returned."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

OLDER = transformers.__version__.startswith("4.")
"""More of its models run in float32 alone; which they are is not kept up here."""

FORMATS = ["float64", "bfloat16"] if OLDER else ["float64", "bfloat16", "float16"]
"""What a version of transformers does otherwise it does to both formats of two bytes; how they differ is PyTorch's."""

WRONG = {
    ("paligemma", "float64"): "it gives PyTorch's kernel a mask in float32, which that reads as if it were float64",
} if OLDER else {}  # fmt: skip
"""Models that run and compute something else than they should: that is noticed."""


@pytest.fixture(scope="module", params=FORMATS)
def observed(request, zoo, tiny):
    """A row's model in a format, captured."""
    if request.param in tiny.cannot:
        pytest.skip(f"{tiny.name} itself does not run in {request.param}: {tiny.cannot[request.param]}")
    dtype = getattr(torch, request.param)
    model = zoo.build(tiny, dtype)
    if hasattr(model, "set_experts_implementation"):
        # PyTorch's product of all experts together takes no float64
        model.set_experts_implementation("eager")
    elif OLDER:
        try:
            with torch.no_grad():
                model(**zoo.given(tiny, dtype))
        except RuntimeError as error:
            pytest.skip(f"{tiny.name} itself does not run in {request.param} with this transformers: {error}")
    return zoo.observe(model, tiny, dtype)


def test_a_format_agrees_and_changes_nothing(observed, capture):
    """Within the tolerance that the agreement states for the format; in float64 within much less.

    There it is 1e-12 of the values' size (the largest difference is 1.1e-15 of it) where the model rounds nothing to
    float32, and 1e-6 where it does: transformers' eager kernels work out their softmax in float32, and some families
    their scores.
    """
    assert not observed.changed
    for plain, again in zip(observed.plain, observed.again, strict=True):
        assert torch.equal(plain, again)
    if (observed.tiny.name, capture.agreement[-1].dtype) in WRONG:
        assert not capture.agreement.agrees
        return
    assert capture.agreement.agrees, str(capture.agreement)
    for layer, agreement in zip(capture.attentions(), capture.agreement, strict=True):
        if agreement.dtype != "float64":
            continue
        rounds = observed.tiny.scores == "float32" or layer.attention.softmax_dtype == "float32"
        largest = max(1.0, np.abs(layer.attention.value[:]).max())
        assert agreement.difference <= (1e-6 if rounds else 1e-12) * largest


def test_only_what_rounds_is_said_to(observed, capture):
    """A softmax in float32 is said of no kernel but those that have one: the bound of 1e-12 holds for all others."""
    for layer in capture.attentions():
        if layer.attention.softmax_dtype:
            assert layer.attention.kernel != "sdpa"
