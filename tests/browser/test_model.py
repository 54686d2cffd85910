"""A real model on the page: its heads, one head, its arithmetic, and what is left when something is taken away."""

import re
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

TEXT = "the man saw the woman and he works ."
LONG = 60_000
"""Milliseconds that a model may take on a busy machine; a page that waits less than that fails for no reason."""


def part(walk):
    return walk.stop("A real model")


def opened(open_walk, more="", **options):
    """The study model on its first sentence."""
    walk = open_walk(f"example=three-words&model=study{more}", **options)
    shown = ".token-lines" if "show=lines" in more else ".weight-map"
    part(walk).locator(f".head-place {shown}").wait_for(timeout=LONG)
    return walk


def grid(walk):
    """The map of the chosen head."""
    return part(walk).locator(".head-place").get_by_role("grid")


def read_out(walk):
    """What the current cell of the map says."""
    return part(walk).locator(".head-place .map-readout")


def addressed(walk, text, *, there=True):
    """The address is written a moment after what it says: wait until `text` is in it, or no longer."""
    walk.page.wait_for_function(
        "([text, there]) => location.hash.includes(text) === there", arg=[text, there]
    )


def heads(walk):
    return part(walk).locator(".head-cell")


def test_it_runs_the_text_that_is_typed_and_writes_it_into_the_address(open_walk):
    walk = open_walk("example=three-words")
    assert part(walk).locator(".model-result").is_hidden()
    field = part(walk).get_by_role("textbox", name="text")
    field.fill(TEXT)
    field.press("Enter")
    expect(part(walk).locator(".model-about")).to_contain_text("study", timeout=LONG)
    expect(grid(walk)).to_have_attribute("aria-rowcount", re.compile(r"^(9|10)$"))
    addressed(walk, "text=")
    address = parse_qs(walk.fragment)
    assert address["model"] == ["study"]
    assert address["text"] == [TEXT]


def test_a_text_it_cannot_read_is_told_at_the_field_and_stays_there(open_walk):
    walk = opened(open_walk)
    field = part(walk).get_by_role("textbox", name="text")
    field.fill("the man zzzz")
    part(walk).get_by_role("button", name="run", exact=True).click()
    alert = part(walk).get_by_role("alert")
    expect(alert).to_contain_text("zzzz")
    expect(field).to_have_attribute("aria-invalid", "")
    assert field.input_value() == "the man zzzz"
    expect(grid(walk)).to_be_visible()


def test_heads_are_walked_with_the_arrow_keys_and_opened_with_enter(open_walk):
    walk = opened(open_walk)
    walk.tab_to(heads(walk).first, most=400)
    walk.press("ArrowDown", "ArrowRight")
    assert walk.is_focused(heads(walk).nth(5))
    expect(part(walk).locator(".head-says")).to_contain_text("layer 1, head 1: entropy")
    walk.press("Enter")
    expect(part(walk).get_by_role("heading", name="Layer 1, head 1")).to_be_visible()
    expect(heads(walk).nth(5)).to_have_attribute("aria-selected", "true")
    walk.press("Tab", "Shift+Tab")
    assert walk.is_focused(heads(walk).nth(5)), "the grid is one stop for Tab"


def test_the_map_reads_every_number_to_the_pointer_and_to_the_keys(open_walk):
    walk = opened(open_walk, "&block=0&head=0")
    frame = grid(walk)
    frame.focus()
    walk.press("Control+End")
    current = walk.page.locator(f"#{frame.get_attribute('aria-activedescendant')}")
    spoken = current.inner_text()
    assert re.match(r"^(\d+) \S+ → \1 \S+: (0|1|0\.\d{4}|\d\.\d+e−\d+)", spoken), spoken
    last = read_out(walk).inner_text()
    assert float(last.rpartition(": ")[2].replace("−", "-")) == pytest.approx(
        float(spoken.rpartition(": ")[2].replace("−", "-")), rel=1e-2
    )
    walk.press("Control+Home", "ArrowRight")
    expect(read_out(walk)).to_contain_text("masked")
    box = frame.bounding_box()
    walk.page.mouse.move(box["x"] + box["width"] - 20, box["y"] + box["height"] - 20)
    expect(read_out(walk)).to_have_text(last)


def test_rows_of_weights_add_up_to_one(open_walk):
    """What the map reads out are the model's weights: every row is a distribution."""
    walk = opened(open_walk, "&block=1&head=2")
    walk.choose(walk.page.get_by_role("banner").get_by_role("radio", name="full"))
    frame = grid(walk)
    frame.focus()
    walk.press("Control+Home")
    count = int(frame.get_attribute("aria-colcount"))
    for row in range(count):
        total = 0.0
        for _ in range(count):
            said = walk.page.locator(f"#{frame.get_attribute('aria-activedescendant')}").text_content()
            number = said.rpartition(": ")[2]
            total += 0 if number == "masked" else float(number.replace("−", "-"))
            walk.press("ArrowRight")
        assert total == pytest.approx(1, abs=1e-12), row
        walk.press("Home", "ArrowDown")


def test_a_chosen_query_is_pinned_and_its_lines_stay(open_walk):
    walk = opened(open_walk)
    grid(walk).focus()
    walk.press("ArrowDown", "ArrowDown", "Enter")
    pins = part(walk).get_by_role("list", name="pinned tokens").get_by_role("button")
    expect(pins).to_have_count(1)
    walk.choose(part(walk).get_by_role("group", name="shown as").get_by_role("radio", name="lines"))
    says = part(walk).locator(".lines-says")
    expect(says).to_contain_text("Lines from the pinned tokens")
    tokens = part(walk).get_by_role("toolbar").get_by_role("button")
    expect(tokens.nth(2)).to_have_attribute("aria-pressed", "true")
    tokens.nth(3).focus()
    expect(says).to_contain_text("Lines from 3")
    walk.press("Enter")
    expect(pins).to_have_count(2)
    addressed(walk, "query=3&pins=2,3&show=lines")
    pins.first.click()
    expect(pins).to_have_count(1)


def test_more_pins_than_can_be_told_apart_are_refused(open_walk):
    walk = opened(open_walk, "&show=lines&pins=0,1,2,3,4,5,6,7")
    tokens = part(walk).get_by_role("toolbar").get_by_role("button")
    tokens.nth(8).click()
    expect(part(walk).locator(".model-head > [role=status]")).to_contain_text("At most 8 tokens")
    expect(tokens.nth(8)).to_have_attribute("aria-pressed", "false")


def test_tokens_are_found_one_after_another(open_walk):
    walk = opened(open_walk)
    search = part(walk).get_by_role("search", name="tokens")
    field = search.get_by_role("searchbox")
    field.fill("the")
    status = search.get_by_role("status")
    expect(status).to_contain_text("1 of 2")
    first = status.inner_text()
    field.press("Enter")
    expect(status).to_contain_text("2 of 2")
    field.press("Enter")
    expect(status).to_have_text(first)
    field.fill("nowhere")
    expect(status).to_have_text("none")


def test_heads_are_coloured_and_sorted_by_a_number(open_walk):
    walk = opened(open_walk)
    part(walk).get_by_text("All heads in numbers").click()
    part(walk).get_by_role("button", name="previous").click()
    rows = part(walk).locator(".sortable tbody tr")
    values = [float(row.locator("td").nth(2).inner_text().replace("−", "-")) for row in rows.all()]
    assert len(values) == 8
    assert values == sorted(values, reverse=True)
    expect(
        part(walk).get_by_role("group", name="each head shows").get_by_role("radio", name="previous")
    ).to_be_checked()
    best = rows.first.get_by_role("button").inner_text()
    rows.first.get_by_role("button").click()
    layer, head = re.findall(r"\d+", best)
    expect(part(walk).get_by_role("heading", name=f"Layer {layer}, head {head}")).to_be_visible()
    addressed(walk, "statistic=previous")


def test_a_cell_of_the_head_opens_its_arithmetic_down_to_its_terms(open_walk):
    walk = opened(open_walk, "&block=1&head=2&query=4&worked=1")
    cell = part(walk).locator("figure[data-key*='/scores/']").first.locator("td").first
    cell.click()
    panel = walk.page.get_by_role("region", name=re.compile("^arithmetic of scores"))
    expect(panel).to_be_visible()
    addressed(walk, "number=scores:")
    panel.locator(".terms button").first.click()
    expect(walk.page.get_by_role("region", name=re.compile("^arithmetic of Q"))).to_be_visible()
    walk.page.get_by_role("navigation", name="opened cells").get_by_role("button").first.click()
    expect(panel).to_be_visible()
    walk.press("Escape")
    expect(walk.page.get_by_role("region", name=re.compile("^arithmetic of"))).to_have_count(0)
    addressed(walk, "number=", there=False)


def test_there_is_one_place_for_arithmetic(open_walk):
    walk = opened(open_walk, "&block=0&head=0&worked=1")
    part(walk).locator(".model-walk td").first.click()
    regions = walk.page.get_by_role("region", name=re.compile("^arithmetic of"))
    expect(regions).to_have_count(1)
    walk.cell("softmax/weights/0", 1, 1).click()
    expect(walk.arithmetic("weights[0,1,1]")).to_be_visible()
    expect(regions).to_have_count(1)
    addressed(walk, "number=", there=False)


def test_what_is_taken_away_is_said_and_can_be_given_back(open_walk):
    walk = opened(open_walk, "&block=0&head=1")
    board = part(walk)
    board.get_by_role("button", name="switch off", exact=True).click()
    chips = board.get_by_role("list", name="changes of the model").get_by_role("button")
    expect(chips).to_have_count(1, timeout=LONG)
    expect(board.locator(".model-changes")).to_contain_text("not the model's own numbers")
    expect(board.locator(".model-next thead")).to_contain_text("before", timeout=LONG)
    expect(heads(walk).nth(1)).to_have_class(re.compile("off"))
    chips.first.click()
    expect(chips).to_have_count(0)
    expect(board.locator(".model-next thead")).not_to_contain_text("before", timeout=LONG)


def test_a_weight_that_is_set_is_the_weight_in_the_map(open_walk):
    walk = opened(open_walk, "&block=0&head=1&query=4")
    part(walk).get_by_role("textbox", name="to key").fill("2")
    part(walk).get_by_role("textbox", name="weight").fill("0.5")
    part(walk).get_by_role("button", name="set this weight").click()
    expect(part(walk).locator(".model-head h3")).to_contain_text("changed", timeout=LONG)
    grid(walk).focus()
    walk.press("Control+Home", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight")
    expect(read_out(walk)).to_contain_text(re.compile(r": 0\.(5|49999\d+|50000\d+)$"))


def test_attention_is_followed_through_the_layers_with_its_caveat(open_walk):
    walk = opened(open_walk, "&query=5")
    part(walk).get_by_role("button", name="follow it").click()
    through = part(walk).locator(".model-through")
    expect(through.locator(".caveat")).to_contain_text("explanation")
    expect(through.get_by_role("grid")).to_be_visible()
    addressed(walk, "through=1")


ADDRESS = (
    "&text=the%20man%20saw%20the%20woman%20.&block=1&head=3&query=3&pins=3,1&show=lines&ends=largest&statistic=entropy"
    "&changes=mask:*:0:*"
)


def test_a_link_shows_all_of_it_again(open_walk):
    walk = opened(open_walk, ADDRESS)
    expect(part(walk).get_by_role("heading", name="Layer 1, head 3")).to_be_visible()
    expect(part(walk).get_by_role("list", name="pinned tokens").get_by_role("button")).to_have_count(2)
    assert walk.fragment == f"example=three-words&model=study{ADDRESS}"
    heading = part(walk).get_by_role("heading", name="A real model")
    expect(heading).to_be_in_viewport()


@pytest.mark.parametrize("width", [375, 1400])
@pytest.mark.parametrize("more", ["&worked=1&through=1", "&show=lines&statistic=entropy"])
def test_nothing_of_it_is_wider_than_the_window(open_walk, width, more):
    walk = opened(open_walk, more, viewport={"width": width, "height": 800})
    if "worked" in more:
        part(walk).locator(".model-walk figure.matrix").first.wait_for(timeout=LONG)
    part(walk).get_by_text("All heads in numbers").click()
    assert walk.overflow() == 0


def test_a_link_begins_at_the_model(open_walk):
    walk = opened(open_walk, "&block=1&head=0")
    walk.page.wait_for_function(
        "() => Math.abs(document.querySelector('[data-stop=model]').getBoundingClientRect().top) < 120"
    )


def test_a_page_opened_for_a_model_is_about_the_model(open_walk):
    """As `clearhead model` opens it: nothing of the worked example stands before it, and one line leads there."""
    walk = open_walk("model=study")
    part(walk).locator(".head-place .weight-map").wait_for(timeout=LONG)
    heading = part(walk).get_by_role("heading", name="A real model")
    expect(heading).to_be_in_viewport()
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("Clearhead")
    expect(walk.page.locator("[data-stop=softmax]")).to_be_hidden()
    assert walk.overflow() == 0
    assert walk.page.evaluate("scrollY") == 0
    assert walk.page.evaluate("document.documentElement.scrollHeight") < 5000
    walk.page.reload()
    part(walk).locator(".head-place .weight-map").wait_for(timeout=LONG)
    expect(heading).to_be_in_viewport()
    opener = walk.page.get_by_role("button", name="open the worked example")
    opener.click()
    expect(opener).to_be_hidden()
    expect(walk.page.locator("[data-stop=softmax]")).to_be_visible()
    expect(walk.page.get_by_role("heading", level=1)).not_to_have_text("Clearhead")
    assert walk.page.evaluate("document.activeElement.tagName") == "H1"


def test_an_example_that_is_opened_before_it_has_come_takes_the_focus_when_it_does(open_walk):
    walk = open_walk("model=study")
    held = []

    def hold(socket):
        server = socket.connect_to_server()
        example = '"ask":"walkthrough"'
        socket.on_message(lambda text: (held.append if example in text else server.send)(text))
        held.append(server.send)

    walk.page.route_web_socket("**/ws", hold)
    walk.page.reload()
    part(walk).locator(".head-place .weight-map").wait_for(timeout=LONG)
    opener = walk.page.get_by_role("button", name="open the worked example")
    opener.click()
    expect(opener).to_be_hidden()
    walk.page.wait_for_function("() => document.activeElement === document.body")
    send, question = held
    send(question)
    expect(walk.page.locator("h1.page-title")).to_be_focused()


def test_an_opened_number_is_brought_into_sight(open_walk):
    walk = opened(open_walk, "&block=1&head=2&query=4&worked=1&number=scores:4:2")
    cell = part(walk).locator(".model-walk td.opened").first
    expect(cell).to_be_in_viewport(timeout=LONG)


def test_a_number_in_the_fold_unfolds_it(open_walk):
    walk = opened(open_walk, "&block=1&head=2&query=4&worked=1&number=hidden:4:0")
    expect(part(walk).locator(".walk-making td.opened").first).to_be_in_viewport(timeout=LONG)


def test_the_chosen_head_stands_beside_all_heads_where_there_is_room(open_walk):
    walk = opened(open_walk)
    grid_box = part(walk).locator(".head-grid-frame").bounding_box()
    head_box = part(walk).locator(".model-head").bounding_box()
    assert head_box["x"] > grid_box["x"] + grid_box["width"]
    assert abs(head_box["y"] - grid_box["y"]) < 100


def test_a_running_model_is_seen_from_far_below_the_form(open_walk):
    walk = opened(open_walk, "&block=0&head=1")
    walk.page.evaluate("""() => {
        const place = document.querySelector('.model-waiting');
        window.waited = new Promise((seen) => new MutationObserver(() => {
            if (!place.hidden) seen(place.textContent);
        }).observe(place, { attributes: true }));
    }""")
    part(walk).get_by_role("button", name="switch off", exact=True).click()
    assert "The study model is reading the text" in walk.page.evaluate("window.waited")
    expect(part(walk).locator(".model-waiting")).to_be_hidden(timeout=LONG)
