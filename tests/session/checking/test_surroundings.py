"""What a function changes that is not its own is put back, and said; so is what has no numbers to be read."""

import math
import os
import warnings

import numpy as np
import pytest

from clearhead.session.checking import check

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional


def right(q, k, v):
    return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1) @ v


def after(change, **keywords):
    """The report on a right function that does something else before."""

    def attention(q, k, v):
        change()
        return right(q, k, v)

    return check(attention, mask="none", **keywords)


CHANGES = {
    "PyTorch's default type": (lambda: torch.set_default_dtype(torch.float64), torch.get_default_dtype),
    "PyTorch's default device": (lambda: torch.set_default_device("meta"), torch.get_default_device),
    "whether PyTorch keeps gradients": (lambda: torch.set_grad_enabled(False), torch.is_grad_enabled),
    "the working directory": (lambda: os.chdir("/"), os.getcwd),
    "the environment": (lambda: os.environ.update(CLEARHEAD_TRIED="7"), lambda: dict(os.environ)),
    "NumPy's handling of errors": (lambda: np.seterr(all="raise"), np.geterr),
    "torch.softmax": (lambda: setattr(torch, "softmax", torch.softmax.__call__), lambda: torch.softmax),
    "torch.Tensor.softmax": (lambda: setattr(torch.Tensor, "softmax", right), lambda: torch.Tensor.softmax),
    "numpy.exp": (lambda: setattr(np, "exp", np.log), lambda: np.exp),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_changed_is_put_back_and_said(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    change, read = CHANGES[what]
    before = read()
    report = after(change)
    assert read() == before
    assert report.agrees, report
    assert any(f"it changes {what}: after each call that was put back" in note for note in report.notes)


def test_what_is_changed_and_not_answered_is_put_back(tmp_path, monkeypatch):
    """By a function that raises, and by one that does not return."""
    monkeypatch.chdir(tmp_path)

    def raising(q, k, v):
        os.chdir("/")
        raise RuntimeError("no")

    def hanging(q, k, v):
        os.chdir("/")
        while True:
            math.sqrt(2)

    for function in (raising, hanging):
        assert not check(function, time_limit=0.2).agrees
        assert os.getcwd() == str(tmp_path)


def test_what_changes_nothing_says_nothing():
    assert not any("put back" in note for note in after(lambda: None).notes)


class Module(nn.Module):
    """One head with a fused projection."""

    def __init__(self, layer):
        super().__init__()
        self.num_heads, self.qkv = 1, layer

    def forward(self, x):
        return right(*self.qkv(x).chunk(3, -1))


class TestWhatHasNoNumbers:
    """One sentence, whatever it is."""

    @pytest.mark.parametrize(
        ("other", "says"),
        [
            (
                lambda x: x.to_sparse(),
                "what it returns is a sparse tensor (sparse_coo); expected a dense one",
            ),
            (lambda x: x.to("meta"), "what it returns is on the device meta, where there are no numbers"),
            (lambda x: torch.nested.nested_tensor([*x[:, 0]]), "what it returns cannot be read ("),
        ],
    )
    def test_of_what_is_returned(self, other, says):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nested tensors are new
            report = check(lambda q, k, v: other(right(q, k, v)))
        assert (report.agrees, report.mistakes) == (False, ())
        assert says in report.verdict

    @pytest.mark.parametrize(
        ("layer", "says"),
        [
            (
                nn.LazyLinear(33),
                "its qkv.weight has no size yet, as that of a lazy layer before its first call",
            ),
            (
                nn.Linear(13, 33, device="meta"),
                "qkv.weight is on the device meta, where there are no numbers",
            ),
        ],
    )
    def test_of_a_module(self, layer, says):
        report = check(Module(layer))
        assert not report.agrees
        assert says in report.verdict


def test_an_asynchronous_function_is_refused_by_name():
    async def attention(q, k, v):
        return right(q, k, v)

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a coroutine that nobody waits for
        report = check(attention)
    assert "it is asynchronous (async def)" in report.verdict
    assert not report.agrees


def test_an_object_that_cannot_be_looked_into_is_said_and_not_raised():
    class Settings:
        """Its attributes are the entries of a mapping, and what is not there is a KeyError."""

        def __init__(self):
            vars(self)["entries"] = {"heads": 3}

        def __getattr__(self, name):
            return vars(self)["entries"][name]

        def __call__(self, x):
            return x

    report = check(Settings())
    assert not report.agrees
    assert "it raises KeyError: " in report.verdict
    assert "of __getattr__)" in report.verdict
