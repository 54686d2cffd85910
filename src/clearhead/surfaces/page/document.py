"""The document: the page's script and its content, and a few lines that unfold them.

A browser may run nothing in it but what stands in it: the lines that unfold are named by their checksum in the
Content-Security-Policy (W3C Content Security Policy Level 3, 'strict-dynamic'), and they alone may start the script.
No address is ever asked for anything.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Iterator
from html import escape

from clearhead.session.bundle import bundle

UNFOLD = """\
const text = document.getElementById("clearhead-script").textContent;
const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
const script = document.createElement("script");
script.type = "module";
script.src = URL.createObjectURL(new Blob([await new Response(stream).blob()], { type: "text/javascript" }));
document.head.append(script);
"""

DOCUMENT = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="generator" content="Clearhead {version}">
<title>{title}</title>
</head>
<body data-clearhead="kept">
<noscript>Clearhead draws its matrices with JavaScript; please allow it for this page.</noscript>
<script type="text/plain" id="clearhead-script">{script}</script>
"""

PART = '<script type="text/plain" id="clearhead-part-{number}">{content}</script>\n'

END = """\
<script type="module">{unfold}</script>
</body>
</html>
"""


def document(title: str, parts: Iterable[bytes]) -> Iterator[bytes]:
    """The whole file, piece by piece.

    Args:
        title: what the window is called.
        parts: the content, see `packing.packed`.

    Raises:
        FileNotFoundError: the page's script has not been built.
    """
    from clearhead import __version__

    checksum = base64.b64encode(hashlib.sha256(UNFOLD.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{checksum}' 'strict-dynamic'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    script = _text(zlib.compress(bundle(), 9))
    yield DOCUMENT.format(policy=policy, version=__version__, title=escape(title), script=script).encode()
    for number, part in enumerate(parts):
        yield PART.format(number=number, content=_text(part)).encode()
    yield END.format(unfold=UNFOLD).encode()


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
