"""A layer's overview against the plain formulas on the whole square, for all that a layer can be.

Of float32 (and of formats that widen to it) every number is within 1e-6 of its size, or of 1 where it is smaller; of
float64, and of a text so short that all is worked out in it, within 1e-12.
"""

import numpy as np
import pytest
import torch

from clearhead.core.masks import mask_named
from clearhead.trace.capture import questions
from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.held import Widened
from clearhead.trace.capture.overview import ROWS, LayerOverview
from clearhead.trace.capture.positions import Positions
from clearhead.trace.capture.streamed import layer_overview
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import Named, Runs, Visible

LONG, SHORT = 523, 43  # more than 2^18 cells are worked out in float32, fewer in float64


def held(numbers, shape, dtype="float32"):
    values = numbers.standard_normal(shape)
    if dtype == "bfloat16":
        return Widened((values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16))
    return values.astype(dtype)


def layer(
    *, queries=LONG, keys=LONG, mask="causal", dtype="float32", sequences=1, heads=2, key_heads=1, **more
):
    """A layer of random numbers; the value and the output are of no account here."""
    numbers = np.random.default_rng(queries + keys)
    visible = mask if isinstance(mask, Visible) else Visible(((Named(mask, queries, keys),),))
    return Attention(
        held(numbers, (sequences, heads, queries, 13), dtype), held(numbers, (sequences, key_heads, keys, 13), dtype),
        np.zeros((sequences, 1, keys, 2)), np.zeros((sequences, queries, heads, 2)), 0.37, visible, "by hand", **more,
    )  # fmt: skip


def places(attention, *, left=0, right=0, own=None):
    """What the positions are: words that come again, some padding at the sides."""
    numbers = np.random.default_rng(3)

    def tokens(count):
        words = numbers.integers(0, 29, count)
        outside = [at < left or at >= count - right for at in range(count)]
        return tuple(
            Token("w", int(word), None, None, at == left, padding)
            for at, (word, padding) in enumerate(zip(words, outside, strict=True))
        )

    own = attention.queries == attention.keys if own is None else own
    texts = [tokens(attention.keys) for _ in range(attention.sequences)]
    return [Positions.of(text if own else tokens(attention.queries), text, own) for text in texts]


def expected(plain_head, attention, positions, batch, head, bins, edges):
    """Every number of one head, from the attention's own fields."""
    query, key = (np.asarray(one[...], np.float64) for one in (attention.query, attention.key))
    allowed = attention.visible.table(batch, head)
    bias = 0.0
    if attention.bias is not None:
        values = np.asarray(attention.bias.values)
        of_head = values[batch % len(values), head % values.shape[1]]
        distance = np.arange(attention.keys) - np.arange(attention.queries)[:, None] + attention.queries - 1
        bias = of_head[distance] if attention.bias.by_distance else of_head
    sink = None if attention.sink is None else float(attention.sink[head])
    group = attention.heads // key.shape[1]
    weights, lse = plain_head.weights_of(
        query[batch, head], key[batch, head // group], attention.scale, allowed,
        soft_cap=attention.soft_cap, bias=bias, sink=sink,
    )  # fmt: skip
    for at, row, column, weight in attention.weights_set:
        if at == head:
            weights[row, column] = weight
    of = positions[batch]
    found = plain_head.plain_head(
        weights, allowed, sink=sink is not None, words=of.words, first=of.first, own=of.own, asked=of.asked,
        bins=bins, edges=edges,
    )  # fmt: skip
    return found | {"lse": lse}


def check(plain_head, attention, positions, tolerance, bins=47):
    found = layer_overview(attention, positions, bins, threads=1)
    for batch in range(attention.sequences):
        for head in range(attention.heads):
            plain = expected(plain_head, attention, positions, batch, head, bins, found.edges)
            for name in ("lse", "mean", "largest", *["histogram"] * positions[0].own):
                plain_head.assert_close(getattr(found, name)[batch, head], plain[name], tolerance, name)
            for name in ROWS:
                plain_head.assert_close(found.rows[name][batch, head], plain[name], tolerance, name)
    return found


def runs(*tables):
    return Visible((tuple(Runs.of_table(table) for table in tables),))


def checkered(size):
    """A mask that no span describes: a row in three sees only every second key, one in eleven sees nothing."""
    query, key = np.ogrid[:size, :size]
    return (key <= query) & ((query % 3 > 0) | (key % 2 == 0)) & (query % 11 != 4)


NUMBERS = np.random.default_rng(1)
LAYERS = {
    "plain": {},
    "capped": {"soft_cap": 2.5},
    "sink": {"sink": np.array([0.3, 2.0])},
    "a bias of every cell": {"bias": Bias(NUMBERS.standard_normal((1, 2, LONG, LONG)), False, LONG)},
    "a bias of every key": {"bias": Bias(NUMBERS.standard_normal((1, 1, 1, LONG)), False, LONG)},
    "a bias by distance": {"bias": Bias(NUMBERS.standard_normal((1, 2, 2 * LONG - 1)), True, LONG)},
    "everything": {
        "soft_cap": 5.0, "sink": np.array([-0.4, 0.9]), "mask": runs(checkered(LONG)),
        "bias": Bias(NUMBERS.standard_normal((1, 2, 2 * LONG - 1)), True, LONG),
        "weights_set": ((1, 7, 3, 0.75), (1, 300, 511, 0.5)),
    },
    "grouped heads, several sequences": {"sequences": 2, "heads": 6, "key_heads": 3},
    "a window": {"mask": "causal & window(31)"},
    "both sides": {"mask": "band(59)"},
    "a mask with gaps": {"mask": runs(checkered(LONG))},
    "a named mask with gaps": {"mask": "causal & window(41) | causal & prefix(5)"},
    "a mask of each head": {"mask": runs(checkered(LONG), np.tril(np.ones((LONG, LONG), bool), -7))},
    "weights set by hand": {"weights_set": ((0, 500, 2, 0.25), (0, 500, 0, 0.0), (1, 0, 0, 0.5), (1, 3, 4, 1.5))},
    "a head that is off": {"off": (1,)},
    "float64": {"dtype": "float64"},
    "float16": {"dtype": "float16"},
    "bfloat16": {"dtype": "bfloat16"},
    "a short text": {"queries": SHORT, "keys": SHORT},
    "a short text with weights set by hand": {"queries": SHORT, "keys": SHORT, "weights_set": ((0, 5, 2, 0.25),)},
    "cross-attention": {"queries": 409, "keys": 811, "mask": "none"},
    "short cross-attention": {"queries": 5, "keys": 37, "mask": "none", "sink": np.array([0.1, 0.2])},
}  # fmt: skip


@pytest.mark.parametrize("more", LAYERS.values(), ids=LAYERS)
def test_every_number_of_a_layer(plain_head, more):
    attention = layer(**more)
    precise = attention.query.dtype == "float64" or attention.queries < 100
    check(plain_head, attention, places(attention), 1e-12 if precise else 1e-6)


@pytest.mark.parametrize("times", [10, 100])
def test_large_scores_cost_no_more_digits_than_their_own_rounding(plain_head, times):
    """A float32 score is off by its rounding, summed over d_head products; and a weight by as much of itself."""
    attention = layer()
    attention.query[...] *= times
    largest = max(
        np.abs(attention.query[0, head] @ attention.key[0, attention.key_head(head)].T).max()
        * attention.scale
        for head in range(2)
    )
    assert largest > 3 * times
    check(plain_head, attention, places(attention), 6 * 2.0**-23 * largest)


@pytest.mark.parametrize("mask", ["causal & keys({left}:{right})", "keys({left}:{right})",
                                  "rows(0:{left}) | causal & keys({left}:{right})"])  # fmt: skip
@pytest.mark.parametrize(("left", "right"), [(17, 0), (0, 19), (5, 3)])
def test_padding(plain_head, mask, left, right):
    attention = layer(mask=mask.format(left=left, right=LONG - right))
    check(plain_head, attention, places(attention, left=left, right=right), 1e-6)


def test_other_tokens_of_the_same_number(plain_head):
    attention = layer(mask="none", queries=SHORT, keys=SHORT)
    found = check(plain_head, attention, places(attention, own=False), 1e-12)
    assert (found.edges.tolist(), found.histogram.shape) == ([0], (1, 2, 0))


def test_without_numba_the_numbers_are_as_good(plain_head, monkeypatch):
    monkeypatch.setattr("clearhead.core.stream.head.compiled_ways", lambda: None)
    for name in ("plain", "everything"):
        attention = layer(**LAYERS[name])
        check(plain_head, attention, places(attention), 1e-6)


def test_tensors_that_lie_elsewhere_are_streamed_where_they_are(plain_head, monkeypatch):
    """Here they say that they lie on a GPU; the pass gets PyTorch's tensors and leaves NumPy's arrays."""

    class Tensor:
        device = torch.device("cuda")

        def __init__(self, array):
            self.array = array

        def __getitem__(self, index):
            return torch.from_numpy(self.array[index])

    class Elsewhere:
        def __init__(self, array):
            self.array, self.shape, self.dtype, self.tensor = array, array.shape, array.dtype, Tensor(array)

        def __getitem__(self, index):
            return self.array[index]

    given, numbers_of = [], questions._numbers

    def watched(*place):
        given.append(numbers_of(*place))
        return given[-1]

    monkeypatch.setattr(questions, "_numbers", watched)
    for queries, tolerance in ((LONG, 1e-6), (SHORT, 1e-12)):
        plain = layer(queries=queries, keys=queries, soft_cap=3.0, sink=np.array([0.3, 2.0]))
        fields = {name: getattr(plain, name) for name in plain.__dataclass_fields__}
        attention = Attention(**fields | {"query": Elsewhere(plain.query), "key": Elsewhere(plain.key)})
        check(plain_head, attention, places(attention), tolerance)
    assert all(isinstance(one, torch.Tensor) for one in given)
    assert {str(one.dtype) for one in given} == {"torch.float32", "torch.float64"}


def test_rows_with_numbers_that_are_not_finite_are_nan_and_no_others(plain_head):
    attention = layer()
    attention.query[0, 0, 300, 2] = np.nan
    attention.key[0, 0, 401, 0] = np.inf
    positions = places(attention)
    found = layer_overview(attention, positions, 47)
    bad = {}
    for head in (0, 1):
        plain = expected(plain_head, attention, positions, 0, head, 47, found.edges)
        bad[head] = np.isnan(plain["entropy"])
        for name in ROWS:
            plain_head.assert_close(found.rows[name][0, head], plain[name], 1e-6, name)
        for name in ("mean", "largest", "histogram"):
            plain_head.assert_close(getattr(found, name)[0, head], plain[name], 1e-6, name)
        assert np.array_equal(np.isnan(found.lse[0, head]), bad[head])
    assert bad[0][300]
    assert not bad[1][300]
    assert not bad[0][:300].any()


def test_heads_are_told_as_they_are_done_and_several_at_a_time_give_the_same():
    attention = layer(sequences=2, heads=3, key_heads=3)
    told = []
    one = layer_overview(attention, places(attention), 31, threads=1, tell=lambda *done: told.append(done))
    several = layer_overview(attention, places(attention), 31, threads=3)
    assert told == [(done, 6) for done in range(1, 7)]
    for name, array in one.arrays().items():
        assert np.array_equal(array, several.arrays()[name], equal_nan=True), name


def test_what_is_kept_reads_back():
    attention = layer(queries=SHORT, keys=SHORT)
    overview = layer_overview(attention, places(attention), 7)
    again = LayerOverview.from_arrays(overview.arrays())
    for name, array in overview.arrays().items():
        assert again.arrays()[name] is array or np.array_equal(again.arrays()[name], array)
    assert overview.score("previous", 0, 0) == pytest.approx(np.nanmean(overview.rows["previous"][0, 0]))
    assert overview.score("sink", 0, 0) is None
    incomplete = overview.arrays()
    del incomplete["rows.entropy"]
    with pytest.raises(LookupError, match="rows\\.entropy"):
        LayerOverview.from_arrays(incomplete)


@pytest.mark.parametrize(
    "mask", ["causal", "causal & window(11)", "causal & keys(3:29) | prefix(2)", "keys(9:9)"]
)
def test_a_pattern_says_of_single_cells_what_its_table_says(mask):
    table = mask_named(mask).table(37, 31)
    query, key = (one.ravel() for one in np.mgrid[:37, -3:40])
    inside = (key >= 0) & (key < 31)
    plain = np.where(inside, table[query, np.clip(key, 0, 30)], False)
    for pattern in (Named(mask, 37, 31), Runs.of_table(table)):
        assert np.array_equal(pattern.allows(query, key), plain)
        assert np.array_equal(pattern.table(slice(5, 23), slice(7, 19)), table[5:23, 7:19])
        assert pattern.table(slice(3, 3), slice(2, 2)).shape == (0, 0)
