"""The commands `clearhead serve` and `clearhead model`, as a person starts them."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

PATIENCE = 60
"""Seconds after which a program that does not end has failed."""


class Server:
    """A running server; `kill` and `start` again use the same port."""

    def __init__(self, *arguments: str, command: str = "serve") -> None:
        self.arguments = (command, *arguments)
        self.address = ""
        """Where the page is; for an example of its own, with what stands after the #."""
        self._port = 0
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "clearhead",
            *self.arguments,
            "--no-browser",
            "--port",
            str(self._port),
        ]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert "http://" in line, f"the server said {line!r} instead of its address"
        self.address = next(part for part in line.split() if part.startswith("http://"))
        self._port = urlsplit(self.address).port or 0

    def end(self, how: signal.Signals = signal.SIGINT) -> None:
        if self._process is None:
            return
        with self._process as process:
            process.send_signal(how)
            process.wait(timeout=PATIENCE)
        self._process = None


@contextlib.contextmanager
def started(*arguments: str, command: str = "serve") -> Iterator[Server]:
    server = Server(*arguments, command=command)
    server.start()
    try:
        yield server
    finally:
        server.end()
