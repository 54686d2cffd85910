"""The names people import, exactly as the documentation writes them."""

import inspect
import io
from contextlib import redirect_stdout

import numpy as np
import pytest
import torch

import clearhead as ch

QUANTITIES = [
    "E", "embeddings", "X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V", "scores", "scaled", "masked", "weights",
    "mixed", "output",
]  # fmt: skip


def test_every_public_name_is_there_and_documented():
    assert set(ch.__all__) >= {
        "examples", "load", "run", "Example", "load_trace", "Trace", "Quantity", "Explanation", "ExampleError",
        "__version__", "capture", "load_capture", "load_model", "Capture", "CaptureError", "Change",
        "Token", "head_statistics",
    }  # fmt: skip
    for name in ch.__all__:
        thing = getattr(ch, name)
        if callable(thing):
            assert inspect.getdoc(thing), name
    for thing in (ch.Trace, ch.Quantity, ch.Explanation, ch.Example, ch.Capture, ch.Token):
        for name, member in vars(thing).items():
            if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                assert inspect.getdoc(member), f"{thing.__name__}.{name}"


def test_the_program_in_the_package_s_docstring_runs():
    program = ch.__doc__.partition("\n")[2]
    assert program.count("\n") >= 3
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(inspect.cleandoc(program), "docstring", "exec"), {})
    assert "weights[0,3,4]" in printed.getvalue()


def test_examples_load_and_run():
    assert "the-dog-chased-the-cat" in ch.examples()
    ex = ch.load("the-dog-chased-the-cat")
    trace = ch.run(ex)
    assert trace["weights"].axes == ("head", "query", "key")
    for name in QUANTITIES:
        assert isinstance(trace[name].values, np.ndarray)
        assert trace[name].values.dtype == np.float64
    variation = ch.run(ex, mask="causal", scale=False)
    assert variation["weights"].values[0, 0, 1] == 0
    assert variation["scaled"].values.tolist() == variation["scores"].values.tolist()
    # The example itself stays as it was.
    assert ex.mask == "none"
    assert ch.run(ex)["weights"].values.tolist() == trace["weights"].values.tolist()


def test_why():
    trace = ch.run(ch.load("the-dog-chased-the-cat"))
    why = trace["scores"].explain(0, 3, 1)
    assert "scores[0,3,1]" in str(why)
    assert str(why) == why.text(2)
    assert why.latex().startswith(r"\begin{aligned}")
    assert why.value == trace["scores"].values[0, 3, 1]
    assert abs(why.evaluate() - why.value) <= why.tolerance


def test_the_terms_of_a_sum_say_what_they_are_made_of():
    # "a" is [2, 3], W_Q [[5], [7]]: 2·5 + 3·7 = 31
    trace = ch.run(
        ch.Example(
            tokens=["a"], E={"a": [2, 3]}, W_Q=[[5], [7]], W_K=[[1], [1]], W_V=[[1], [1]], positions="none"
        )
    )
    why = trace["XW_Q"].explain(0, 0)
    assert (why.value, why.evaluate()) == (31, 31)
    assert [term.value for term in why.terms] == [10, 21]
    assert [[(f.quantity, f.index, f.value) for f in term.factors] for term in why.terms] == [
        [("X", (0, 0), 2), ("W_Q", (0, 0), 5)],
        [("X", (0, 1), 3), ("W_Q", (1, 0), 7)],
    ]
    assert trace["weights"].explain(0, 0, 0).terms == ()
    added = ch.run(ch.load("the-dog-chased-the-cat"))["X"].explain(1, 2).terms
    assert [term.factors[0].quantity for term in added] == ["embeddings_scaled", "positions"]


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda rows: [np.array(row) for row in rows]])
def test_an_example_from_lists_or_arrays(kind):
    ex = ch.Example(
        tokens=["a", "b"], E={"a": [1, 0], "b": [0, 1]},
        W_Q=kind([[1, 0], [0, 1]]), W_K=kind([[1, 0], [0, 1]]), W_V=kind([[2, 0], [0, 2]]), W_O=None,
        heads=1, mask="none", scale=True, positions="sinusoidal",
    )  # fmt: skip
    trace = ch.run(ex)
    # √2·[1, 0] + [sin 0, cos 0] = [√2, 1]
    np.testing.assert_allclose(trace["X"].values[0], [2**0.5, 1], rtol=1e-15)
    assert trace["V"].values.tolist() == [(2 * trace["X"].values).tolist()]
    assert "W_O" not in trace


def test_a_trace_goes_to_a_file_and_back(tmp_path):
    trace = ch.run(ch.load("three-words"), mask="causal")
    trace.save(tmp_path / "trace")
    back = ch.load_trace(tmp_path / "trace")
    assert all(back[name].values.tobytes() == trace[name].values.tobytes() for name in trace)
    assert str(back["weights"].explain(0, 2, 1)) == str(trace["weights"].explain(0, 2, 1))


def test_an_example_error_is_a_value_error():
    assert issubclass(ch.ExampleError, ValueError)
    assert issubclass(ch.CaptureError, ValueError)


def test_arrays_tensors_and_their_scalars_are_as_welcome_as_lists():
    """Numbers small enough to be exact in bfloat16, so that every form holds the same ones."""
    eye = [[1.0, 0.0], [0.0, 2.0]]
    plain = ch.Example(tokens=["a", "b"], E={"a": [1, 0], "b": [0, 1]}, W_Q=eye, W_K=eye, W_V=eye, heads=2)
    forms = (np.array, np.float32, lambda rows: torch.tensor(rows, dtype=torch.bfloat16))
    for form in forms:
        other = ch.Example(
            tokens=np.array(["a", "b"]), E={"a": form([1, 0]), "b": form([0, 1])}, W_Q=form(eye), W_K=form(eye),
            W_V=form(eye), heads=np.int64(2), scale=np.bool_(True),
        )  # fmt: skip
        assert ch.run(other)["output"].values.tolist() == ch.run(plain)["output"].values.tolist()


def test_run_takes_a_name_or_a_path(tmp_path):
    assert ch.run("three-words").tokens == ("cats", "chase", "mice")
    path = tmp_path / "mine.toml"
    path.write_text(
        "tokens = ['a']\nW_Q = [[1]]\nW_K = [[1]]\nW_V = [[3]]\npositions = 'none'\nE = { a = [2] }\n"
    )
    assert ch.run(path)["output"].values.tolist() == [[6.0]]
    with pytest.raises(ch.ExampleError, match="expected the name or the path of an example, got 5"):
        ch.load(5)


def test_the_numbers_of_an_example_cannot_be_changed_behind_its_checks():
    example = ch.load("three-words")
    for array in (example.W_Q, example.E["cats"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5


def test_weights_say_where_they_are_masked():
    """Three words under the causal mask: the cells above the diagonal, with either fill; none without a mask."""
    above = np.triu(np.ones((3, 3), dtype=bool), k=1)
    for fill in ("-inf", "0"):
        trace = ch.run("three-words", mask="causal", mask_fill=fill)
        assert (trace["weights"].masked[0] == above).all()
        assert trace["scores"].masked is None
    assert ch.run("three-words")["weights"].masked is None
