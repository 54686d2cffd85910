"""The server stops and starts again while the page is open: the page says so, keeps the edits and goes on by itself."""

import re
import signal

import pytest
from playwright.sync_api import expect

LOST = re.compile("The server has stopped; your edits are kept here")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "killed"])
def test_a_page_whose_server_went_away_keeps_the_edits_and_goes_on(open_walk, own_server, how):
    walk = open_walk("example=three-words", server=own_server.address, quiet=False)
    walk.edit("embeddings/E/all", 0, 0, "2")
    own_server.end(how)
    notice = walk.page.get_by_role("status").filter(has_text=LOST)
    expect(notice).to_be_visible()
    # What is typed meanwhile is kept, though nobody can compute it yet.
    walk.type_into("embeddings/E/all", 2, 1, "3")
    expect(walk.page).to_have_url(re.compile(r"cats:0:2.*mice:1:3"))
    waiting = walk.cell("embeddings/E/all", 2, 1)
    expect(waiting).to_have_accessible_name(re.compile(r"vocabulary mice.*3\.00.*not computed yet"))
    expect(waiting).to_have_css("border-top-style", "dashed")
    assert walk.number("embeddings/E/all", 2, 1) == "3.00"
    before = walk.numbers("scores/scores/0")
    with walk.redrawn():
        own_server.start()
    expect(notice).to_have_count(0)
    expect(waiting).not_to_have_accessible_name(re.compile("not computed yet"))
    expect(waiting).to_have_css("border-top-style", "solid")
    assert walk.number("embeddings/E/all", 0, 0) == "2.00"
    assert walk.number("embeddings/E/all", 2, 1) == "3.00"
    assert walk.numbers("scores/scores/0") != before
    with walk.redrawn():
        walk.history("undo").click()
    assert walk.number("embeddings/E/all", 2, 1) == "1.00"
    assert walk.numbers("scores/scores/0") == before


def test_a_word_typed_while_the_server_is_away_is_told_not_to_be_added(open_walk, own_server):
    walk = open_walk("example=three-words", server=own_server.address, quiet=False)
    own_server.end()
    expect(walk.page.get_by_role("status").filter(has_text=LOST)).to_be_visible()
    sentence = walk.page.get_by_role("group", name="the sentence")
    sentence.get_by_role("button", name="+ word").click()
    sentence.get_by_role("textbox", name="new word").fill("foxes")
    sentence.get_by_role("textbox", name="new word").press("Enter")
    expect(walk.page.get_by_role("status").filter(has_text="“foxes” was not added")).to_be_visible()
    assert walk.words() == ["cats", "chase", "mice"]
