"""Firefox as a person uses it, over WebDriver BiDi (W3C), which every Firefox speaks by itself: no driver is needed.

Playwright drives a Firefox of its own, and of the others only those that know the newest commands of the protocol.
"""

import base64
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

PATIENCE = 60
"""Seconds until what was waited for has failed to come; no test is about how long anything takes."""

PREFERENCES = {
    "network.proxy.type": 1,  # whatever is no address of this machine leads nowhere
    **{f"network.proxy.{kind}": "127.0.0.1" for kind in ("http", "ssl", "socks")},
    **{f"network.proxy.{kind}_port": 9 for kind in ("http", "ssl", "socks")},
    "app.normandy.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.systemAddon.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "security.sandbox.content.level": 0,  # in a container there may be nothing to make a sandbox of
    "toolkit.telemetry.server": "data:,",
}
"""How a new profile is set: quiet, and without a network."""


def program() -> str | None:
    """The Firefox of this machine: what CLEARHEAD_FIREFOX names, or one on the PATH; None if there is none."""
    given = os.environ.get("CLEARHEAD_FIREFOX")
    return given or shutil.which("firefox") or shutil.which("firefox-esr")


@contextlib.contextmanager
def started(command: str, folder: Path) -> Iterator["Firefox"]:
    """A Firefox without a window, with a new profile and all else that it writes in a folder."""
    lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items())
    (folder / "user.js").write_text("\n".join(lines))
    asked = ["--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port=0"]
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [command, *asked, "--width", "1400", "--height", "1000"], stdout=log, stderr=log,
            env={**os.environ, "HOME": str(folder), "MOZ_HEADLESS": "1"},
        )  # fmt: skip
        try:
            with connect(_address(process, folder), max_size=None) as socket:
                firefox = Firefox(socket)
                yield firefox
                firefox.call("browser.close")
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _address(process: subprocess.Popen[bytes], folder: Path) -> str:
    """Where it listens, which it writes into its profile."""
    told = folder / "WebDriverBiDiServer.json"
    until = time.monotonic() + PATIENCE
    while not (told.exists() and told.stat().st_size):
        assert process.poll() is None, (folder / "log.txt").read_text()
        assert time.monotonic() < until, (folder / "log.txt").read_text()
        time.sleep(0.1)
    where = json.loads(told.read_text())
    return f"ws://{where['ws_host']}:{where['ws_port']}/session"


class Firefox:
    """A running Firefox with one page.

    Attributes:
        version: such as "Firefox 140.0".
    """

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._numbers, self._events = socket, itertools.count(1), list[dict[str, Any]]()
        found = self.call("session.new", capabilities={})["capabilities"]
        self.version = f"{found['browserName'].title()} {found['browserVersion']}"
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self._page = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **parameters: Any) -> Any:
        """What the command gives back; what happens meanwhile is kept."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("id") == number:
                assert message["type"] == "success", message
                return message["result"]
            self._events.append(message)

    def open(self, address: str, drawn: str = "[data-drawn]") -> None:
        """Load a page anew, and wait until it has drawn something; what was kept of pages before is forgotten."""
        for where in ("about:blank", address):
            self.call("browsingContext.navigate", context=self._page, url=where, wait="complete")
            self._events = [] if where == "about:blank" else self._events
        self.until(f"document.querySelector('{drawn}') !== null")

    def value(self, expression: str) -> Any:
        """What an expression is in the page, or a promise of it, as JSON can hold it."""
        return json.loads(
            self._evaluated(f"Promise.resolve({expression}).then((one) => JSON.stringify(one ?? null))")[
                "value"
            ]
        )

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + PATIENCE
        while not self.value(f"Boolean({expression})"):
            assert time.monotonic() < until, f"never: {expression}"
            time.sleep(0.05)

    def click(self, element: str) -> None:
        """Click the middle of an element, with the mouse."""
        self.until(element)
        found = self._evaluated(
            f"(one => {{ one.scrollIntoView({{ block: 'center', behavior: 'instant' }}); return one; }})({element})"
        )
        origin = {"type": "element", "element": {"sharedId": found["sharedId"]}}
        move = {"type": "pointerMove", "x": 0, "y": 0, "origin": origin}
        press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self._act({"type": "pointer", "id": "mouse", "actions": [move, *press]})

    def press(self, key: str) -> None:
        """Press a key, one character as the protocol has it."""
        self._act(
            {
                "type": "key",
                "id": "keys",
                "actions": [{"type": one, "value": key} for one in ("keyDown", "keyUp")],
            }
        )

    def picture(self, path: Path) -> None:
        """What is seen, as a PNG."""
        path.write_bytes(
            base64.b64decode(self.call("browsingContext.captureScreenshot", context=self._page)["data"])
        )

    def complaints(self) -> list[str]:
        """What the page wrote into the console as a warning or an error."""
        entries = (one["params"] for one in self._events if one["method"] == "log.entryAdded")
        return [one["text"] for one in entries if one["level"] in ("warn", "error")]

    def hosts(self) -> set[str]:
        """The hosts that the page asked anything of."""
        sent = (
            one["params"]["request"] for one in self._events if one["method"] == "network.beforeRequestSent"
        )
        return {urlsplit(one["url"]).netloc for one in sent if not one["url"].startswith(("data:", "blob:"))}

    def _act(self, actions: Any) -> None:
        self.call("input.performActions", context=self._page, actions=[actions])

    def _evaluated(self, expression: str) -> Any:
        target = {"context": self._page}
        found = self.call("script.evaluate", expression=expression, target=target, awaitPromise=True)
        assert found["type"] == "success", (expression, found)
        return found["result"]
