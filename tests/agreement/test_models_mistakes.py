"""A capture that is wrong is noticed: the tolerance of the agreement is not so wide that anything passes."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from clearhead.trace.capture.agreement import agreement_of  # noqa: E402 (after what it needs)
from clearhead.trace.capture.attention import Bias  # noqa: E402
from clearhead.trace.capture.visible import Named, Runs, Visible  # noqa: E402

pytestmark = [pytest.mark.filterwarnings(rf"ignore:::{library}\..*") for library in ("torch", "transformers")]


class Changed:
    """Numbers that are not those that were captured, in the format they came in."""

    def __init__(self, values, dtype):
        self.values, self.dtype = values, dtype

    @property
    def shape(self):
        return self.values.shape

    def __getitem__(self, index):
        return self.values[index]


def changed(held, change):
    return Changed(change(np.asarray(held[:])), held.dtype)


def seeing(attention, change):
    """The attention with another mask, made from that of each sequence and head."""
    tables = [
        [attention.visible.table(batch, head).copy() for head in range(attention.heads)]
        for batch in range(attention.sequences)
    ]
    return replace(
        attention, visible=Visible(tuple(tuple(Runs.of_table(change(one)) for one in row) for row in tables))
    )


def everything(attention):
    return replace(attention, visible=Visible(((Named("none", attention.queries, attention.keys),),)))


def one_key_more(table):
    """Every query also sees the first key that it may not see."""
    rows = np.flatnonzero(~table.all(1))
    table[rows, table[rows].argmin(1)] = True
    return table


def one_key_less(table):
    """The last query does not see the last key that it may see."""
    table[-1, np.flatnonzero(table[-1])[-1]] = False
    return table


def with_padding(table):
    """Keys that nobody sees are seen by the queries that come after them."""
    return table | (np.tril(np.ones_like(table)) & ~table.any(0, keepdims=True))


MISTAKES = {
    "the mask is dropped": everything,
    "every query sees a key more": lambda it: seeing(it, one_key_more),
    "the last query sees a key less": lambda it: seeing(it, one_key_less),
    "padding is seen": lambda it: seeing(it, with_padding),
    "the mask is turned around": lambda it: seeing(it, lambda table: table.T | np.eye(len(table), dtype=bool)),
    "no scale": lambda it: replace(it, scale=1.0),
    "the scale of d_model": lambda it: replace(it, scale=it.scale * it.heads**-0.5),
    "a scale one hundredth larger": lambda it: replace(it, scale=it.scale * 1.01),
    "two heads swapped": lambda it: replace(it, query=changed(it.query, lambda q: q[:, [1, 0, *range(2, q.shape[1])]])),
    "another group's keys": lambda it: replace(it, key=changed(it.key, lambda k: k[:, ::-1])),
    "another group's values": lambda it: replace(it, value=changed(it.value, lambda v: v[:, ::-1])),
    "key heads tiled, not repeated": lambda it: replace(it, query=changed(it.query, lambda q: q[:, [0, 2, 1, 3]])),
    "keys one place further": lambda it: replace(it, key=changed(it.key, lambda k: np.roll(k, 1, axis=2))),
    "values one place further": lambda it: replace(it, value=changed(it.value, lambda v: np.roll(v, 1, axis=2))),
    "the other sequence": lambda it: replace(it, query=changed(it.query, lambda q: q[::-1])),
    "no soft cap": lambda it: replace(it, soft_cap=None),
    "no sink": lambda it: replace(it, sink=None),
    "no bias": lambda it: replace(it, bias=None),
    "another head's bias": lambda it: replace(it, bias=Bias(it.bias.values[:, ::-1], it.bias.by_distance, it.queries)),
    "a bias one place further": lambda it: replace(
        it, bias=Bias(np.roll(it.bias.values, 1, -1), it.bias.by_distance, it.queries)
    ),
}  # fmt: skip

ALWAYS = [
    "no scale", "the scale of d_model", "a scale one hundredth larger", "two heads swapped", "keys one place further",
    "values one place further", "the other sequence",
]  # fmt: skip
CAUSAL = ["the mask is dropped", "every query sees a key more", "the last query sees a key less",
          "the mask is turned around"]  # fmt: skip
GROUPED = ["another group's keys", "another group's values", "key heads tiled, not repeated"]
HAVING = {
    "llama": [*ALWAYS, *CAUSAL, *GROUPED, "padding is seen"],
    "mistral": [*ALWAYS, *CAUSAL, *GROUPED],
    "gemma2": [*ALWAYS, *CAUSAL, *GROUPED, "no soft cap"],
    "gpt_oss": [*ALWAYS, *CAUSAL, *GROUPED, "no sink"],
    "bert": [*ALWAYS, "the last query sees a key less", "every query sees a key more", "the mask is dropped"],
    "deepseek_v3": [*ALWAYS, *CAUSAL],
    "t5": ["two heads swapped", "keys one place further", "values one place further", "no bias", "another head's bias",
           "a bias one place further"],
}  # fmt: skip
"""What there is to go wrong in some rows of the zoo."""

FINE = ("a scale one hundredth larger", "the last query sees a key less")
"""Mistakes so small that shorter formats cannot tell them from rounding."""


@pytest.fixture(scope="module")
def layers(zoo):
    """The attention layers of a row, captured in a format."""

    @cache
    def captured(name, dtype):
        tiny = zoo.ROWS[name]
        found = zoo.observe(zoo.build(tiny, dtype), tiny, dtype)
        return [layer.attention for layer in found.capture.attentions()]

    return captured


@pytest.mark.parametrize(
    ("name", "mistake"), [(name, mistake) for name, some in HAVING.items() for mistake in some]
)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_wrong_capture_is_noticed(zoo, layers, name, mistake, dtype):
    """In every layer that the mistake changes something in; a mask without a window or padding may have no such key."""
    if reason := zoo.why_missing(zoo.ROWS[name]):
        pytest.skip(reason)
    if dtype == "bfloat16" and mistake in FINE:
        pytest.skip("too small a mistake for the format")
    for attention in layers(name, getattr(torch, dtype)):
        if "bias" in mistake and (attention.bias is None or not attention.bias.values.any()):
            continue  # T5's decoder adds nothing, or 0, where it looks at the encoder
        if "soft cap" in mistake and attention.soft_cap is None:
            continue  # transformers 4 gives Gemma 2 a kernel that has none
        assert agreement_of(attention, "L0").agrees
        assert not agreement_of(MISTAKES[mistake](attention), "L0").agrees
