"""One layer by hand: two words, numbers small enough to do in the head."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch

import clearhead as ch
from clearhead.core import ops
from clearhead.core.attention import attention, compute
from clearhead.core.embedding import embed
from clearhead.core.expression import Number
from clearhead.core.masks import MASKS, mask_named
from clearhead.core.ops import Softmax
from clearhead.core.ops.alibi import slope_exponent
from clearhead.core.optimise import Optimiser
from clearhead.core.settings import Settings
from clearhead.sources.worked.run import with_asides

E = {"red": [1, 2], "fox": [3, -1]}
"""X = [[1, 2], [3, −1]] for "red fox" without positions."""


def red_fox(**changes):
    given = {
        "tokens": ["red", "fox"], "E": E, "positions": "none",
        "W_Q": [[1, 0, 2, 1], [0, 1, 1, 0]], "W_K": [[1, 1, 0, 1], [0, 2, 1, 0]], "W_V": [[1, 0], [0, 3]],
    }  # fmt: skip
    return ch.run(ch.Example(**(given | changes)))


def test_projections_and_scores_of_one_head():
    trace = red_fox()
    # X W_Q: red: [1, 2, 2+2, 1] ; fox: [3, −1, 6−1, 3]
    assert trace["Q"].values.tolist() == [[[1, 2, 4, 1], [3, -1, 5, 3]]]
    # X W_K: red: [1, 1+4, 2, 1] ; fox: [3, 3−2, −1, 3]
    assert trace["K"].values.tolist() == [[[1, 5, 2, 1], [3, 1, -1, 3]]]
    # red·red 1+10+8+1 = 20; red·fox 3+2−4+3 = 4; fox·red 3−5+10+3 = 11; fox·fox 9−1−5+9 = 12
    assert trace["scores"].values.tolist() == [[[20, 4], [11, 12]]]
    # d_head = 4: divided by 2
    assert trace["scaled"].values.tolist() == [[[10, 2], [5.5, 6]]]
    assert red_fox(scale=False)["scaled"].values.tolist() == [[[20, 4], [11, 12]]]
    # X W_V: [1, 6], [3, −3]
    assert trace["V"].values.tolist() == [[[1, 6], [3, -3]]]


def test_two_heads_take_the_first_and_the_last_columns():
    trace = red_fox(heads=2)
    assert trace["Q"].values.tolist() == [[[1, 2], [3, -1]], [[4, 1], [5, 3]]]
    assert trace["K"].values.tolist() == [[[1, 5], [3, 1]], [[2, 1], [-1, 3]]]
    # head 0: 1+10, 3+2; 3−5, 9−1.  head 1: 8+1, −4+3; 10+3, −5+9
    assert trace["scores"].values.tolist() == [[[11, 5], [-2, 8]], [[9, -1], [13, 4]]]
    assert trace["V"].values.tolist() == [[[1], [3]], [[6], [-3]]]


def test_equal_scores_average_the_values_and_heads_are_joined_in_order():
    # W_Q = 0: every score is 0, every weight 1/2. Head 0 mixes 1 and 3 to 2, head 1 mixes 6 and −3 to 1.5.
    trace = red_fox(heads=2, W_Q=[[0, 0, 0, 0], [0, 0, 0, 0]], W_O=[[1, 10, 0], [0, 2, 4]])
    assert trace["weights"].values.tolist() == [[[0.5, 0.5]] * 2] * 2
    assert trace["mixed"].values.tolist() == [[[2], [2]], [[1.5], [1.5]]]
    assert trace["joined"].values.tolist() == [[2, 1.5]] * 2
    # joined W_O: [2, 20+3, 6]
    assert trace["output"].values.tolist() == [[2, 23, 6]] * 2


def test_without_W_O_the_joined_heads_are_the_output():
    trace = red_fox(heads=2)
    assert trace["output"].values.tolist() == trace["joined"].values.tolist()
    assert "W_O" not in trace


def test_the_causal_mask_forbids_what_comes_after():
    masked = red_fox(mask="causal")
    assert masked["masked"].values.tolist() == [[[10, -np.inf], [5.5, 6]]]
    assert masked["weights"].values[0, 0].tolist() == [1, 0]
    leaking = red_fox(mask="causal", mask_fill="0", scale=False, W_K=[[0] * 4] * 2)
    # All scores are 0, and 0 is what the forbidden one becomes: e^0 = 1 leaks half of the weight.
    assert leaking["weights"].values[0, 0].tolist() == [0.5, 0.5]


def test_embeddings_are_scaled_by_the_root_of_their_width_only_with_sinusoidal_positions():
    # d_model = 4, root 2: [2, 4, 6, 8] + [sin 0, cos 0, sin 0, cos 0] = [2, 5, 6, 9]
    wide = {"tokens": ["a"], "E": {"a": [1, 2, 3, 4]}, "W_Q": [[1]] * 4, "W_K": [[1]] * 4, "W_V": [[1]] * 4}
    assert ch.run(ch.Example(**wide))["X"].values.tolist() == [[2, 5, 6, 9]]
    assert ch.run(ch.Example(**wide, positions="none"))["X"].values.tolist() == [[1, 2, 3, 4]]
    assert ch.run(ch.Example(**wide, scale_embeddings=False))["X"].values.tolist() == [[1, 3, 3, 5]]
    assert ch.run(ch.Example(**wide, positions="alibi", scale_embeddings=True))["X"].values.tolist() == [
        [2, 4, 6, 8]
    ]


def test_learned_positions_add_their_row_of_P():
    trace = red_fox(positions="learned", P=[[10, 20], [30, 40], [50, 60]])
    assert trace["X"].values.tolist() == [[11, 22], [33, 39]]


def test_alibi_lowers_scores_by_the_distance():
    # One head: slope 2^−8. Scaled scores [10, 2], [5.5, 6]; distance 1 costs 1/256.
    trace = red_fox(positions="alibi")
    assert trace["biased"].values.tolist() == [[[10, 2 - 1 / 256], [5.5 - 1 / 256, 6]]]


def test_each_query_takes_the_arithmetic_of_its_recipe_as_data():
    why = red_fox()["scores"].explain(0, 1, 0)
    assert [(term.value, [f.value for f in term.factors]) for term in why.terms] == [
        (3, [3, 1]), (-5, [-1, 5]), (10, [5, 2]), (3, [3, 1]),
    ]  # fmt: skip


def test_aside_length_share_and_sensitivity_by_hand():
    part = np.array([[[3.0, 4.0], [0.0, -4.0]]])
    whole = part.sum(axis=1)  # [3, 0]
    assert ops.Length(("query", "key"), "model").forward(part).tolist() == [[5, 4]]
    # (3·3 + 4·0) / 9 = 1 and (0·3 − 4·0) / 9 = 0
    assert ops.Share(("query", "key")).forward(part, whole).tolist() == [[1, 0]]
    assert ops.Share(("query", "key")).forward(part, whole * 0).tolist() == [[0, 0]]
    assert ops.Sensitivity(("head", "query", "key")).forward(np.array([0, 0.25, 0.5, 1])).tolist() == [
        0, 3 / 16, 1 / 4, 0,
    ]  # fmt: skip
    assert ops.Identity(("joined", "model"), 2).forward().tolist() == [[1, 0], [0, 1]]


def test_the_plain_steps_give_what_the_recorder_keeps():
    """`compute` instead of the recorder: the same layer as plain arrays, without recipes."""
    matrices = [np.array(m, dtype=float) for m in ([[1, 0], [0, 2]], [[1, 1], [0, 1]], [[2, 0], [0, 1]])]
    settings = Settings(positions="none", scale_embeddings=False)
    X = embed(compute, np.array(list(E.values()), dtype=float), None, (0, 1), settings)
    output = attention(compute, X, *matrices, None, settings)
    trace = ch.run(
        ch.Example(
            tokens=["red", "fox"],
            E=E,
            positions="none",
            **dict(zip(("W_Q", "W_K", "W_V"), matrices, strict=True)),
        )
    )
    assert output.tolist() == trace["output"].values.tolist()


def test_the_list_of_operations_is_complete():
    folder = Path(ops.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "base"}
    assert len(ops.OPERATIONS) == len(files)
    assert {operation.__module__.rpartition(".")[2] for operation in ops.OPERATIONS.values()} == files
    assert all(name == operation.name for name, operation in ops.OPERATIONS.items())


WHOLE = {
    "sgd": {"activation": "relu", "positions": "sinusoidal", "scale_embeddings": True},
    "momentum": {"norm": "rms", "affine": ("gain",), "activation": "swiglu", "positions": "alibi"},
    "adamw": {"norm": "layer", "affine": ("bias",), "masking": ("causal", "-inf"), "positions": "rotary"},
}


OF_REAL_MODELS = {
    "rotate_by", "set_cells", "sink_gradient", "soft_cap", "soft_cap_gradient", "softmax_with_sink",
}  # fmt: skip
"""What no worked example has a switch for; a head with all of them is in `test_head`."""


def test_every_operation_writes_its_formula_and_keeps_only_plain_parameters(random_models):
    seen = set()
    for kind, choice in WHOLE.items():
        trace = with_asides(ch.run(random_models.random_model(1, **choice))).backward()
        for quantity in trace.update(Optimiser(kind)).values():
            if operation := quantity.operation:
                seen.add(operation.name)
                assert quantity.formula().left.name == quantity.name
                for part in fields(operation):
                    assert isinstance(getattr(operation, part.name), bool | int | float | str | tuple)
    assert seen == set(ops.OPERATIONS) - {"identity"} - OF_REAL_MODELS  # these models have their W_O


def test_a_mask_is_a_named_predicate():
    assert MASKS["causal"].table(2, 3).tolist() == [[True, False, False], [True, True, False]]
    assert MASKS["none"].table(2, 3).all()
    with pytest.raises(ValueError, match=r"^mask: 'sideways' is not known; expected one of none, causal, "):
        mask_named("sideways")


def test_slopes_halve_from_head_to_head():
    assert [slope_exponent(head, 4) for head in range(4)] == [2, 4, 6, 8]


def test_a_row_that_may_see_nothing_takes_nothing():
    """As PyTorch's scaled_dot_product_attention, which gives zeros there; no NaN spreads."""
    scores = np.array([[[-np.inf, -np.inf, -np.inf], [0.0, -np.inf, 0.0]]])
    softmax = Softmax(("head", "query", "key"))
    assert softmax.forward(scores).tolist() == [[[0, 0, 0], [0.5, 0, 0.5]]]
    assert softmax.recipe((0, 0, 1), scores) == Number(0)
    assert softmax.feeds(0, (0, 0, 1), scores) == []
    assert softmax.note((0, 0, 1), scores).startswith("this query may see nothing")
    blind = torch.zeros(1, 1, 2, 3, dtype=torch.float64)
    mask = torch.tensor([[False, False, False], [True, False, True]])
    values = torch.ones(1, 1, 3, 1, dtype=torch.float64)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        blind, torch.zeros(1, 1, 3, 3, dtype=torch.float64), values, attn_mask=mask
    )
    assert theirs.flatten().tolist() == [0, 1]
