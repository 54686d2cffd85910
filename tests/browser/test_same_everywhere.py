"""The same ten questions everywhere: the server, the widget, the saved page and the terminal give the same answers."""

import base64
import json
import re
import struct
import zlib

import numpy as np
import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner
from websockets.sync.client import connect

import clearhead as ch
from clearhead.session.bundle import bundle
from clearhead.surfaces.cli.app import app
from clearhead.trace.notation import tables
from clearhead.trace.notation.numbers import format_number

EXAMPLE = "two-heads"
CELLS = [
    ("E", [0, 1], 2), ("X", [3, 2], 3), ("Q", [1, 2, 0], 4), ("scores", [0, 4, 1], 2), ("scaled", [1, 0, 3], "full"),
    ("weights", [0, 2, 4], 3), ("weights", [1, 4, 0], "full"), ("mixed", [1, 3, 0], 4), ("output", [2, 1], 2),
    ("W_O", [1, 1], 2),
]  # fmt: skip


def read(frame):
    """The data of the one reply in a frame."""
    (length,) = struct.unpack_from("<I", frame)
    [reply] = json.loads(frame[4 : 4 + length])["replies"]
    return reply["data"]


def asked(quantity, index, digits):
    state = {"example": EXAMPLE}
    return {"ask": "explain", "state": state, "quantity": quantity, "index": index, "digits": digits}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return ch.save_html(EXAMPLE, tmp_path_factory.mktemp("saved") / "page.html")


@pytest.fixture
def from_disk(chromium):
    """A page without a network."""
    context = chromium.new_context(offline=True)
    yield context.new_page()
    context.close()


def panel_of(page, link, label):
    """What the panel of arithmetic says of the cell that the address opens."""
    page.goto("about:blank")
    page.goto(link)
    panel = page.get_by_role("region", name=f"arithmetic of {label}")
    expect(panel).to_be_visible(timeout=60_000)
    return panel.locator(".arithmetic-body").inner_text()


@pytest.mark.parametrize(("quantity", "index", "digits"), CELLS, ids=str)
def test_every_host_says_the_same(open_walk, from_disk, address, saved, quantity, index, digits):
    message = asked(quantity, index, digits)
    request = json.dumps({"id": 1, "asks": [message]})
    with connect(f"{address.replace('http', 'ws')}ws", origin=address.rstrip("/")) as socket:
        socket.send(request)
        served = read(socket.recv())

    widget, sent = ch.show(EXAMPLE), []
    widget.send = lambda content, buffers=None: sent.append((content, buffers))
    widget._asked(widget, {"kind": "request", "text": request, "view": "1"}, [])
    [(_, [frame])] = sent
    shown = read(bytes(frame))

    where = [str(place) for place in index]
    command = ["why", EXAMPLE, quantity, *where, "--digits", str(digits), "--json"]
    printed = json.loads(CliRunner().invoke(app, command).stdout)

    python = ch.run(EXAMPLE)[quantity].explain(*index)
    assert served["text"] == python.text(digits)
    for other in (shown, printed):
        for field in ("value", "full", "text", "latex", "spoken", "lines", "terms", "formula", "place"):
            assert other[field] == served[field], field

    cell = ":".join([quantity, *where])
    fragment = f"example={EXAMPLE}&cell={cell}&digits={digits}"
    live = panel_of(open_walk().page, f"{address}#{fragment}", served["label"])
    kept = panel_of(from_disk, f"{saved.path.as_uri()}#{fragment}", served["label"])
    assert served["value"] in live
    assert kept == live


UNSCALED = """
import numpy as np

def unscaled(q, k, v):
    scores = q @ k.swapaxes(-1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v
"""


def test_a_report_says_the_same(from_disk, tmp_path):
    """Ten cells of one report: Python's, the widget's, those of `clearhead check`, and of pages saved by both."""
    file, printed = tmp_path / "mine.py", tmp_path / "printed.html"
    file.write_text(UNSCALED, "utf-8")
    done = CliRunner().invoke(app, ["check", f"{file}:unscaled", "--json", "--html", str(printed)])
    mine: dict = {}
    exec(UNSCALED, mine)
    report = ch.check(mine["unscaled"])
    assert json.loads(done.stdout) == json.loads(report.to_json())
    saved = ch.save_html(report, tmp_path / "saved.html").path

    widget, sent = ch.show(report), []
    widget.send = lambda content, buffers=None: sent.append(bytes(buffers[0]))
    text = json.dumps({"id": 1, "asks": [{"ask": "report"}]})
    widget._asked(widget, {"kind": "request", "text": text, "view": "1"}, [])
    shown = read(sent[0])["example"]

    small, questions = report.smallest, 0
    for side, trace in (("yours", small.known), ("right", small.reference)):
        quantities = {one["name"]: one for one in shown[side]["quantities"]}
        for name in ("Q", "scores", "scaled", "weights", list(trace)[-1]):
            values = trace[name].values
            assert np.array_equal(buffer_of(sent[0], quantities[name]["values"]), values, equal_nan=True)
            index = [size - 1 for size in values.shape]
            label, place = f"{name}[{','.join(map(str, index))}]", ":".join(map(str, index))
            fragment = f"cell={side}.{name}:{place}&digits=4"
            said = [panel_of(from_disk, f"{page.as_uri()}#{fragment}", label) for page in (saved, printed)]
            assert said[0] == said[1]
            assert format_number(values[tuple(index)], 4) in said[0]
            questions += 1
    assert questions == 10


def buffer_of(frame, place):
    """One array of the one reply in a frame."""
    (length,) = struct.unpack_from("<I", frame)
    about = json.loads(frame[4 : 4 + length])["replies"][0]["buffers"][place]
    start = 4 + length + about["offset"]
    return np.frombuffer(frame[start : start + about["bytes"]], about["dtype"]).reshape(about["shape"])


def test_the_script_is_the_same_to_the_byte(open_walk, address, saved):
    script = open_walk().page.request.get(f"{address}app.js").body()
    assert script == bundle()
    assert ch.show(EXAMPLE)._esm == script.decode()
    [inside] = re.findall(r'id="clearhead-script">([^<]+)<', saved.path.read_text("utf-8"))
    assert zlib.decompress(base64.b64decode(inside)) == script


COPIED = """
Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });
"""

STRANGE = ["a|b", "$x_1$ \\n", "<b>&\u202e", "café 🙂", "[*]", "#"]
"""Words in which everything that Markdown and LaTeX take for more than text has its turn."""


@pytest.fixture(scope="module")
def strange():
    """Signs in words, a large and a tiny number, −∞, and a vector: all that a table may have to write."""
    return ch.Example(
        tokens=STRANGE, E={word: [10.0**at - 3, 1e-9 * at] for at, word in enumerate(STRANGE)}, W_Q=[[1, 0], [0, 1]],
        W_K=[[1, 0], [0, 0.3]], W_V=[[1, 0], [0, 1]], W_U=[[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]],
        positions="none", mask="causal", name="strange",
    )  # fmt: skip


@pytest.mark.parametrize("what", ["two-heads", "strange", "he-finds-the-man"])
def test_a_matrix_is_copied_as_python_writes_it(open_walk, tmp_path, strange, what):
    """Every matrix of the page, from the server and from a saved page, with several numbers of decimals."""
    example = strange if what == "strange" else ch.load(what)
    trace, digits = ch.run(example), 4 if what == "strange" else 3
    file = ch.save_html(example, tmp_path / "page.html").path
    pages = [open_walk(f"digits={digits}", server=file.resolve().as_uri(), offline=True)]
    if what != "strange":
        pages.append(open_walk(f"example={what}&digits={digits}"))
    for walk in pages:
        walk.page.evaluate(COPIED)
        copied = walk.page.evaluate(EVERY_TABLE)
        names = set()
        for place, name, which, made in copied:
            quantity = trace.get(name, trace.get(f"layer0.{name}"))
            if quantity is None:  # a gradient, an update, or an aside
                continue
            head = int(which) if which.isdecimal() and quantity.axes[0] == "head" else None
            for form, text in zip(("markdown", "latex"), made, strict=True):
                assert text == getattr(tables, form)(quantity, digits, head), (place, form)
            names.add(name)
        assert names >= {"E", "Q", "scores", "masked", "weights", "output", "W_Q"}


EVERY_TABLE = """
async () => {
    const found = [];
    for (const figure of document.querySelectorAll(".stop:not(.part) figure.matrix[data-key]")) {
        const [stop, name, which] = figure.dataset.key.split("/");
        if (figure.closest(".aside") || which === undefined) continue;
        const texts = [];
        for (const form of ["Markdown", "LaTeX"]) {
            window.copied = null;
            const buttons = [...figure.querySelectorAll(".matrix-actions button")];
            buttons.find((one) => one.textContent.startsWith(`as ${form}`)).click();
            while (window.copied === null) await new Promise((done) => setTimeout(done));
            texts.push(window.copied);
        }
        found.push([figure.dataset.key, name, which, texts]);
    }
    return found;
}
"""
