"""Three paths send a file; nothing else does, however it is asked for."""

import pytest
from starlette.testclient import TestClient

from clearhead.surfaces.server import create_app
from clearhead.surfaces.server.app import NOT_BUILT, is_built


@pytest.fixture
def page(tmp_path):
    bundle = tmp_path / "static"
    bundle.mkdir()
    (bundle / "index.html").write_text("<!doctype html><title>page</title>", encoding="utf-8")
    (bundle / "app.js").write_text("export const heads = 1;", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (bundle / "other.txt").write_text("secret", encoding="utf-8")
    app = create_app(None, port=8377, bundle=bundle)
    with TestClient(app, base_url="http://127.0.0.1:8377") as client:
        yield client


@pytest.mark.parametrize(
    ("path", "type_", "starts"),
    [
        ("/", "text/html; charset=utf-8", "<!doctype html>"),
        ("/gallery", "text/html; charset=utf-8", "<!doctype html>"),
        ("/app.js", "text/javascript; charset=utf-8", "export"),
    ],
)
def test_the_page_and_its_script_are_sent(page, path, type_, starts):
    answer = page.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, type_)
    assert answer.text.startswith(starts)
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/other.txt", "/index.html", "/static/app.js", "/favicon.ico", "/app.js/"])
def test_nothing_else_is_sent(page, path):
    assert page.get(path, follow_redirects=False).status_code in (307, 404)
    assert "secret" not in page.get(path).text


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/..\\secret.txt",
        "/app.js/../../secret.txt", "/gallery/..%5c..%5csecret.txt", "/..%252fsecret.txt", "//etc/passwd", "/%00",
        "//app.js",        "/../../../../../../../../etc/passwd", "/..%2f..%2f..%2f..%2f..%2f..%2fetc/passwd",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_bundle(stand_in, path):
    response, body = stand_in.get(path)
    assert response.status in (307, 400, 404)
    assert b"secret" not in body
    assert b"root:" not in body


def test_an_absolute_address_in_the_request_line_leads_nowhere(stand_in):
    host = f"127.0.0.1:{stand_in.port}"
    answer = stand_in.raw(f"GET http://evil.example/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
    assert answer.split()[1] in ("400", "404")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_the_page_is_only_read(stand_in, method):
    response, _ = stand_in.get("/", method=method)
    assert response.status == 405


def test_a_page_that_is_not_built_says_how(tmp_path):
    app = create_app(None, port=8377, bundle=tmp_path)
    with TestClient(app, base_url="http://127.0.0.1:8377") as client:
        answer = client.get("/")
    assert answer.status_code == 503
    assert answer.text == NOT_BUILT
    assert not is_built(tmp_path)
