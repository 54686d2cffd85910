"""Real servers on the loopback address, and what one needs to talk to them. Each is ended as a person would: Ctrl-C."""

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from websockets.sync.client import ClientConnection, connect

STAND_IN = Path(__file__).with_name("stand_in.py")
PATIENCE = 60
"""Seconds after which a server that does not answer has failed; no test is about how long anything takes."""


@dataclass
class Reply:
    id: int | None
    data: list[dict[str, Any]]
    buffers: list[list[np.ndarray]]


def read_frame(raw: bytes) -> Reply:
    """A reply, read by the letter of the format and not with the code that wrote it."""
    (length,) = struct.unpack_from("<I", raw)
    assert (4 + length) % 8 == 0
    header = json.loads(raw[4 : 4 + length])
    assert header["clearhead"] == 1
    body = raw[4 + length :]
    buffers = [
        [
            np.frombuffer(body[b["offset"] : b["offset"] + b["bytes"]], b["dtype"]).reshape(b["shape"])
            for b in reply["buffers"]
        ]
        for reply in header["replies"]
    ]
    return Reply(header["id"], [reply["data"] for reply in header["replies"]], buffers)


class Tab:
    """A browser tab's websocket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    def send(self, *asks: Any, number: int = 1) -> None:
        self.socket.send(json.dumps({"id": number, "asks": asks}))

    def receive(self) -> Reply:
        raw = self.socket.recv(timeout=PATIENCE)
        assert isinstance(raw, bytes)
        return read_frame(raw)

    def ask(self, *asks: Any) -> Reply:
        self.send(*asks)
        return self.receive()

    def send_raw(self, text: str) -> Reply:
        self.socket.send(text)
        return self.receive()


@dataclass
class Server:
    process: subprocess.Popen[str]
    address: str

    @property
    def port(self) -> int:
        port = urlsplit(self.address).port
        assert port is not None
        return port

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextlib.contextmanager
    def tab(self, origin: str | None = "") -> Iterator[Tab]:
        """A websocket; by default from the server's own page."""
        uri = f"ws://127.0.0.1:{self.port}/ws"
        with connect(
            uri, origin=self.origin if origin == "" else origin, open_timeout=PATIENCE, max_size=None
        ) as socket:  # type: ignore[arg-type]
            yield Tab(socket)

    def get(self, path: str, host: str | None = None, method: str = "GET") -> tuple[HTTPResponse, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host=host is not None, skip_accept_encoding=True)
            if host is not None:
                connection.putheader("Host", host)
            connection.endheaders()
            response = connection.getresponse()
            return response, response.read()

    def raw(self, request: str) -> str:
        """What the server answers to these very bytes, until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as plain:
            plain.sendall(request.encode())
            plain.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: plain.recv(65536), b"")).decode("latin-1")

    def stop(self) -> tuple[int, str]:
        """Ctrl-C: the exit code and what stood on stderr."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors


Start = Callable[..., Server]


@contextlib.contextmanager
def started(*command: str, environment: dict[str, str] | None = None) -> Iterator[Server]:
    """Start a server that prints its address; on the way out it is stopped, if the test has not done so."""
    process = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, **(environment or {})},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http://" in line, (process.communicate(timeout=PATIENCE), line)
        address = next(part for part in line.split() if part.startswith("http://"))
        yield Server(process, address)
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def stand_in() -> Iterator[Server]:
    """A server whose session misbehaves on request (see stand_in.py)."""
    with started(str(STAND_IN), "0") as server:
        yield server


@pytest.fixture(scope="module")
def real() -> Iterator[Server]:
    """`clearhead serve`, as a person starts it."""
    with started("-m", "clearhead", "serve", "--no-browser", "--port", "0") as server:
        yield server


@pytest.fixture
def start() -> Callable[..., contextlib.AbstractContextManager[Server]]:
    """Start one more server: `with start("-m", "clearhead", ...) as server`."""
    return started
