"""The walkthrough as a person uses it: names and roles, the mouse, the keyboard; nothing waits by the clock."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Dialog, Error, Locator, Page, Request, expect

PATIENCE = 15_000
"""Milliseconds until what was waited for has failed to come; no test is about how long anything takes."""

TELL_VIOLATIONS = """
document.addEventListener('securitypolicyviolation',
    (event) => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI}`));
"""

DELAY = int(os.environ.get("CLEARHEAD_DELAY", "0"))
"""Milliseconds by which each answer comes later, a server's or a saved page's: a test that does not wait then fails."""

DELAYED = f"""{{
WebSocket.prototype.addEventListener = function (type, listener, ...options) {{
    const later = (event) => setTimeout(() => listener.call(this, event), {DELAY});
    EventTarget.prototype.addEventListener.call(this, type, type === 'message' ? later : listener, ...options);
}};
const unpack = Response.prototype.arrayBuffer;
Response.prototype.arrayBuffer = async function () {{
    await new Promise((done) => setTimeout(done, {DELAY}));
    return unpack.call(this);
}};
}}"""

expect.set_options(timeout=PATIENCE)


class Walk:
    """One open page. What it should not have done is in `complaints()`."""

    def __init__(self, page: Page, server: str, quiet: bool) -> None:
        self.page, self.server, self.quiet = page, server, quiet
        self.hosts: set[str] = set()
        self.said: list[str] = []
        self.dialogs: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.context.add_init_script(TELL_VIOLATIONS)
        if DELAY:
            page.context.add_init_script(DELAYED)
        page.on("request", self._on_request)
        page.on("websocket", lambda socket: self.hosts.add(urlsplit(socket.url).netloc))
        page.on("console", self._on_console)
        page.on("pageerror", self._on_page_error)
        page.on("dialog", self._on_dialog)

    def _on_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob"):
            self.hosts.add(parts.netloc)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.said.append(message.text)

    def _on_page_error(self, error: Error) -> None:
        self.said.append(str(error))

    def _on_dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def complaints(self) -> list[str]:
        """Requests to other hosts, dialogs, and (where the page should be quiet) what stood in the console."""
        others = self.hosts - {urlsplit(self.server).netloc}
        told = self.said if self.quiet else [text for text in self.said if "CSP" in text]
        return [f"a request to {host}" for host in sorted(others)] + self.dialogs + told

    # --- The page as a whole ---------------------------------------------------------------------------------------

    def visit(self, fragment: str = "", path: str = "") -> None:
        self.page.goto(self.server + path + (f"#{fragment}" if fragment else ""))
        if not path:
            self.page.locator("[data-drawn]").wait_for()

    @property
    def fragment(self) -> str:
        return urlsplit(self.page.url).fragment

    def drawn(self) -> int:
        return int(self.page.locator("[data-drawn]").get_attribute("data-drawn") or 0)

    @contextmanager
    def redrawn(self) -> Iterator[None]:
        """What happens inside is followed by a picture."""
        before = self.drawn()
        yield
        self.page.wait_for_function("(before) => Number(document.body.dataset.drawn) > before", arg=before)

    def stop(self, title: str) -> Locator:
        return self.page.get_by_role("region", name=title, exact=True)

    def overflow(self) -> int:
        """How many pixels of the page lie beside the window."""
        return self.page.evaluate(
            "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
        )

    # --- Matrices --------------------------------------------------------------------------------------------------

    def matrix(self, key: str) -> Locator:
        """The matrix "stop/quantity/head", where head is a number or "all"."""
        return self.page.locator(f'figure[data-key="{key}"]')

    def cell(self, key: str, row: int, column: int) -> Locator:
        return self.matrix(key).locator("tbody tr").nth(row).get_by_role("gridcell").nth(column)

    def number(self, key: str, row: int, column: int) -> str:
        return self.cell(key, row, column).locator(".number:not(.difference)").text_content() or ""

    def numbers(self, key: str) -> list[list[str]]:
        return self.matrix(key).evaluate(
            "(figure) => [...figure.querySelectorAll('tbody tr')].map((row) =>"
            " [...row.querySelectorAll('.number:not(.difference)')].map((one) => one.textContent))"
        )

    def edit(self, key: str, row: int, column: int, value: str) -> None:
        """Type a new number into a cell and wait for the picture."""
        with self.redrawn():
            self.type_into(key, row, column, value)

    def type_into(self, key: str, row: int, column: int, value: str) -> None:
        self.cell(key, row, column).dblclick()
        field = self.matrix(key).get_by_role("textbox", name=re.compile("^new value of"))
        field.fill(value)
        field.press("Enter")

    # --- The arithmetic --------------------------------------------------------------------------------------------

    def arithmetic(self, label: str) -> Locator:
        """The panel when it shows the cell `label`, such as scores[0,3,1]."""
        # not by role and name: those of all regions of a long page are worked out for each look at it
        return self.page.locator(f'section[aria-label="arithmetic of {label}"]').filter(visible=True)

    def open_cell(self, key: str, row: int, column: int, label: str) -> Locator:
        self.cell(key, row, column).click()
        panel = self.arithmetic(label)
        panel.wait_for()
        return panel

    # --- Switches, words and messages ------------------------------------------------------------------------------

    def switch(self, legend: str, choice: str) -> None:
        """Choose in the settings at the top, and wait for the picture."""
        with self.redrawn():
            self.choose(self.choice(legend, choice))

    def choose(self, radio: Locator) -> None:
        """Click the label that a radio button is drawn by."""
        radio.locator("xpath=ancestor::label").click()
        expect(radio).to_be_checked()

    def choice(self, legend: str, choice: str) -> Locator:
        settings = self.page.get_by_role("group", name="settings")
        return settings.get_by_role("group", name=legend).get_by_role("radio", name=choice, exact=True)

    def words(self) -> list[str]:
        return self.page.locator(".sentence .position-word").all_text_contents()

    def add_word(self, word: str) -> None:
        sentence = self.page.get_by_role("group", name="the sentence")
        sentence.get_by_role("button", name="+ word").click()
        with self.redrawn():
            field = sentence.get_by_role("textbox", name="new word")
            field.fill(word)
            field.press("Enter")

    @property
    def alert(self) -> Locator:
        """What is said to be wrong; not by its role, for which Playwright looks at every cell of a long page."""
        return self.page.locator("[aria-label=messages] [role=alert]")

    def messages(self) -> list[str]:
        return self.page.locator("[aria-label=messages] p").all_inner_texts()

    def history(self, name: str) -> Locator:
        return self.page.get_by_role("group", name="changes").get_by_role("button", name=name)

    # --- The keyboard ----------------------------------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def is_focused(self, target: Locator) -> bool:
        return target.count() > 0 and target.first.evaluate("(element) => element === document.activeElement")

    def tab_to(self, target: Locator, key: str = "Tab", most: int = 250) -> None:
        """Press Tab until the focus is on `target`, as somebody without a mouse has to.

        Playwright looks at the whole page for a role and a name, so the target is looked up once, not after each key.
        """
        wanted = target.first.element_handle()
        for _ in range(most):
            if wanted.evaluate("(element) => element === document.activeElement"):
                break
            self.page.keyboard.press(key)
        if not self.is_focused(target):
            raise AssertionError(f"{most} times {key} do not lead to {target}")

    def focus_text(self) -> Any:
        return self.page.evaluate("document.activeElement.textContent")
