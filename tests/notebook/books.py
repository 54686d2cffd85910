"""Notebooks as a person uses them, the same steps in JupyterLab, Notebook 7 and marimo."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
from playwright.sync_api import Locator, Page, expect

PATIENCE = 30_000
"""Milliseconds until what was waited for has failed to come; no test is about how long anything takes."""

expect.set_options(timeout=PATIENCE)

CELLS = (
    'import clearhead as ch\ntrace = ch.run("three-words")\nview = ch.show(trace)\nview',
    "trace",
    "trace",
    "def unscaled(q, k, v):\n"
    "    return (q @ k.transpose(-2, -1)).softmax(-1) @ v\n"
    "report = ch.check(unscaled, library='torch')\n"
    "report",
)

MARIMO_SETTINGS = """
[runtime]
auto_instantiate = true
[display]
theme = "system"
"""

MARIMO = """import marimo

app = marimo.App()


@app.cell
def _():
    import json
    import marimo as mo
    import clearhead as ch

    trace = ch.run("three-words")
    view = mo.ui.anywidget(ch.show(trace))
    view
    return ch, json, mo, trace, view


@app.cell
def _(json, mo, view):
    mo.plain_text("VALUE " + json.dumps(view.value["value"]))
    return


@app.cell
def _(trace):
    trace
    return


@app.cell
def _(trace):
    trace
    return


@app.cell
def _(ch):
    def unscaled(q, k, v):
        return (q @ k.transpose(-2, -1)).softmax(-1) @ v

    report = ch.check(unscaled, library="torch")
    report
    return


if __name__ == "__main__":
    app.run()
"""


def write_jupyter(path: Path, cells: tuple[str, ...] = CELLS) -> Path:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells], metadata={"kernelspec": kernel}
    )
    nbformat.write(book, path)
    return path


def write_marimo(path: Path) -> Path:
    path.write_text(MARIMO)
    return path


class View:
    """One view of Clearhead on the page of a notebook."""

    def __init__(self, root: Locator) -> None:
        self.root = root

    def drawn(self) -> None:
        expect(self.root).to_have_attribute("data-drawn", re.compile(r"\d+"))

    def matrix(self, key: str) -> Locator:
        """The matrix "stop/quantity/head", where head is a number or "all"."""
        return self.root.locator(f'figure[data-key="{key}"]')

    def cell(self, key: str, row: int, column: int) -> Locator:
        return self.matrix(key).locator("tbody tr").nth(row).get_by_role("gridcell").nth(column)

    def open_cell(self, key: str, row: int, column: int, label: str) -> Locator:
        """Click a cell, and wait for its arithmetic."""
        self.cell(key, row, column).click()
        panel = self.arithmetic(label)
        panel.wait_for()
        return panel

    def arithmetic(self, label: str) -> Locator:
        return self.root.get_by_role("region", name=f"arithmetic of {label}", exact=True)

    def edit(self, key: str, row: int, column: int, value: str) -> None:
        self.cell(key, row, column).dblclick()
        field = self.matrix(key).get_by_role("textbox", name=re.compile("^new value of"))
        field.fill(value)
        field.press("Enter")

    def choice(self, legend: str, choice: str) -> Locator:
        settings = self.root.get_by_role("group", name="settings")
        return settings.get_by_role("group", name=legend).get_by_role("radio", name=choice, exact=True)

    def switch(self, legend: str, choice: str) -> None:
        radio = self.choice(legend, choice)
        radio.locator("xpath=ancestor::label").click()
        expect(radio).to_be_checked()

    def messages(self) -> Locator:
        return self.root.get_by_role("region", name="messages")

    def switch_theme(self, theme: str) -> None:
        self.root.locator(".page-header").get_by_role("radio", name=theme).locator(
            "xpath=ancestor::label"
        ).click()

    def paper(self) -> str:
        return str(self.root.evaluate("(root) => getComputedStyle(root).backgroundColor"))


class Book:
    """An open notebook.

    Attributes:
        keeps: whether its kernel goes on when its page is loaded again; an app of marimo begins anew.
    """

    keeps = True

    DARK, LIGHT = "rgb(22, 24, 29)", "rgb(255, 255, 255)"
    """The paper of both themes (docs/visual-language.md)."""

    def __init__(self, page: Page, address: str, name: str) -> None:
        self.page, self.address, self.name = page, address, name
        self.mistakes: list[str] = []
        self.hosts: set[str] = set()
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        page.on("pageerror", lambda error: self.mistakes.append(str(error)))

    def mistakes_of_ours(self) -> list[str]:
        """Errors in the page's console that name us; notebooks have their own."""
        return [one for one in self.mistakes if "clearhead" in one.lower()]

    def others(self) -> set[str]:
        """Hosts beside the server that anything was asked of."""
        return self.hosts - {"", urlsplit(self.address).netloc}

    def ready(self) -> None:
        """Wait until what was begun is done."""

    def view(self, number: int) -> View:
        found = View(self.page.locator(".clearhead").nth(number))
        found.root.scroll_into_view_if_needed()
        found.drawn()
        return found


class Jupyter(Book):
    """JupyterLab, or Notebook 7, which is made of the same parts."""

    def __init__(self, page: Page, address: str, name: str, file: Path) -> None:
        super().__init__(page, address, name)
        self.file = file

    def open(self) -> None:
        self.go()
        self.run_all()

    def go(self) -> None:
        # A workspace of its own: JupyterLab opens what was open before in the same.
        path = f"lab/workspaces/{self.file.stem}/tree" if self.name == "lab" else "notebooks"
        self.page.goto(f"{self.address}/{path}/{self.file.name}")
        self.ready()

    def ready(self) -> None:
        self.page.wait_for_function(
            """(name) => {
                const context = window.jupyterapp?.shell?.currentWidget?.context;
                return context?.path === name && context.sessionContext?.session?.kernel?.status === "idle";
            }""",
            arg=self.file.name,
        )

    def run_all(self) -> None:
        self.command("notebook:run-all-cells")

    def command(self, name: str, arguments: Any = None) -> None:
        self.page.evaluate(
            "([name, given]) => jupyterapp.commands.execute(name, given)", [name, arguments or {}]
        )

    def value(self) -> dict[str, Any]:
        """What Python has."""
        text = self.page.evaluate("""async () => {
            const { kernel } = jupyterapp.shell.currentWidget.context.sessionContext.session;
            let text = "";
            const code = "import json; print(json.dumps(view.value))";
            const asked = kernel.requestExecute({ code, store_history: false });
            asked.onIOPub = ({ content }) => { text += content.text ?? (content.evalue ?? ""); };
            await asked.done;
            return text;
        }""")
        return dict(json.loads(text))

    def theme(self, theme: str) -> None:
        self.command("apputils:change-theme", {"theme": f"JupyterLab {theme.title()}"})

    def save(self) -> None:
        self.command("docmanager:save")
        self.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")

    def reload(self) -> None:
        self.save()
        self.page.reload()
        self.ready()

    def end_kernel(self) -> None:
        self.page.evaluate("() => jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")

    def start_kernel(self) -> None:
        session = "jupyterapp.shell.currentWidget.context.sessionContext"
        self.page.evaluate(f"() => {session}.changeKernel({{ name: 'python3' }})")
        self.ready()

    def count(self) -> int:
        return int(self.page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets.length"))

    def leave_view(self) -> None:
        """To the notebook: what is typed next is its own."""
        self.page.locator(".jp-CodeCell .cm-content").first.click()


class Marimo(Book):
    """marimo, as an app or as an editor."""

    def __init__(self, page: Page, address: str, name: str) -> None:
        super().__init__(page, address, name)
        self.keeps = name == "marimo-edit"

    def open(self) -> None:
        self.page.goto(self.address)

    def value(self) -> dict[str, Any]:
        """What the cell that uses the view says."""
        said = self.page.get_by_text("VALUE {").first.inner_text()
        return dict(json.loads(said.partition("VALUE ")[2]))

    def theme(self, theme: str) -> None:
        self.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]

    def reload(self) -> None:
        self.page.reload()

    def run_all(self) -> None:
        if self.name == "marimo-edit":
            self.page.get_by_test_id("run-button").first.click()

    def count(self) -> int:
        return self.page.locator("[data-cell-id]").count()

    def leave_view(self) -> None:
        self.page.mouse.click(5, 500)
