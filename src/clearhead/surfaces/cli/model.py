"""`clearhead model`: the page's Model part, with a model of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from clearhead.surfaces.cli.bars import say
from clearhead.surfaces.cli.capture import MODEL
from clearhead.surfaces.cli.failing import fail, one_sentence
from clearhead.surfaces.cli.options import NoBrowser, Port
from clearhead.surfaces.cli.serve import serve_page

if TYPE_CHECKING:
    from clearhead.session.models import Models

NAME = f"{MODEL} Without one: the study model, which needs nothing else installed."


def model(
    name: Annotated[str | None, typer.Argument(help=NAME, show_default=False)] = None,
    text: Annotated[str | None, typer.Option("--text", help="What the model is to read.")] = None,
    decoder: Annotated[
        str | None, typer.Option("--decoder", help="What the decoder of an encoder-decoder model is given.")
    ] = None,
    generate: Annotated[
        int, typer.Option("--generate", min=0, help="Let it go on by itself for so many tokens.")
    ] = 0,
    dtype: Annotated[
        str | None, typer.Option("--dtype", help="The numbers' type, such as bfloat16. Default: as stored.")
    ] = None,
    device: Annotated[str | None, typer.Option("--device", help="Where it runs. Default: the CPU.")] = None,
    revision: Annotated[str | None, typer.Option("--revision", help="Of a model on the hub.")] = None,
    remote_code: Annotated[
        bool, typer.Option("--remote-code", help="Let the model bring Python code of its own, and run it.")
    ] = False,
    port: Port = None,
    no_browser: NoBrowser = False,
) -> None:
    """Open a model in the browser: all its heads on a text, and every number of each.

    The model runs on this computer. The page can give it other texts, and
    throw switches in it; it can open no other model, and no file.
    """
    how = {"revision": revision, "remote_code": remote_code, "device": device, "dtype": dtype}
    with one_sentence():
        try:
            models, called = _opened(name, text, decoder, how)
            fragment = _read_once(models, called, text, decoder, generate)
        except ImportError as error:
            fail(str(error))
    from clearhead.session import Session

    serve_page(Session(models=models), fragment, port, no_browser)


def _opened(
    name: str | None, text: str | None, decoder: str | None, how: dict[str, Any]
) -> tuple[Models, str]:
    """The models of the session, and which of them the page begins with."""
    from clearhead.session.models import Models
    from clearhead.session.offers import STUDY, called

    if name is None or name == STUDY:
        if unfit := [option for option, value in how.items() if value]:
            fail(f"--{unfit[0].replace('_', '-')} is for a model that is loaded; expected its NAME before it")
        return Models(text=text), STUDY
    from clearhead.sources.models.loading import load_model

    loaded = load_model(name, progress=say, **how)
    return Models([loaded], text, decoder), called(loaded.name)


def _read_once(models: Models, called: str, text: str | None, decoder: str | None, generate: int) -> str:
    """Let the model read the text before the page opens, so that what is wrong is said here; gives the address."""
    from clearhead.session.modelstate import Reading

    if decoder is not None and not models.offer(called).title["decoder"]:
        fail(f"--decoder: {called} has no decoder that reads a text of its own; expected --text alone")
    say(f"{called}: reading the text")
    models.capture(Reading(called, text, decoder, generate))
    given = {
        "model": called,
        "text": text,
        "decoder": decoder,
        "generate": str(generate) if generate else None,
    }
    parts = (f"{key}={quote(value, safe='')}" for key, value in given.items() if value is not None)
    return f"#{'&'.join(parts)}"
