"""Padding, queries that see nothing and what is no number are marked as on the page; below stands what marks mean."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex

import clearhead as ch
from clearhead.surfaces.figure.lines import ENDS, STUB
from clearhead.surfaces.figure.panels import FRAMED, HATCHED, NO_NUMBER, STRUCK
from clearhead.surfaces.figure.themes import THEMES


@pytest.fixture(scope="module")
def padded(hand_captures):
    """Two words behind a place of padding, under the causal mask: nothing is left for query 0 to see."""
    seen = np.tril(np.ones((3, 3), dtype=bool))
    seen[:, 0] = False
    weights = [[0, 0, 0], [0, 1, 0], [0, 0.25, 0.75]]
    tokens = hand_captures.tokens((7, 11, 13), padding=(0,))
    return hand_captures.with_weights([weights, weights], tokens, visible=seen)


def chips(ax):
    """Of each number of a position whether it stands in a frame."""
    found = {}
    for one in ax.texts:
        if one.get_text() in "012" and one.get_bbox_patch() is not None and one.get_fontweight() == "bold":
            found.setdefault(int(one.get_text()), set()).add(one.get_bbox_patch().get_facecolor()[3] == 0)
    return found


def said(ax):
    return " ".join(one.get_text() for one in ax.texts).replace("\n", " ")


@pytest.mark.parametrize("theme", THEMES)
def test_a_matrix_marks_padding_and_who_sees_nothing(padded, theme):
    ax = ch.figure(padded, "weights", layer=0, head=0, theme=theme, width="page")
    assert chips(ax) == {0: {True}, 1: {False}, 2: {False}}
    soft = THEMES[theme].soft
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        assert [to_hex(one.get_color()) == soft for one in labels] == [True, False, False]
    strikes = ax.collections[-1].get_segments()
    assert [one.tolist() for one in strikes] == [[[-0.5, 0.0], [2.5, 0.0]]]
    assert f"{HATCHED}; {STRUCK}; {FRAMED}" in said(ax)


def test_what_is_no_number_is_grey_and_no_weight_of_0(padded):
    """The scores of one head's last query are NaN, and nothing else is."""
    layer = padded.layers[0]
    query = np.array(layer.attention.query)
    query[0, 1, 2] = np.nan
    capture = replace(padded, layers=(replace(layer, attention=replace(layer.attention, query=query)),))
    for asked in ({}, {"kind": "weights", "layer": 0, "head": 1}):
        assert NO_NUMBER in said(ch.figure(capture, width="page", **asked))
        assert NO_NUMBER not in said(ch.figure(padded, width="page", **asked))
    ax = ch.figure(capture, "weights", layer=0, head=1, width="page")
    grey = [
        one.get_bbox().bounds for one in ax.patches if to_hex(one.get_facecolor()) == THEMES["light"].hatch
    ]
    assert grey == [(0.5, 1.5, 2.0, 1.0)]


def test_what_marks_mean_is_said_once(padded):
    first, second = ch.figure(padded, "weights", layer=0, width="page")
    assert HATCHED in said(first)
    assert HATCHED not in said(second)
    queries, weights = ch.figure(padded, "Q,weights", layer=0, head=0, width="page")
    assert (FRAMED in said(queries), HATCHED in said(queries)) == (True, False)
    assert (FRAMED in said(weights), HATCHED in said(weights)) == (False, True)


def test_lines_end_at_a_query_that_sees_nothing(padded):
    ax = ch.figure(padded, "lines", layer=0, head=0, width="page")
    lines, stubs = (one.get_segments() for one in ax.collections)
    assert {int(line[0][1]) for line in lines} == {1, 2}
    assert stubs[0].tolist() == [[0.0, 0.0], [STUB, 0.0]]
    assert chips(ax) == {0: {True}, 1: {False}, 2: {False}}
    assert f"{ENDS}; {FRAMED}" in said(ax)


def test_the_trace_of_a_head_knows_its_padding(padded):
    trace = padded.head(0, 1)
    assert trace.provenance["padding"] == {"query": [0], "key": [0]}
    assert chips(trace.figure("weights", width="page"))[0] == {True}


def test_a_long_text_s_map_has_the_same_marks(monkeypatch, padded):
    """A stand-in for a long text: what counts as many cells is lowered to none."""
    import clearhead.surfaces.figure.ofcapture as module

    monkeypatch.setattr(module, "has_many_cells", lambda attention: True)
    ax = ch.figure(padded, "weights", layer=0, head=0, width="page")
    assert chips(ax)[0] == {True}
    assert f"{HATCHED}; {STRUCK}; {FRAMED}" in said(ax)


def test_without_any_of_it_nothing_is_said():
    ax = ch.run("three-words").figure("weights")
    assert not {HATCHED, STRUCK, FRAMED} & {one.get_text() for one in ax.texts}
    assert chips(ax) == {0: {False}, 1: {False}, 2: {False}}
