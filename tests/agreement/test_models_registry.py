"""When transformers changes what captures stand on, that is said in one sentence, with what to do."""

import inspect
import sys
import tomllib
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from clearhead.sources.models.capture import capture  # noqa: E402 (after what it needs)
from clearhead.sources.models.failing import CaptureError  # noqa: E402
from clearhead.sources.models.registry import NEWEST  # noqa: E402

pytestmark = [pytest.mark.filterwarnings(rf"ignore:::{library}\..*") for library in ("torch", "transformers")]

REGISTERED = transformers.AttentionInterface._global_mapping
WHAT_TO_DO = (
    f"expected transformers 4.57 to {NEWEST}, this is {transformers.__version__}: install one of those"
)


@pytest.fixture
def gpt2(zoo):
    """A tiny model of the registry's kind, and its inputs."""
    tiny = zoo.ROWS["gpt2"]
    return zoo.build(tiny), zoo.given(tiny)


def refusal(gpt2):
    """What is said instead of a capture; afterwards the model runs as before."""
    model, given = gpt2
    before = dict(REGISTERED)
    with pytest.raises(CaptureError) as error:
        capture(model, inputs=given)
    assert before == REGISTERED
    return str(error.value)


def test_a_transformers_without_a_registry(gpt2, monkeypatch):
    monkeypatch.delattr(transformers.modeling_utils, "AttentionInterface")
    said = refusal(gpt2)
    assert "no registry of attention functions (AttentionInterface)" in said
    assert WHAT_TO_DO in said


def test_a_registry_under_another_name(gpt2, monkeypatch):
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("transformers."):
            monkeypatch.delattr(module, "ALL_ATTENTION_FUNCTIONS", raising=False)
    said = refusal(gpt2)
    assert "keeps no attention functions in ALL_ATTENTION_FUNCTIONS" in said
    assert WHAT_TO_DO in said


@pytest.mark.parametrize(
    ("changed", "first"),
    [
        (lambda module, states, mask, **others: ..., "module, states, mask"),
        (lambda *given, **others: ..., "given, others"),
        (lambda module, key, query, value, mask: ..., "module, key, query"),
    ],
)
def test_an_attention_function_that_takes_something_else(gpt2, monkeypatch, changed, first):
    """Whatever it then makes of what the model gives it."""
    plain = REGISTERED["sdpa"]

    def attend(*given, **others):
        return plain(*given, **others)

    attend.__signature__ = inspect.signature(changed)
    monkeypatch.setitem(REGISTERED, "sdpa", attend)
    said = refusal(gpt2)
    assert f"takes {first}" in said
    assert (
        "expected module, query, key, value, attention_mask, under these names, as transformers 5.24" in said
    )


def test_one_that_is_not_called_may_look_as_it_likes(gpt2, monkeypatch):
    """Registries are open: a person may have put anything there."""
    model, given = gpt2
    monkeypatch.setitem(REGISTERED, "somebody's", lambda whatever: None)
    assert capture(model, inputs=given).agreement.agrees


@pytest.mark.parametrize(
    ("changed", "got"),
    [
        (lambda output, weights: {"output": output, "weights": weights}, "dict"),
        (lambda output, weights: (None, weights), "NoneType"),
        (lambda output, weights: (), "tuple"),
        (lambda output, weights: (output.transpose(1, 2), weights), "a tensor of shape (2, 4, 23, 10)"),
        (lambda output, weights: (output[:, :, :3], weights), "a tensor of shape (2, 23, 3, 10)"),
        (lambda output, weights: (output.flatten(0, 1), weights), "a tensor of shape (46, 4, 10)"),
    ],
)
def test_an_attention_function_that_returns_something_else(gpt2, monkeypatch, changed, got):
    """Also where the model would take it."""
    plain = REGISTERED["sdpa"]

    def attend(module, query, key, value, attention_mask, **others):
        return changed(*plain(module, query, key, value, attention_mask, **others))

    monkeypatch.setitem(REGISTERED, "sdpa", attend)
    said = refusal(gpt2)
    assert f"returned {got} and no tensor of shape (2, 23, 4, d_value)" in said
    assert WHAT_TO_DO in said


def test_one_that_computes_something_else_does_not_agree(gpt2, monkeypatch):
    """A kernel that scales once more than it was told: its numbers are not passed off as the model's."""
    model, given = gpt2
    plain = REGISTERED["sdpa"]

    def attend(module, query, key, value, attention_mask, **others):
        return plain(module, query * 2, key, value, attention_mask, **others)

    monkeypatch.setitem(REGISTERED, "sdpa", attend)
    found = capture(model, inputs=given)
    assert not found.agreement.agrees
    assert "these numbers are not the model's" in str(found)


def test_the_newest_that_is_named_is_the_newest_that_is_tested():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert f"transformers=={NEWEST}.*" in project["project"]["optional-dependencies"]["dev"]
