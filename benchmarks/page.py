"""The real server and a headless Chromium, for the benchmarks of the page."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, or the one that CLEARHEAD_CHROMIUM names."""
    with sync_playwright() as playwright:
        program = os.environ.get("CLEARHEAD_CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def server(*arguments: str) -> Iterator[str]:
    """Run `clearhead serve` with these arguments; give the address that it prints, with the example's fragment."""
    with running("serve", *arguments) as (address, _):
        yield address


@contextmanager
def running(command: str, *arguments: str) -> Iterator[tuple[str, int]]:
    """Run a command that serves the page; give the address that it prints, and the number of its process."""
    asked = [sys.executable, "-m", "clearhead", command, *arguments, "--no-browser", "--port", "0"]
    process = subprocess.Popen(asked, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield next(part for part in line.split() if part.startswith("http://")), process.pid
    finally:
        process.terminate()
        process.wait()
