"""The websocket: whatever is sent, an answer of the agreed form comes back, or the tab is closed with a reason."""

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

from clearhead.session.requests import MOST_ASKS
from clearhead.surfaces.server.serving import LARGEST_REQUEST

STAND_IN = Path(__file__).with_name("stand_in.py")


def only_error(reply):
    assert len(reply.data) == 1
    (error,) = reply.data
    assert error["kind"] == "error"
    assert set(error) == {"kind", "message", "where"}
    assert "\n" not in error["message"]
    assert "Traceback" not in error["message"]
    return error


def test_a_request_is_answered_in_order_under_its_number(stand_in):
    with stand_in.tab() as tab:
        tab.send({"ask": "echo", "n": 1}, {"ask": "echo", "n": 2}, number=7)
        reply = tab.receive()
    assert reply.id == 7
    assert [data["message"]["n"] for data in reply.data] == [1, 2]


def test_no_asks_have_no_replies(stand_in):
    with stand_in.tab() as tab:
        assert tab.ask().data == []


def test_buffers_travel_exactly(stand_in):
    with stand_in.tab() as tab:
        reply = tab.ask({"ask": "echo"}, {"ask": "buffers"}, {"ask": "buffers"})
    assert reply.buffers[0] == []
    for data, buffers in zip(reply.data[1:], reply.buffers[1:], strict=True):
        forbidden, tile, values = (buffers[data[name]] for name in ("forbidden", "tile", "values"))
        assert tile.dtype == np.float32
        np.testing.assert_array_equal(tile, np.array([[0.1, -1.0, np.nan]], np.float32))
        np.testing.assert_array_equal(forbidden, np.array([0, 1, 1], np.uint8))
        np.testing.assert_array_equal(values, [[1.5, 0.0], [-np.inf, 2.0]])


GARBAGE = {
    "": "not valid JSON",
    "{": "not valid JSON",
    "\x00\x01": "not valid JSON",
    '{"id": 1, "asks": [NaN]}': "not valid JSON",
    '{"id": 1, "asks": [Infinity]}': "not valid JSON",
    '{"id": ' + "9" * 5000 + ', "asks": []}': "not valid JSON",
    "[" * 200_000: "nested too deeply",
    '{"id": 1, "asks": ["\\ud800"]}': "surrogate",
    "[]": "not a JSON object",
    "null": "not a JSON object",
    '"text"': "not a JSON object",
    "{}": "id: expected a whole number",
    '{"id": "1", "asks": []}': "id: expected a whole number",
    '{"id": true, "asks": []}': "id: expected a whole number",
    '{"id": 1.5, "asks": []}': "id: expected a whole number",
    '{"id": 99999999999999999999, "asks": []}': "id: expected a whole number",
    '{"id": 1}': "asks: expected a list",
    '{"id": 1, "asks": {}}': "asks: expected a list",
    '{"id": 1, "asks": [1]}': "not a JSON object",
    '{"id": 1, "asks": [[]]}': "not a JSON object",
}


@pytest.mark.parametrize("text", GARBAGE, ids=lambda text: text[:24] or "empty")
def test_garbage_is_answered_with_one_sentence_and_the_tab_goes_on(stand_in, text):
    with stand_in.tab() as tab:
        assert GARBAGE[text] in only_error(tab.send_raw(text))["message"]
        assert tab.ask({"ask": "echo"}).data[0]["kind"] == "echo"


def test_the_number_of_a_wrong_request_comes_back_if_it_could_be_read(stand_in):
    with stand_in.tab() as tab:
        assert tab.send_raw('{"id": 12, "asks": 5}').id == 12
        assert tab.send_raw("[]").id is None


def test_too_many_asks_are_refused_and_as_many_as_allowed_are_not(stand_in):
    with stand_in.tab() as tab:
        error = only_error(tab.ask(*[{"ask": "echo"}] * (MOST_ASKS + 1)))
        assert f"expected at most {MOST_ASKS}" in error["message"]
        assert len(tab.ask(*[{"ask": "echo"}] * MOST_ASKS).data) == MOST_ASKS


def test_a_message_that_is_too_large_ends_its_tab_only(stand_in):
    with stand_in.tab() as other:
        with stand_in.tab() as tab, contextlib.suppress(ConnectionClosed):
            tab.socket.send("x" * (LARGEST_REQUEST + 1))
            with pytest.raises(ConnectionClosed) as closed:
                tab.receive()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009
        assert other.ask({"ask": "echo"}).data[0]["kind"] == "echo"


def test_a_message_just_small_enough_is_answered(stand_in):
    frame = {"id": 1, "asks": [{"ask": "echo", "text": ""}]}
    frame["asks"][0]["text"] = "x" * (LARGEST_REQUEST - len(json.dumps(frame)))
    with stand_in.tab() as tab:
        assert tab.send_raw(json.dumps(frame)).data[0]["message"]["text"] == frame["asks"][0]["text"]


def test_a_binary_frame_closes_the_tab_with_a_reason(stand_in):
    with stand_in.tab() as tab:
        tab.socket.send(b"\x00\xff\x00")
        with pytest.raises(ConnectionClosed) as closed:
            tab.receive()
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1003, "a request is text; expected JSON")


@pytest.mark.parametrize("ask", ["crash", "infinite", "unwritable"])
def test_a_failure_inside_is_one_sentence_without_its_details(stand_in, ask):
    with stand_in.tab() as tab:
        error = only_error(tab.ask({"ask": ask}))
        assert error == {
            "kind": "error",
            "message": "Something went wrong inside Clearhead; the log of the program that answers says what.",
            "where": "server",
        }
        assert tab.ask({"ask": "echo"}).data[0]["kind"] == "echo"


def test_one_failure_leaves_the_other_answers_of_its_request(stand_in):
    with stand_in.tab() as tab:
        reply = tab.ask({"ask": "echo"}, {"ask": "crash"}, {"ask": "buffers"})
    assert [data["kind"] for data in reply.data] == ["echo", "error", "buffers"]
    assert len(reply.buffers[2]) == 3


def test_a_slow_request_holds_up_its_own_tab_only(start):
    with start(str(STAND_IN), "0") as server, server.tab() as slow, server.tab() as other:
        slow.send({"ask": "wait"})
        slow.send({"ask": "echo"}, number=2)
        assert other.ask({"ask": "echo"}).data[0]["kind"] == "echo"
        assert other.ask({"ask": "release"}).data[0]["kind"] == "released"
        assert slow.receive().data[0]["kind"] == "waited"
        assert slow.receive().id == 2


def test_a_tab_that_floods_the_server_is_closed(start):
    with start(str(STAND_IN), "0") as server, server.tab() as flood, server.tab() as other:
        flood.send({"ask": "wait"})
        with contextlib.suppress(ConnectionClosed):
            for _ in range(2000):
                flood.send({"ask": "echo"})
        with pytest.raises(ConnectionClosed) as closed:
            flood.receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013
        assert other.ask({"ask": "echo"}).data[0]["kind"] == "echo"


def test_many_tabs_come_and_go(stand_in):
    for _ in range(20):
        with stand_in.tab() as tab:
            tab.send({"ask": "echo"})  # leaves without its answer
    with stand_in.tab() as tab:
        assert tab.ask({"ask": "echo"}).data[0]["kind"] == "echo"
