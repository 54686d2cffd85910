"""`clearhead capture`: run a model once on a text, and keep all that entered its attention."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from clearhead.surfaces.cli.bars import bar, say
from clearhead.surfaces.cli.failing import fail, one_sentence, to_be_written
from clearhead.surfaces.cli.groups import NONE_GIVEN, Given, grouped
from clearhead.surfaces.cli.options import Decoder, Generate, Loading
from clearhead.surfaces.cli.output import make_console, print_lines, printable
from clearhead.surfaces.cli.stored import writing_store
from clearhead.trace.capture.failing import refuse_empty

if TYPE_CHECKING:
    from clearhead.trace.capture.capture import Capture

MODEL = (
    "A folder that save_pretrained wrote, a .safetensors file beside its config.json, a .gguf file, or a name on the "
    "hub."
)


@grouped
def capture(
    model: Annotated[str, typer.Argument(help=f"{MODEL} Or study: the model that comes along.")],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="The file to write, such as cap.safetensors; a folder with --overview."
        ),
    ],
    text: Annotated[str | None, typer.Option("--text", help="What the model is to read.")] = None,
    file: Annotated[
        str | None, typer.Option("--file", help="A text file (UTF-8) that it is to read.")
    ] = None,
    decoder: Decoder = None,
    generate: Generate = 0,
    change: Annotated[
        list[str] | None,
        typer.Option("--change", help="A switch, such as 'L3H1 off' or 'L3 no mask'; may be given again."),
    ] = None,
    loading: Loading = NONE_GIVEN,
    below: Annotated[
        bool | None,
        typer.Option(
            "--below/--no-below",
            help="Keep the layers' inputs and the matrices around heads, too. Default: where the text is not long.",
            show_default=False,
        ),
    ] = None,
    overview: Annotated[
        bool,
        typer.Option(
            "--overview", help="Look at every head while it runs, and write layer by layer into a folder."
        ),
    ] = False,
    bins: Annotated[
        int | None,
        typer.Option(
            "--bins",
            min=1,
            max=4096,
            help="Bins of an overview along each side. Default: 256.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Run it though it seems to need more memory or room than there is."),
    ] = False,
) -> None:
    """Run a model once, and keep all that entered its attention in a file.

    The model computes as it always does. `clearhead heads` shows what its
    heads do, `clearhead why` where a number came from; neither needs the
    model any more, nor PyTorch. With --overview, for texts of any length, it
    may be broken off: the same command goes on with the layers that are left.
    """
    if (text is None) == (file is None):
        raise typer.BadParameter("expected what the model is to read: either --text or --file.")
    _check_overview(overview, below, bins)
    given = {"decoder": decoder, "generate": generate, "changes": tuple(change or ())}
    given |= {"below": below, "force": force}
    if overview:
        given |= {"store": output, "overview": bins or True}
    with one_sentence(), writing_store(output) if overview else to_be_written(output):
        read = read_text(text, file)
        try:
            found = captured_by_name(model, read, given, loading)
        except ImportError as error:
            fail(str(error))
        lines = _lines(found)
        if not overview:
            _keep(found, output, below is not False)
    kept = Text(f"Kept in {printable(output)} ({_size(_bytes_of(Path(output).expanduser()))})")
    print_lines(make_console(), [*lines, kept])


def _bytes_of(place: Path) -> int:
    """What a file takes, or all files of a folder."""
    files = place.iterdir() if place.is_dir() else [place]
    return sum(file.stat().st_size for file in files)


def _check_overview(overview: bool, below: bool | None, bins: int | None) -> None:
    """What cannot be meant together."""
    if overview and below:
        raise typer.BadParameter(
            "--below: a store has no room for the layers' inputs; expected no --overview with it."
        )
    if bins is not None and not overview:
        raise typer.BadParameter("--bins: is for an overview; expected --overview with it.")


def read_text(text: str | None, file: str | None) -> str | None:
    """What a model is to read: a text that was typed, or that of a file; None if neither is given.

    Raises:
        ValueError: there is nothing to read in it.
    """
    read = text if file is None else _text_of_file(file)
    if read is not None:
        refuse_empty(read, "--text" if file is None else file)
    return read


def _text_of_file(path: str) -> str:
    """The content of a text file."""
    try:
        return Path(path).expanduser().read_text("utf-8-sig")
    except UnicodeDecodeError:
        fail(f"{path}: is not text in UTF-8; expected a text file")
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(getattr(error, "strerror", None) or error).lower()
        fail(f"{path}: cannot be read ({reason}); expected a text file")


def captured_by_name(model: str, text: str | None, given: dict[str, Any], how: Given) -> Capture:
    """The capture of a model by name."""
    from clearhead.session.capturing import STUDY
    from clearhead.session.capturing import capture as run

    if model == STUDY:
        if how:
            option = next(iter(how)).replace("_", "-")
            raise ValueError(f"--{option} is for a model that is loaded, which the study model is not")
        return run(STUDY, text, **given)
    from clearhead.sources.models.loading import load_model

    loaded = load_model(model, progress=say, **how)
    with bar("Running the model") as tell:
        return run(loaded, text, progress=tell, **given)


def _lines(capture: Capture) -> list[Text]:
    """What there is to say of it."""
    from clearhead.surfaces.cli.captured_lines import capture_lines

    with bar("Comparing with the model's own numbers") as tell:
        return list(capture_lines(capture, tell))


def _keep(capture: Capture, output: str, below: bool) -> None:
    from clearhead.trace.capture.saved import save_capture

    with bar(f"Writing {output}") as tell:
        save_capture(capture, output, below=below, progress=tell)


def _size(count: int) -> str:
    """Bytes in words."""
    size, units = float(count), ["bytes", "kB", "MB", "GB"]
    while size >= 1000 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return f"{size:.0f} {units[0]}" if size >= 100 or units[0] == "bytes" else f"{size:.1f} {units[0]}"
