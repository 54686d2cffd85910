"""Rows with scores that are no finite numbers: as torch.softmax has them, in the dense softmax and in one pass."""

import numpy as np
import pytest

from clearhead.core.expression import evaluate
from clearhead.core.ops import Softmax, SoftmaxWithSink
from clearhead.core.stream import Question, stream_head

MAP = ("query", "key")
INF, NAN = np.inf, np.nan
ROWS = {
    "one is +∞": [1.0, INF, 2.0, -3.0, 0.0],
    "the first is +∞": [INF, 1.0, 2.0, -3.0, 0.0],
    "two are +∞": [1.0, INF, INF, -3.0, 0.0],
    "+∞ beside what is masked": [1.0, INF, -INF, -3.0, 0.0],
    "+∞ beside what is masked alone": [-INF, -INF, -INF, INF, -INF],
    "one is NaN": [1.0, NAN, 2.0, -3.0, 0.0],
    "NaN and +∞": [1.0, NAN, INF, -3.0, 0.0],
    "one is −∞": [1.0, -INF, 2.0, -3.0, 0.0],
    "a large one": [1.0, 700.0, 2.0, 699.0, 0.0],
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_softmax_is_that_of_pytorch(row):
    torch = pytest.importorskip("torch")
    expected = torch.softmax(torch.tensor(row, dtype=torch.float64), -1).numpy()
    scores = np.array([row])
    np.testing.assert_allclose(Softmax(MAP).forward(scores)[0], expected, rtol=1e-14)
    sunk = torch.softmax(torch.tensor([*row, 0.5], dtype=torch.float64), -1).numpy()[:-1]
    np.testing.assert_allclose(SoftmaxWithSink(MAP).forward(scores, np.array(0.5))[0], sunk, rtol=1e-14)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_every_recipe_gives_its_number_and_a_note_says_why_there_is_none(row):
    scores, softmax = np.array([row]), Softmax(MAP)
    weights = softmax.forward(scores)
    for key in range(len(row)):
        found = evaluate(softmax.recipe((0, key), scores), lambda cell: scores[cell.index])
        np.testing.assert_allclose(found, weights[0, key], rtol=1e-14)
        said = softmax.note((0, key), scores) or ""
        assert ("the whole row is no number" in said) == bool(np.isnan(weights).any())


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_one_pass_has_the_same_rows_without_a_number(row):
    """A bias brings the scores in; the rows around it are the usual ones. Squares leave such a row out."""
    usual = [0.0, 1.0, 2.0, 3.0, 4.0]
    scores = np.array([usual, row, usual])
    nothing = np.zeros((3, 1)), np.zeros((5, 1))
    seen = np.zeros(3, dtype=np.int64), np.full(3, 5)
    question = Question(*nothing, 1.0, *seen, added=lambda rows, keys: scores[rows, keys], own=False)
    found = stream_head(question, bins=5)
    weights = Softmax(MAP).forward(scores)
    without = np.isnan(weights).any(1)
    assert np.isnan(weights[without]).all()
    assert np.isnan(found.lse).tolist() == np.isnan(found.entropy).tolist() == without.tolist()
    np.testing.assert_allclose(found.mean, np.where(without[:, None], 0.0, weights), rtol=1e-12)
