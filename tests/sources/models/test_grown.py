"""Masks and biases of many passes put together: what the whole says is what each pass said, cell by cell."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from clearhead.sources.models.call import Call  # noqa: E402
from clearhead.sources.models.grown import Joints, biases_below, stacked  # noqa: E402
from clearhead.sources.models.recorder import Layer, Step, attention_of, new_of, versions  # noqa: E402
from clearhead.trace.capture.attention import Bias  # noqa: E402
from clearhead.trace.capture.visible import Named, Runs, Visible  # noqa: E402

PROMPT, SPOKEN, WINDOW = 7, 12, 5


def dense(tables, begins, keys):
    """What is meant: each table where its keys lie, False elsewhere, row below row."""
    rows = []
    for table, first in zip(tables, begins, strict=True):
        room = np.zeros((len(table), keys), dtype=table.dtype)
        room[:, first : first + table.shape[1]] = table
        rows.append(room)
    return np.concatenate(rows)


def passes(kind, padded=0):
    """The tables of a prompt and of one row for each word after it, and how many keys lie before each."""
    total = PROMPT + SPOKEN
    query, key = np.ogrid[:total, :total]
    whole = (key <= query) & (key >= padded)
    if kind in ("window", "window cache"):
        whole &= key > query - WINDOW
    tables, begins = [whole[:PROMPT, :PROMPT]], [0]
    for row in range(PROMPT, total):
        first = (
            max(0, row + 1 - WINDOW) if kind == "window cache" else 0
        )  # the cache holds the last keys only
        tables.append(whole[row : row + 1, first : row + 1])
        begins.append(first)
    return whole, tables, begins


@pytest.mark.parametrize("padded", [0, 3])
@pytest.mark.parametrize("kind", ["causal", "window", "window cache"])
def test_rows_below_one_another_are_those_of_each_pass(kind, padded):
    whole, tables, begins = passes(kind, padded)
    found = stacked([Runs.of_table(one) for one in tables], begins, PROMPT + SPOKEN)
    assert np.array_equal(found.table(), dense(tables, begins, PROMPT + SPOKEN))
    assert np.array_equal(found.table(), whole)
    assert isinstance(found, Runs) == bool(padded)  # which keys are padding is asked of the runs


def test_any_rows_at_all_below_one_another():
    numbers = np.random.default_rng(3)
    tables = [numbers.random((rows, keys)) < 0.4 for rows, keys in ((5, 11), (1, 7), (2, 13), (1, 1), (3, 5))]
    begins = [0, 6, 0, 12, 2]
    found = stacked([Runs.of_table(one) for one in tables], begins, 13)
    assert isinstance(found, Runs)
    assert np.array_equal(found.table(), dense(tables, begins, 13))
    assert (found.row.dtype, found.start.dtype, found.end.dtype) == (np.int64, np.int32, np.int32)


def test_each_sequence_and_head_has_its_own():
    """A batch of two, padded by 0 and 3, whose second head has a window."""
    own = [[passes(kind, padded) for kind in ("causal", "window")] for padded in (0, 3)]
    begins = own[0][0][2]
    parts = [
        Visible(tuple(tuple(Runs.of_table(one[1][at]) for one in heads) for heads in own))
        for at in range(len(begins))
    ]
    found = Joints().visible(parts, begins, PROMPT + SPOKEN)
    for batch in range(2):
        for head in range(2):
            assert np.array_equal(found.table(batch, head), own[batch][head][0])


@pytest.mark.parametrize(("window", "name"), [(None, "causal"), (17, "causal & window(17)")])
def test_thousands_of_words_have_the_name_of_one_pass(window, name):
    """No row is kept where a name says it all; every layer has the same mask, put together once."""
    words = 2_003
    joints = Joints()
    keys = [min(at, window or at) for at in range(PROMPT + 1, PROMPT + words + 1)]
    first = Named("causal" if window is None else f"causal & window({window})", PROMPT, PROMPT)
    parts = [Visible(((one,),)) for one in (first, *(Named("none", 1, count) for count in keys))]
    begins = [0, *(PROMPT + 1 + at - count for at, count in enumerate(keys))]
    found = joints.visible(parts, begins, PROMPT + words).pattern(0, 0)
    assert found == Named(name, PROMPT + words, PROMPT + words)
    assert joints.visible(parts, begins, PROMPT + words).pattern(0, 0) is found


def biased(table, queries, by_distance=False):
    return Bias(np.asarray(table, dtype=np.float64)[None, None], by_distance, queries)


@pytest.mark.parametrize("kind", ["distance", "key", "neither"])
def test_biases_below_one_another(kind):
    whole, tables, begins = passes("causal", 2)
    total = PROMPT + SPOKEN
    query, key = np.ogrid[:total, :total]
    numbers = np.random.default_rng(5)
    bias = {
        "distance": numbers.normal(size=2 * total)[key - query + total],
        "key": numbers.normal(size=total)[key + 0 * query],
        "neither": numbers.normal(size=(total, total)),
    }[kind]
    parts, done = [], 0
    for table in tables:
        rows, keys = table.shape
        visible = Visible(((Runs.of_table(table),),))
        parts.append((visible, biased(bias[done : done + rows, :keys], rows)))
        done += rows
    found = biases_below(parts, begins, total)
    table = np.broadcast_to(found.table(0, 0), (total, total))
    assert np.array_equal(table[whole], bias[whole])
    assert found.by_distance == (kind == "distance")
    assert found.values.shape[2] == {"distance": 2 * total - 1, "key": 1, "neither": total}[kind]
    for row in (0, PROMPT, total - 1):  # one row at a time as well
        one = np.broadcast_to(found.table(0, 0, slice(row, row + 1)), (1, total))[0]
        assert np.array_equal(one[whole[row]], bias[row, whole[row]])


def test_a_bias_by_distance_grows_by_rows_and_stays_one():
    """T5: the first pass has it by distance already, the others one row each; and one pass has none at all."""
    total = PROMPT + SPOKEN
    numbers = np.random.default_rng(7).normal(size=2 * total)
    whole, _, begins = passes("causal")
    parts = [
        (
            Visible(((Named("causal", PROMPT, PROMPT),),)),
            biased(numbers[total - PROMPT + 1 : total + PROMPT], PROMPT, True),
        )
    ]
    parts += [
        (Visible(((Named("none", 1, row + 1),),)), biased(numbers[None, total - row : total + 1], 1))
        for row in range(PROMPT, total)
    ]
    found = biases_below(parts, begins, total)
    assert found.by_distance
    query, key = np.ogrid[:total, :total]
    assert np.array_equal(found.table(0, 0)[whole], numbers[key - query + total][whole])
    parts[-1] = (parts[-1][0], None)
    last = biases_below(parts, begins, total)
    assert not last.by_distance  # a row of zeros has no place in it
    assert (last.table(0, 0)[-1] == 0).all()
    assert np.array_equal(last.table(0, 0)[:-1][whole[:-1]], found.table(0, 0)[:-1][whole[:-1]])


def test_a_layer_of_many_passes_is_joined_as_it_ran():
    """Two sequences, four query heads on two key heads, a cache that is handed over whole: only what is new is kept."""
    words, d_head = 1_009, 3
    total = PROMPT + words
    query, key, value = (
        torch.from_numpy(np.random.default_rng(at).normal(size=(2, heads, total, d_head)))
        for at, heads in enumerate((4, 2, 2))
    )
    output = query.transpose(1, 2).contiguous()
    layer = Layer("block", 0, cross=False)
    first = 0
    for end in (PROMPT, *range(PROMPT + 1, total + 1)):
        call = Call(torch.nn.Identity(), query[:, :, first:end], key[:, :, :end], value[:, :, :end],
                    output[:, first:end], 0.5, "sdpa")  # fmt: skip
        assert layer.again(call) == (first == 0)
        kept = call if not first else new_of(layer, call)
        visible = Visible(((Named("causal" if not first else "none", end - first, end),),))
        step = Step(kept, visible, None, versions(kept))
        if first:
            layer.go_on(step, beside=False)
        else:
            layer.begin(step)
        first = end
    assert layer.seen == total
    held = sum(one.call.key.untyped_storage().nbytes() for one in layer.steps[1:])
    assert held == 2 * 2 * words * d_head * 8  # and not the whole cache at every step
    found = attention_of(layer)
    for part, expected in zip(("query", "key", "value", "output"), (query, key, value, output), strict=True):
        assert np.array_equal(getattr(found, part)[...], expected.numpy())
    assert found.visible.pattern(1, 3) == Named("causal", total, total)
