"""Starting, ports, stopping: what a person sees of the server in the terminal."""

import contextlib
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from clearhead.surfaces.server import ServeError, serving

STAND_IN = str(Path(__file__).with_name("stand_in.py"))
CLEARHEAD = ("-m", "clearhead")


@contextlib.contextmanager
def port_in_use():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_a_port_in_use_is_one_sentence_and_exit_code_1():
    with port_in_use() as port:
        done = subprocess.run(
            [sys.executable, *CLEARHEAD, "serve", "--no-browser", "--port", str(port)],
            capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    sentence = done.stderr.splitlines()[-1]
    assert sentence.startswith(f"clearhead: Port {port} is in use")
    assert "Traceback" not in done.stderr


def test_without_a_port_the_next_free_one_is_taken(monkeypatch):
    with port_in_use() as port:
        monkeypatch.setattr(serving, "DEFAULT_PORT", port)
        with serving.open_port(None) as listener:
            assert listener.getsockname()[0] == "127.0.0.1"
            assert listener.getsockname()[1] != port


def test_when_all_of_the_next_ports_are_in_use_the_system_chooses(monkeypatch):
    with port_in_use() as port:
        monkeypatch.setattr(serving, "DEFAULT_PORT", port)
        monkeypatch.setattr(serving, "PORTS_TRIED", 1)
        with serving.open_port(None) as listener:
            assert listener.getsockname()[1] not in (0, port)


def test_a_port_that_may_not_be_used_is_named(monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(serving.socket.socket, "bind", refuse)
    with pytest.raises(ServeError, match="Port 81 may not be opened by this user"):
        serving.open_port(81)


def test_ctrl_c_ends_the_server_quietly(start):
    with start(STAND_IN, "0") as server:
        with server.tab() as tab:
            assert tab.ask({"ask": "echo"}).data[0]["kind"] == "echo"
        assert server.stop() == (0, "")


def test_ctrl_c_ends_the_server_quietly_while_a_tab_waits_for_an_answer(start):
    with start(STAND_IN, "0") as server, server.tab() as tab:
        tab.send({"ask": "wait"})
        with server.tab() as other:  # by now the first tab's request has been read
            other.ask({"ask": "echo"})
        assert server.stop() == (0, "")


def test_a_server_that_was_stopped_starts_again_on_its_port(start):
    with start(STAND_IN, "0") as server:
        port = server.port
        with server.tab() as tab:
            tab.ask({"ask": "echo"})
            assert server.stop() == (0, "")
    with start(STAND_IN, str(port)) as again, again.tab() as tab:
        assert again.port == port
        assert tab.ask({"ask": "echo"}).data[0]["kind"] == "echo"


def test_a_failure_inside_is_logged_for_the_person_who_started_the_server(start):
    with start(STAND_IN, "0") as server:
        with server.tab() as tab:
            tab.ask({"ask": "crash"})
        code, errors = server.stop()
    assert code == 0
    assert "a secret of the machine" in errors


def test_the_command_serves_on_loopback_and_ends_with_0(start):
    with start(*CLEARHEAD, "serve", "--no-browser", "--port", "0") as server:
        assert server.address.startswith("http://127.0.0.1:")
        with server.tab() as tab:
            assert tab.ask({"ask": "examples"}).data[0]["kind"] == "examples"
        code, errors = server.stop()
    assert code == 0
    assert "Traceback" not in errors


def test_the_browser_is_opened_once_the_server_answers(start, tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser.py"
    browser.write_text(
        "import pathlib, sys, urllib.request, urllib.error\n"
        "address = sys.argv[1]\n"
        "try:\n    status = urllib.request.urlopen(address.partition('#')[0] + 'nothing-here').status\n"
        "except urllib.error.HTTPError as error:\n    status = error.code\n"
        f"part = pathlib.Path({str(seen)!r} + '.part')\n"
        "part.write_text(f'{status} {address}')\n"
        f"part.rename({str(seen)!r})\n",
        encoding="utf-8",
    )
    with start(*CLEARHEAD, "serve", "two-heads", "--port", "0",
               environment={"BROWSER": f"{sys.executable} {browser} %s"}) as server:  # fmt: skip
        # The browser's visit comes before this one is over, or soon after: ask until it has been.
        for _ in range(100_000):
            if seen.exists():
                break
            server.get("/nothing-here")
        assert seen.read_text() == f"404 {server.address}"
        assert server.address.endswith("/#example=two-heads")
