"""`trace.backward()` and `trace.update()`: names, order, a loss worked by hand, rows of E used twice or never."""

import math

import numpy as np
import pytest

import clearhead as ch
from clearhead.core.optimise import Optimiser

S = math.e / (1 + math.e)


@pytest.fixture(scope="module")
def by_hand():
    """Two words, E the identity, scores 0, values 0: the output is 0 and X goes straight to the logits, X Eᵀ = I."""
    return ch.run(
        ch.Example(
            tokens=["a", "b"], E={"a": [1, 0], "b": [0, 1]}, positions="none",
            W_Q=[[0], [0]], W_K=[[0], [0]], W_V=[[0, 0], [0, 0]],
        )
    ).backward()  # fmt: skip


def test_the_loss_by_hand(by_hand):
    """Position 0 gives b the probability 1 / (1 + e); position 1 has no next word."""
    assert by_hand["losses"].values.tolist() == [pytest.approx(math.log(1 + math.e), rel=1e-15), 0]
    assert by_hand["loss"].values == pytest.approx(math.log(1 + math.e), rel=1e-15)
    assert by_hand["loss"].axes == ()


def test_gradients_by_hand(by_hand):
    """With s = e / (1 + e): dlogits = [s, −s] at position 0, and everything else follows from that."""
    expected = {
        "dloss": 1.0, "dlosses": [1, 0], "dlogits": [[S, -S], [0, 0]],
        "dE_from_logits": [[S, 0], [-S, 0]],  # dlogitsᵀ X
        "dhidden": [[S, -S], [0, 0]],  # dlogits E
        "dV": [[[S / 2, -S / 2]] * 2],  # half of doutput from query 0, for both keys
        "dW_V": [[S / 2, -S / 2]] * 2, "dX_from_XW_V": [[0, 0], [0, 0]], "dX_from_residual": [[S, -S], [0, 0]],
        "dweights": [[[0, 0], [0, 0]]], "dW_Q": [[0], [0]],
        "dE_from_embeddings": [[S, -S], [0, 0]], "dE": [[2 * S, -S], [-S, 0]],
    }  # fmt: skip
    for name, values in expected.items():
        np.testing.assert_allclose(by_hand[name].values, values, rtol=0, atol=1e-15, err_msg=name)


def test_an_update_by_hand(by_hand):
    trace = by_hand.update(Optimiser("sgd", 0.5))
    np.testing.assert_allclose(trace["E_next"].values, [[1 - S, S / 2], [S / 2, 1]], rtol=0, atol=1e-15)
    assert trace["E_next"].operation.name == "descend"
    assert [given.name for given in trace["E_next"].inputs] == ["E", "dE"]


def test_the_order_and_the_names(random_models):
    """From the loss backwards; each part of a sum before the sum, the first consumer first."""
    trace = ch.run(random_models.random_model(1, activation=None, tied=True)).backward()
    names = [name for name in trace if name.rpartition(".")[2].startswith("d")]
    assert names == [
        "dloss", "dlosses", "dtempered", "dlogits", "dhidden", "dresidual", "doutput", "djoined", "dmixed", "dweights",
        "dmasked", "dscaled", "dscores", "dV", "dXW_V", "dK", "dXW_K", "dQ", "dXW_Q",
        "dX_from_XW_Q", "dX_from_XW_K", "dX_from_XW_V", "dX_from_residual", "dX", "dembeddings_scaled", "dembeddings",
        "dW_O", "dW_V", "dW_K", "dW_Q", "dE_from_embeddings", "dE_from_logits", "dE",
    ]  # fmt: skip
    for quantity in trace.values():
        before = list(trace)[: list(trace).index(quantity.name)]
        assert all(given.name in before for given in quantity.inputs)


def test_every_gradient_has_the_axes_of_what_it_is_the_gradient_of(random_models):
    choice = {
        "layers": 2,
        "norm": "rms",
        "affine": ("gain", "bias"),
        "activation": "swiglu",
        "positions": "learned",
    }
    trace = ch.run(random_models.random_model(2, **choice)).backward()
    seen = 0
    for name, quantity in trace.items():
        scope, _, bare = name.rpartition(".")
        gradient = trace.get(f"{scope}.d{bare}" if scope else f"d{bare}")
        if gradient is not None:
            assert (gradient.axes, gradient.shape) == (quantity.axes, quantity.shape)
            seen += 1
    assert seen > 60
    assert {name for name, one in trace.items() if one.operation is None} <= {
        name.replace(".d", ".") if "." in name else name[1:] for name in trace
    }


def test_names_across_layers(random_models):
    trace = ch.run(random_models.random_model(2, layers=2)).backward()
    assert [given.name for given in trace["layer0.dhidden"].inputs] == ["layer1.dX"]
    assert [given.name for given in trace["layer1.dX"].inputs] == [
        f"layer1.dX_from_{consumer}" for consumer in ("XW_Q", "XW_K", "XW_V", "residual")
    ]


@pytest.fixture(scope="module")
def untied(random_models):
    """Seven places for five of thirteen words, and an unembedding of its own."""
    return ch.run(random_models.random_model(4, norm="layer", activation="relu", masking=("causal", "-inf")))


def test_a_repeated_word_gets_what_each_of_its_places_sends_back(untied):
    trace = untied.backward()
    of_positions = trace["dembeddings"].values
    repeated = [row for row in range(13) if trace.tokens.count(f"w{row}") > 1]
    assert repeated
    for row in repeated:
        places = [at for at, word in enumerate(trace.tokens) if word == f"w{row}"]
        np.testing.assert_allclose(trace["dE"].values[row], of_positions[places].sum(axis=0), rtol=1e-14)
        why = trace["dE"].explain(row, 2)
        assert [(term.factors[0].quantity, term.factors[0].index) for term in why.terms] == [
            ("dembeddings", (place, 2)) for place in places
        ]
        assert why.note == f"{len(places)} positions took this row, and each sends its part back"


@pytest.mark.parametrize("optimiser", [Optimiser("sgd", 0.3), Optimiser("momentum", 0.3)])
def test_a_row_that_is_not_used_has_a_gradient_of_exactly_0_and_does_not_move_by_a_bit(untied, optimiser):
    trace = untied.backward().update(optimiser)
    unused = [row for row in range(13) if f"w{row}" not in trace.tokens]
    used = [row for row in range(13) if f"w{row}" in trace.tokens]
    assert len(unused) >= 8
    assert (trace["dE"].values[unused] == 0).all()
    assert trace["E_next"].values[unused].tobytes() == trace["E"].values[unused].tobytes()
    assert (trace["E_next"].values[used] != trace["E"].values[used]).all()
    assert trace["dE"].explain(unused[0], 0).note == "no position took this row, so nothing flows back to it"


def test_tied_the_words_that_were_not_said_are_pushed_away(random_models):
    """With E as the unembedding each word has a logit, so every row moves, and the unused ones through logits alone."""
    trace = ch.run(random_models.random_model(4, tied=True)).backward()
    unused = [row for row in range(13) if f"w{row}" not in trace.tokens]
    assert (trace["dE_from_embeddings"].values[unused] == 0).all()
    assert (trace["dE"].values[unused] == trace["dE_from_logits"].values[unused]).all()
    assert (trace["dE"].values[unused] != 0).all()


def test_the_rows_of_P_beyond_the_sentence_do_not_move(random_models):
    trace = ch.run(random_models.random_model(5, positions="learned", masking=("causal", "-inf"))).backward()
    assert (trace["dP"].values[7:] == 0).all()
    assert (trace["dP"].values[:6] != 0).all()


def test_what_cannot_be_gone_back_through_says_why():
    for trace in (ch.run("two-heads", predict=False), ch.run("two-heads", tokens=["birds"])):
        with pytest.raises(
            ValueError, match=r"^this trace has no loss: it needs a model that goes on to the next word"
        ):
            trace.backward()
    with pytest.raises(
        ValueError, match=r"^there are no gradients here; expected a trace from trace.backward\(\)$"
    ):
        ch.run("two-heads").update(Optimiser())


def test_what_was_there_before_stays(untied):
    trace = untied.backward().update(Optimiser("adamw"))
    for name, quantity in untied.items():
        assert trace[name] is quantity
    assert (trace.tokens, trace.vocabulary, trace.provenance) == (
        untied.tokens, untied.vocabulary, untied.provenance,
    )  # fmt: skip
    assert "dE" not in untied


def test_an_optimiser_can_be_named(by_hand):
    """As in `ch.train`; what does not exist is refused in one sentence."""
    by_name, given = by_hand.update("momentum"), by_hand.update(Optimiser("momentum"))
    assert list(by_name) == list(given)
    assert by_name["E_next"].values.tolist() == given["E_next"].values.tolist()
    with pytest.raises(
        ValueError, match=r"^optimiser: 'adam' is not known; expected one of sgd, momentum, adamw$"
    ):
        by_hand.update("adam")
