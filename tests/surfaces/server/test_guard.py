"""Strangers are refused: another Host (DNS rebinding), another Origin (a page elsewhere), another address."""

import pytest
from websockets.exceptions import InvalidStatus

from clearhead.surfaces.server import create_app
from clearhead.surfaces.server.guard import Guard, security_headers

PATHS = ["/", "/gallery", "/app.js", "/nothing-here"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_security_headers(stand_in, path):
    response, _ = stand_in.get(path)
    for name, value in security_headers(stand_in.port).items():
        assert response.getheader(name) == value


def test_the_policy_allows_the_page_its_own_script_and_server_and_nothing_else(stand_in):
    response, _ = stand_in.get("/")
    policy = dict(part.split(" ", 1) for part in response.getheader("Content-Security-Policy").split("; "))
    port = stand_in.port
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": f"'self' ws://127.0.0.1:{port} ws://localhost:{port}",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


def test_the_server_does_not_name_its_software(stand_in):
    response, _ = stand_in.get("/")
    assert response.getheader("Server") is None


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
def test_this_computer_may_use_its_names(stand_in, name):
    response, _ = stand_in.get("/nothing-here", host=f"{name}:{stand_in.port}")
    assert response.status == 404


STRANGERS = [
    "evil.example:{port}",
    "evil.example",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.1.evil.example:{port}",
    "localhost.evil.example:{port}",
    "localhost:{port}@evil.example",
    "user@127.0.0.1:{port}",
    "127.0.0.1:{port}, evil.example",
    "0.0.0.0:{port}",
    "127.0.0.2:{port}",
    "",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", STRANGERS)
def test_another_host_is_refused_on_every_path(stand_in, host, path):
    response, body = stand_in.get(path, host=host.format(port=stand_in.port))
    assert response.status in (400, 421)
    assert response.status == 400 or response.getheader("Content-Security-Policy").startswith(
        "default-src 'none'"
    )
    assert b"<" not in body


def test_two_hosts_are_refused(stand_in):
    good = f"127.0.0.1:{stand_in.port}"
    answer = stand_in.raw(
        f"GET / HTTP/1.1\r\nHost: {good}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    )
    assert answer.split()[1] in ("400", "421")


def test_no_host_is_refused(stand_in):
    assert stand_in.raw("GET / HTTP/1.0\r\n\r\n").split()[1] in ("400", "421")


HANDSHAKE = (
    "GET /ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{origin}\r\n"
)


def handshake(server, host="127.0.0.1:{port}", origin="Origin: http://127.0.0.1:{port}\r\n"):
    port = server.port
    return server.raw(HANDSHAKE.format(host=host.format(port=port), origin=origin.format(port=port)))


def test_the_handshake_used_by_these_attacks_works_when_it_is_honest(stand_in):
    assert handshake(stand_in).startswith("HTTP/1.1 101")


@pytest.mark.parametrize("host", [host for host in STRANGERS if host])
def test_another_host_gets_no_websocket(stand_in, host):
    answer = handshake(stand_in, host=host, origin=f"Origin: http://{host}\r\n")
    assert answer.startswith("HTTP/1.1 421")
    assert "content-security-policy" in answer.lower()


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://evil.example:{port}",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1:{port}.evil.example",
        "http://127.0.0.1:{port}/",
        "file://",
        "null",
    ],
)
def test_a_page_from_elsewhere_gets_no_websocket(stand_in, origin):
    with pytest.raises(InvalidStatus) as refused, stand_in.tab(origin.format(port=stand_in.port)):
        pass
    assert refused.value.response.status_code == 403
    assert refused.value.response.body == b"Only a page from this server may open its websocket."


@pytest.mark.parametrize(
    "origin", ["", "Origin: http://127.0.0.1:{port}\r\nOrigin: https://evil.example\r\n"]
)
def test_no_origin_or_two_get_no_websocket(stand_in, origin):
    assert handshake(stand_in, origin=origin).split()[1] in ("400", "403")


def test_a_page_by_any_name_of_this_computer_gets_its_websocket(stand_in):
    for name in ("127.0.0.1", "localhost", "[::1]"):
        with stand_in.tab(f"http://{name}:{stand_in.port}") as tab:
            assert tab.ask({"ask": "echo"}).data[0]["kind"] == "echo"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "localhost", "192.168.0.1", "", "127.0.0.2"])
def test_another_address_is_refused_in_one_sentence(host):
    with pytest.raises(ValueError, match=r"is not allowed; expected 127\.0\.0\.1") as refused:
        create_app(None, host=host, port=1)
    assert "\n" not in str(refused.value)


def test_port_80_is_left_out_by_browsers():
    assert "localhost" in Guard(None, 80).hosts
    assert "localhost" not in Guard(None, 8377).hosts
