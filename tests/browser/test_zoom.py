"""A long text on the page: all heads, one of them down to a single number and its arithmetic, its strongest links."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

LOOKS = [(theme, width) for theme in ("light", "dark") for width in (1400, 375)]
LONG = 60_000
"""Milliseconds that a busy machine may take."""
TOKENS = 701
COLOURS_OF_A_CELL = """
() => {
    const canvas = document.querySelector('.zoom-frame canvas');
    const [x, y] = [(124 + canvas.width) / 2 - 14, (92 + canvas.height) / 2 - 14];
    const { data } = canvas.getContext('2d').getImageData(Math.round(x), Math.round(y), 28, 28);
    return new Set(new Uint32Array(data.buffer)).size;
}
"""
"""How many colours there are inside the cell in the middle, whose number stands in it or which is hatched."""


FRAME = """
() => {
    const small = document.querySelector('.zoom-minimap canvas');
    const { width, height } = small;
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    context.drawImage(small, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const dark = [...data.keys()].filter((at) => at % 4 === 0 && Math.max(...data.slice(at, at + 3)) < 90);
    const [across, down] = [dark.map((at) => (at / 4) % width), dark.map((at) => Math.floor(at / 4 / width))];
    return [across, down].flatMap((all) => [Math.min(...all), Math.max(...all)]);
}
"""
"""Where the dark frame in the small map lies that shows what is seen: its left, right, top and bottom."""
STANDS = f"(there) => ({FRAME})().every((at, i) => Math.abs(at - there[i]) <= 1)"
BESIDE = """
(width) => [...document.querySelectorAll('main *, header *')].filter((one) => {
    const { right, width: own } = one.getBoundingClientRect();
    if (own === 0 || right <= width + 0.5) return false;
    for (let around = one.parentElement; around; around = around.parentElement)
        if (getComputedStyle(around).overflowX !== 'visible') return false;
    return true;
}).map((one) => `${one.tagName}.${one.className}`)
"""
"""What reaches beyond the window, and stands in no frame that scrolls by itself."""


@pytest.fixture(scope="session")
def saved(tmp_path_factory) -> Path:
    """The capture of a model with random weights on a text of more tokens than the page draws every weight of."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    import clearhead as ch

    torch.manual_seed(7)
    config = transformers.LlamaConfig(
        vocab_size=53, hidden_size=30, intermediate_size=22, num_hidden_layers=2, num_attention_heads=3,
        num_key_value_heads=3, max_position_embeddings=1024, attn_implementation="sdpa",
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).eval()
    ids = torch.randint(53, (1, TOKENS))
    names = [f" word{number}" for number in ids[0].tolist()]
    file = tmp_path_factory.mktemp("zoom") / "long.safetensors"
    ch.capture(model, None, ids, tokens=names, overview=True).save(file)
    return file


@pytest.fixture(scope="session")
def server(saved, serve_capture) -> str:
    return serve_capture(saved).address.partition("#")[0]


def opened(open_walk, server, more="", example="", **options):
    walk = open_walk(f"{example}model=long.safetensors{more}", server=server, **options)
    part = walk.stop("A real model")
    part.locator(".zoom-body").wait_for(timeout=LONG)
    expect(readout(part)).to_contain_text(re.compile("log-sum-exp|hidden"), timeout=LONG)
    return walk, part


def zoomed(part):
    return part.locator(".zoom-frame")


def readout(part):
    return part.locator(".zoom-readout .map-readout")


def weight_of(text):
    return float(re.search(r"weight ([\d.]+(?:e−\d+)?) =", text)[1].replace("−", "-"))


def test_from_all_heads_to_one_number_by_keyboard(open_walk, server):
    walk, part = opened(open_walk, server)
    assert part.locator(".head-place .weight-map").count() == 0
    assert part.locator(".head-cell").count() == 6

    part.locator(".head-cell").nth(4).click()
    expect(part.get_by_role("heading", name="Layer 1, head 1")).to_be_visible()
    expect(readout(part)).to_contain_text("log-sum-exp", timeout=LONG)

    zoomed(part).focus()
    walk.press("End")
    walk.page.wait_for_function("() => location.hash.includes('zoom=350:350:48')")
    walk.press("ArrowLeft", "ArrowLeft", "ArrowDown")
    expect(readout(part)).to_contain_text(re.compile(r"^351 \S+ → 348 \S+: weight"), timeout=LONG)
    weight = weight_of(readout(part).inner_text())
    said = part.locator(".zoom-readout [role=status]")
    expect(said).to_contain_text(re.compile(r"^351 \S+ → 348 \S+: weight"))

    walk.press("Enter")
    sum_of = walk.page.locator(".model-arithmetic")
    expect(sum_of.get_by_role("heading", name=re.compile(r"weights\[351,\s*348\]"))).to_be_visible(
        timeout=LONG
    )
    walk.choose(walk.page.get_by_role("banner").get_by_role("radio", name="full"))
    expect(sum_of).to_contain_text(str(weight)[:8], timeout=LONG)

    zoomed(part).focus()
    walk.press("Home")
    walk.page.wait_for_function("() => !location.hash.includes('zoom=')")
    walk.press("Escape")
    expect(sum_of).to_be_hidden()


def test_a_link_shows_the_same_place_again(open_walk, server):
    walk, part = opened(open_walk, server, "&block=1&head=2&zoom=600:90:48&pool=mean&shade=linear")
    expect(readout(part)).to_contain_text(re.compile(r"^600 \S+ → 90 "), timeout=LONG)
    assert part.get_by_role("radio", name="the mean").is_checked()
    assert part.get_by_role("radio", name="linear").is_checked()
    assert "zoom=600:90:48" in walk.fragment


def test_what_the_mask_hides_is_hatched_and_said(open_walk, server):
    walk, part = opened(open_walk, server, "&zoom=300:310:48")
    expect(part.locator(".zoom-bin")).to_be_empty()
    zoomed(part).focus()
    walk.press("ArrowUp")
    expect(readout(part)).to_contain_text(re.compile(r"^299 \S+ → 310 \S+: hidden: \w+"), timeout=LONG)
    expect(part.locator(".zoom-main .map-legend")).to_contain_text("hidden by the mask")
    assert walk.page.evaluate(COLOURS_OF_A_CELL) == 2


def test_the_strongest_links_lead_to_their_cells(open_walk, server):
    walk, part = opened(open_walk, server, "&block=1&head=0")
    rows = part.locator(".zoom-links tbody tr")
    expect(rows).to_have_count(20, timeout=LONG)
    apart = part.get_by_label("at least")
    apart.fill("97")
    apart.press("Enter")
    expect(rows.first.locator("td").first).to_have_text(re.compile(r"^(9[7-9]|\d{3})$"), timeout=LONG)
    link = rows.first.get_by_role("button")
    query, key = re.match(r"(\d+) .* → (\d+) ", link.inner_text()).groups()
    link.click()
    expect(readout(part)).to_contain_text(
        re.compile(rf"^{query} \S+ → {key} \S+: weight [\d.e−]+ ="), timeout=LONG
    )
    expect(zoomed(part)).to_be_in_viewport()
    walk.page.wait_for_function("() => location.hash.includes('zoom=')")
    shown = rows.first.locator("td").last.inner_text()
    assert weight_of(readout(part).inner_text()) == pytest.approx(
        float(shown.replace("−", "-")), rel=0.1, abs=0.006
    )


def test_the_text_leads_to_rows_and_columns(open_walk, server):
    _, part = opened(open_walk, server)
    assert part.locator(".zoom-token").count() <= 240
    search = part.get_by_role("searchbox", name="find a token")
    search.fill("617")
    search.press("Enter")
    expect(readout(part)).to_contain_text(re.compile(r"^617 "), timeout=LONG)
    part.get_by_role("radio", name="its column").check(force=True)
    part.get_by_role("button", name="page of the text before").click()
    part.locator(".zoom-token").nth(11).click()
    expect(readout(part)).to_contain_text(re.compile(r"→ (11|251) "), timeout=LONG)


def test_the_wheel_zooms_and_the_pointer_drags_it(open_walk, server):
    walk, part = opened(open_walk, server)
    frame = zoomed(part)
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    x, y = box["x"] + 260, box["y"] + 380
    walk.page.mouse.move(x, y)
    before = readout(part).inner_text().split(":")[0]
    for _ in range(6):
        walk.page.mouse.wheel(0, -100)
    walk.page.wait_for_function("() => location.hash.includes('zoom=')")
    expect(readout(part)).to_contain_text(before.split(" ")[0][:2])
    where = walk.fragment
    walk.page.mouse.down()
    walk.page.mouse.move(x + 90, y - 60, steps=4)
    walk.page.mouse.up()
    walk.page.wait_for_function("was => location.hash.slice(1) !== was", arg=where)


def test_back_and_forward_take_back_whole_moves(open_walk, server):
    walk, part = opened(open_walk, server, "&block=0&head=2")
    page = walk.page
    entries = page.evaluate("history.length")
    whole = page.evaluate(FRAME)
    assert "zoom=" not in walk.fragment
    frame = zoomed(part)
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    x, y = box["x"] + 260, box["y"] + 380
    page.mouse.move(x, y)
    for _ in range(7):
        page.mouse.wheel(0, -100)
    page.wait_for_function("() => location.hash.includes('zoom=')")
    near = walk.fragment
    page.mouse.down()
    page.mouse.move(x + 310, y - 230, steps=11)
    page.mouse.up()
    page.wait_for_function("was => location.hash.slice(1) !== was", arg=near)
    moved = walk.fragment
    assert page.evaluate("history.length") == entries + 2

    there = page.evaluate(FRAME)
    page.go_back()
    page.wait_for_function(f"there => !({STANDS})(there)", arg=there)
    assert walk.fragment == near
    page.go_back()
    page.wait_for_function(STANDS, arg=whole)
    assert "zoom=" not in walk.fragment
    expect(part.get_by_role("heading", name="Layer 0, head 2")).to_be_visible()
    page.go_forward()
    page.go_forward()
    page.wait_for_function(STANDS, arg=there)
    # The map stands where the address says, so nothing is written that would cut the way forward off.
    page.wait_for_timeout(600)
    assert (walk.fragment, page.evaluate("history.length")) == (moved, entries + 2)


@pytest.mark.parametrize("width", [240, 320])
@pytest.mark.parametrize(
    "more", ["", "&zoom=350:349:48&number=weights:350:349&pool=mean&shade=linear&ends=largest"]
)
def test_no_narrow_window_scrolls_sideways(open_walk, server, width, more):
    _, part = opened(
        open_walk, server, more, viewport={"width": width, "height": 800}, reduced_motion="reduce"
    )
    expect(part.locator(".zoom-links tbody tr")).to_have_count(20, timeout=LONG)
    part.get_by_text("These shares in numbers").click()
    part.get_by_text("All heads in numbers").click()
    assert part.page.evaluate(BESIDE, width) == []
    assert part.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(open_walk, server, axe, theme, width):
    """In the part on real models; what stands around it is `test_accessibility.py`'s."""
    walk, part = opened(
        open_walk,
        server,
        "&block=1&head=1&zoom=350:349:48",
        "example=three-words&",
        **axe.options(theme, width),
    )
    judge = axe.Judge(walk.page, theme, within="[data-stop=model]")
    expect(part.locator(".zoom-links tbody tr")).to_have_count(20, timeout=LONG)
    part.get_by_text("These shares in numbers").click()
    judge.see("near a cell")
    judge.finds_nothing()
    assert walk.overflow() == 0
