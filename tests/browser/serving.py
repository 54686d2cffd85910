"""The command `clearhead serve`, as a person starts it."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator

PATIENCE = 60
"""Seconds after which a program that does not end has failed."""


class Server:
    """A running server; `kill` and `start` again use the same port."""

    def __init__(self) -> None:
        self.address = ""
        self._port = 0
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "clearhead", "serve", "--no-browser", "--port", str(self._port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert "http://" in line, f"the server said {line!r} instead of its address"
        self.address = next(part for part in line.split() if part.startswith("http://"))
        self._port = int(self.address.rstrip("/").rpartition(":")[2])

    def end(self, how: signal.Signals = signal.SIGINT) -> None:
        if self._process is None:
            return
        with self._process as process:
            process.send_signal(how)
            process.wait(timeout=PATIENCE)
        self._process = None


@contextlib.contextmanager
def started() -> Iterator[Server]:
    server = Server()
    server.start()
    try:
        yield server
    finally:
        server.end()
