"""The library's own pipeline with a mistake in it, handed over in every order of axes: the mistake is named in each."""

from dataclasses import replace

import numpy as np
import pytest

from clearhead.core.masks import mask_named
from clearhead.lenses.diagnose import LIBRARY, Case, Spec, attention_of
from clearhead.session.checking import check
from clearhead.sources.function import LAYOUTS

ONE_HEAD = (
    "no-scale",
    "scale-multiplied",
    "mask-after-softmax",
    "mask-hides-itself",
    "softmax-over-queries",
    "query-added",
)
SEVERAL = ("no-scale", "scale-by-d-model", "mask-transposed", "softmax-over-heads", "first-head-for-all")
JOINED = ("no-scale", "heads-split-by-reshape", "heads-merged-by-reshape", "heads-dealt-out", "no-mask")
NAMES = {"one": ONE_HEAD, "apart": SEVERAL, "joined": JOINED}
CASES = [(layout, name) for layout, one in LAYOUTS.items() for name in NAMES[one.heads]]


def function(layout, name, heads, mask):
    """The reference with a mistake, taking and giving arrays in that order of axes."""
    order, mistake = LAYOUTS[layout], next(one for one in LIBRARY if one.name == name)

    def attention(q, k, v):
        given = dict(zip("QKV", map(order.take, (q, k, v)), strict=True))
        case = Case("", Spec(heads, heads, order.heads == "joined", mask), given)
        return np.asarray(order.give(attention_of(case, [mistake.changes]).values["output"]))

    return attention


@pytest.mark.parametrize(("layout", "name"), CASES)
def test_the_mistake_is_named_in_every_order_of_axes(layout, name):
    heads = 1 if LAYOUTS[layout].heads == "one" else 3
    told = {} if heads == 1 else {"heads": heads}

    report = check(
        function(layout, name, heads, "causal"), layout=layout, library="numpy", mask="causal", **told
    )

    assert report.mistakes == (name,), report


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_reference_itself_agrees_in_every_order_of_axes(layout):
    order = LAYOUTS[layout]
    heads = 1 if order.heads == "one" else 3

    def right(q, k, v, is_causal=False):
        given = dict(zip("QKV", map(order.take, (q, k, v)), strict=True))
        spec = Spec(heads, heads, order.heads == "joined")
        case = Case("", spec, given)
        seen = mask_named("causal").table(*case.sizes) if is_causal else None
        return np.asarray(order.give(attention_of(replace(case, allowed=seen)).values["output"]))

    told = {} if heads == 1 else {"heads": heads}
    assert check(right, layout=layout, library="numpy", **told).agrees
