"""Saved pages as somebody opens them from the disk, the network off: they say what a session says, and stay quiet."""

import importlib.util
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest
from playwright.sync_api import expect

import clearhead as ch
from clearhead.session.door import Session
from clearhead.session.kept.rounded import rounded
from clearhead.session.models import Models
from clearhead.surfaces.page import save_html
from clearhead.trace.capture.alone import alone

HERE = Path(__file__).parent
DIGITS = ("2", "3", "4", "full")
COLLECT = """
Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });
"""


def nearly():
    spec = importlib.util.spec_from_file_location("nearly", HERE.parent / "surfaces" / "page" / "nearly.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.near


near = nearly()


@pytest.fixture
def open_saved(open_walk):
    """Opens a page from the disk."""

    def open_page(page, fragment="", **options):
        walk = open_walk(fragment, server=Path(page).resolve().as_uri(), offline=True, **options)
        walk.page.evaluate(COLLECT)
        return walk

    return open_page


def digits_of(walk, choice):
    walk.choose(walk.page.get_by_role("banner").get_by_role("radio", name=choice, exact=True))


def copied(walk, panel, what):
    walk.page.evaluate("window.copied = null")
    panel.get_by_role("button", name=f"copy as {what}").click()
    walk.page.wait_for_function("() => window.copied !== null")
    return walk.page.evaluate("window.copied")


def check_cells(walk, cells, session, state, count):
    """Click cells, spread over all there are, with each number of decimals in turn; compare what the panel says."""
    panel = walk.page.locator("section.arithmetic").filter(visible=True)
    there = cells.evaluate_all(SEEN)
    chosen = there[:: max(1, len(there) // count)]
    assert len(chosen) >= min(count, len(there))
    labels = set()
    for digits in DIGITS:
        digits_of(walk, digits)
        for key, row, column in chosen[DIGITS.index(digits) :: len(DIGITS)]:
            # looked up by its place: among all cells of a page it would be sought anew at each step of a click
            cell = walk.matrix(key).locator("tbody tr").nth(row).locator("[role=gridcell]").nth(column)
            number = cell.locator(".number:not(.difference)").text_content()
            if panel.is_visible():
                panel.get_by_role("button", name="close the arithmetic").evaluate("(one) => one.click()")
            expect(panel).to_be_hidden()
            cell.click()
            expect(panel).to_be_visible()
            text, latex = (copied(walk, panel, what) for what in ("text", "LaTeX"))
            label = panel.get_attribute("aria-label") or panel.locator("h2, h3, h4").first.inner_text()
            name, index = read_label(label)
            message = {
                "ask": "explain",
                "state": state,
                "quantity": name,
                "index": index,
                "digits": decimals(digits),
            }
            data = session.ask(message).data
            assert data["kind"] == "explanation", (message, data)
            same = near if digits == "full" else str.__eq__
            assert same(text, data["text"]), message
            assert same(latex, data["latex"]), message
            assert same(number, data["value"]), message
            labels.add(label)
    return labels


SEEN = """
(cells) => cells
    .filter((cell) => cell.checkVisibility({ visibilityProperty: true }) && cell.offsetWidth > 0)
    .map((cell) => {
        const row = cell.closest("tr");
        return [
            cell.closest("figure").dataset.key,
            [...row.parentElement.rows].indexOf(row),
            [...row.querySelectorAll("[role=gridcell]")].indexOf(cell),
        ];
    })
"""
"""Where the cells stand that can be seen: the key of their matrix, row and column."""


def decimals(choice):
    return choice if choice == "full" else int(choice)


def read_label(label):
    found = re.search(r"([\w.]+)(?:\[([\d,]+)\])?$", label)
    return found[1], [int(number) for number in (found[2] or "").split(",") if number]


def stops(walk):
    return walk.page.locator(".stop:not(.part) figure[data-key] tbody [role=gridcell]:has(.number)")


def test_an_example_with_its_switches(open_saved, tmp_path):
    name = "two-heads"
    walk = open_saved(save_html(name, tmp_path / "page.html").path)
    session = Session()
    assert len(check_cells(walk, stops(walk), session, {"example": name}, 16)) > 10
    walk.switch("mask", "causal")
    assert len(check_cells(walk, stops(walk), session, {"example": name, "mask": "causal"}, 8)) > 5
    walk.switch("divide by √d_head", "off")
    state = {"example": name, "mask": "causal", "scale": False}
    assert len(check_cells(walk, stops(walk), session, state, 8)) > 5
    assert walk.page.get_by_role("alert").count() == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("practice=softmax", "This page has no practice, so every number is shown."),
        ("layer=99", "There is no layer 99: this has the layers 0 to 1."),
        ("cell=layer99.scores:0:0:0", "There is no layer 99: this has the layers 0 to 1."),
    ],
)
def test_a_link_to_what_is_not_there_shows_what_is(open_saved, tmp_path, asked, said):
    walk = open_saved(save_html("mary-saw-tom", tmp_path / "page.html").path, asked)
    expect(walk.page.locator(".notice")).to_have_count(1)
    expect(walk.page.locator(".notice")).to_contain_text(said)
    expect(walk.page.locator(".to-predict")).to_have_count(0)
    expect(walk.page.locator("[data-stop=softmax] td").first).to_be_attached()
    assert "practice" not in walk.page.url
    assert "99" not in walk.page.url


def test_the_training_of_an_example(open_saved, tmp_path):
    name = "he-finds-the-man"
    run = ch.train(name, steps=7)
    walk = open_saved(save_html(run, tmp_path / "page.html").path)
    session = Session()
    session.states.runs[name] = run
    slider = walk.page.get_by_role("slider", name="step of the training")
    for step in (0, 7):
        if slider.input_value() != str(step):
            with walk.redrawn():
                slider.fill(str(step))
        plan = {"optimizer": run.optimiser.kind, "learning_rate": run.optimiser.rate, "steps": run.steps}
        state = {"example": name, "training": plan, "step": step}
        assert len(check_cells(walk, stops(walk), session, state, 8)) > 3
    assert walk.page.get_by_role("alert").count() == 0


def test_a_training_opens_at_its_last_step_or_the_one_asked_for(open_saved, tmp_path):
    run = ch.train("tea-is-hot", steps=11, optimiser="sgd", learning_rate=0.5, progress=False)
    walk = open_saved(save_html(run, tmp_path / "page.html").path)
    slider = walk.page.get_by_role("slider", name="step of the training")
    assert (slider.input_value(), walk.fragment) == ("11", "step=11")
    title = walk.page.get_by_role("heading", level=1)
    expect(title).to_have_text("Tea is hot and coffee is hot, after 11 steps of training")
    assert slider.bounding_box()["y"] < walk.page.locator(".walk-bar").bounding_box()["y"]  # above the steps
    assert walk.page.get_by_role("button", name="reset").count() == 0  # there is no example untrained
    asked = open_saved(save_html(run, tmp_path / "asked.html", step=3, cell="weights[0,2,1]").path)
    assert asked.page.get_by_role("slider", name="step of the training").input_value() == "3"
    expect(asked.arithmetic("weights[0,2,1]")).to_be_visible()
    assert asked.fragment == "step=3&cell=weights:0:2:1"


def test_back_and_forward_lead_through_the_steps_of_a_training(open_saved, tmp_path):
    run = ch.train("three-words", steps=11, progress=False)
    walk = open_saved(save_html(run, tmp_path / "page.html").path)
    page = walk.page
    slider = page.get_by_role("slider", name="step of the training")
    title = page.get_by_role("heading", level=1)
    for step, said in ((5, "after 5 steps"), (0, "before training")):
        slider.fill(str(step))
        expect(title).to_contain_text(said)
        page.wait_for_function("(step) => location.hash === `#step=${step}`", arg=step)
        page.wait_for_timeout(1600)  # steps that come faster are one movement of the slider
    page.go_back()
    expect(title).to_contain_text("after 5 steps")
    page.go_back()
    expect(title).to_contain_text("after 11 steps")
    assert (slider.input_value(), walk.fragment) == ("11", "step=11")
    page.go_forward()
    expect(title).to_contain_text("after 5 steps")
    assert slider.input_value() == "5"
    assert walk.history("undo").get_attribute("aria-disabled") == "false"


def test_all_that_a_training_shows_is_of_one_step_that_was_kept(open_saved, tmp_path):
    run = ch.train("tea-is-hot", steps=100, optimiser="sgd", learning_rate=0.1, progress=False)
    walk = open_saved(save_html(run, tmp_path / "page.html").path, "step=37&digits=4")
    page, told = walk.page, walk.page.locator(".walk-bar .notices")
    slider = page.get_by_role("slider", name="step of the training")
    cells = page.locator('figure[data-key="embeddings/E/all"] tbody [role=gridcell] .number')

    def check(step):
        expect(page.get_by_role("heading", level=1)).to_contain_text(f", after {step} steps of training")
        page.wait_for_function("(step) => location.hash.startsWith(`#step=${step}&`)", arg=step)
        loss = f"step {step} of 100: loss {run.trace(step)['loss'].values:.4f}"
        expect(slider).to_have_attribute("aria-valuetext", loss)
        shown = [float(text.replace("−", "-")) for text in cells.all_inner_texts()]
        assert np.allclose(shown, run.trace(step)["E"].values.ravel(), rtol=0, atol=0.51e-4)

    check(34)  # 24 of the steps are kept, 34 and 39 among them
    assert told.inner_text().count("Step 37 was not kept; this is step 34.") == 1
    slider.press("ArrowRight")
    check(39)
    assert "not kept" not in told.inner_text()
    page.wait_for_timeout(1600)  # steps that come faster are one movement of the slider
    slider.press("End")
    check(100)
    page.go_back()
    check(39)
    for asked in ("1000", "-1", "abc"):
        page.evaluate("(text) => { location.hash = text; }", f"step={asked}&digits=4")
        check(100)
        said = "Step 1000 was not kept; this is step 100." if asked == "1000" else f"its step holds “{asked}”"
        expect(told).to_contain_text(said)


@pytest.mark.parametrize("width", [1400, 375])
def test_steps_that_do_not_fit_into_the_bar_are_led_to(open_saved, tmp_path, width):
    size = {"width": width, "height": 800}
    walk = open_saved(save_html("he-finds-the-man", tmp_path / "page.html").path, viewport=size)
    bar = walk.page.locator(".walk-bar .pipeline")
    steps = bar.locator(".step")
    on, back = bar.locator(".further:not(.back)"), bar.locator(".further.back")
    expect(on).to_be_visible()
    expect(back).to_be_hidden()
    while on.is_visible():
        before = bar.locator("ol").evaluate("(list) => list.scrollLeft")
        on.click()
        walk.page.wait_for_function(
            "(before) => document.querySelector('.walk-bar .pipeline ol').scrollLeft > before", arg=before
        )
        walk.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
    expect(back).to_be_visible()
    last, tools = steps.last.bounding_box(), walk.page.locator(".history-tools").bounding_box()
    assert last["x"] + last["width"] <= tools["x"]


@pytest.fixture(scope="module")
def capture():
    from clearhead.sources.worked.study.capture import capture_study

    return capture_study("the man saw the woman and he works.")


def opened(open_saved, page, fragment="", **options):
    walk = open_saved(page, fragment, **options)
    walk.page.locator(".head-place .weight-map").wait_for()
    return walk


@pytest.fixture
def open_saved_model(open_walk):
    """Opens the page of a capture, which is drawn when its first head is."""

    def open_page(page, fragment="", **options):
        walk = open_walk("", server="about:blank", path="#", offline=True, **options)
        walk.server = Path(page).resolve().as_uri()
        walk.page.goto(walk.server + (f"#{fragment}" if fragment else ""))
        walk.page.locator(".head-place .weight-map").wait_for()
        walk.page.evaluate(COLLECT)
        return walk

    return open_page


def test_a_capture_whose_heads_are_worked_out(open_saved_model, tmp_path, capture):
    walk = open_saved_model(save_html(capture, tmp_path / "page.html").path)
    page = walk.page
    name = parse_qs(walk.fragment or "model=study")["model"][0]
    session = Session(models=Models(saved={name: rounded(capture, "short")}))
    name = session.ask({"ask": "models"}).data["models"][-1]["name"]
    page.locator(".head-cell").nth(6).click()
    expect(page.get_by_role("heading", name="Layer 1, head 2")).to_be_visible()
    page.get_by_role("button", name="walk through this head").click()
    cells = page.locator(".model-walk figure[data-key] tbody [role=gridcell]:has(.number)")
    cells.first.wait_for()
    state = {"model": name, "layer": 1, "head": 2}
    assert len(check_cells(walk, cells, session, state, 16)) > 10
    page.locator(".head-cell").first.click()
    expect(page.get_by_role("heading", name="Layer 0, head 0")).to_be_visible()
    cells.first.wait_for()
    assert len(check_cells(walk, cells, session, {"model": name, "layer": 0, "head": 0}, 8)) > 3
    assert page.get_by_role("alert").count() == 0


def test_a_head_by_itself_is_walked_through(open_saved_model, tmp_path, capture):
    trace = capture.head(1, 2)
    walk = open_saved_model(save_html(trace, tmp_path / "page.html", cell="weights[3,1]").path)
    page = walk.page
    expect(page.get_by_role("heading", name="Head L1H2", exact=True)).to_be_visible()
    expect(walk.arithmetic("weights[3,1]")).to_be_visible()
    assert page.get_by_text("All heads", exact=True).is_hidden()
    cells = page.locator(".model-walk figure[data-key] tbody [role=gridcell]:has(.number)")
    session = Session(models=Models(saved={"head": rounded(alone(trace), "short")}))
    assert len(check_cells(walk, cells, session, {"model": "head"}, 8)) > 5
    assert page.get_by_role("alert").count() == 0


@pytest.fixture
def recording(tmp_path):
    """A training of one parameter, of which the start, step 3 and the end were saved."""
    made = ch.Recording.create(
        tmp_path / "<i>mine", {"kind": "PyTorch training", "torch": "2", "about": {"a": "<b>"}}
    )
    losses = [0.5, 0.25, 0.125, 0.0625, 0.03125]
    for step, number in ((0, 2.0), (3, 3.0), (5, 5.0)):
        made.save(step, {"model/w": np.array([[number, 0.0]])}, losses[:step])
    return made


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_recording_is_moved_through(open_walk, tmp_path, recording, scheme):
    file = save_html(recording, tmp_path / "page.html").path
    walk = open_walk("", server="about:blank", path="#", offline=True, color_scheme=scheme)
    walk.page.goto(file.as_uri())
    part = walk.page.get_by_role("region", name="The training in <i>mine")
    slider = part.get_by_role("slider", name="step of the training")
    row = part.get_by_role("row").filter(has_text="1 × 2")
    expect(slider).to_have_attribute("aria-valuetext", "step 5 of 5: loss 0.03 before its last update")
    expect(row).to_contain_text("1.50")  # from 2 to 5
    expect(part).to_contain_text("a: <b>")
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "step 3 of 5: loss 0.06")
    expect(row).to_contain_text("0.50")
    walk.page.wait_for_function("() => location.hash === '#step=3'")
    walk.page.go_back()
    expect(slider).to_have_attribute("aria-valuetext", "step 5 of 5: loss 0.03 before its last update")
    assert walk.overflow() <= 0


@pytest.mark.parametrize("worked", [True, False])
def test_nothing_is_offered_that_was_not_kept(open_saved_model, tmp_path, capture, worked):
    saved = save_html(capture, tmp_path / "page.html", worked=worked)
    walk = open_saved_model(saved.path)
    page = walk.page
    part = page.get_by_role("region", name="A real model")
    expect(part).to_contain_text(saved.says)
    offered = {one.inner_text() for one in page.get_by_role("button").all() if one.is_visible()}
    walking = "walk through this head, number by number"
    assert (walking in offered) == worked
    assert not offered & {"run", "follow it", "open the worked example", "change nothing"}
    assert part.get_by_role("textbox", name="text").count() == 0  # it can be given no other
    assert part.locator(".model-read").inner_text() == "the man saw the woman and he works."
    expect(part.get_by_role("heading", name="The study model")).to_be_visible()
    live = "The command “clearhead model” opens the model live, and shows it."
    for left_out in ("contribution, is", "Attention through all layers is"):
        expect(part.locator("p.hint", has_text=f"{left_out} not kept in this page. {live}")).to_be_visible()
    if worked:
        page.get_by_role("button", name=walking).click()
        below = (
            "How the model made its queries, keys and values of the layer's input is not kept in this page."
        )
        expect(part.get_by_text(f"{below} {live}")).to_be_visible()
        page.get_by_role("button", name="leave the walkthrough").click()
    else:
        nothing = "This page keeps weights alone, and nothing that a head could be worked out from."
        expect(part.get_by_text(f"{nothing} {live}")).to_be_visible()
    groups = {one.get_attribute("aria-label") or one.locator("legend").inner_text()
              for one in page.locator("fieldset").all() if one.is_visible()}  # fmt: skip
    assert "numbers" not in groups
    for head in page.locator(".head-cell").all():
        head.click()
        expect(head).to_have_attribute("aria-selected", "true")
    for choice in ("lines", "map"):
        walk.choose(part.get_by_role("radio", name=choice, exact=True))
    assert page.get_by_role("alert").count() == 0


def test_a_link_leads_to_a_head_and_a_number(open_saved_model, tmp_path, capture):
    page = save_html(capture, tmp_path / "page.html").path
    first = open_saved_model(page)
    first.page.locator(".head-cell").nth(5).click()
    first.page.wait_for_function("() => location.hash.includes('head=1')")
    assert first.fragment == "block=1&head=1"  # what the page is about says nothing
    walk = open_saved_model(page, first.fragment + "&worked=1&number=scores:3:1")
    expect(walk.page.get_by_role("heading", name="Layer 1, head 1")).to_be_visible()
    expect(walk.arithmetic("scores[3,1]")).to_be_visible()


def test_a_link_may_say_layer_and_is_told_which_there_are(open_saved_model, tmp_path, capture):
    walk = open_saved_model(save_html(capture, tmp_path / "page.html").path, "layer=1&head=2")
    part = walk.page.get_by_role("region", name="A real model")
    expect(part.get_by_role("heading", name="Layer 1, head 2")).to_be_visible()
    for asked, said in (
        ("block=9", "layer: 9 is none of this model's; expected one of 0, 1"),
        ("tower=x", "tower: 'x' has no attention layer"),
        ("block=1&head=9", "head: expected a whole number from 0 to 3, got 9"),
    ):
        walk.page.evaluate("(text) => { location.hash = text; }", asked)
        expect(part.get_by_text(said)).to_be_visible()


def test_strange_words_stay_words(open_saved_model, tmp_path, hand_captures):
    from clearhead.trace.capture.token import Token

    strange = (
        "</script><script>window.broken = 1</script>",
        "<img src=x onerror='window.broken=1'>",
        "x" * 10_000,
        "{}",
    )
    words = tuple(Token(strange[at % len(strange)], at, None, None) for at in range(7))
    capture = replace(
        hand_captures.random_capture(),
        texts={"text": (words, words)},
        provenance={"model": strange[0], "text": [strange[1]] * 2},
    )
    walk = open_saved_model(save_html(capture, tmp_path / "page.html").path)
    walk.page.get_by_role("button", name="walk through this head").click()
    walk.page.locator(".model-walk figure[data-key] tbody [role=gridcell]").first.click()
    panel = walk.page.get_by_role("region", name=re.compile("^arithmetic of "))
    expect(panel).to_be_visible()
    walk.page.evaluate("location.hash = 'worked=1&number=scores:6:2'")
    place = panel.locator(".arithmetic-place bdi")
    expect(place).to_contain_text(f"“{'x' * 40}…”")  # cut, and whole in its title
    assert "x" * 10_000 in place.get_attribute("title")
    assert "x" * 41 not in panel.inner_text()
    assert walk.page.evaluate("window.broken") is None
    assert walk.page.locator("img").count() == 0
    assert walk.overflow() <= 0


def test_no_other_script_runs_in_it(chromium, tmp_path):
    """Whoever changes the file can put a script into it; the page's own rule does not let it run."""
    place = save_html("three-words", tmp_path / "page.html").path
    text = place.read_text(encoding="utf-8")
    added = "<script>window.broken = 1</script><img src='data:,' onerror='window.broken = 2'>"
    place.write_text(text.replace("<noscript>", f"{added}<noscript>"), encoding="utf-8")
    context = chromium.new_context(offline=True)
    page, told = context.new_page(), []
    page.on("console", lambda message: told.append(message.text))
    page.goto(place.as_uri())
    page.locator("[data-drawn]").wait_for()
    assert page.evaluate("window.broken") is None
    assert any("Content Security Policy" in text for text in told)
    context.close()


@pytest.mark.parametrize("width", [1400, 375])
def test_nothing_lies_beside_the_window(open_saved_model, tmp_path, capture, width):
    walk = open_saved_model(
        save_html(capture, tmp_path / "page.html").path, viewport={"width": width, "height": 800}
    )
    # Between the text and the model's name there is no gap of what a saved page cannot do.
    form, about = (walk.page.locator(one).bounding_box() for one in (".model-read", ".model-about"))
    assert about["y"] - form["y"] - form["height"] < 40
    walk.page.get_by_role("button", name="walk through this head").click()
    walk.page.locator(".model-walk figure[data-key]").first.wait_for()
    assert walk.overflow() <= 0
