"""A trace is an ordered mapping of quantities; asking it wrongly is answered in one sentence."""

import numpy as np
import pytest

import clearhead as ch

ORDER = [
    "E", "W_Q", "W_K", "W_V", "W_O", "embeddings", "embeddings_scaled", "positions", "X", "XW_Q", "Q", "XW_K", "K",
    "XW_V", "V", "scores", "scaled", "masked", "weights", "mixed", "joined", "output",
]  # fmt: skip


@pytest.fixture(scope="module")
def trace():
    return ch.run(ch.load("the-dog-chased-the-cat"), predict=False)


def test_quantities_come_after_what_they_are_made_of(trace):
    assert sorted(trace) == sorted(ORDER)
    names = list(trace)
    for quantity in trace.values():
        assert all(names.index(given.name) < names.index(quantity.name) for given in quantity.inputs)
    made = [name for name in names if trace[name].operation]
    assert made == [name for name in ORDER if name not in ("E", "W_Q", "W_K", "W_V", "W_O")]


def test_a_whole_model_goes_on_where_attention_ends(trace):
    whole = ch.run(ch.load("the-dog-chased-the-cat"))
    made = [name for name in whole if whole[name].operation]
    assert made == [
        *(name for name in ORDER if trace[name].operation), "residual", "norm", "ffn_in_product", "ffn_in", "ffn_act",
        "ffn_out", "hidden", "logits", "tempered", "probabilities", "losses", "loss",
    ]  # fmt: skip
    for name in trace:
        assert whole[name].values.tolist() == trace[name].values.tolist()
    axes = {"residual": ("position", "model"), "ffn_act": ("position", "hidden"), "logits": ("position", "vocabulary"),
            "losses": ("position",), "loss": ()}  # fmt: skip
    assert {name: whole[name].axes for name in axes} == axes
    assert repr(whole["loss"]) == "loss()"


def test_axes_and_sizes(trace):
    """Five words (four distinct, seven in E), d_model 4, d_head 4, d_value 2, one head."""
    assert trace["E"].axes == ("vocabulary", "model")
    assert trace["X"].shape == (5, 4)
    assert (trace["Q"].axes, trace["Q"].shape) == (("head", "query", "feature"), (1, 5, 4))
    assert (trace["V"].axes, trace["V"].shape) == (("head", "key", "feature"), (1, 5, 2))
    assert (trace["weights"].axes, trace["weights"].shape) == (("head", "query", "key"), (1, 5, 5))
    assert (trace["output"].axes, trace["output"].shape) == (("query", "model"), (5, 4))
    assert all(quantity.values.dtype == np.float64 for quantity in trace.values())
    assert all(not quantity.values.flags.writeable for quantity in trace.values())


def test_an_unknown_quantity_names_those_there_are(trace):
    with pytest.raises(
        KeyError, match=r"no quantity named 'score'; did you mean scores\? This trace has E, .*scores"
    ):
        trace["score"]
    with pytest.raises(KeyError, match=r"no quantity named 'xyzzy'; this trace has E, .*scores"):
        trace["xyzzy"]
    assert trace.get("score") is None


def test_who_takes_a_quantity(trace):
    assert [(quantity.name, slot) for quantity, slot in trace.consumers("X")] == [
        ("XW_Q", 0), ("XW_K", 0), ("XW_V", 0),
    ]  # fmt: skip
    assert [(quantity.name, slot) for quantity, slot in trace.consumers("W_O")] == [("output", 1)]


def test_negative_indices_count_from_the_end(trace):
    assert trace["scores"].explain(0, -1, -5).label == "scores[0,4,0]"
    assert trace["scores"].explain(np.int64(0), np.int64(3), 1).label == "scores[0,3,1]"


@pytest.mark.parametrize("index", [(), (0,), (0, 1, 2, 3)])
def test_an_index_of_another_length_says_what_is_expected(trace, index):
    with pytest.raises(IndexError) as caught:
        trace["scores"].explain(*index)
    expected = "scores: expected 3 whole numbers (head 0–0, query 0–4, key 0–4), got "
    assert str(caught.value) == expected + str(len(index))


@pytest.mark.parametrize(
    ("index", "says"),
    [
        ((0, 5, 0), "query goes from 0 to 4, got 5"), ((0, -6, 0), "query goes from 0 to 4, got -6"),
        ((1, 0, 0), "head goes from 0 to 0, got 1"), ((0, 0, 10**30), f"key goes from 0 to 4, got {10**30}"),
    ],
)  # fmt: skip
def test_an_index_outside_says_on_which_axis(trace, index, says):
    with pytest.raises(IndexError) as caught:
        trace["scores"].explain(*index)
    assert str(caught.value) == f"scores: {says}"


@pytest.mark.parametrize("index", [(0, 1.0, 2), (0, "1", 2), (0, None, 2), (0, [1], 2)])
def test_an_index_that_is_no_integer_says_what_is_expected(trace, index):
    with pytest.raises(IndexError, match="expected 3 whole numbers"):
        trace["scores"].explain(*index)


def test_sources_are_each_named_once(trace):
    sources = [(quantity.name, index) for quantity, index in trace["weights"].sources((0, 1, 2))]
    assert sources[0] == ("masked", (0, 1, 2))
    assert sorted(index for _, index in sources) == [(0, 1, key) for key in range(5)]


def test_repr_names_sentence_axes_and_sizes(trace):
    assert repr(trace).splitlines()[0] == "Trace of 'the dog chased the cat'"
    assert repr(trace["scores"]) == "scores(head 1, query 5, key 5)"


def test_provenance_says_where_it_comes_from(trace):
    assert trace.provenance["name"] == "the-dog-chased-the-cat"
    assert trace.provenance["settings"] == {
        "heads": 1, "mask": "none", "mask_fill": "-inf", "scale": True, "positions": "sinusoidal",
        "scale_embeddings": True, "norm": "none", "norm_place": "pre", "activation": "relu", "temperature": 1.0,
        "layers": 1, "predicts": False,
    }  # fmt: skip


def test_masked_is_what_the_mask_forbids():
    masked = ch.run(ch.load("three-words"), mask="causal")["masked"]
    assert masked.masked[0].tolist() == [[False, True, True], [False, False, True], [False, False, False]]
    assert masked.note((0, 0, 1)) == (
        "masked: key 1 comes after query 0, so it may not be seen; its score is replaced by −∞"
    )
    assert masked.note((0, 1, 0)) is None
