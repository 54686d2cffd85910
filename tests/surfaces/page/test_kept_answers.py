"""What a saved page says of every cell, beside what a session says: the same words, digits and LaTeX."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import clearhead as ch
from clearhead.session.door import Session
from clearhead.session.kept.rounded import rounded
from clearhead.session.models import Models
from clearhead.session.showing import showing
from clearhead.surfaces.page import save_html
from clearhead.trace.capture.capture import Capture

DIGITS = (2, 3, 4, "full")
FIELDS = (
    "quantity", "index", "label", "place", "value", "full", "formula", "sources", "feeds", "spoken", "text", "latex",
    "note", "total", "more",
)  # fmt: skip


def compare(near, told, expected, digits, where) -> None:
    """The fields of an explanation; with all digits up to the last ones."""
    same = near if digits == "full" else str.__eq__

    def check(mine, theirs, field, like=same):
        if isinstance(theirs, str):
            assert isinstance(mine, str), (where, field)
            assert like(mine, theirs), (where, field, mine, theirs)
        elif isinstance(theirs, dict):
            assert mine.keys() == theirs.keys(), (where, field)
            for name, value in theirs.items():
                check(mine[name], value, f"{field}.{name}", like)
        else:
            assert mine == theirs, (where, field, mine, theirs)

    for field in FIELDS:
        if field == "sources":  # of long sums they come in another order
            assert sorted(map(str, told[field])) == sorted(map(str, expected[field])), where
        else:
            check(told.get(field), expected.get(field), field, near if field == "full" else same)
    assert len(told["terms"]) == len(expected["terms"]), where
    for mine, theirs in zip(told["terms"], expected["terms"], strict=True):
        for field in ("label", "relation", "value"):
            check(mine[field], theirs[field], field)


def every_cell(trace, state, **more):
    for name, quantity in trace.items():
        for number, index in enumerate(np.ndindex(*quantity.shape)):
            digits = DIGITS[number % len(DIGITS)]  # every cell, with one of them
            yield {
                "ask": "explain",
                "state": state,
                "quantity": name,
                "index": list(index),
                "digits": digits,
            } | more


def test_every_cell_of_an_example(tmp_path, ask_page, near):
    session, name = Session(), "three-words"
    page = save_html(name, tmp_path / "page.html").path
    example = ch.load(name)
    heads = example.head_choices[0]
    for changed in ({}, {"mask": "causal", "scale": False, "heads": heads}):
        state = {"example": name, **changed}
        messages = list(every_cell(session.states.loop({"state": state}), state))
        for message, reply in zip(messages, ask_page(page, messages), strict=True):
            assert reply["data"]["kind"] == "explanation", (message, reply["data"])
            compare(near, reply["data"], session.ask(message).data, message["digits"], message)


def small_capture(hand_captures, layer: int) -> Capture:
    """One layer of the random capture, with a weight set by hand and a head switched off."""
    whole = hand_captures.random_capture()
    own = whole.layers[layer]
    changed = replace(own.attention, off=(4,), weights_set=((2, 3, 0, 0.5),))
    return replace(whole, layers=(replace(own, attention=changed),))


def state_of(name: str, head: int, batch: int, layer: int) -> dict:
    return {"model": name, "layer": layer, "head": head, "batch": batch}


@pytest.mark.parametrize("precision", ["short", "float32"])
@pytest.mark.parametrize("place", [0, 3], ids=["plain", "soft cap, bias and sink"])
def test_every_cell_of_captured_heads(tmp_path, ask_page, near, hand_captures, place, precision):
    capture = small_capture(hand_captures, place)
    page = save_html(capture, tmp_path / "page.html", precision=precision).path
    kept = rounded(capture, precision)
    session = Session(models=Models(saved={"random": kept}))
    messages = []
    for head, batch in ((0, 0), (2, 1), (4, 0)):
        trace = kept.head(place, head, batch=batch)
        messages += every_cell(trace, state_of("random", head, batch, place))
    for message, reply in zip(messages, ask_page(page, messages), strict=True):
        assert reply["data"]["kind"] == "explanation", (message, reply["data"])
        compare(near, reply["data"], session.ask(message).data, message["digits"], message)


def long_capture(queries: int = 29, keys: int = 29):
    """A capture whose axes are folded: 29 positions, 17 features; as `random_capture` in everything else."""
    from clearhead.trace.capture.attention import Attention
    from clearhead.trace.capture.layer import Layer
    from clearhead.trace.capture.token import Token
    from clearhead.trace.capture.visible import Named, Visible

    numbers = np.random.default_rng(7)
    held = lambda *shape: (numbers.standard_normal(shape) * 3).astype(np.float32)  # noqa: E731
    attention = Attention(
        held(1, 3, queries, 17), held(1, 1, keys, 17), held(1, 3, keys, 13), held(1, queries, 3, 13), 17**-0.5,
        Visible(((Named("causal", queries, keys),),)), "sdpa",
    )  # fmt: skip
    words = {"text": (tuple(Token(f"w{n}", n, None, None) for n in range(queries)),)}
    other = {} if keys == queries else {"other": (tuple(Token(f"k{n}", n, None, None) for n in range(keys)),)}
    layer = Layer("", 0, "h.0", attention, "", "text", "other" if other else "text")
    return Capture((layer,), words | other, {"model": "long", "text": "a long text"})


@pytest.mark.parametrize("keys", [29, 31])
def test_the_walkthrough_is_folded_around_each_query(tmp_path, ask_page, near, keys):
    capture = long_capture(keys=keys)
    page = save_html(capture, tmp_path / "page.html").path
    session = Session(models=Models(saved={"long": rounded(capture, "short")}))
    state = {"model": "long", "head": 1, "layer": 0}
    messages = [{"ask": "headwalk", "state": state}]
    messages += [{"ask": "headwalk", "state": state, "query": query} for query in range(29)]
    for message, reply in zip(messages, ask_page(page, messages), strict=True):
        expected = session.ask(message)
        assert reply["data"]["kind"] == "headwalk", reply["data"]
        for field in ("label", "query", "queries", "keys", "stops", "notices"):
            assert reply["data"][field] == expected.data[field], field
        for mine, theirs in zip(reply["data"]["quantities"], expected.data["quantities"], strict=True):
            for field in (
                "name",
                "axes",
                "shape",
                "operation",
                "inputs",
                "formula",
                "says",
                "scale",
                "folds",
            ):
                assert mine.get(field) == theirs.get(field), (message, mine["name"], field)
            values = expected.buffers[theirs["values"]]
            told = np.array(reply["buffers"][mine["values"]], float).reshape(values.shape)
            np.testing.assert_allclose(told, values, rtol=1e-12, atol=1e-13)
            assert ("forbidden" in mine) == ("forbidden" in theirs)
            if "forbidden" in mine:
                hidden = np.array(reply["buffers"][mine["forbidden"]]).reshape(values.shape)
                assert np.array_equal(hidden, expected.buffers[theirs["forbidden"]])
    cells = [
        {"ask": "explain", "state": state, "quantity": name, "index": list(index), "digits": digits}
        for (name, index), digits in product(
            [
                ("scores", (28, 3)),
                ("weights", (28, 5)),
                ("mixed", (27, 12)),
                ("masked", (3, 9)),
                ("Q", (3, 3)),
            ],
            DIGITS,
        )
    ]
    for message, reply in zip(cells, ask_page(page, cells), strict=True):
        compare(near, reply["data"], session.ask(message).data, message["digits"], message)


@pytest.mark.parametrize("worked", [True, False])
def test_the_map_of_every_head(tmp_path, ask_page, hand_captures, worked):
    """Worked out, it is what was kept makes; kept itself, it is exact to the steps that are stated."""
    capture = hand_captures.random_capture()
    saved = save_html(capture, tmp_path / "page.html", worked=worked)
    shown = showing(capture)
    messages = [{"ask": "models"}]
    states = [
        state_of("random", head, batch, layer) for layer, head, batch in product(range(4), range(5), range(2))
    ]
    messages += [{"ask": ask, "state": state} for state in states for ask in ("head", "headwalk", "rollout")]
    replies = ask_page(saved.path, [one if "state" not in one else one | {"position": 0} for one in messages])
    furthest = 0.0
    for message, reply in zip(messages, replies, strict=True):
        if message["ask"] == "rollout" or (message["ask"] == "headwalk" and not worked):
            assert not reply["held"]  # so that the page does not offer it
            continue
        assert reply["held"]
        if message["ask"] != "head":
            continue
        expected, data = shown.ask(message), reply["data"]
        weights = expected.buffers[expected.data["weights"]]
        told = np.array(reply["buffers"][data["weights"]]).reshape(weights.shape)
        furthest = max(furthest, float(np.abs(told - weights).max()))
        hidden = np.array(reply["buffers"][data["hidden"]]).reshape(weights.shape)
        assert np.array_equal(hidden, expected.buffers[expected.data["hidden"]])
        assert (data["sink_share"] is None) == (expected.data["sink_share"] is None)
        for field in ("label", "facts", "queries", "keys", "blind", "agreement", "statistics"):
            assert data[field] == expected.data[field]
    bound = 5.0001e-5 if not worked else 2e-3
    assert 0 < furthest < bound
    stated = float(re.search(r"more than (\S+) from", saved.says)[1].replace("−", "-"))
    assert stated == pytest.approx(furthest, rel=0.06)  # two digits
    assert any(saved.says == note for note in asked_model(ask_page, saved.path)["notes"])


def asked_model(ask_page, page):
    [reply] = ask_page(page, [{"ask": "model", "state": {"model": "random"}}])
    assert reply["held"]
    return reply["data"]


def test_what_was_not_kept_is_not_held(tmp_path, ask_page, hand_captures):
    page = save_html(hand_captures.random_capture(), tmp_path / "page.html").path
    wrong = [
        {"model": "random", "head": 5}, {"model": "random", "layer": 4}, {"model": "random", "layer": 9},
        {"model": "random", "batch": 2}, {"model": "other"}, {"model": "random", "text": "another"},
        {"model": "random", "generate": 3}, {"model": "random", "changes": [{"kind": "mask"}]},
        {"model": "random", "tower": "encoder"},
    ]  # fmt: skip
    for reply in ask_page(page, [{"ask": "head", "state": state} for state in wrong]):
        assert not reply["held"]
        assert reply["data"]["kind"] == "error"
    same = [
        {"model": "random", "text": "one"}, {"model": "random", "generate": 0, "changes": []},
        {"model": "random", "tower": "", "layer": 0, "head": 0, "batch": 0},
    ]  # fmt: skip
    plain, *others = ask_page(
        page, [{"ask": "head", "state": state} for state in ({"model": "random"}, *same)]
    )
    assert all(one == plain for one in others)
    cells = [
        {"quantity": "scores", "index": [0, 7]},
        {"quantity": "scores", "index": [0]},
        {"quantity": "nothing", "index": []},
    ]
    asked = [{"ask": "explain", "state": {"model": "random"}, "digits": 2, **cell} for cell in cells]
    assert [reply["data"]["kind"] for reply in ask_page(page, asked)] == ["error"] * 3
