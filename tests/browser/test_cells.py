"""Every cell, opened by mouse: the panel agrees with the matrix, and what it came from is lit wherever it stands."""

import re
from collections import defaultdict
from functools import cache

import pytest
from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import expect

import clearhead as ch
from clearhead.session import Session
from clearhead.trace.notation.numbers import format_number

SOON = 3_000
"""Milliseconds after which a click is made again, where its cell is now."""

READ = """
() => {
    const place = (td) => [td.closest('figure').dataset.key, td.parentElement.rowIndex - 1, td.cellIndex - 1];
    const lit = (role) => [...document.querySelectorAll(`td.${role}`)].map(place);
    const panel = document.querySelector('section.arithmetic');
    const text = (selector) => panel.querySelector(selector)?.textContent ?? null;
    return {
        name: text('.arithmetic-name'),
        value: text('.result-value') ?? text('tfoot .number'),
        full: text('.full-value'),
        place: text('.arithmetic-place'),
        opened: lit('opened'), source: lit('source'), feeds: lit('feeds'),
        query: Number(document.querySelector('.row-picker input:checked').value),
    };
}
"""
CENTRES = """
async (figure) => {
    const frame = () => new Promise(requestAnimationFrame);
    // What was out of sight has its real height a frame after it is in sight, so the place is looked up twice.
    for (const _ of [1, 2]) {
        figure.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
        await frame();
        await frame();
    }
    return [...figure.querySelectorAll('tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => {
        const box = cell.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }));
}
"""


SMALL = """
title = "Every matrix that there is, and few cells in each"
tokens = ["a", "b"]
W_Q = [[1, -2], [0, 3], [2, 0]]
W_K = [[-1, 0], [2, 1], [0, 1]]
W_V = [[0, 2], [1, -1], [3, 0]]
W_O = [[1, 0, 2], [-1, 3, 0]]
W_1 = [[1, -1], [2, 0], [0, 1]]
W_2 = [[0, 1, -2], [3, 0, 1]]
[E]
a = [1, 0, -1]
b = [0, 2, 3]
c = [-2, 1, 0]
"""


def label_of(quantity, index):
    return f"{quantity}[{','.join(map(str, index))}]" if index else quantity


def places(found):
    return {tuple(place) for place in found}


def test_every_drawn_cell_opened_by_mouse_agrees_with_its_matrix_and_lights_its_sources(
    serve_own, open_walk, drawn_cells, tmp_path
):
    name, file = "small", tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    own = {name: ch.load(file)}
    layer = drawn_cells.page({"example": name}, own=own)
    drawn = cache(lambda query: drawn_cells.drawn(layer, query))
    server, _, fragment = serve_own(file).address.partition("#")
    walk = open_walk(fragment, server=server)
    keys = walk.page.locator("figure.matrix").evaluate_all("(all) => all.map((figure) => figure.dataset.key)")
    assert set(keys) == {key for key, _, _ in drawn(0).cells}
    assert set(drawn_cells.page({"example": "three-words"}).trace) <= set(layer.trace), "nothing is left out"
    for every_row in walk.page.get_by_text("Every row").all():
        every_row.click()
    wrong = []
    session, query = Session(own), 0
    for key in keys:
        centres = walk.matrix(key).evaluate(CENTRES)
        for row, line in enumerate(centres):
            for column in range(len(line)):
                # The comparisons follow the opened row, so what they stand for is asked for anew.
                quantity, index = drawn(query).cells[key, row, column]
                walk.page.mouse.click(*centres[row][column])
                # Not by its role, for which Playwright would look at the whole page, cell after cell.
                label = f"arithmetic of {label_of(quantity, index)}"
                panel = walk.page.locator(f'section.arithmetic[aria-label="{label}"]')
                try:
                    panel.wait_for(timeout=SOON)
                except Late:  # what follows the opened row was drawn only now, and the cells have moved
                    centres = walk.matrix(key).evaluate(CENTRES)
                    walk.page.mouse.click(*centres[row][column])
                    panel.wait_for()
                seen = walk.page.evaluate(READ)
                query = seen.pop("query")
                wrong += complaints(seen, drawn(query), session, layer, name, (quantity, index))
    assert wrong == []


def shown_query(walk):
    return int(walk.page.locator(".row-picker input:checked").first.input_value())


def complaints(seen, here, session, layer, example, ref):
    """What is wrong about the panel and the lights of one opened cell."""
    quantity, index = ref
    message = {"ask": "explain", "state": {"example": example}, "quantity": quantity, "index": list(index)}
    told = session.ask({**message, "digits": 2}).data
    value = float(layer.trace[quantity].values[index])
    sources = set().union(
        *(here.places.get((s["quantity"], tuple(s["index"])), set()) for s in told["sources"])
    )
    wanted = {
        "value": format_number(value, 2),
        "place": told["place"],
        "opened": here.places[ref],
        "source": sources,
        "feeds": set(),
    }
    found = {
        **seen,
        "opened": places(seen["opened"]),
        "source": places(seen["source"]),
        "feeds": places(seen["feeds"]),
    }
    # Where the rounded result is the whole number, there is nothing more to unfold.
    wanted["full"] = None if format_number(value, "full") == wanted["value"] else format_number(value, "full")
    return [
        f"{label_of(*ref)}: {what} is {found[what]}, not {wanted[what]}"
        for what in wanted
        if found[what] != wanted[what]
    ]


def test_the_numbers_of_every_matrix_are_the_computed_ones_at_every_number_of_digits(open_walk, drawn_cells):
    layer = drawn_cells.page({"example": "two-heads", "mask": "causal"})
    expected = drawn_cells.drawn(layer)
    walk = open_walk("example=two-heads&mask=causal")
    for digits in (2, 3, 4, "full"):
        decimals = walk.page.get_by_role("banner").get_by_role("group", name="decimals")
        walk.choose(decimals.get_by_role("radio", name=str(digits), exact=True))
        wanted = defaultdict(dict)
        for (key, row, column), (quantity, index) in expected.cells.items():
            wanted[key][row, column] = format_number(float(layer.trace[quantity].values[index]), digits)
        for key, cells in wanted.items():
            shown = walk.numbers(key)
            assert {at: shown[at[0]][at[1]] for at in cells} == cells, (key, digits)


# One cell of each kind of operation, and the last, which goes into nothing.
FED = [
    ("embeddings/E/all", 0, 2),
    ("embeddings/X/all", 3, 1),
    ("projections/W_K/all", 1, 1),
    ("projections/V/0", 4, 1),
    ("scores/scores/0", 3, 1),
    ("mask/masked/0", 2, 2),
    ("softmax/weights/0", 3, 4),
    ("mix/mixed/0", 3, 0),
    ("contribution/share", 0, 4),
]


def test_where_it_goes_lights_exactly_the_cells_that_the_open_one_feeds(open_walk, drawn_cells):
    walk, session = open_walk(), Session()
    state = {"example": "the-dog-chased-the-cat"}
    layer = drawn_cells.page(state)
    for number, (key, row, column) in enumerate(FED):
        quantity, index = drawn_cells.drawn(layer).cells[key, row, column]
        panel = walk.open_cell(key, row, column, label_of(quantity, index))
        if number == 0:
            panel.get_by_role("button", name="where does it go").click()
        message = {"ask": "explain", "state": state, "quantity": quantity, "index": list(index), "digits": 2}
        feeds = session.ask(message).data["feeds"]
        here = drawn_cells.drawn(layer, shown_query(walk))
        wanted = set().union(*(here.matching(f["quantity"], cell) for f in feeds for cell in f["cells"]))
        assert places(walk.page.evaluate(READ)["feeds"]) == wanted
        assert (wanted == set()) == (quantity == "contribution_share")
    expect(walk.page.get_by_text("Nothing: this is the end of the computation.")).to_be_visible()


def test_a_factor_opens_a_step_deeper_and_the_trail_leads_back(open_walk):
    walk = open_walk()
    panel = walk.open_cell("scores/scores/0", 3, 1, "scores[0,3,1]")
    panel.get_by_role("button", name=re.compile(r"Q\[0,3,2\], open$")).click()
    deeper = walk.arithmetic("Q[0,3,2]")
    deeper.get_by_role("button", name=re.compile(r"XW_Q\[3,2\], open$")).first.click()
    trail = walk.arithmetic("XW_Q[3,2]").get_by_role("navigation", name="opened cells")
    expect(trail.get_by_role("listitem")).to_have_text(["scores[0,3,1]", "Q[0,3,2]", "XW_Q[3,2]"])
    trail.get_by_role("button", name="scores[0,3,1]").click()
    walk.arithmetic("scores[0,3,1]").wait_for()
    expect(walk.page.get_by_role("navigation", name="opened cells")).to_be_hidden()
    assert walk.cell("scores/scores/0", 3, 1).get_attribute("aria-selected") == "true"


def test_a_link_to_a_cell_that_only_the_comparison_shows_makes_its_row_the_compared_one(open_walk):
    walk = open_walk("example=the-dog-chased-the-cat&cell=sensitivity_unscaled:0:3:1")
    walk.arithmetic("sensitivity_unscaled[0,3,1]").wait_for()
    assert shown_query(walk) == 3
    cell = walk.cell("scaling/sensitivity/0", 1, 1)
    expect(cell).to_have_attribute("aria-selected", "true")
    expect(cell).to_be_in_viewport()


def test_full_precision_unfolds_the_shortest_exact_digits(open_walk):
    trace = ch.run(ch.load("the-dog-chased-the-cat"))
    panel = open_walk().open_cell("softmax/weights/0", 3, 4, "weights[0,3,4]")
    exact = panel.locator(".full-value")
    expect(exact).to_be_hidden()
    panel.get_by_text("full precision").click()
    expect(exact).to_be_visible()
    assert float(exact.inner_text()) == trace["weights"].values[0, 3, 4]


@pytest.mark.parametrize("quantity", ["weights", "output"])
def test_the_panel_says_what_the_page_speaks(open_walk, quantity):
    key, index = {"weights": ("softmax/weights/0", (0, 3, 1)), "output": ("output/output/all", (3, 2))}[
        quantity
    ]
    message = {"ask": "explain", "state": {"example": "the-dog-chased-the-cat"}, "quantity": quantity}
    told = Session().ask({**message, "index": list(index), "digits": 2}).data
    walk = open_walk()
    walk.open_cell(key, *index[-2:], label_of(quantity, index))
    # One voice: nothing else in the panel has the role, not by its element either.
    expect(walk.page.locator(".arithmetic-host").get_by_role("status")).to_have_text(told["spoken"])
