"""Firefox opens saved pages from the disk, without a network, and they say what Python says; so does the server's.

It is looked for under CLEARHEAD_FIREFOX and on the PATH; CONTRIBUTING.md says how to get one.
"""

import importlib.util
import json
from pathlib import Path

import pytest

import clearhead as ch
from clearhead.session.kept.rounded import rounded
from clearhead.sources.worked.study.capture import capture_study
from clearhead.surfaces.page import save_html
from clearhead.trace.notation.numbers import format_number

EXAMPLE = "two-heads"
PICTURES = Path(__file__).parents[2] / "test-results"

ARROW_LEFT = "\ue012"

HEAR = """
Object.defineProperty(navigator, "clipboard", {
    value: { writeText: async (text) => { window.copied = text; } }, configurable: true,
})
"""


def _client():
    spec = importlib.util.spec_from_file_location("browser_firefox", Path(__file__).with_name("firefox.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


client = _client()


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    program = client.program()
    if program is None:
        pytest.skip(
            "no Firefox: neither CLEARHEAD_FIREFOX nor firefox or firefox-esr on the PATH; see CONTRIBUTING.md"
        )
    with client.started(program, tmp_path_factory.mktemp("firefox")) as firefox:
        yield firefox


@pytest.fixture
def firefox(started, request):
    """The Firefox of all tests; each page that it opens must stay quiet and ask nobody anything."""
    yield started
    PICTURES.mkdir(exist_ok=True)
    started.picture(PICTURES / f"{request.node.name}.png")
    assert started.complaints() == []


def shown(firefox, key):
    """The numbers of a matrix as the page writes them, row by row."""
    return firefox.value(
        f"[...document.querySelectorAll('figure[data-key=\"{key}\"] tbody tr')].map((row) => "
        "[...row.querySelectorAll('.number:not(.difference)')].map((one) => one.textContent))"
    )


def written(values):
    """The same numbers of Python."""
    return [[format_number(value) for value in row] for row in values.tolist()]


def becomes(firefox, key, values):
    """Wait until the page has these numbers, and see that it has no others."""
    expected = written(values)
    rows = f"[...document.querySelectorAll('figure[data-key=\"{key}\"] tbody tr')]"
    numbers = "[...row.querySelectorAll('.number:not(.difference)')].map((one) => one.textContent)"
    firefox.until(
        f"JSON.stringify({rows}.map((row) => {numbers})) === JSON.stringify({json.dumps(expected)})"
    )


def choose(firefox, legend, choice):
    """Click a switch of the settings."""
    groups = "[...document.querySelectorAll('fieldset')]"
    group = f"{groups}.find((one) => one.querySelector('legend')?.textContent === '{legend}')"
    firefox.click(
        f"[...{group}.querySelectorAll('label')].find((one) => one.textContent.trim() === '{choice}')"
    )


def open_cell(firefox, key, row, column):
    """Click a cell of a matrix."""
    rows = f"document.querySelectorAll('figure[data-key=\"{key}\"] tbody tr')"
    firefox.click(f"{rows}[{row}].querySelectorAll('[role=gridcell]')[{column}]")


def arithmetic(firefox, label):
    """What the panel of a cell gives when its arithmetic is copied as text."""
    panels = f"[...document.querySelectorAll('section[aria-label=\"arithmetic of {label}\"]')]"
    panel = f"{panels}.find((one) => one.checkVisibility())"
    firefox.until(panel)
    firefox.value(f"({HEAR}, window.copied = null)")
    firefox.click(
        f"[...{panel}.querySelectorAll('button')].find((one) => one.textContent.startsWith('copy as text'))"
    )
    firefox.until("window.copied !== null")
    return firefox.value("window.copied")


def test_an_example_s_switches_and_cells(firefox, tmp_path):
    firefox.open(save_html(EXAMPLE, tmp_path / "page.html").path.as_uri())
    plain, causal = ch.run(EXAMPLE), ch.run(EXAMPLE, mask="causal")
    assert shown(firefox, "softmax/weights/0") == written(plain["weights"].values[0])
    choose(firefox, "mask", "causal")
    for head in (0, 1):
        becomes(firefox, f"softmax/weights/{head}", causal["weights"].values[head])
    assert written(causal["weights"].values[0]) != written(plain["weights"].values[0])
    open_cell(firefox, "softmax/weights/0", 2, 1)
    assert arithmetic(firefox, "weights[0,2,1]") == causal["weights"].explain(0, 2, 1).text()
    choose(firefox, "heads", "1")
    single = ch.run(EXAMPLE, mask="causal", heads=1)
    becomes(firefox, "softmax/weights/0", single["weights"].values[0])
    choose(firefox, "divide by √d_head", "off")
    becomes(
        firefox,
        "softmax/weights/0",
        ch.run(EXAMPLE, mask="causal", heads=1, scale=False)["weights"].values[0],
    )
    assert firefox.hosts() <= {""}


def test_a_training_s_steps(firefox, tmp_path):
    run = ch.train("tea-is-hot", steps=11, optimiser="sgd", learning_rate=0.5, progress=False)
    firefox.open(save_html(run, tmp_path / "page.html").path.as_uri())
    slider = "document.querySelector('input[type=range][aria-valuetext]')"
    firefox.until(f"{slider}.ariaValueText === 'step 11 of 11: loss {format_number(run.final_loss)}'")
    becomes(firefox, "embeddings/E/all", run.trace(11)["E"].values)
    firefox.value(f"{slider}.focus()")
    firefox.press(ARROW_LEFT)
    firefox.until(f"{slider}.ariaValueText === 'step 10 of 11: loss {format_number(run.losses[10])}'")
    becomes(firefox, "embeddings/E/all", run.trace(10)["E"].values)
    open_cell(firefox, "embeddings/E/all", 0, 0)
    assert arithmetic(firefox, "E[0,0]") == run.trace(10)["E"].explain(0, 0).text()
    assert firefox.hosts() <= {""}


def test_a_capture_s_heads(firefox, tmp_path):
    capture = capture_study("the man saw the woman and he works.")
    page = save_html(capture, tmp_path / "page.html").path
    firefox.open(f"{page.as_uri()}#worked=1", ".head-place .weight-map")
    firefox.click("document.querySelectorAll('.head-cell')[6]")
    firefox.until("[...document.querySelectorAll('h3')].some((one) => one.textContent === 'Layer 1, head 2')")
    head = rounded(capture, "short").head(1, 2)  # the numbers that the page has
    firefox.until("location.hash.includes('head=2')")
    firefox.value("location.hash = 'block=1&head=2&worked=1&number=scores:3:1'")
    assert arithmetic(firefox, "scores[3,1]") == head["scores"].explain(3, 1).text()
    firefox.value("location.hash = 'block=1&head=2&worked=1&number=weights:3:1'")
    assert arithmetic(firefox, "weights[3,1]") == head["weights"].explain(3, 1).text()
    assert firefox.hosts() <= {""}


def test_no_other_script_runs_in_it(started, tmp_path):
    """As in Chromium: whoever changes the file can put a script into it, and the page's rule does not let it run."""
    page = save_html("three-words", tmp_path / "page.html").path
    text = page.read_text("utf-8")
    added = "<script>window.broken = 1</script><img src='data:,' onerror='window.broken = 2'>"
    page.write_text(text.replace("<noscript>", f"{added}<noscript>"), "utf-8")
    started.open(page.as_uri())
    assert started.value("window.broken ?? null") is None
    assert any("Content-Security-Policy" in one for one in started.complaints())


def test_the_server_s_page(firefox, address):
    firefox.open(f"{address}#example={EXAMPLE}")
    choose(firefox, "mask", "causal")
    trace = ch.run(EXAMPLE, mask="causal")
    becomes(firefox, "softmax/weights/1", trace["weights"].values[1])
    open_cell(firefox, "softmax/weights/1", 3, 2)
    assert arithmetic(firefox, "weights[1,3,2]") == trace["weights"].explain(1, 3, 2).text()
    assert firefox.hosts() == {address.removeprefix("http://").rstrip("/")}
