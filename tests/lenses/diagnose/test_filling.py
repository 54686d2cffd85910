"""What hidden scores are filled with is read from one row: by hand, and with the reference's own numbers."""

import numpy as np
import pytest

from clearhead.lenses.diagnose import Case, Spec, attention_of, filled_with, ramp, shown
from clearhead.lenses.diagnose.mistakes.fill_too_small import giving, lowering

SPEC = Spec(2, 2, mask="causal")
CASE = Case("plain", SPEC, {name: np.ones((1, 2, 3, 4)) for name in "QKV"})


def test_key_j_scores_minus_depth_times_the_keys_from_it_on():
    scores = attention_of(ramp(CASE, 7.0)).values["scaled"]

    assert np.allclose(scores[0, 0, 0], [-21, -14, -7])


def test_the_same_of_x():
    weights = {f"W_{name}": np.ones((5, 8)) for name in "QKV"}
    case = Case("plain", Spec(2, 2, True, "causal"), {"X": np.ones((1, 3, 5))}, weights)

    assert np.allclose(attention_of(ramp(case, 7.0)).values["scaled"][0, 1, 2], [-21, -14, -7])


def test_there_is_no_room_in_an_x_of_two_features():
    case = Case("plain", SPEC, {"X": np.ones((1, 3, 2))}, {f"W_{name}": np.ones((2, 8)) for name in "QKV"})

    assert ramp(case, 7.0) is None


@pytest.mark.parametrize(("made", "place", "right"), [(giving(23.0), 0, 23.0), (lowering(11.0), 1, 11.0)])
def test_it_is_read_back(made, place, right):
    case = ramp(CASE, 7.0)
    weights = attention_of(case, [made.changes]).values["weights"]
    _, at = shown(case, weights)

    assert at[place] == pytest.approx(right)


def test_nothing_is_read_where_one_side_takes_all():
    case = ramp(CASE, 7.0)

    assert shown(case, attention_of(case).values["weights"]) == (0.0, [])
    assert shown(case, attention_of(case, [giving(1.0).changes]).values["weights"])[1] != []


def test_a_number_is_as_short_as_the_measurement_lets_it_be():
    assert "-10000," in filled_with([10000.004, 0.0], 4e-6)[0].says
    assert "-65504," in filled_with([65504.01, 0.0], 4e-6)[0].says
    assert "about -100," in filled_with([100.4, 0.0], 0.016)[0].says
