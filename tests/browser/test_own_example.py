"""A person's own file on the page: its words and titles are as little trusted as anything typed."""

from playwright.sync_api import expect

OWN = """
title = "<b>Mine</b> & <script>alert(1)</script>"
look_for = "Nothing <img src=x onerror=alert(1)> at all."
tokens = ["<i>a</i>", "b"]
positions = "none"
W_Q = [[1, 0], [0, 1]]
W_K = [[1, 0], [0, 1]]
W_V = [[1, 0], [0, 1]]
[E]
"<i>a</i>" = [1, 0]
b = [0, 2]
"""


def test_the_address_that_the_command_prints_leads_to_the_own_example(open_walk, serve_own, tmp_path):
    file = tmp_path / "my own <b>example.toml"
    file.write_text(OWN, encoding="utf-8")
    server, _, fragment = serve_own(file).address.partition("#")
    walk = open_walk(fragment, server=server)
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("<b>Mine</b> & <script>alert(1)</script>")
    assert walk.words() == ["<i>a</i>", "b"]
    assert walk.numbers("scores/scores/0") == [["1.00", "0"], ["0", "4.00"]]
    assert walk.page.evaluate("document.querySelectorAll('main :is(b, i, img, script)').length") == 0
    chosen = walk.page.get_by_label("example", exact=True)
    assert chosen.locator("option:checked").inner_text() == "<b>Mine</b> & <script>alert(1)</script>"
    with walk.redrawn():
        chosen.select_option("three-words")
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("Cats chase mice")
