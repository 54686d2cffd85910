"""The built page: one script, byte for byte the same wherever the page is shown."""

from __future__ import annotations

from importlib.resources import files


def bundle() -> bytes:
    """The page's script, an ES module.

    Raises:
        FileNotFoundError: it has not been built.
    """
    script = files("clearhead") / "static" / "app.js"
    if not script.is_file():
        raise FileNotFoundError(
            "the page has not been built; run `npm ci && npm run build` in the folder frontend"
        )
    return script.read_bytes()
