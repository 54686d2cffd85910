"""`clearhead model`: the page's Model part, with a model of one's own or a saved capture."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from clearhead.surfaces.cli.bars import say
from clearhead.surfaces.cli.capture import MODEL, read_text
from clearhead.surfaces.cli.failing import fail, one_sentence
from clearhead.surfaces.cli.groups import NONE_GIVEN, Given, grouped
from clearhead.surfaces.cli.options import Decoder, Generate, Loading, NoBrowser, Port
from clearhead.surfaces.cli.reading_on import shown_below
from clearhead.surfaces.cli.serve import serve_page
from clearhead.surfaces.cli.stored import check_store
from clearhead.trace.capture.saved import is_capture, load_capture

if TYPE_CHECKING:
    from clearhead.session.long import LongReading
    from clearhead.session.models import Models

NAME = (
    f"{MODEL} Or a capture that was saved: its file, or the folder of a store. Without one: the study model, which "
    "needs nothing else installed."
)


@grouped
def model(
    name: Annotated[str | None, typer.Argument(help=NAME, show_default=False)] = None,
    text: Annotated[str | None, typer.Option("--text", help="What the model is to read.")] = None,
    file: Annotated[
        str | None, typer.Option("--file", help="A text file (UTF-8) that it is to read, of any length.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store", help="A folder to keep the capture in; what it has already is not done again."
        ),
    ] = None,
    decoder: Decoder = None,
    generate: Generate = 0,
    loading: Loading = NONE_GIVEN,
    port: Port = None,
    no_browser: NoBrowser = False,
) -> None:
    """Open a model in the browser: all its heads on a text, and every number of each.

    The model runs on this computer. The page can give it other texts, and
    throw switches in it; it can open no other model, and no file. A long
    text (more than 512 tokens) is read while the page is open already, and
    kept on the disk: in --store, or in a temporary folder until the end.

    A saved capture opens without its model, and without PyTorch.
    """
    began = time.monotonic()
    if text is not None and file is not None:
        raise typer.BadParameter("expected what the model is to read once: either --text or --file.")
    asked = {"text": text, "file": file, "store": store, "decoder": decoder, "generate": generate, **loading}
    with one_sentence():
        read = read_text(text, file)
        if store is not None:
            check_store(store)
        try:
            models, called = _opened(name, read, asked, loading)
            reading = _begun(models, called, read, asked)
        except ImportError as error:
            fail(str(error))
    from clearhead.session import Session

    shown = {key: value for key, value in asked.items() if key in ("text", "decoder", "generate") and value}
    with _tidied(models), shown_below(reading, began) as show:
        serve_page(Session(models=models), _address(called, shown), port, no_browser, show)


@contextmanager
def _tidied(models: Models) -> Iterator[None]:
    """At the end nothing is left behind, also where the process is told to end or its terminal is closed."""
    told = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in told}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if not models.close():  # PyTorch must not be taken down under a thread that still computes
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)


def _opened(name: str | None, text: str | None, asked: dict[str, Any], how: Given) -> tuple[Models, str]:
    """The models of the session, and which of them the page begins with."""
    from clearhead.session.models import Models
    from clearhead.session.offers import STUDY, called

    if name is None or name == STUDY:
        _refuse(
            {**how, "store": asked["store"]}, "is for a model that is loaded; expected its NAME before it"
        )
        return Models(text=text), STUDY
    if is_capture(name):
        _refuse(asked, f"is for a model that reads a text; {name} is a saved capture of one that did")
        return Models(saved={name: load_capture(name)}), called(name)
    from clearhead.sources.models.loading import load_model

    loaded = load_model(name, progress=say, **how)
    return Models([loaded], text, asked["decoder"]), called(loaded.name)


def _refuse(options: dict[str, Any], why: str) -> None:
    """Say which of the options that were given is at the wrong place."""
    if unfit := [option for option, value in options.items() if value]:
        fail(f"--{unfit[0].replace('_', '-')} {why}")


def _begun(models: Models, called: str, text: str | None, asked: dict[str, Any]) -> LongReading | None:
    """Let the model read the text before the page opens, so that what is wrong is said here; a long one is begun."""
    from clearhead.session.modelstate import Reading

    title = models.offer(called).title
    if asked["decoder"] is not None and not title["decoder"]:
        fail(f"--decoder: {called} has no decoder that reads a text of its own; expected --text alone")
    if not title["fixed"]:
        say(f"{called}: reading the text")
    return models.begin(Reading(called, text, asked["decoder"], asked["generate"]), asked["store"])


def _address(called: str, shown: dict[str, Any]) -> str:
    """The part of the page's address that says what it opens with. The text of a file is the model's first anyway."""
    return "#" + "&".join(
        f"{key}={quote(str(value), safe='')}" for key, value in {"model": called, **shown}.items()
    )
