"""The streaming pass against the plain formulas in float64, three ways: compiled, NumPy's arrays, PyTorch's.

1e-6 of a number's size, or of 1 where it is smaller, is what the pass promises of float32; 1e-12 of float64 is far
above its rounding and far below any mistake.
"""

import tracemalloc

import numpy as np
import pytest
import torch

import clearhead.core.stream.head as stream
import clearhead.core.stream.layout as layout
from clearhead.core.masks import mask_named
from clearhead.core.stream import Question, Words, distance_edges, stream_head

TOLERANCE = {"float32": 1e-6, "float64": 1e-12}
WAYS = ("compiled", "numpy", "torch")
MASKS = (
    "none",
    "causal",
    "causal & window(37)",
    "band(101)",
    "causal & chunk(83)",
    "causal & keys(5:251)",  # padding on both sides: the first rows see nothing
    "keys(3:7)",
    "keys(19:19)",  # nobody sees anything
    "causal & documents(0,97,211)",
    "causal & prefix(89) | causal & window(13)",  # what a row sees has a gap
    "rows(0:11) | causal & keys(11:307)",
    "window(17) & keys(0:211)",  # the last rows see nothing
)
EXTRAS = {"plain": {}, "capped": {"soft_cap": 3.0}, "sink": {"sink": 0.7}, "biased": {"bias": 1}}
EXTRAS["all"] = {"soft_cap": 2.0, "sink": -0.3, "bias": 1}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    if request.param == "compiled":
        pytest.importorskip("numba")
    else:
        monkeypatch.setattr(stream, "compiled_ways", lambda: None)
    return request.param


def asked(way, query, key, mask, *, scale, bias=None, **more):
    """The question about a head with a mask that is named."""
    queries, keys = len(query), len(key)
    named, gaps = mask_named(mask), None
    span = named.span(queries, keys)
    table = named.table(queries, keys)
    if span is None:
        span = table.argmax(1), np.where(table.any(1), keys - table[:, ::-1].argmax(1), 0)
        gaps = lambda rows, columns: table[rows, columns]  # noqa: E731
    numbers = (torch.from_numpy(query), torch.from_numpy(key)) if way == "torch" else (query, key)
    added = None if bias is None else lambda rows, columns: bias[rows, columns]
    return Question(*numbers, scale, *span, gaps, added=added, **more)


def check(plain_head, way, mask, dtype, *, queries=307, keys=307, bins=256, **extra):
    numbers, own = np.random.default_rng(0), queries == keys
    query = (numbers.standard_normal((queries, 17)) * 1.5).astype(dtype)
    key = numbers.standard_normal((keys, 17)).astype(dtype)
    if "bias" in extra:
        extra["bias"] = numbers.standard_normal((queries, keys))
    words = numbers.integers(-1, 41, keys) if own else None
    counted = numbers.random(queries) < 0.8
    allowed, scale = mask_named(mask).table(queries, keys), 17**-0.5
    question = asked(
        way, query, key, mask, scale=scale, own=own, words=Words.of(words) if own else None, counted=counted,
        **extra,
    )  # fmt: skip
    edges = distance_edges(queries, keys, stream._back_only(question)) if own else None
    found = stream_head(question, bins)
    weights, lse = plain_head.weights_of(query, key, scale, allowed, **extra)
    sink = extra.get("sink") is not None
    about = {"sink": sink, "words": words, "own": own, "bins": bins}
    expected = plain_head.plain_head(weights, allowed, **about)
    counted_alone = plain_head.plain_head(weights, allowed, **about, asked=counted, edges=edges)
    expected["histogram"] = counted_alone["histogram"] if own else np.zeros(0)
    expected |= {"lse": lse, "away": expected["distance"], "taken": expected["sink"]}
    seen = allowed.any(1)
    if not sink:
        expected["taken"] = np.where(seen, 0.0, np.nan)
    for name in ("duplicate", "induction"):  # 0 where there is none: only the layer knows what is not defined
        expected[name] = np.where(seen, np.nan_to_num(expected[name]), np.nan)
    names = ["lse", "entropy", "taken", "duplicate", "induction", "mean", "largest", "histogram"]
    for name in names + ["away"] * own:
        plain_head.assert_close(getattr(found, name), expected[name], TOLERANCE[dtype], f"{mask} {name}")
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mask", MASKS)
def test_every_mask(plain_head, way, mask, dtype, monkeypatch):
    """With so short blocks that there are several of queries and of keys."""
    for module in (stream, layout):
        monkeypatch.setattr(module, "KEYS_AT_ONCE", 131)
    check(plain_head, way, mask, dtype, bins=101)


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("mask", ["none", "causal & keys(5:251)", MASKS[9]])
def test_what_a_model_does_to_its_scores(plain_head, way, mask, extra):
    check(plain_head, way, mask, "float32", **EXTRAS[extra])


def test_two_thousand_tokens(plain_head, way):
    check(plain_head, way, "causal", "float32", queries=2039, keys=2039, **EXTRAS["all"])


@pytest.mark.parametrize(
    ("queries", "keys"), [(2, 3), (1, 1), (13, 13), (257, 257), (3, 1301), (1301, 3), (311, 179)]
)
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_any_shape(plain_head, way, mask, queries, keys):
    for dtype in TOLERANCE:
        check(plain_head, way, mask, dtype, queries=queries, keys=keys)


@pytest.mark.parametrize("bins", [1, 7, 1301])
def test_any_number_of_bins(plain_head, way, bins):
    """One bin is longer than a block of keys; 1,301 are more than there are tokens."""
    check(plain_head, way, "causal", "float32", queries=1151, keys=1151, bins=bins)


def poked(**places):
    """Queries and keys of which some are not as they should be: `q5=inf` is the first number of query 5."""
    numbers = np.random.default_rng(3)
    query, key = (numbers.standard_normal((1201, 5)).astype(np.float32) for _ in range(2))
    for place, value in places.items():
        (query if place[0] == "q" else key)[int(place[1:]), 0] = value
    return query, key


NOT_FINITE = {
    "a query is NaN": {"q5": np.nan},
    "the first query is NaN": {"q0": np.nan},
    "a key is NaN": {"k7": np.nan},
    "a later key is NaN": {"k1103": np.nan},
    "a query is infinite": {"q601": np.inf},
    "a key is infinite": {"k601": -np.inf},
    "the first key is infinite": {"k0": np.inf},
    "several": {"q3": np.nan, "q701": -np.inf, "k1150": np.inf, "k17": np.nan},
}


@pytest.mark.parametrize("places", NOT_FINITE.values(), ids=NOT_FINITE)
@pytest.mark.parametrize("sink", [None, 0.5])
def test_only_rows_with_numbers_that_are_not_finite_become_nan(plain_head, way, places, sink):
    query, key = poked(**places)
    mask = "causal & window(607)"  # later rows do not see the first keys
    allowed = mask_named(mask).table(1201, 1201)
    words = np.random.default_rng(5).integers(0, 31, 1201)
    found = stream_head(asked(way, query, key, mask, scale=0.4, sink=sink, words=Words.of(words)), bins=29)
    weights, lse = plain_head.weights_of(query, key, 0.4, allowed, sink=sink)
    lse[np.isnan(weights).any(1)] = np.nan
    expected = plain_head.plain_head(
        weights, allowed, sink=sink is not None, words=words, bins=29, edges=distance_edges(1201, 1201, True)
    )
    for name, of in (("entropy", "entropy"), ("away", "distance"), ("mean", "mean"), ("largest", "largest"),
                     ("histogram", "histogram")):  # fmt: skip
        plain_head.assert_close(getattr(found, name), expected[of], 1e-6, name)
    blind = np.isneginf(lse)  # −∞ alone in a row: no weight anywhere, which the plain formula calls 0 / 0
    plain_head.assert_close(found.lse[~blind], lse[~blind], 1e-6, "lse")
    assert np.isnan(found.duplicate).sum() == np.isnan(found.entropy).sum()


@pytest.mark.parametrize("size", [1e4, 1e15])
def test_scores_of_any_size(plain_head, way, size):
    """Weights of 1 and 0: 1e30 is a score too. What underflows counts as nothing, and nothing becomes NaN."""
    query, key = (one * np.float32(size) for one in poked())
    found = stream_head(asked(way, query, key, "causal", scale=1.0), bins=29)
    _, lse = plain_head.weights_of(query, key, 1.0, mask_named("causal").table(1201, 1201))
    positive = lse > -1e30
    assert positive.sum() > 1190
    plain_head.assert_close(found.lse[positive], lse[positive], 1e-6)
    assert np.isfinite(found.entropy[positive]).all()
    assert found.mean.max() <= 1
    assert found.largest.max() == pytest.approx(1, abs=1e-6)


def test_a_row_whose_scores_are_far_apart(plain_head, way):
    """From e^0 down to e^-600, further than float32 reaches."""
    query = np.ones((409, 1), np.float32)
    key = np.linspace(0, -600, 409, dtype=np.float32)[:, None]
    found = stream_head(asked(way, query, key, "none", scale=1.0), bins=409)
    weights, _ = plain_head.weights_of(query, key, 1.0, np.ones((409, 409), bool))
    expected = plain_head.plain_head(weights, np.ones((409, 409), bool), bins=409)
    for name in ("mean", "largest", "entropy"):
        plain_head.assert_close(getattr(found, name), expected[name], 1e-6, name)


def test_weights_that_are_given(plain_head, way):
    """Of some blocks of queries; any numbers, one of them negative, one on a key that the mask hides."""
    numbers = np.random.default_rng(7)
    query, key = (numbers.standard_normal((563, 11)).astype(np.float32) for _ in range(2))
    allowed = mask_named("causal & keys(3:563)").table(563, 563)
    weights, lse = plain_head.weights_of(query, key, 0.3, allowed)
    weights[271, [0, 5, 401]] = [0.25, -0.125, 0.5]
    words = numbers.integers(0, 23, 563)

    def given(rows):
        return weights[rows] if rows.start <= 271 < rows.stop else None

    question = asked(way, query, key, "causal & keys(3:563)", scale=0.3, words=Words.of(words), given=given)
    edges = distance_edges(563, 563, False)
    found = stream_head(question, 37, edges)
    expected = plain_head.plain_head(weights, allowed, words=words, bins=37, edges=edges)
    expected["away"] = expected["distance"]
    for name in ("entropy", "away", "mean", "largest", "histogram"):
        plain_head.assert_close(getattr(found, name), expected[name], 1e-6, name)
    assert found.histogram.sum() == pytest.approx(weights.sum() / 560, rel=1e-6)
    plain_head.assert_close(found.lse[:256], lse[:256], 1e-6)


def test_single_scores_are_those_of_the_square(way):
    numbers = np.random.default_rng(11)
    query, key = numbers.standard_normal((601, 7)), numbers.standard_normal((601, 7))
    at, to = numbers.integers(0, 601, 907), numbers.integers(0, 601, 907)
    for bias in (numbers.standard_normal((601, 601)), numbers.standard_normal((1, 601))):

        def added(rows, columns, bias=bias):
            return bias[rows if len(bias) > 1 else slice(None), columns]

        question = Question(*((torch.from_numpy(query), torch.from_numpy(key)) if way == "torch" else (query, key)),
                            0.3, at, at, soft_cap=2.0, added=added)  # fmt: skip
        whole = 2.0 * np.tanh(query @ key.T * 0.3 / 2.0) + bias
        np.testing.assert_allclose(question.at(at, to), whole[at, to], atol=1e-12)


def test_no_square_is_ever_made():
    """8,209 tokens: their square would be 270 MB in float32, the numbers that go in are 2."""
    pytest.importorskip("numba")
    query, key = (np.random.default_rng(1).standard_normal((8209, 31)).astype(np.float32) for _ in range(2))
    stream_head(asked("compiled", query[:13], key[:13], "causal", scale=0.2))
    place = np.arange(8209)
    question = Question(query, key, 0.2, np.zeros(8209, int), place + 1, words=Words.of(place % 97))
    tracemalloc.start()
    stream_head(question)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 25e6


def test_a_row_that_is_no_number_beside_weights_set_by_hand_empties_nothing_else():
    numbers = np.random.default_rng(29)
    size = 31
    weights = np.tril(numbers.random((size, size)))
    weights /= weights.sum(1, keepdims=True)
    weights[11] = np.nan
    query, key = numbers.standard_normal((2, size, 5))
    first, after = np.zeros(size, int), np.arange(1, size + 1)
    found = stream_head(Question(query, key, 1.0, first, after, given=lambda rows: weights[rows]), bins=size)
    rest = np.arange(size) != 11
    np.testing.assert_allclose(found.mean[rest], weights[rest], rtol=1e-12)
    assert not found.mean[11].any()
    assert np.isnan(found.entropy[11])
    assert np.isfinite(found.entropy[rest]).all()
    assert found.histogram.sum() == pytest.approx(1)
